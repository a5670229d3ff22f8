/* Initial equations of discrete variables that do not lead to a value, and must hold.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_CLAIMS_H
#define IMAGE_CLAIMS_H

#include "base/source.h"

#include <stdbool.h>

typedef struct image_claim { // what does not lead to a value, and must hold
    const char *text;        // as Modelica
    span at;
    bool logical; // Booleans are compared
} image_claim;

/* A Boolean or an enumeration that claims depend on and nothing gives: whose values are tried. */
typedef struct image_choice {
    int place;                 // in w; its past is behind it
    int lowest, radix;         // its values are lowest ... lowest + radix - 1
    const char *name;          // of the variable
    const char *const *values; // radix: what they are called
} image_choice;

typedef struct image_claims {
    int n, n_choices;
    image_claim *at;       // n: by claim
    image_choice *choices; // n_choices; none: there is nothing to choose, or too much
} image_claims;

#endif
