/* Values that parameters decide.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_VALUE_H
#define IMAGE_IMAGE_VALUE_H

/* A value that is a number, a parameter, or one of the outputs of a function of the parameters. */
enum { CODE_NUMBER = -1, CODE_PARAMETER = -2 };
typedef struct code_value {
    double number;
    int output; // or CODE_NUMBER, or CODE_PARAMETER: its place is the number
} code_value;

#endif
