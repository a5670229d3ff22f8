/* Structure: from the flat model to a system whose index, freedom and order of solution are known.
 *
 * structure_analyze first makes equations of when-clauses and algorithms, takes out what is computed
 * at the ticks of clocks, and then
 *   1. counts unknowns and equations and finds what is over- and underdetermined
 *      (Dulmage-Mendelsohn),
 *   2. computes the structural index of the model as written,
 *   3. eliminates constants and aliases (x = y, x = -y, x = der(y), x = expression of parameters),
 *   4. finds dependent linear equations with integer coefficients (a circuit without ground),
 *   5. lets preferred states stand in for those that follow from them (preferred.c), finds how
 *      often each equation must be differentiated and how far each unknown reaches
 *      (c_i and d_j of the Sigma method: J. D. Pryce, BIT 41 (2001) 364-394; computed as by
 *      C. C. Pantelides, SIAM J. Sci. Stat. Comput. 9 (1988) 213-231) and differentiates,
 *   6. sorts the system for the highest derivatives into blocks,
 *   7. numbers the relations and collects discrete and initial equations.
 *
 * Unknown x_j has the entries x_j, x_j', ..., x_j^(d_j): every later stage works on entries. In
 * expressions entry (v, k) is VAR(v, k) with v the flat variable that represents x_j. VAR(i, 0)
 * with i >= n_flat stands for element i - n_flat of the work array w (values of relations, discrete
 * variables, inputs: constant between events or given from outside).
 *
 * Everything lives in the model arena. NULL and diagnostics S... when the model is not solvable.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STRUCTURE_STRUCTURE_H
#define STRUCTURE_STRUCTURE_H

#include "base/diag.h"
#include "flat/flat.h"
#include "image/image_clocks.h"
#include "image/work.h"

/* What became of a flat variable. */
typedef enum structure_role {
    STRUCTURE_NONE,      // a String or a variable without a value
    STRUCTURE_PARAMETER, // parameter or constant: p[place]
    STRUCTURE_KNOWN,     // eliminated: value, an expression of parameters (and time)
    STRUCTURE_ALIAS,     // eliminated: +- entry (of, order)
    STRUCTURE_INPUT,     // input of the top: w[place + k] holds its k-th derivative
    STRUCTURE_DISCRETE,  // w[place]; pre value in w[place + 1]
    STRUCTURE_UNKNOWN    // place: index among the unknowns
} structure_role;

typedef struct structure_var {
    uint8_t role : 7;
    uint8_t negated : 1;    // ALIAS
    uint8_t differentiated; // how often, at most, in the model as written
    int16_t order;          // ALIAS: derivative of its representative
    int place;
    union {        // by role
        int of;    // ALIAS: representative flat variable
        int clock; // DISCRETE, and of clocks: the sub-partition that computes it, + 1; 0: unclocked
        expr value; // PARAMETER: binding (0: none), KNOWN
    };
} structure_var;

/* Attributes of a variable and all its aliases; entries share them where they are equal. */
typedef struct structure_attributes {
    expr start;         // 0: not given
    expr nominal;       // 0: not given
    expr min, max;      // 0: not given
    bool start_of_type; // start is that of a type: no declaration gave one
    int8_t fixed;       // 1 fixed = true
    uint8_t select;     // flat_state_select
    int named;          // of a derivative: the alias that names it, + 1; 0: it is called der(x)
    span at;            // of the declaration that gave the start value, else of the variable
} structure_attributes;

/* One derivative of one unknown; which, follows from where it stands (structure_order_of). Those above the highest that the run needs stand at the end of the list:
 * they belong to the start alone. */
typedef struct structure_entry {
    int unknown;
    int attributes; // structure_attributes_of
    expr var;       // the VAR node
} structure_entry;

typedef struct structure_unknown {
    int var;          // flat variable
    int first;        // its entries are first ... first + d
    int block;        // in which its highest derivative is solved
    int equation;     // matched to it
    int16_t highest;  // highest derivative in the equations after elimination of aliases
    int16_t d;        // highest derivative after index reduction
    int16_t n_beyond; // initial equations ask for so many derivatives above d (structure_beyond)
} structure_unknown;

/* An equation of a run (flat/flat.h) is not written out: lhs, rhs and f[0] are 0. */
typedef struct structure_equation {
    expr lhs, rhs; // after elimination of aliases
    int flat;      // index of the flat equation; -1 - i: made from algorithm i
    int block;
    const expr *f; // f[0 ... c]: lhs - rhs and its total derivatives, and those beyond
    span at;
    int16_t c;       // times it is differentiated
    bool definition; // gives an algebraic variable explicitly, by itself: constrains nothing
} structure_equation;

/* A block of the system f_i^(c_i) = 0 for the x_j^(d_j): equations and unknowns by index. */
typedef struct structure_block {
    const int *equations; // n, then as many unknowns
    int n;
    int16_t levels;      // largest c_i in it; 0: no constraints
    bool derivative : 1; // some unknown has d > 0
    bool linear : 1;     // affine in its unknowns
    bool constant : 1;   // ... with coefficients that depend on parameters only
} structure_block;

static inline const int *structure_unknowns_of(const structure_block *b)
{
    return b->equations + b->n;
}

/* A relation outside noEvent: its value is kept in w[place] and changes only at events. So is that
 * of a function that jumps: floor(x), of which the others are made. */
typedef struct structure_relation {
    sym name;      // in printed expressions
    expr relation; // over entries
    expr root;     // lhs - rhs: crosses zero when the value changes; e of floor(e) of time alone
    int place;
    bool of_time; // root is affine in time and depends on nothing else that moves: a time event
    span at;
} structure_relation;

/* The condition of a when-clause: a hidden Boolean variable. Without initial() in it the clause
 * does not fire at the start. */
typedef struct structure_condition {
    int var; // flat variable
    bool initial;
} structure_condition;

/* What happens at an event beside new values of discrete variables; an assertion without `fire` is
 * checked all the time. */
typedef struct structure_action {
    uint8_t kind, level; // FLAT_REINIT, FLAT_ASSERT, FLAT_TERMINATE; of an assertion: 1 error
    bool initial;        // an assertion that is checked at the start only
    int clock;           // flat variable of the clock of its when-clause, + 1; 0: none
    expr fire;           // 0: always
    expr value;          // REINIT: the new value; ASSERT: the condition
    expr var;            // REINIT: the variable
    expr message;
    int n_named;        // ASSERT: variables in the condition
    const expr *named;  // ... as written
    const expr *values; // ... over entries
    span at;
} structure_action;

/* What a String variable says, over entries; one that a when-clause gives its values is not known. */
typedef struct structure_string {
    int var; // flat variable
    expr value;
} structure_string;

/* sample(start, interval): w[place] is 1 during its events. */
typedef struct structure_sample {
    expr start, interval;
    int place;
    span at;
} structure_sample;

/* delay(value, time, longest): w[place] is the value a while ago, w[place + 1] its derivative.
 * spatialDistribution(value, longest, time, ...): w[place] is what arrives at 0, w[place + 2] at 1; the
 * elements behind them are no numbers, for derivatives are not known. */
typedef struct structure_delay {
    expr value, time, longest; // over entries; longest is time where it was not given
    const expr *profile;       // spatialDistribution: n points, then as many values; NULL: a delay
    int n_profile;             // n
    int place;
    bool constant;   // time depends on parameters only: jumps come back as events that are foretold
    bool still;      // ... and the value is constant between events
    bool may_vanish; // the value itself stands where longest is 0
    sym name;
    span at;
} structure_delay;

static inline int structure_delay_size(const structure_delay *d) // elements of w
{
    return d->profile ? 4 : 2;
}

/* pre(y) of what is continuous, in a when-clause: w[place] is the value before the event, and then
 * that of the last round of its iteration. */
typedef struct structure_before {
    expr value; // y, over entries
    int place;
    sym name;
    span at;
} structure_before;

/* ---- clocks (clocks.c) ----------------------------------------------------------------------- */

/* A base-partition: sub-partitions whose ticks are multiples of one interval, the grid. */
typedef struct structure_base {
    uint8_t kind;       // image_clock
    image_ratio grid;   // in seconds; in intervals of the clock where the kind is not RATIONAL
    int64_t every;      // ticks of the grid from one tick of the clock itself to the next
    expr interval;      // REAL: over parameters; EVENT: what interval() is at the first tick
    int var;            // flat variable: COUNTER, VARYING the interval; EVENT the condition
    int64_t resolution; // COUNTER
    int first, n;       // its sub-partitions
    int first_step, n_steps;
    span at;
} structure_base;

/* A sub-partition: ticks number shift, shift + every, ... of the grid of its base. Hidden variables
 * tell its equations of the tick; -1: none asks. */
typedef struct structure_sub {
    int base;
    int64_t shift, every;
    image_ratio interval;                // of the same unit as the grid
    int interval_var, first_var, on_var; // interval(), firstTick(), and true during the tick
    int_array samples;                   // of `sampled`
    int_array past;                      // variables whose value at the last tick is asked for
} structure_sub;

/* sample(u): the left limit of `value` at a tick. */
typedef struct structure_sampled {
    int var, sub;
    expr value; // over entries
    span at;
} structure_sampled;

/* What is computed at once at a tick, in order: var[i] := f[i], or all f = 0 solved together; d are the
 * derivatives then, by rows. */
typedef struct structure_step {
    int sub, n;
    const int *vars;
    const expr *f, *d; // d NULL: explicit
    const span *at;
} structure_step;

/* A constraint or hidden constraint: the level-th total derivative of an equation, level < c. */
typedef struct structure_constraint {
    int equation, level;
} structure_constraint;

typedef struct structure {
    flat_model *flat;
    expr_pool *pool;
    arena *a;
    int n_flat; // variables of the flat model

    /* As written. */
    int n_unknowns_written, n_equations_written, n_parameters;
    int index;    // structural index; 0 for an ODE
    int n_free;   // free initial values: sum of d - sum of c, parameters apart
    int freedom;  // degrees of freedom; n_free where the system is not mechanical
    int n_open;   // parameters that the start decides (fixed = false): unknowns that do not move
    expr energy;  // T + V of Vincolo.lagrange over entries; 0: there is none
    expr kinetic; // T
    expr *invariants;  // those of the flat model, over entries
    int_array written; // flat equations of the continuous part

    structure_var *vars; // n_flat
    int *parameters;     // flat variables in order of evaluation
    int n_evaluated;     // how many
    double *p_default;   // values of the parameters as bound; NaN where there is none
    int n_p, n_w;        // sizes of p and w as far as known here; n_w grows in later stages

    ARRAY(structure_unknown) unknowns;
    ARRAY(structure_entry) entries;
    ARRAY(structure_attributes) attributes;
    int n_beyond; // the last of them: derivatives of the start alone
    ARRAY(structure_equation) equations;
    struct families *families; // of them (families.h)
    const expr **shown;        // by equation, of constraints: its f with the names of aliases for
                               // derivatives; NULL: there are no constraints
    ARRAY(structure_block) blocks;           // in order of solution
    int *block_items;                        // ... their equations and unknowns
    ARRAY(structure_constraint) constraints; // definitions are none
    ARRAY(structure_relation) relations;
    ARRAY(structure_condition) conditions;
    ARRAY(structure_action) actions;
    ARRAY(structure_string) strings;
    ARRAY(structure_sample) samples;
    ARRAY(structure_delay) delays;
    ARRAY(structure_before) before;
    ARRAY(structure_equation)
    surplus; // further fixed start values of one entry: lhs = rhs at the start
    ARRAY(structure_equation) initial; // initial equations over entries
    ARRAY(structure_equation) guesses; // of an unknown: a start value that the start finds
    ARRAY(structure_equation)
    first; // ... that give pre of discrete variable `block` = rhs at the start
    ARRAY(structure_equation) claims;   // initial equations of discrete variables, as written
    ARRAY(structure_equation) discrete; // equations of discrete variables, in order of evaluation
    int_array inputs;                   // flat variables

    /* What ticks; all empty where there are no clocks. */
    ARRAY(structure_base) bases;
    ARRAY(structure_sub) subs;
    ARRAY(structure_sampled) sampled;
    ARRAY(structure_step) steps;
    int_array held; // clocked variables that continuous time sees through hold()
} structure;

/* The flat model's pool gains nodes; its context is extended to the names of w. `scratch` is given
 * back as found. */
structure *structure_analyze(flat_model *flat, arena *a, arena *scratch, diag_sink *sink);

/* Formulations that are made from now on look at each equation by itself. */
void structure_drop_families(structure *s);

/* The shape and the slots of an equation that is not written out; NULL: it is. */
const expr_shape *structure_slots(const structure *s, int equation, flat_slot *slots);
/* f[0] of an equation, written into the pool if it is not there. */
expr structure_residual(structure *s, int equation);
/* All equations are written out: for whoever looks at each of them while a model is compiled. */
void structure_write_out(structure *s);

/* "'a.p', 'b.n' ...": connectors that are not connected to anything; false: there are none. */
bool structure_list_open(const structure *s, arena *scratch, text *out);

/* The dump of --dump=blt. */
void structure_print(const structure *s, text *out);

/* The value of an expression of parameters whose values are p; false when it has none. */
bool structure_eval(const structure *s, const double *p, expr e, arena *scratch, double *value);

/* With the branches of if-expressions that hold for the values w: an equation with such branches
 * that no highest derivative can be matched to, so that index reduction would have to be done anew;
 * -1: none. */
int structure_lost_branch(const structure *s, const double *w, arena *scratch);

static inline const structure_attributes *structure_attributes_of(const structure *s, int entry)
{
    return &s->attributes.at[s->entries.at[entry].attributes];
}

/* Entry d + 1 of an unknown that has derivatives beyond d. */
int structure_beyond(const structure *s, int unknown);

/* Which derivative an entry is. */
static inline int structure_order_of(const structure *s, int entry)
{
    const structure_unknown *u = &s->unknowns.at[s->entries.at[entry].unknown];
    int order = entry - u->first;
    if (order >= 0 && order <= u->d) return order;
    return u->d + 1 + entry - structure_beyond(s, s->entries.at[entry].unknown);
}

/* The entry of which it is the derivative. */
static inline int structure_entry_below(const structure *s, int entry)
{
    const structure_unknown *u = &s->unknowns.at[s->entries.at[entry].unknown];
    return structure_order_of(s, entry) == u->d + 1 ? u->first + u->d : entry - 1;
}

/* Entry of a derivative of a variable, or -1 (parameter, discrete, w). */
static inline int structure_entry_at(const structure *s, int var, int order)
{
    if (var >= s->n_flat) return -1;
    const structure_var *v = &s->vars[var];
    if (v->role != STRUCTURE_UNKNOWN) return -1;
    const structure_unknown *u = &s->unknowns.at[v->place];
    int beyond = order - u->d;
    if (beyond <= 0) return u->first + order;
    return beyond <= u->n_beyond ? structure_beyond(s, v->place) + beyond - 1 : -1;
}

/* ... of a VAR node. */
static inline int structure_entry_of(const structure *s, expr var)
{
    const expr_node *n = expr_at(s->pool, var);
    return n->op == EXPR_VAR ? structure_entry_at(s, n->u.var.index, n->u.var.order) : -1;
}
/* The (level-th derivative of the) equation as Modelica text "lhs = rhs" or "0 = f". */
void structure_equation_text(const structure *s, int equation, int level, text *out);
/* The name of an entry: of its variable, of an alias equal to this derivative, or der(x), which is made in
 * the arena. */
const char *structure_name_of(const structure *s, int entry, arena *a);
/* The variable whose name an entry has, but for `times` derivatives of it; and the name, which asks for no entries. */
int structure_named_by(const structure *s, int entry, int *times);
void structure_add_name(const structure *s, int entry, text *out);
void structure_equation_short(const structure *s, int equation, text *out); // for messages

#endif
