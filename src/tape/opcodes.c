/* Tables and values of the operations, all from the one list in opcodes.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tape/tape.h"

#include <math.h>

const tape_op_info tape_op_table[] = {
#define OP(name, operands, mnemonic, flags, value) {mnemonic, operands, flags},
    TAPE_OPS(OP)
#undef OP
        [TAPE_CALL] = {"call", 0, 0},
    [TAPE_RESULT] = {"result", 0, 0},
    [TAPE_STORE] = {"store", 0, 0},
};

#define A x
#define B y
#define C yes
#define D no
double tape_op_value(tape_op op, double x, double y, double yes, double no)
{
    switch (op) {
#define OP(name, operands, mnemonic, flags, value)                                                 \
    case TAPE_##name: return value;
        TAPE_OPS(OP)
#undef OP
    default: return NAN;
    }
}
