/* The tape: what a model's equations become before they are evaluated a million times.
 *
 * A tape (a kernel) is a straight-line program in SSA form. Operands are tagged 32-bit refs: the
 * value of an earlier instruction, a constant, or an element of one of the arrays in tape_args, so
 * there are no load instructions; stores are instructions. Conditions are selects, never branches.
 * Booleans are 0.0 and 1.0. The semantics are fixed here, to the bit: interpreter, compiled code on
 * any machine and printed C agree (opcodes.h), and same operands give same bits.
 *
 * Build with a tape_builder, then run it once with tape_run, or compile it and call tape_eval as
 * often as needed (target/target.h). Derivatives of tapes are tapes (derive/derive.h). Repeated
 * equations are kept rolled as loops over kernels: programs, below.
 *
 * Limits: 2^28 elements in each array and 2^28 instructions; beyond, the builder reports lack of
 * memory. Tapes live in arenas and are immutable once finished.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAPE_TAPE_H
#define TAPE_TAPE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/crew.h"
#include "base/text.h"
#include "tape/opcodes.h"

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

/* A routine the tape can call: a function that is executed, a table, a function in C. It is a pure
 * function of its arguments unless `impure` is set (then every call is made, once, in the order
 * written). It cannot fail; it gives NaN where it has no value. `user` is of the model and shared by
 * all runs; `run` is of the run that evaluates (tape_args.run): what keeps a state, as an external
 * object does, keeps it there. */
typedef struct tape_c tape_c;
typedef struct tape_function tape_function;

/* Arguments first ... first + n - 1 of a call, where they lie one after another. */
typedef struct tape_stretch {
    int first, n;
    const double *at;
} tape_stretch;

/* What kind of routine it is, and so of what type `user` is. A compiled model keeps a row of plain data for each
 * routine, and binds the rows to functions again when it is loaded (routine/routine_rows.h). */
typedef enum tape_function_kind {
    TAPE_FN_OTHER,     // made by a test
    TAPE_FN_PROGRAM,   // routine_bound
    TAPE_FN_EXTERNAL,  // external_routine
    TAPE_FN_TABLE,     // routine_table
    TAPE_FN_TEXT,      // char
    TAPE_FN_ANNOTATED, // routine_annotation
    TAPE_FN_PARTIALS,  // partials_of
    TAPE_FN_GUARDED    // tape_guarded
} tape_function_kind;

struct tape_function {
    uint8_t kind;     // tape_function_kind
    const char *name; // for printers and messages
    int n_in, n_out;
    void (*value)(void *user, void *run, const double *in, double *out);
    /* The same where a table among the arguments stays where it lies: they are in `far`, not in `in`. NULL: all
     * arguments are to be in `in`. */
    void (*value_far)(void *user, void *run, const double *in, const tape_stretch *far,
                      double *out);
    /* d out[i] / d in[j] to jac[i*n_in + j] for every j that is active; the others may be left as
     * they are. NULL: central differences of value. */
    void (*partials)(void *user, void *run, const uint8_t *active, const double *in, double *jac);
    void *user; // outlives the code
    bool impure;
    int n_deciding; // of its arguments, the last ones: they only decide whether it has a value
                    // (guard.c), so that there are no derivatives by them
    /* Print `void NAME(void *run, const double *in, double *out)` to c->out; with active what `partials` gives. NULL, or
     * false: it cannot be printed. */
    bool (*as_c)(const tape_function *fn, tape_c *c, const char *name, const uint8_t *active);
};

typedef struct tape_call {
    const tape_function *fn; // kept by reference: lives as long as the tape
    int args;                // its arguments are tape.args[args ... args + fn->n_in - 1]
    int first, n_far;        // the most of them that lie one after another; 0: few do
} tape_call;

/* A call that is only made where conditions hold on its last arguments, a pair for each (guard.c). */
enum { TAPE_GUARDS_MAX = 8 };
typedef struct tape_guarded {
    const tape_function *fn;
    int n;
    uint8_t
        test[2 *
             TAPE_GUARDS_MAX]; // of each pair: a select, and 1 if its condition must hold, else 0
} tape_guarded;
const tape_function *tape_guarded_function(const tape_guarded *x, arena *a);

/* Find those again after the refs of arguments have changed. */
void tape_call_look(tape_call *c, const tape_ref *args);

/* Instructions that only one branch of a select needs: where the other is taken they may be left out, and so may the
 * values be that they compute. */
enum { TAPE_REGIONS_DEEP = 64 }; // at most, one inside the other
typedef struct tape_region {
    int first, end;
    uint32_t op; // of the select, whose operands these are
    tape_ref a, b;
    bool yes; // they are for operand c, where its condition holds; else for d
} tape_region;

typedef struct tape {
    int n_ins, n_consts, n_calls, n_args;
    int n_regions; // in the order of their first instruction, outer ones before those inside
    int max_in;    // the most arguments of a call
    const tape_ins *ins;
    const double *consts;
    const tape_call *calls;
    const tape_ref *args;
    const tape_region *regions;
    int extent[TAPE_N_KINDS]; // one past the largest index used of each kind (0: not used)
} tape;

/* ---- building -------------------------------------------------------------------------------- */

typedef struct tape_builder tape_builder;

/* The builder folds constants and shares common subexpressions as it goes; both keep every bit (a
 * NaN's payload apart). Its own memory is in `scratch`. */
tape_builder *tape_builder_new(arena *scratch);
tape_builder *tape_builder_sized(arena *scratch, int n_ins); // for about so many instructions
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
    void *run;       // for routines that are called; may be NULL if they need none
    crew *crew;      // threads that share maps; NULL: this one
} tape_args;

/* Interpret once: no preparation, no allocation. For code that runs a few times; also the oracle
 * the other backends are tested against. The tape has no operands of kind x. */
void tape_run(const tape *t, const tape_args *args);
size_t tape_scratch(const tape *t);

/* ---- printing -------------------------------------------------------------------------------- */

/* One instruction per line: "%7 = add %3 y[4]", "out[2] = %7". */
void tape_print(const tape *t, text *out);

/* ---- programs: kernels in order, repeated ones rolled ---------------------------------------- */

/* A program is a list of steps that run one after the other:
 *
 *     kernel   a tape, once
 *     map      a tape, n times: its operands x[k] are taken by instance i at access[k]; stores to
 *              x[k] go there. All else (t, p, y, ... by index, constants) is shared by all
 *              instances
 *     sum      target[i] = sum of coef[k] * w[index[k]] for k = start[i] ... start[i+1] - 1, from
 *              left to right starting with the first term; an empty sum is 0
 *
 * Values pass from step to step through w. The instances of a map are independent: none reads what
 * the map stores, and no location is stored twice (tests/tape_oracle.h looks).
 * Lay variables of repeated components out contiguously and the accesses become unit-stride: then a
 * map is a loop of packed instructions, bit-equal to the scalar one. */

/* Element base + i*stride of the array, or base + list[i] where there is a list. A list that is affine, or
 * that of another operand but for a number, is recognised; writers need not bother. */
typedef struct tape_access {
    tape_kind array; // p, y, yp, w; for targets of stores w, out, out2
    int base, stride;
    const int *list; // n entries, or NULL
} tape_access;

static inline int tape_element(const tape_access *a, int i) // of instance i
{
    return a->base + (a->list ? a->list[i] : i * a->stride);
}

typedef enum tape_step_kind { TAPE_STEP_KERNEL, TAPE_STEP_MAP, TAPE_STEP_SUM } tape_step_kind;

typedef struct tape_step {
    tape_step_kind kind;
    const tape *kernel;        // kernel, map
    int n;                     // instances of a map, targets of a sum
    const tape_access *access; // map: kernel->extent[TAPE_X] of them; sum: one, the target
    const int *start, *index;  // sum: n + 1 and start[n] of them
    const double *coef;        // sum: start[n] of them; NULL: all 1
} tape_step;

typedef struct tape_program {
    int n_steps;
    const tape_step *steps;
    int extent[TAPE_N_KINDS]; // as in a tape; extent[TAPE_X] is 0
} tape_program;

typedef struct tape_program_builder tape_program_builder;

/* Everything passed in is copied to `result` except the tapes, which must outlive the program. */
tape_program_builder *tape_program_new(arena *result);
void tape_program_kernel(tape_program_builder *b, const tape *kernel);
void tape_program_map(tape_program_builder *b, const tape *kernel, int n,
                      const tape_access *access);
void tape_program_sum(tape_program_builder *b, int n, tape_access target, const int *start,
                      const int *index, const double *coef);
/* The steps of p with these kernels, one for each step; sums as they are. */
void tape_program_again(tape_program_builder *b, const tape_program *p, const tape *const *kernel);
const tape_program *tape_program_finish(tape_program_builder *b);

void tape_program_run(const tape_program *p, const tape_args *args); // as tape_run
size_t tape_program_scratch(const tape_program *p);
void tape_run_sum(const tape_step *s, const tape_args *args); // one step of kind sum
void tape_program_print(const tape_program *p, text *out);
double tape_op_work(uint32_t op); // of one instruction
/* Operations of a run, in units of an addition. Those of maps are made four at a time, whatever the target is. */
double tape_program_work(const tape_program *p);
double tape_program_calls(const tape_program *p); // ... of functions of the library, in its maps
/* Instructions of a run, roughly. lanes: instances of a map whose arithmetic is done at once. */
double tape_program_instructions(const tape_program *p, int lanes);

/* ---- functions that tapes call, as C (calls_c.c) --------------------------------------------- */

typedef struct tape_c_entry {
    const tape_function *fn;
    const uint8_t *active;
    const char *name;
    const double *known; // what it was printed for; NULL: for any arguments
    const uint8_t *taken;
} tape_c_entry;
struct tape_c {
    arena *a;
    text *out;
    int n_names;
    const char *obstacle; // the first function that could not be printed; NULL: none
    /* Arguments that are numbers, of the call for which a function is printed; NaN: it is none. NULL: nothing
     * is known. as_c sets taken[j] where it has printed what known[j] means, which is then passed as 0: texts
     * are addresses. */
    const double *known;
    uint8_t *taken;
    ARRAY(tape_c_entry) all;
};

/* The name of the function in C, which is printed now unless it has been; NULL: it cannot be. */
const char *tape_c_name(tape_c *c, const tape_function *fn, const uint8_t *active);
void tape_c_begin(tape_c *c, const char *name); // up to the brace
/* Its partials by central differences of its value. */
bool tape_c_differences(tape_c *c, const tape_function *fn, const char *name,
                        const uint8_t *active);
/* The program with calls of what has been printed, for a printer of C; NULL: a function cannot be. */
const tape_program *tape_c_program(tape_c *c, const tape_program *p);

/* Sets of inputs, `words` words of bits for each element: of[kind] by element, NULL: nothing there is in any
 * set. A program run on them unites the sets of operands; of[TAPE_OUT] and of[TAPE_W] are written. */
typedef struct tape_sets {
    int words;
    uint64_t *of[TAPE_N_KINDS];
} tape_sets;
void tape_program_spread(const tape_program *p, const tape_sets *s, arena *scratch);

/* What of a program the results out[k] with wanted[k] depend on; the others are not stored. Steps that it
 * keeps whole share their tapes with it. */
const tape_program *tape_program_slice(const tape_program *p, const bool *wanted, arena *scratch,
                                       arena *result);

/* Some results of a program at the cost of what they depend on, again and again: an index of the program, made once
 * in `a`. NULL: it calls impure functions. */
typedef struct tape_picker tape_picker;
typedef tape_ref tape_leaf(void *user,
                           tape_ref leaf); // what stands in b for an operand t, p, y, yp or w
tape_picker *tape_picker_new(const tape_program *p, arena *a);
/* Append to b what out[wanted[k]] depends on, and give its ref in b; TAPE_NONE: nothing is stored there. How many
 * instructions, instances and sums of the program were looked at. */
int tape_pick(tape_picker *x, const int *wanted, int n, tape_builder *b, tape_leaf *leaf,
              void *user, tape_ref *values);
/* What out[wanted] depends on of y and y', in any order and some of it repeatedly. A reader, which impure functions do
 * not matter to, is for this alone. */
typedef void tape_found(void *user, tape_ref leaf);
tape_picker *tape_reader_new(const tape_program *p, arena *a);
void tape_read(tape_picker *x, int wanted, tape_found *found, void *user);

/* The same program with these parameters for good; 0 times anything is 0. Maps and sums are shared with
 * it. */
const tape_program *tape_program_bind(const tape_program *p, const double *parameters,
                                      arena *scratch, arena *result);

/* The same program in which calls of the library that all instances of a map make alike are made once, and passed on in
 * elements of w from first_w on. Program and bits are the same where there are none. */
const tape_program *tape_program_hoist(const tape_program *p, int first_w, arena *scratch,
                                       arena *result);

/* The same program in which quotients by numbers and by what depends on parameters alone are products with reciprocals,
 * but for those that have to be exact (reciprocal.c). The arenas are two. */
const tape_program *tape_program_reciprocals(const tape_program *p, arena *scratch, arena *result);

/* ---- parts for others (renumber.c) ----------------------------------------------------------- */

/* used[kind][i] := 1 for every element that the program reads or stores; of a kind that is NULL nothing is said. */
void tape_program_uses(const tape_program *p, uint8_t *const used[TAPE_N_KINDS]);
bool tape_program_is_bound(const tape_program *p); // to functions of this process (tape_function)?
/* The same program with other numbers for elements, of[kind] by their number in it; NULL: as they are. Never for
 * values, constants and operands of maps. */
typedef struct tape_numbers {
    const int *of[TAPE_N_KINDS];
} tape_numbers;
const tape_program *tape_program_renumber(const tape_program *p, const tape_numbers *to,
                                          arena *scratch, arena *result);
/* As bytes, for another process of the same build, where it calls no functions; *at moves behind them. */
void tape_program_pack(const tape_program *p, text *out);
const tape_program *tape_program_unpack(const char **at, arena *scratch, arena *result);

/* ---- copying --------------------------------------------------------------------------------- */

/* A tape is copied, instruction by instruction, into a builder with its leaves replaced. */
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
