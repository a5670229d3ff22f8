/* The operations of the tape, one list expanded by the builder, the interpreters, the emitters and
 * the printers.
 *
 *     OP(name, operands, "mnemonic", flags, value in C)
 *
 * The last column is the definition: A, B, C, D are the operands, all arithmetic is IEEE double
 * without contraction. What it says about NaN and signed zeros holds on every backend: min and max
 * yield B when a comparison fails, selects take D. Only the payload and sign of a NaN are left
 * open.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_OPCODES_H
#define TAPE_OPCODES_H

#include "base/elementary.h"

enum {
    TAPE_COMMUTES = 1, // A and B may be exchanged without changing a bit
    TAPE_CALLS = 2,    // a call in compiled code: of libm, or of ours
    TAPE_OURS = 8,     // of ours: base/elementary.h
    TAPE_ROUNDS = 4,   // one instruction from SSE4.1 on, a call of libm before
};

// clang-format off
#define TAPE_OPS(OP)                                                                               \
    OP(ADD, 2, "add", TAPE_COMMUTES, A + B)                                                        \
    OP(SUB, 2, "sub", 0, A - B)                                                                    \
    OP(MUL, 2, "mul", TAPE_COMMUTES, A * B)                                                        \
    OP(DIV, 2, "div", 0, A / B)                                                                    \
    OP(NEG, 1, "neg", 0, -A)                                                                       \
    OP(ABS, 1, "abs", 0, fabs(A))                                                                  \
    OP(SQRT, 1, "sqrt", 0, sqrt(A))                                                                \
    OP(MIN, 2, "min", 0, A < B ? A : B)                                                            \
    OP(MAX, 2, "max", 0, A > B ? A : B)                                                            \
    OP(FLOOR, 1, "floor", TAPE_ROUNDS, floor(A))                                                   \
    OP(CEIL, 1, "ceil", TAPE_ROUNDS, ceil(A))                                                      \
    OP(TRUNC, 1, "trunc", TAPE_ROUNDS, trunc(A))                                                   \
    OP(SEL_LT, 4, "sel.lt", 0, A < B ? C : D)                                                      \
    OP(SEL_LE, 4, "sel.le", 0, A <= B ? C : D)                                                     \
    OP(SEL_EQ, 4, "sel.eq", 0, A == B ? C : D)                                                     \
    OP(SEL_NE, 4, "sel.ne", 0, A != B ? C : D)                                                     \
    OP(EXP, 1, "exp", TAPE_CALLS | TAPE_OURS, elementary_exp(A))                                   \
    OP(LOG, 1, "log", TAPE_CALLS | TAPE_OURS, elementary_log(A))                                   \
    OP(LOG10, 1, "log10", TAPE_CALLS | TAPE_OURS, elementary_log10(A))                             \
    OP(SIN, 1, "sin", TAPE_CALLS | TAPE_OURS, elementary_sin(A))                                   \
    OP(COS, 1, "cos", TAPE_CALLS | TAPE_OURS, elementary_cos(A))                                   \
    OP(TAN, 1, "tan", TAPE_CALLS, tan(A))                                                          \
    OP(ASIN, 1, "asin", TAPE_CALLS, asin(A))                                                       \
    OP(ACOS, 1, "acos", TAPE_CALLS, acos(A))                                                       \
    OP(ATAN, 1, "atan", TAPE_CALLS, atan(A))                                                       \
    OP(ATAN2, 2, "atan2", TAPE_CALLS, atan2(A, B))                                                 \
    OP(SINH, 1, "sinh", TAPE_CALLS, sinh(A))                                                       \
    OP(COSH, 1, "cosh", TAPE_CALLS, cosh(A))                                                       \
    OP(TANH, 1, "tanh", TAPE_CALLS | TAPE_OURS, elementary_tanh(A))                                \
    OP(POW, 2, "pow", TAPE_CALLS | TAPE_OURS, elementary_pow(A, B))                                \
    OP(COPY, 1, "copy", 0, A)
// clang-format on

typedef enum tape_op {
#define OP(name, operands, mnemonic, flags, value) TAPE_##name,
    TAPE_OPS(OP)
#undef OP
        TAPE_N_OPS,         // operations above take and give doubles
    TAPE_CALL = TAPE_N_OPS, // a: index into calls; the results are the next n_out instructions
    TAPE_RESULT,            // a: result number of the call before
    TAPE_STORE,             // a: target (w, x, out or out2), b: what is stored
} tape_op;

typedef struct tape_op_info {
    const char *name; // mnemonic
    int operands;     // 1, 2 or 4; 0 from TAPE_N_OPS on
    int flags;
} tape_op_info;

extern const tape_op_info tape_op_table[];

static inline const char *tape_op_name(tape_op op)
{
    return tape_op_table[op].name;
}

static inline int tape_op_operands(tape_op op)
{
    return tape_op_table[op].operands;
}

static inline int tape_op_flags(tape_op op)
{
    return tape_op_table[op].flags;
}

double tape_op_value(tape_op op, double x, double y, double yes, double no);

#endif
