/* The flat model: scalar variables, equations between them, and where each came from.
 *
 * Made by flat_build (flatten/flatten.h) from a class; read by every later stage. Everything lives in
 * the model arena, expressions in one pool. Arrays are gone (q[1], q[2] are two variables),
 * components are gone (r1.v is one name), connections have become equations. Functions that are not
 * trivial stay functions: the pool's inline_call writes a call out.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_FLAT_H
#define FLAT_FLAT_H

#include "flat/flat_vars.h"

#include <string.h>

typedef enum flat_variability {
    FLAT_CONSTANT,
    FLAT_PARAMETER,
    FLAT_DISCRETE,
    FLAT_CONTINUOUS
} flat_variability;

typedef enum flat_causality { FLAT_LOCAL, FLAT_INPUT, FLAT_OUTPUT } flat_causality; // of the top

typedef enum flat_state_select {
    FLAT_SELECT_DEFAULT,
    FLAT_SELECT_NEVER,
    FLAT_SELECT_AVOID,
    FLAT_SELECT_PREFER,
    FLAT_SELECT_ALWAYS
} flat_state_select;

/* Attributes; shared by the elements of an array where they are equal. Expressions: 0 if not given. */
struct flat_attributes {
    expr start, min, max, nominal;
    int8_t fixed; // -1 not given, 0 false, 1 true
    uint8_t state_select;
    bool start_of_type;               // start is that of the type: nobody gave one to this variable
    sym unit, display_unit, quantity; // NULL if not given
};

/* Annotations of declarations in flat text. */
#define FLAT_START_OF_TYPE "__Vincolo_startOfType"
#define FLAT_IS_FLOW       "__Vincolo_flow"

/* What a declaration says; shared by the elements of its arrays. */
struct flat_declaration {
    const char *comment; // "" if there is none
    sym package; // its component is of a class that this package inherits: a medium; NULL: of another
    span at;
    int enum_id;
};

/* A declaration of its own, of a variable that is made. */
const flat_declaration *flat_declare(arena *a, const char *comment, int enum_id, span at);

typedef enum flat_origin {
    FLAT_FROM_EQUATION,
    FLAT_FROM_BINDING,
    FLAT_FROM_POTENTIAL, // connect: equality of potentials
    FLAT_FROM_FLOW       // connect: sum of flows
} flat_origin;

/* lhs = rhs, both scalar. If-equations whose branches match have become if-expressions.
 *
 * Members of a run (below) are not written out: their lhs is 0. */
typedef struct flat_equation {
    expr lhs, rhs;       // of a member: 0, the number of its run
    int set;             // of equations of connections: number of the set; of a member: which one
    unsigned origin : 4; // flat_origin
    int clock : 28;      // in a when-clause of a clock: that variable, + 1; 0: in none
    sym instance;        // the component it belongs to, "" at the top
    span at;
} flat_equation;

typedef ARRAY(flat_equation) flat_equations;

/* Equations of a loop, or of an array of components, that differ in variables only, all of them Real: in
 * a slot of their shape, member k has var + k*slope, or, where subscripts come from lists, a variable of
 * its own. Shapes of runs are plain (expr/shape.h) and hold an
 * operation other than a sum, so that members are no aliases and give nothing that is known. */
typedef struct flat_slot {
    int var, slope, order;
} flat_slot;

typedef struct flat_run {
    const expr_shape *sides;
    const flat_slot *slots;
    int_array vars; // by member, the variables in its slots; empty: they move by slopes
} flat_run;

/* Statements of when-clauses and algorithm sections. */
typedef enum flat_statement_kind {
    FLAT_ASSIGN,    // var := value (in a when-equation: var = value)
    FLAT_REINIT,    // reinit(var, value)
    FLAT_ASSERT,    // value is the condition; message; level 1 error, 0 warning
    FLAT_TERMINATE, // message
    FLAT_IF,        // branches
    FLAT_WHEN,      // branches; none without condition
    FLAT_CALL       // value: CALL of an impure function for its effect
} flat_statement_kind;

typedef struct flat_branch flat_branch;

typedef struct flat_statement {
    uint8_t kind;
    int level;
    int var;   // index of the variable assigned or reinitialised
    int clock; // of an assertion: as in flat_equation
    expr value, message;
    expr call; // of an assertion: of a function whose body demands it; 0: it is of the model
    ARRAY(flat_branch) branches;
    sym instance;
    span at;
} flat_statement;

typedef ARRAY(flat_statement) flat_statements;

struct flat_branch {
    expr condition; // 0: else
    int_array also; // when {c1, c2, ...}: further conditions; any one that becomes true triggers
    flat_statements body;
};

typedef struct flat_algorithm {
    flat_statements body;
    bool initial;
    sym instance;
    span at;
} flat_algorithm;

typedef struct flat_enumeration {
    sym name;
    int n;
    const sym *literals;
} flat_enumeration;

typedef struct flat_function flat_function; // flat/flat_function.h

/* A value from outside for a parameter, by its flat name ("n", "r[2].R"): replaces its binding
 * before sizes and conditions are decided. The value is a Modelica expression ("3", "true",
 * "{1, 2}"). */
typedef struct flat_override {
    const char *name, *value;
    const char *place; // where it is written: "values.txt:3"; NULL: "-p"
} flat_override;

/* The annotations a run reads: experiment(...) and __Vincolo(...); NaN or NULL if not given. */
typedef struct flat_experiment {
    double start, stop, tolerance, interval;
    sym method, formulation, linear;
    sym storage; // name of the variable that holds the energy stored
} flat_experiment;

/* Shapes of annotation(__Vincolo(draw = {...})): places are vectors of n = 2 or 3 expressions. */
typedef enum flat_drawing_kind {
    FLAT_DRAW_POINT,
    FLAT_DRAW_ROD,    // from, to
    FLAT_DRAW_TRACE,  // the path of a point
    FLAT_DRAW_SPRING, // from, to
    FLAT_DRAW_BODY,   // a rigid body, its centre at `from`
    FLAT_N_DRAWINGS
} flat_drawing_kind;

typedef struct flat_drawing_shape { // a row of the table of kinds
    const char *name;
    int least, most; // arguments
} flat_drawing_shape;
extern const flat_drawing_shape flat_drawing_shapes[FLAT_N_DRAWINGS];

typedef struct flat_drawing {
    uint8_t kind, n;
    uint8_t n_rotation, n_size; // 0: not given
    expr from[3], to[3];
    expr rotation[9]; // one angle, or a matrix by rows: place in the world = R * place in the body
    expr size[3];     // box: lengths along its axes; cylinder: length (along x), diameter; sphere:
                      // diameter
    sym shape;        // "box", "cylinder", "sphere"; NULL: not given
    sym instance;     // the component it belongs to, "" at the top
    span at;
} flat_drawing;
void flat_drawing_print(const expr_pool *p, const flat_drawing *d, text *out); // as written

/* A visualiser of the standard library (equation/visualiser.c): a shape in an object. */
#define FLAT_VISUAL_FILE "file" // its form, where that is in a file
typedef struct flat_visualiser {
    const char *form;         // of shapes, in visualiser.c
    expr r[3], R[9];          // the origin of the object; by rows its axes in the world
    expr begin[3];            // where the shape begins, in the object
    expr along[3], across[3]; // directions of length and width in the object, of any size
    expr size[3];             // length, width, height
    expr extra;               // teeth, windings, part of the diameter that is hollow; 0: not given
    expr colour[3];           // red, green, blue, to 255; 0: not given
    sym instance;
} flat_visualiser;

/* An element of annotation(__Vincolo(invariant = {...})): what the motion is said to keep. */
typedef struct flat_invariant {
    expr e;
    span at;
} flat_invariant;
enum { FLAT_INVARIANTS_MAX = 32 };

typedef struct flat_model {
    sym name; // full class name
    const char *comment;
    expr_pool *pool;
    flat_vars vars;
    flat_equations equations;
    flat_equations initial_equations; // none of them of a run
    ARRAY(flat_run) runs;
    flat_statements whens;            // when-equations
    flat_statements asserts;          // assert and terminate outside when
    flat_statements initial_asserts;  // those of initial equation sections
    ARRAY(flat_algorithm) algorithms; // also initial ones
    ARRAY(flat_function *) functions; // CALL nodes name them by index
    struct routine_set *routines;     // those that are executed; NULL: none yet
    ARRAY(flat_enumeration) enums;
    ARRAY(sym) objects; // names of classes of external objects
    int n_objects;      // constructor calls
    flat_experiment experiment;
    ARRAY(flat_drawing) drawings;
    ARRAY(flat_visualiser) visualisers;
    ARRAY(flat_invariant) invariants;
    expr kinetic, potential; // sums of T and of V of Vincolo.lagrange; 0: there is none
    bool driven;             // T + V may change: forces, time and jumps (equation/lagrange.c)
    int n_nodes;             // of the pool that are its own; 0: all. Whoever works on it makes more
    bool borrowed;           // variables and equations are those of another model
    const char *offender;    // while it is being made: what a variable without a number is called
} flat_model;

enum { FLAT_NO_VAR = 0x30000000 }; // from here on: VARs of variables that have no number yet

/* An empty model with its pool; names are interned in syms. */
flat_model *flat_new(arena *a, sym_table *syms);

/* ---- variables (flat_vars.c) ----------------------------------------------------------------- */

static inline const flat_var *flat_at(const flat_model *m, int v)
{
    return flat_vars_at(&m->vars, v);
}
static inline const char *flat_name(const flat_model *m, int v, expr_label *label)
{
    return names_at(&m->vars.names, v, label);
}
#define FLAT_NAME(m, v) NAME_AT(&(m)->vars.names, (v))
static inline const char *flat_name_in(const flat_model *m, int v,
                                       arena *a) // kept by the model or the arena
{
    return names_in(&m->vars.names, v, 0, a);
}
static inline int flat_find(const flat_model *m, const char *name) // -1: none is called so
{
    return names_find(&m->vars.names, name, strlen(name));
}

/* ---- equations that are not written out (flat_runs.c) ---------------------------------------- */

static inline bool flat_is_written(const flat_equation *e)
{
    return e->lhs != 0;
}
/* The run of a member and its slots, filled. NULL: it is written out. */
const flat_run *flat_member(const flat_model *m, const flat_equation *e, flat_slot *slots);
/* The sides of any equation; those of a member are written into the pool, and nowhere else. */
void flat_sides(const flat_model *m, const flat_equation *e, expr sides[2]);
/* All members are written out: for whoever looks at each equation, or changes some. m has its own list of
 * equations afterwards if there were any. */
void flat_write_out(flat_model *m, arena *a);
/* m, or a copy of it in which all members are written out. */
const flat_model *flat_in_full(const flat_model *m, arena *a);

/* A function whose body is no expression (a loop that depends on its arguments, a recursion) can
 * still be executed for numbers, with derivatives, in any thread (tape/tape.h). NULL when it is
 * written out by the pool's inline_call, or cannot be executed. */
const struct tape_function *flat_routine(const flat_model *m, int function);

/* Initial equations that compute a parameter from others become its binding. */
void flat_bind_parameters(flat_model *m, arena *scratch);

/* Divisions by zero, parameters without values, units that do not match: false after an error. */
bool flat_check(const flat_model *m, diag_sink *diags, arena *scratch);

/* The model with derivatives of higher order replaced by velocity variables: what is printed for
 * other tools has der(x) of variables only. It shares all else with m and lives in a. */
const flat_model *flat_first_order(const flat_model *m, arena *a, arena *scratch);

/* Real inputs of the top become its outputs, and outputs inputs: the model as it is seen when y is
 * given and u asked for. */
void flat_exchange(flat_model *m);

/* A copy whose variables and equations, initial ones too, may be changed and grow; it shares all else. All
 * members are written out in it. */
flat_model *flat_copy(const flat_model *m, arena *a);
/* The same, made when it is needed: who changes or adds variables or equations of a model that may be a
 * borrowed one calls flat_own first, after which they lie elsewhere. */
flat_model *flat_borrow(const flat_model *m, arena *a);
void flat_own(flat_model *m, arena *a);
/* The model as der(x) = f, 0 = g: derivatives that cannot be solved for at sight get names. */
const flat_model *flat_semi_explicit(const flat_model *m, arena *a, arena *scratch);

/* The ODE under it: der(x) = f, der(z) = ..., with *kept the constraints that its solutions keep. NULL,
 * and *why, where it is not found by differentiating constraints. */
const flat_model *flat_underlying_ode(const flat_model *m, arena *a, arena *scratch,
                                      const expr **kept, int *n_kept, const char **why);

/* Flat Modelica: parses again and flattens to itself. */
void flat_print(const flat_model *m, text *out);
const char *flat_quoted(arena *a, const char *name); // a name with quotes if it needs them
bool flat_is_identifier(const char *s, size_t n);    // one that needs none

#endif
