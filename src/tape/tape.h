/* The tape: what a model's equations become before they are evaluated a million times.
 *
 * A tape (a kernel) is a straight-line program in SSA form. Operands are tagged 32-bit refs: the
 * value of an earlier instruction, a constant, or an element of one of the arrays in tape_args, so
 * there are no load instructions; stores are instructions. Conditions are selects, never branches.
 * Booleans are 0.0 and 1.0. The semantics are fixed here, to the bit: interpreter, compiled code on
 * any machine and printed C agree (ops.h), and same operands give same bits.
 *
 * Build with a tape_builder, then run it once with tape_run, or compile it and call tape_eval as
 * often as needed. Derivatives of tapes are tapes: tape/derive.h. Repeated equations are kept
 * rolled as loops over kernels: tape/program.h.
 *
 * Limits: 2^28 elements in each array and 2^28 instructions; beyond, the builder reports lack of
 * memory. Tapes live in arenas and are immutable once finished.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_TAPE_H
#define TAPE_TAPE_H

#include "base/arena.h"
#include "base/text.h"
#include "tape/ops.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- refs ------------------------------------------------------------------------------------ */

typedef uint32_t tape_ref; // kind in the upper 4 bits, index in the lower 28

typedef enum tape_kind {
    TAPE_VALUE, // of instruction `index`
    TAPE_CONST, // tape.consts[index]
    TAPE_T,     // the time; index 0
    TAPE_P,     // parameters
    TAPE_Y,     // unknowns
    TAPE_YP,    // their time derivatives
    TAPE_W,     // work: discrete state, values passed between kernels; read and written
    TAPE_X,     // operand `index` of a kernel that is mapped; says nothing of where it lives
    TAPE_OUT,   // results; targets of stores only
    TAPE_OUT2,  // second array of results (Jacobians: dF/dy goes to out, dF/dy' to out2)
    TAPE_N_KINDS,
} tape_kind;

enum { TAPE_INDEX_BITS = 28, TAPE_INDEX_MAX = (1 << TAPE_INDEX_BITS) - 1 };
#define TAPE_NONE UINT32_MAX

static inline tape_ref tape_ref_of(tape_kind kind, int index)
{
    return (tape_ref)kind << TAPE_INDEX_BITS | (tape_ref)index;
}

static inline tape_kind tape_kind_of(tape_ref r)
{
    return (tape_kind)(r >> TAPE_INDEX_BITS);
}

static inline int tape_index_of(tape_ref r)
{
    return (int)(r & TAPE_INDEX_MAX);
}

static inline tape_ref tape_t(void)
{
    return tape_ref_of(TAPE_T, 0);
}

static inline tape_ref tape_p(int i)
{
    return tape_ref_of(TAPE_P, i);
}

static inline tape_ref tape_y(int i)
{
    return tape_ref_of(TAPE_Y, i);
}

static inline tape_ref tape_yp(int i)
{
    return tape_ref_of(TAPE_YP, i);
}

static inline tape_ref tape_w(int i)
{
    return tape_ref_of(TAPE_W, i);
}

static inline tape_ref tape_x(int i)
{
    return tape_ref_of(TAPE_X, i);
}

static inline tape_ref tape_out(int i)
{
    return tape_ref_of(TAPE_OUT, i);
}

static inline tape_ref tape_out2(int i)
{
    return tape_ref_of(TAPE_OUT2, i);
}

/* ---- the tape -------------------------------------------------------------------------------- */

typedef struct tape_ins {
    uint32_t op; // tape_op
    tape_ref a, b, c, d;
} tape_ins;

/* A function the tape can call: a pure function of its arguments unless `impure` is set (then every
 * call is made, once, in the order written). It cannot fail; it gives NaN where it has no value. */
typedef struct tape_function {
    const char *name; // for printers and messages
    int n_in, n_out;
    void (*value)(void *user, const double *in, double *out);
    /* d out[i] / d in[j] to jac[i*n_in + j]. NULL: central differences of value. */
    void (*partials)(void *user, const double *in, double *jac);
    void *user; // outlives the code
    bool impure;
} tape_function;

typedef struct tape_call {
    const tape_function *fn; // kept by reference: lives as long as the tape
    int args;                // its arguments are tape.args[args ... args + fn->n_in - 1]
} tape_call;

typedef struct tape {
    int n_ins, n_consts, n_calls, n_args;
    int max_in; // the most arguments of a call
    const tape_ins *ins;
    const double *consts;
    const tape_call *calls;
    const tape_ref *args;
    int extent[TAPE_N_KINDS]; // one past the largest index used of each kind (0: not used)
} tape;

/* ---- building -------------------------------------------------------------------------------- */

typedef struct tape_builder tape_builder;

/* The builder folds constants and shares common subexpressions as it goes; both keep every bit (a
 * NaN's payload apart). Its own memory is in `scratch`. */
tape_builder *tape_builder_new(arena *scratch);
tape_ref tape_const(tape_builder *b, double x);
tape_ref tape_op1(tape_builder *b, tape_op op, tape_ref x);
tape_ref tape_op2(tape_builder *b, tape_op op, tape_ref x, tape_ref y);
/* op is one of the selects: x op y ? yes : no. */
tape_ref tape_select(tape_builder *b, tape_op op, tape_ref x, tape_ref y, tape_ref yes,
                     tape_ref no);
/* Call fn with n_in arguments; its results are out[0 ... n_out - 1]. */
void tape_call_fn(tape_builder *b, const tape_function *fn, const tape_ref *in, tape_ref *out);

/* Compositions. Relations and logic give 0 or 1; conditions count as true when not 0. */
tape_ref tape_powi(tape_builder *b, tape_ref x, int n);     // by multiplications; 1/x^-n for n < 0
tape_ref tape_sign(tape_builder *b, tape_ref x);            // -1, 0, 1; 0 for NaN
tape_ref tape_div(tape_builder *b, tape_ref x, tape_ref y); // Modelica div: trunc(x/y)
tape_ref tape_mod(tape_builder *b, tape_ref x, tape_ref y); // Modelica mod: x - floor(x/y)*y
tape_ref tape_rem(tape_builder *b, tape_ref x, tape_ref y); // Modelica rem: x - div(x, y)*y
tape_ref tape_lt(tape_builder *b, tape_ref x, tape_ref y);
tape_ref tape_le(tape_builder *b, tape_ref x, tape_ref y);
tape_ref tape_eq(tape_builder *b, tape_ref x, tape_ref y);
tape_ref tape_ne(tape_builder *b, tape_ref x, tape_ref y);
tape_ref tape_not(tape_builder *b, tape_ref x);
tape_ref tape_and(tape_builder *b, tape_ref x, tape_ref y);
tape_ref tape_or(tape_builder *b, tape_ref x, tape_ref y);
tape_ref tape_if(tape_builder *b, tape_ref condition, tape_ref yes, tape_ref no);

/* Store x in target (w, x, out or out2), each target at most once. Operands of kind w are always
 * the values on entry: to use what was stored, use the ref that was stored. */
void tape_store(tape_builder *b, tape_ref target, tape_ref x);

/* Is r a constant, and which? */
bool tape_is_const(const tape_builder *b, tape_ref r, double *value);

/* Drop what no store needs and copy the rest to `result` (which may be the scratch arena). */
const tape *tape_finish(tape_builder *b, arena *result);

/* ---- running --------------------------------------------------------------------------------- */

/* Arrays that the tape does not use may be NULL. out and out2 overlap nothing else. */
typedef struct tape_args {
    double t;
    const double *p, *y, *yp;
    double *w, *out, *out2;
    double *scratch; // as many doubles as tape_scratch, or tape_code_scratch, says
} tape_args;

/* Interpret once: no preparation, no allocation. For code that runs a few times; also the oracle
 * the other backends are tested against. The tape has no operands of kind x. */
void tape_run(const tape *t, const tape_args *args);
size_t tape_scratch(const tape *t);

typedef enum tape_backend {
    TAPE_AUTO,      // the best this machine has
    TAPE_INTERPRET, // run-scheduled interpreter
    TAPE_X64_SSE2,
    TAPE_X64_AVX,
    TAPE_A64,
} tape_backend;

typedef struct tape_options {
    tape_backend backend; // one this machine does not have falls back to the interpreter
    bool vector_math; // four-wide elementary functions in maps, up to 4 ulp off: not the same bits
} tape_options;

typedef struct tape_code tape_code;

/* Compile; options may be NULL. 0, or TAPE_E_MEMORY and *code == NULL. The code may be used by
 * several threads at once, each with its own arguments. The tape may be dropped afterwards, the
 * functions it calls may not. */
enum { TAPE_E_MEMORY = -1 };
int tape_compile(const tape *t, const tape_options *options, mem *m, tape_code **code);
void tape_code_free(tape_code *code);
void tape_eval(const tape_code *code, const tape_args *args);
size_t tape_code_scratch(const tape_code *code); // doubles
tape_backend tape_code_backend(const tape_code *code);
size_t tape_code_bytes(const tape_code *code); // machine code and its constants

/* ---- printing -------------------------------------------------------------------------------- */

/* One instruction per line: "%7 = add %3 y[4]", "out[2] = %7". */
void tape_print(const tape *t, text *out);
/* C99 with math.h, to be compiled with contraction off:
 *
 *     void NAME(double t, const double *p, const double *y, const double *yp, double *w, double
 * *out, double *out2, double *scratch)
 *
 * and static functions of about a thousand instructions that it calls. Functions the tape calls
 * appear as `extern void fn_<name>(const double *in, double *out)`. scratch: tape_scratch(t)
 * doubles. */
void tape_print_c(const tape *t, const char *name, text *out);

/* ---- facts about operations ------------------------------------------------------------------ */

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
