/* Functions inside: what function*.c share. function/function.h is the contract.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUNCTION_FUNCTION_DEF_H
#define FUNCTION_FUNCTION_DEF_H

#include "flat/flat_function.h"
#include "function/function.h"
#include "routine/routine.h"

typedef struct function_def function_def;

/* Code of an Include annotation, compiled. */
typedef struct function_build {
    const char *text;
    void *library;
} function_build;

struct functions {
    map by_class;    // inst_class to function_def
    map by_name;     // names of declarations already in use
    int guarded;     // executing under a condition that is not known
    bool bodiless;   // a call was kept whose body could not be written out
    int n_stand_ins; // variables that stand for inputs and coordinates
    int n_integrals; // that are kept, and their derivatives
    int n_loops;     // of algorithm sections
    struct function_integrals *integrals;
    ARRAY(function_build) builds;
    ARRAY(function_def *) unset; // functions with such a variable (function_unset.c)
};

/* A function, or a record as a function that makes values. */
struct function_def {
    inst_class *cls;
    sym name;
    bool failed, is_record;
    bool impure, is_inline;
    bool constructs;           // an external object
    int running;               // being written out
    bool calls_itself;         // and met again meanwhile
    const inst_component *all; // in the order of declaration
    int n_all;
    int *inputs, n_inputs; // places in `all`
    int *outputs, n_outputs;
    const ast_class *der;  // der(g, x) that it is a name of; NULL: none
    function_def *derives; // and g; its components are those of g
    const inst_section *sections;
    int n_sections;
    const ast_external *external;
    scope external_at;
    const value_record *record; // is_record
    flat_text *text;            // its declaration; NULL until asked
    const char *unset;          // a variable that is read before it has a value; NULL: none
    span unset_at;
    ARRAY(struct function_version *) versions;
};

/* A function that is kept, in one version: the shapes of its arguments and results. */
typedef struct function_version {
    flat_function *g; // what the model keeps of it
    int number;       // in model->functions
    bool impure;
    bool recursive;      // it calls itself: never written out
    const value *inputs; // formal arguments: VARs from FLAT_FORMAL on, or literals
    int n_inputs;
    const value *outputs; // their shapes; NULL: not known yet
    int n_outputs;
    scope_checks checks; // of the body, on formal arguments; a program checks for itself
} function_version;

/* ---- function_signature.c -------------------------------------------------------------------- */

struct functions *function_all(flat_builder *b);
function_def *function_find(flat_builder *b, inst_class *cls);
const char *function_type_name(flat_builder *b, const inst_component *c);
value function_type_value(flat_builder *b, const inst_component *c); // without elements
value function_convert_to(const scope *s, const inst_component *c, value v);

/* ---- function.c ------------------------------------------------------------------------------ */

/* A call with values that are at hand. */
value function_call_with(const scope *s, inst_class *cls, const value *args, int n, span at);
/* Could these values be its first arguments, without repetition over arrays? */
bool function_matches(flat_builder *b, const function_def *f, const value *args, int n);
/* A list of count values of one type and size as an array; dims take the place of its length. */
value function_fold(const scope *s, const value *list, int count, const int *dims, int n, span at);

/* ---- function_der.c -------------------------------------------------------------------------- */

/* Which function f is a partial derivative of, if it is one, and what it takes from that one.
 * False after a message. */
bool function_find_der(flat_builder *b, function_def *f);
bool function_finish_der(flat_builder *b, function_def *f);
value function_call_der(const scope *s, function_def *f, const value *inputs, span at);
/* A Real variable that is none of the model, nor an argument of a function. */
expr function_stand_in(flat_builder *b);

/* ---- function_frame.c ------------------------------------------------------------------------ */

typedef struct function_local {
    const inst_component *c;
    value v;
    scope_name link;
    bool ready, busy; // v has been set; is being set
    bool resizable;   // declared with ':'
    bool own;         // the elements of v are not shared: they may be changed where they are
} function_local;

typedef struct function_frame {
    flat_builder *b;
    function_def *f;
    function_local *locals; // parallel to f->all
    const scope_name *names;
    struct function_frame *outer; // whose variable this record is; else NULL
    span at;                      // the call
} function_frame;

int function_dims_count(const inst_component *c); // how many dimensions a component has
function_frame function_begin(flat_builder *b, function_def *f, span at);
/* Local i has its sizes and its declaration assignment, or 0, false, "", the first literal. */
bool function_ready(function_frame *fr, int i);
scope function_scope(const function_frame *fr, scope at);
bool function_dims(function_frame *fr, const inst_component *c, const value *v, int *dims,
                   int *n_dims, bool *open);

/* ---- function_unset.c ------------------------------------------------------------------------ */

void function_find_unset(flat_builder *b, function_def *f);

/* ---- function_run.c -------------------------------------------------------------------------- */

bool function_run(function_frame *fr);
/* What a statement assert(...) of f demands. False after a message. */
bool function_assertion(const scope *s, const function_def *f, const ast_stmt *t, scope_check *to);
/* It does not hold, which is told of the call at `at`; true if it is only a warning. */
bool function_assertion_fails(flat_builder *b, const char *function, const scope_check *c, span at);
/* old with the part that a reference names (its first name is old itself) replaced by x. open: its
 * size may change. */
value function_update(const scope *s, value old, const bool *own, const ast_ref *ref, value x,
                      bool open, span at);

/* ---- function_overload.c --------------------------------------------------------------------- */

/* An operator that a record declares, and its functions. */
enum { FUNCTION_CANDIDATES = 16 };
typedef struct function_operator {
    sym name; // with quotes
    inst_class *at[FUNCTION_CANDIDATES];
    int n;
} function_operator;
/* The i-th; false: there are no more. */
bool function_operator_at(flat_builder *b, inst_class *record, int i, function_operator *out);

/* The constructor that an operator record declares for this call, or NULL. */
inst_class *function_constructor(const scope *s, inst_class *cls, const ast_call *c, span at);

/* ---- function_kept.c ------------------------------------------------------------------------- */

/* A call that stays a call. */
value function_keep(const scope *s, function_def *f, const value *inputs, span at);

/* ---- function_resource.c --------------------------------------------------------------------- */

/* The function in C of this name from the library that the external clause names, if libraries may
 * be loaded; NULL after a message. */
const struct external_function *function_load(function_frame *fr, const char *name);
const char *function_c_name(const function_def *f); // function_external.c: of its external clause
/* Of a constructor of external objects: what ends them; NULL: nothing in C does. */
function_def *function_destructor(flat_builder *b, const function_def *f);

/* The file that a text such as modelica://Library/Resources/a.txt means; the text itself if it is
 * none, or there is no such file. */
const char *function_resource(flat_builder *b, const char *uri);

/* ---- function_external.c --------------------------------------------------------------------- */

/* Is it written out at once, like external "builtin" y = sin(u)? Can it be executed for literals? */
bool function_is_builtin(const function_def *f);
/* Does an annotation exclude an input from its derivative, so that the body does not tell it? */
bool function_hides_derivative(flat_builder *b, const function_def *f);
bool function_is_known(const function_def *f);
/* The built-in function that f does no more than call with its inputs, or NULL. */
const char *function_builtin_name(const function_def *f);
bool function_is_error(const function_def *f);   // it only reports an error
bool function_is_print(const function_def *f);   // (text, name of a file or "")
bool function_has_effect(const function_def *f); // it is called for what it does; NULL: no
bool function_only_reads(const function_def *f); // files: executed for literals, though impure
bool function_is_foreign(const function_def *f); // in C, and executed as a routine
/* Its call with the values of the frame, formal or literal; NULL after a message. */
const struct external_routine *function_layout(function_frame *fr);
/* Execute the external clause if the function is known: the outputs are set. False after a
 * message. `guarded`: under a condition that is not known. */
bool function_external(function_frame *fr, bool guarded);

#endif
