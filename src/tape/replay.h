/* Copying a tape, instruction by instruction, into a builder with its leaves replaced.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_REPLAY_H
#define TAPE_REPLAY_H

#include "tape/tape.h"

typedef struct replay {
    tape_builder *b;
    const tape *t;
    tape_ref *moved;                             // per instruction of t: its value in b
    tape_ref (*leaf)(void *user, tape_ref leaf); // NULL: leaves stay; never asked for constants
    void *user;
    tape_ref *consts; // per constant of t: its ref in b, or TAPE_NONE before it is first used
    tape_ref *args;   // t->max_in refs of room, then the most results of a call
} replay;

void replay_init(replay *r, tape_builder *b, const tape *t, arena *scratch);
tape_ref replay_ref(const replay *r, tape_ref ref); // in b, of a ref in t that is already copied
void replay_ins(const replay *r, int i); // append instruction i; nothing for results and stores

#endif
