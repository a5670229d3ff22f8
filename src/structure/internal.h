/* The stages of structure_analyze and what they pass on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STRUCTURE_INTERNAL_H
#define STRUCTURE_INTERNAL_H

#include "graph/graph.h"
#include "structure/dag.h"
#include "structure/families.h"
#include "structure/structure.h"

enum {
    STRUCTURE_DIFFERENTIATIONS_MAX = 50,
    STRUCTURE_ATTRIBUTES_SEEN = 64 // different ones that are kept in sight
};

typedef ARRAY(structure_equation) structure_equations;

typedef struct analysis {
    structure *s;
    flat_model *m;
    expr_pool *p;
    arena *a, *scratch;
    diag_sink *sink;
    dag d;

    /* The continuous part as written. */
    structure_equations eqs;  // continuous equations
    int n_as_written;         // equations of the model before those of when-clauses and algorithms
    int *column;              // by flat variable: its column, or -1
    int_array columns;        // flat variable of a column
    graph_pattern sig;        // of eqs and columns
    arena *counted;           // of as_counted; NULL: the system is no longer as it was counted
    graph_offsets as_counted; // of sig, if nothing has to be differentiated

    structure_equations discrete; // equations for discrete variables
    structure_equations clocked;  // equations of clocked variables; block: the sub-partition
    int_array clock_of;           // by flat variable: sub-partition + 1; shorter: no clocks
    char *open;                   // by flat variable: a parameter that the start decides

    families *families; // of eqs; NULL: not known now
    expr *var_nodes;    // of Real variables, then of their derivatives; 0: not made yet
    int n_var_nodes;
    int freedom;           // 1 + degrees of freedom, known already; 0: not yet
    char *consumed;        // by equation in eqs: became an alias or a known value
    graph_offsets offsets; // of the reduced system
    int attributes_seen[STRUCTURE_ATTRIBUTES_SEEN]; // by hash: the last of them, + 1
    expr *shown_as;                                 // by entry: VAR node of an alias, 0: none
    mem texts;                                      // allocator for temporary texts, in scratch
} analysis;

/* Each returns false after an error. */
bool structure_hybrid(analysis *w); // when-clauses and algorithms become equations and actions
bool structure_clocks(analysis *w); // clock partitions; their equations leave the others
bool structure_sort_clocked(analysis *w);
bool structure_strings(analysis *w); // String variables become their values
/* What a String says that equation e, s = rhs, gives values in when-clauses: over hidden discrete variables, whose
 * equations are added to `more`. 0: that is not known. */
expr structure_held_text(analysis *w, int var, const flat_equation *e, expr rhs,
                         dag_rewriter *texts, flat_equations *more);
void structure_find_open(analysis *w);      // parameters that the start decides
void structure_add_open(analysis *w);       // ... and their equations
bool structure_collect(analysis *w);        // roles, parameters in order, equations by kind
void structure_no_flow(analysis *w);        // semiLinear of two zeros
void structure_vanish(analysis *w);         // terms with a factor that is 0 for good
void structure_redundant(analysis *w);      // leaves out constraints that follow from others
bool structure_count(analysis *w);          // counts, structural rank, index as written
void structure_uncount(analysis *w);        // an equation has changed since, or is gone
bool structure_wishes(analysis *w);         // of stateSelect, after index reduction
bool structure_eliminate(analysis *w);      // aliases and known values
bool structure_dependent(analysis *w);      // dependent equations with integer coefficients
bool structure_rewrite(analysis *w);        // equations over representatives, relations numbered
void structure_join_flows(analysis *w);     // semiLinear of semiLinear
void structure_prefer(analysis *w);         // preferred states in place of what follows from them
bool structure_reduce(analysis *w);         // offsets, derivatives, entries
void structure_number_columns(analysis *w); // unknowns that are left become the columns
/* Degrees of freedom (freedom.c): of a system with these offsets; of the present one, for it is about to
 * change: velocities that become states do not make it another mechanism. */
int structure_freedom_of(analysis *w, const graph_pattern *sig, const graph_offsets *g);
void structure_freedom_before(analysis *w);
bool structure_sort(analysis *w);  // blocks
void structure_still(analysis *w); // delayed values that are constant between events
bool structure_sort_discrete(analysis *w);
/* Real variables of loops of discrete variables get continuous copies in the flat model, which is then to be analysed
 * *again. False after a message: a loop has no solution. */
bool structure_copy_loops(analysis *w, bool *again);
/* May this equation give the variable its value? False after a message. */
bool structure_check_type(analysis *w, const structure_equation *e, int var);
void structure_first(analysis *w); // initial equations of discrete variables, solved for pre values
bool structure_check_rank(analysis *w); // of w->sig; reports what is over- and underdetermined

/* The families of w->eqs, of those whose is not known; forgotten before the list changes. */
void structure_find_families(analysis *w);
void structure_forget_families(analysis *w);

/* Equations of runs are not written out (flat/flat.h): their lhs and rhs are 0. */
structure_equation *structure_write(analysis *w, int i); // equation i of w->eqs is, from here on
void structure_write_all(analysis *w);
/* Aliases take the place of variables in an equation that is not; false: more has to be done. */
bool structure_replace_slots(analysis *w, int i);

/* Signature of equations over the columns given by `column` (by flat variable; -1: not counted). */
void structure_signature(analysis *w, const structure_equations *eqs, const int *column, int n_cols,
                         graph_pattern *out);
int structure_share_attributes(analysis *w, const structure_attributes *x); // their number
void structure_forget_signature(analysis *w, graph_pattern *sig); // its memory may be used again

/* The components that the equations of a message belong to, and the connectors left open. */
typedef struct structure_parts {
    int n_components, n_open;
    text components, open; // their names; of the scratch arena
} structure_parts;
structure_parts structure_parts_of(analysis *w, const int_array *rows);
/* The components of some of these equations. */
text structure_owners(analysis *w, const structure_equations *eqs, const int_array *rows);
/* Where to point: at a connection between components rather than inside one of them. */
span structure_place_of(const analysis *w, int row, const int_array *rows);

/* A temporary text in the scratch arena: nothing to free, nothing to leak. */
text structure_text(analysis *w);

/* "a, b, c and 4 more" of the variables. */
void structure_list_vars(const analysis *w, const int *vars, int n, int max, text *out);

#endif
