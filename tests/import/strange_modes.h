/* How the FMU of these tests misbehaves: values of its parameter.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STRANGE_MODES_H
#define STRANGE_MODES_H

enum {
    STRANGE_NOT,
    STRANGE_CRASH, // from t = 0.5 on
    STRANGE_HANG,
    STRANGE_EXIT,
    STRANGE_ERROR,
    STRANGE_NAN,
    STRANGE_NO_START,
    STRANGE_ENDLESS_EVENT,
    STRANGE_STEP_EVENTS,  // wants an event after every step
    STRANGE_TERMINATES,   // at t = 0.5
    STRANGE_DISCARDS,     // trial points that lie too far
    STRANGE_JUMP_AT_HALF, // x grows by 1 at the time event t = 0.5
    STRANGE_NO_NOMINAL,
    STRANGE_RETURNS_EARLY, // from every step, until little is left of it
    STRANGE_HANG_AT_START,
    STRANGE_NO_SLOPES,    // discards directional derivatives
    STRANGE_NAN_SLOPES,   // gives some that are not numbers
    STRANGE_JUMP_AT_STEP, // x grows by 1 at the first step from t = 0.5 on that is kept
    STRANGE_REFUSES_STEP  // that is kept, from t = 0.5 on
};

#endif
