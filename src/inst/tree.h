/* Class instances, modifications and the instance tree: what the files of this room share, and
 * what equation/ and connect/ walk through.
 *
 * Three structures carry instantiation:
 *
 *   inst_class   a class text seen from one place: the class around it (where lookup goes on), the
 *                modifications that reach it, its base classes as parts. A class found by name is a
 *                handle; a component gets an instance of its own, made from the handle.
 *   inst_env     the modifications that reach an element, as layers from outside in: the first
 *                layer that says something wins. Nothing is merged ahead of time; asking for a
 *                name filters the layers.
 *   inst_node    a component. All elements of an array of components share one node, and so the
 *                element of a node is a number: elements are counted row-major through all array
 *                dimensions from the root down, and element e of a node belongs to element
 *                e / size of its parent. Variable e of a leaf is leaf->var + e. Only when elements
 *                differ in structure (sizes, conditions) is an array split into nodes of its own.
 *                Components that differ in values only share a node in the same way (shared_node.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INST_TREE_H
#define INST_TREE_H

#include "inst/inst.h"

typedef struct inst_family inst_family;
typedef struct inst_bound_shape inst_bound_shape;

/* ---- modifications (mods.c) ------------------------------------------------------------------ */

/* One modification that reaches an element. */
typedef struct inst_layer {
    const ast_mod *mod;         // (args) = value at this level; NULL: one of the next
    const ast_arg *arg;         // where it came from; NULL for a declaration or extends clause
    const ast_element *element; // a redeclaration of the element
    inst_class *redeclares;     // a derived class: its `redeclare` elements apply to its bases
    inst_class *at;             // where it is written
    inst_node *base;            // sizes of its value count from below this node
    const ast_mod *origin;      // the list it was found in: two of one list are duplicates
    inst_family *family;        // other components have other values in its place; NULL: none
    int used;                   // parts of arg->name consumed; when all are, mod is arg->mod
    uint16_t tail; // of a type alias with sizes: its value has those, the last ones of the variable
    bool final;
    bool soft; // from a constraining clause: need not apply to what replaced the element
} inst_layer;

typedef struct inst_env {
    const inst_layer *at; // outermost first
    int n;
} inst_env;

/* What the layers say about an element of this name; `parent` is the node the element belongs to. */
inst_env inst_sub(flat_builder *b, inst_env env, sym name, inst_node *parent);
inst_env inst_sub_in(arena *a, inst_env env, sym name, inst_node *parent); // for a while
inst_env inst_join(flat_builder *b, inst_env first, inst_env second);
inst_env inst_append(flat_builder *b, inst_env env, inst_layer layer);
/* The layer whose value counts, or NULL; reports duplicates and changes of what is final. */
const inst_layer *inst_value_layer(flat_builder *b, inst_env env, const char *name);
/* Report modifications of elements that do not exist in cls. */
bool inst_check_names(flat_builder *b, inst_env env, inst_class *cls);
inst_env inst_rebase(flat_builder *b, inst_env env, inst_node *base);
inst_env inst_without_redeclarations(flat_builder *b, inst_env env);
bool inst_is_broken(const ast_mod *extends_mod, sym name);

/* ---- classes (class.c, lookup.c) ------------------------------------------------------------- */

typedef enum inst_state { INST_NEW, INST_BUSY, INST_READY, INST_BAD } inst_state;

typedef enum predefined {
    PRE_NONE,
    PRE_REAL,
    PRE_INTEGER,
    PRE_BOOLEAN,
    PRE_STRING,
    PRE_ENUM,
    PRE_CLOCK,
    PRE_EXTERNAL
} predefined;

/* A class that comes to a predefined type, an enumeration or an external object. */
typedef struct inst_primitive {
    predefined kind;
    uint8_t type; // expr_type
    int enum_id;
    inst_env env; // attributes set on the way, outermost first
    const ast_exprs *dims[4];
    inst_class *dims_at[4];
    int n_dims; // lists
    uint8_t causality;
    bool connector;
} inst_primitive;

struct inst_class {
    ast_class *ast;
    inst_class *parent;  // around it; of a top-level class: inst->top
    inst_class *of;      // for a component: the class it is an instance of; else NULL
    inst_class *derived; // the class that inherits it here; NULL for the class itself
    inst_class *root;    // the end of `derived`
    inst_node *self;     // in the root: the component, or the package node once made
    inst_env env;
    inst_env under;        // of a short class: what its own modifications override
    const ast_mod *breaks; // the extends modification through which it is inherited
    bool hidden;           // and that is protected: so are all elements it has
    uint8_t connects;      // there are connections in its sections: 1 no, 2 yes; 0: not asked
    uint8_t state;         // inst_state of `bases`
    inst_class **bases;    // one per extends clause in order; NULL where it failed
    int n_bases;
    map elements;                // of a name: inst_element*, or NULL when known to be absent
    map names;                   // found from here outwards: found*
    inst_primitive *primitive;   // NULL until asked
    inst_element *extended;      // of `class extends`: the element it extends,
    inst_env extended_env;       // and the modifications that reach that
    const inst_components *list; // inst_components_of
    sym name;                    // inst_name
};

/* An element of a class in one instance. */
struct inst_element {
    sym name;
    inst_class *owner;   // the part it is declared in
    uint16_t flags;      // ast_flag
    ast_component *comp; // one of these two
    ast_class *class_;
    inst_class *cls; // the class after redeclarations; NULL until asked
    inst_node *node; // the component; NULL until asked
    inst_node
        *both; // of `inner outer`: what components inside see; `node` stands for the outer one
    bool busy;
};

inst_class *inst_new_class(flat_builder *b, ast_class *ast, inst_class *parent, inst_env env);
/* An instance of the class for a component or as a base of `derived`, with more modifications. */
inst_class *inst_instance(flat_builder *b, inst_class *cls, inst_node *self, inst_env outer);
bool inst_expand(flat_builder *b, inst_class *cls);
/* Own or inherited; NULL when there is none. */
inst_element *inst_find(flat_builder *b, inst_class *cls, sym name);
/* Does c itself declare another element of this name before e? Said, then. */
bool inst_declared_twice(flat_builder *b, ast_class *c, const ast_element *e);
bool inst_redeclares(const ast_element *e);
/* What constraining clauses say of `el` and of whatever replaces it: those of the redeclarations among
 * the layers, outermost first, then its own, which `base` has (Modelica Language Specification 3.6,
 * section 7.3.2: those of what is replaced are merged). */
inst_env inst_constraints(flat_builder *b, const inst_element *el, inst_env env, inst_node *base);
inst_class *inst_element_class(flat_builder *b, inst_element *el);
inst_primitive *inst_primitive_of(flat_builder *b, inst_class *cls);
bool inst_is_connector(flat_builder *b, inst_class *cls);
int inst_restriction(flat_builder *b, inst_class *cls); // through short classes
inst_class *inst_handle(flat_builder *b, ast_class *ast);
inst_node *inst_self(flat_builder *b, inst_class *cls); // component or package node

/* The class of a path without complaint; NULL when there is none. */
inst_class *inst_try_class(flat_builder *b, inst_class *from, const ast_ref *r);

/* A name found from inside out. */
typedef struct inst_found {
    inst_element *component; // one of these
    inst_class *cls;
    sym literal; // of the enumeration cls; NULL: that is meant itself
} inst_found;
bool inst_lookup(flat_builder *b, inst_class *from, sym name, inst_found *f);
/* The class of a path, reported with the nearest name if it is missing; NULL then. extends: names
 * that `from` inherits do not count. */
inst_class *inst_lookup_class(flat_builder *b, inst_class *from, const ast_ref *r, bool extends);
const char *inst_nearest(flat_builder *b, inst_class *from, sym name);
const char *inst_nearest_element(flat_builder *b, inst_class *cls, sym name);
const char *inst_parameters(flat_builder *b, inst_class *cls); // "R, T_ref, ..."; NULL: none
const char *inst_connectors(flat_builder *b, inst_class *cls); // "p, n"; NULL: none
/* What is meant by a name that is nowhere declared, by who knows other languages; near: what is declared and
 * looks like it, or NULL. NULL: nothing that is known. */
const char *inst_hint(flat_builder *b, sym name, const char *near);

/* The class of a component, which of an FMU is made from its description (fmu_class.c); NULL after a
 * diagnostic. */
inst_class *inst_fmu_class(flat_builder *b, inst_node *n);

/* ---- components (node.c, declare.c, sizes.c) ------------------------------------------------- */

typedef enum node_kind {
    NODE_STUB,      // declared, nothing known yet
    NODE_PRIMITIVE, // a variable
    NODE_COMPOSITE, // children
    NODE_SPLIT,     // an array whose elements differ in structure: children are its elements
    NODE_ABSENT,    // its condition is false
    NODE_OUTER,     // stands for target
    NODE_MEMBER,    // is element `index` of target, which it shares with others (shared_node.c)
    NODE_PACKAGE,   // a class used as a package
    NODE_BAD        // reported
} node_kind;

/* The last value of a modification: kept while other elements need the same. */
typedef struct inst_cache {
    const inst_layer *layer;
    const ast_expr *of;
    int key; // element of the scope it was evaluated in
    uint8_t mode;
    bool each; // the value is that of every element, though nobody wrote `each`
    value whole;
    inst_bound_shape *shape; // of values for components that share a node; NULL: none yet
} inst_cache;

struct inst_node { // the largest first: there is one for every component
    sym name;
    inst_node *parent;
    inst_class *cls;  // of a composite: its instance
    inst_class *type; // the class as found
    inst_element *element;
    const ast_component *decl; // in force, after redeclarations
    inst_class *decl_at;       // where it is written
    inst_env env;     // modifications, those of the declaration and of type aliases included
    const int *dims;  // own
    const int *given; // sizes for those that the declaration leaves open; NULL: none
    inst_node *target;
    inst_family *family; // the components that share this node, or one around it; NULL: none
    ARRAY(inst_node *) children;
    const inst_layer *binding;
    inst_cache *bound;   // the last value of the binding; NULL: none yet
    expr *known;         // values of parameters already evaluated, by element; see bind.c
    bool *structural_of; // in a family: `structural` by element; NULL: none is
    const value_record *record;
    int *vertices;    // of an overdetermined record: its place in the connection graph, plus one
    int *cardinality; // of a connector: how many connections each element has; NULL: none
    int enum_id;
    int n_dims;
    uint32_t typed;      // bit k: dimension k is subscripted by Boolean or an enumeration
    int size, total;     // elements of its own dimensions; of all from the root down
    int index;           // is_element: which one of its parent; NODE_MEMBER: of target
    int var;             // first variable, in a family from those of the member; -1 until numbered
    int placeholder;     // index of the VAR that stands for it until then; 0: none yet
    uint8_t kind, state; // node_kind, inst_state
    uint8_t variability; // flat_variability
    uint8_t causality, flow; // ast_causality, ast_flow
    uint8_t type_id;         // expr_type of a primitive
    bool is_connector, is_protected, is_final, is_inner, is_expandable, is_record, evaluate;
    bool structural, is_element, deep;
    bool in_bus;     // below an expandable connector
    bool is_present; // ... of which it is an element that something is connected to
    bool is_gained;  // ... and that only the connection declares
    bool binding_known;
    bool varies; // values in `known` differ between the elements of an array of components
    bool dims_known, declared, fixed_known, not_fixed;
};

/* Components that share a node (shared_node.c). */
struct inst_family {
    inst_node *node;
    int n;
    inst_node **members; // their own nodes
    int *first;          // the first variable of each,
    int n_vars;          // and how many each has
    bool draws;          // some component below has drawings (drawing.c)
    map values; // of an expression of the first component: those of all, where some have another one
};

/* What components that share a node may differ in. */
typedef enum inst_sharing {
    INST_SHARE_NONE, // they do not share
    INST_SHARE_REAL, // Real literals
    INST_SHARE_ALL   // values of modifications
} inst_sharing;

/* Fewer are not worth it: 99.9 % of the equations of a grid (ScalableTestGrids) share their shape with
 * seven others or more. */
enum { INST_FAMILY_LEAST = 8 };

struct inst {
    map globals;  // ast_class to handle, for top-level classes
    map imports;  // of an import clause and name: found
    map refs;     // references already resolved
    map callees;  // the same for calls
    map enum_ids; // ast_class of an enumeration to its number plus one
    map attributes;
    map declarations;
    int_array quoted; // variables at the top whose names may be those of elements, 'x[3]'
    map comments;     // of a place in a text: the comment there
    map siblings;     // of an expression: its value for the elements of a split array (bind.c)
    ast_file *prelude;
    ast_class *predefined[PRE_EXTERNAL + 1];
    inst_node *root;
    inst_class *top; // stands around top-level classes and holds nothing
    bool numbered;   // variables have numbers
    expr *variables; // of a variable: its VAR node, 0 if not made yet
    bool varying;    // the last evaluation read what differs between elements of an array
    bool has_bus;    // some component is an expandable connector
    bool split;      // elements differ in structure: the outermost array is to be split
    bool apart;      // components that share a node must not
    inst_sharing sharing, next; // ... and what they may share when all is done over
    int n_families;
    struct inst_reads *reads; // bound_shape.c; NULL: nobody asks
    int n_nodes, n_auxiliary, n_placeholders;
    bool too_many; // components: reported
    int64_t n_scalars;
    const flat_override *overrides;
    int n_overrides;
    struct inst_override_value *values; // override.c
    const ast_class *root_ast;
    /* Frequent names. */
    sym s_start, s_fixed, s_min, s_max, s_nominal, s_unit, s_display_unit, s_quantity,
        s_state_select, s_unbounded, s_time, s_empty;
};

inst_node *inst_node_of(flat_builder *b, inst_element *el); // stub, made when first asked
bool inst_declare(flat_builder *b, inst_node *n);           // declaration and class in force
bool inst_sizes(flat_builder *b, inst_node *n);             // dims
/* Boolean or the enumeration that subscripts dimension k of n; NULL: Integer. */
const inst_primitive *inst_index_type(flat_builder *b, const inst_node *n, int k);
int inst_condition(flat_builder *b, inst_node *n); // 1: it is there, 0: it is not, -1: error
bool inst_complete(flat_builder *b, inst_node *n); // type and sizes; children as stubs
bool inst_deep(flat_builder *b, inst_node *n);     // the whole tree below
/* A record or variable whose class has a function equalityConstraint. */
bool inst_is_overdetermined(flat_builder *b, const inst_node *n);
/* Element `name` of an expandable connector is there, like another component but with these sizes: 1,
 * 0 when it was before, -1 error. like NULL: only if it is declared. */
int inst_gain(flat_builder *b, inst_node *bus, sym name, const inst_node *like, const int *dims,
              int n_dims);
inst_node *inst_new_root(flat_builder *b, inst_class *handle);
inst_node *inst_new_node(flat_builder *b, sym name, inst_node *parent);
inst_node *inst_follow(inst_node *n); // through NODE_OUTER and NODE_MEMBER
/* The component whose parts see this one: of a package, the one its class stands in. */
inst_node *inst_around(const inst_node *n);

/* Element of ancestor `up` that element e of n belongs to; 0 when it is none. */
int inst_up(const inst_node *up, const inst_node *n, int e);
/* The place of element e of n in a value that has the sizes of all nodes below base down to n;
 * *size: how many elements that value has. */
int inst_place(const inst_node *n, const inst_node *base, int e, int *size);
scope inst_scope(flat_builder *b, inst_class *at, const inst_node *n, int e);
/* "r[3].v" for an element of a node. */
const char *inst_ref_text(flat_builder *b, const ast_ref *r, int n); // the first n names
sym inst_path_sym(flat_builder *b, const inst_node *n, int e);
/* ... of elements e, e + 1, ..., so many as fit. fresh: by element, the text was not known before. */
enum { INST_PATHS = 16 };
int inst_path_syms(flat_builder *b, const inst_node *n, int e, int end, sym *paths, bool *fresh);
/* The path to elements e ... end - 1, kept by the model: how many pieces; 0: their names are to be written. */
int inst_path_pieces(flat_builder *b, const inst_node *n, int e, int end, const name_piece **out);
/* Of the name of a variable of the flat model: its index + 1, or 0, to be set. */
uint64_t *inst_named_var(flat_builder *b, sym name);
void inst_forget_named(flat_builder *b, int first); // variables from this one on

/* ---- components that share a node (shared_node.c) ------------------------------------------------- */

/* Let components of `of` that are alike share nodes. */
void inst_share(flat_builder *b, inst_node *of);
/* They must not: false, and all is done over (flatten.c), sharing less if that may help. */
bool inst_apart(flat_builder *b, bool helps);
/* The value of a layer, which has one, for element e of n. */
const ast_expr *inst_layer_expr(const inst_layer *l, const inst_node *n, int e);
int inst_var(const inst_node *n, int e); // the number of a variable
/* Elements first ... last - 1 of n are those of the member; -1: all are. */
void inst_elements(const inst_node *n, int member, int *first, int *last);
void inst_set_structural(flat_builder *b, inst_node *n, int e, bool yes);
bool inst_is_structural(const inst_node *n, int e);

/* ---- bindings (bind.c) ----------------------------------------------------------------------- */

/* The value that modifications or the declaration give element e: true and *has false when there is
 * none. */
bool inst_bound(flat_builder *b, inst_node *n, int e, int mode, bool *has, expr *out);
/* The sizes of that value, for declarations that leave theirs open. */
bool inst_bound_dims(flat_builder *b, inst_node *n, int e, bool *has, int *dims, int *n_dims);
/* Are elements e and f of n places of one value? Then its sizes are those of both. */
bool inst_bound_together(flat_builder *b, inst_node *n, int e, int f);
/* The value of a constant or parameter, for sizes and conditions; parameters are marked. */
bool inst_known(flat_builder *b, inst_node *n, int e, expr *out);
/* The value of a layer for n (or for its attribute `name`): c->whole, of which *place is that of
 * element e. c keeps the last one. */
bool inst_layer_value(flat_builder *b, inst_cache *c, const inst_layer *l, inst_node *n, int e,
                      int mode, const char *name, int *pos);
bool inst_has_binding(flat_builder *b, inst_node *n);
bool inst_is_unknown(flat_builder *b, inst_node *n); // a parameter that initialization finds
/* A value from the command line: 1 there is one, 0 none, -1 error. */
int inst_override(flat_builder *b, inst_node *n, int e, expr *out);
/* The attributes of all elements of a leaf, equal ones shared. */
bool inst_attributes(flat_builder *b, inst_node *n, const flat_attributes **out);

const flat_attributes *inst_share_attributes(flat_builder *b, const flat_attributes *a);

/* ---- their shapes (bound_shape.c) ------------------------------------------------------------ */

/* May the value of l for a component that shares n follow from that for another one? */
bool inst_shape_applies(flat_builder *b, const inst_layer *l, const inst_node *n, int mode);
/* It does: *out. `of` is the expression of that component. */
bool inst_shape_value(flat_builder *b, const inst_bound_shape *t, const inst_layer *l,
                      const ast_expr *of, const inst_family *f, int member, value *out);
/* Around evaluating one; the shape goes to *out. In scratch memory. */
struct inst_reads *inst_reads_begin(flat_builder *b, const inst_node *n);
void inst_reads_end(flat_builder *b, struct inst_reads *before, const inst_layer *l,
                    const ast_expr *of, int member, const value *whole, inst_bound_shape **out);
void inst_note_read(flat_builder *b, inst_node *n, int e); // the value of a constant or parameter

/* ---- references (ref.c, node_value.c) -------------------------------------------------------- */

bool inst_leaf_value(const scope *s, inst_node *n, int e, expr *out); // of one variable
/* The value of one element (all scalars below a record). */
bool inst_value(const scope *s, inst_node *n, int e, span at, value *out);

/* The component that a reference names, whatever its subscripts; NULL: it names none. Nothing is
 * reported. */
inst_node *inst_named(flat_builder *b, inst_class *at, const ast_ref *r);

/* Subscripts that move: by `slopes` from one step to the next, or with the element of the scope. */
typedef struct inst_course {
    bool by_element;
    const int64_t *slopes;
    int64_t slope; // of the element that is named
    int64_t steps; // so many more keep within the array; only ever made less
} inst_course;

/* The component that a reference names whose subscripts are these Integers, one for each dimension of
 * each part. *way, NULL at first, is kept between calls for one reference and class. False: inst_ref
 * knows what it is, or what is wrong. */
bool inst_leaf(const scope *s, const ast_ref *r, void **way, const int64_t *subs, inst_course *c,
               inst_node **leaf, int *element);

/* ... and its value, of one variable. */
bool inst_element_value(const scope *s, const ast_ref *r, void **way, const int64_t *subs,
                        value *out);

/* The components that a reference names: scalars in row-major order of the dimensions that are
 * left. A subscript that is not known takes all elements here and is kept in `choose`. */
typedef struct inst_scalar {
    inst_node *node;
    int e;
} inst_scalar;

typedef struct inst_gathered {
    ARRAY(inst_scalar) at;
    int n_dims;
    int dims[VALUE_MAX_DIMS];
    subscript choose[VALUE_MAX_DIMS];
    bool symbolic, absent;
    inst_node *first; // what the first name found
    inst_node *last;  // a component of the kind that the last one names; NULL: none was reached
} inst_gathered;
/* allow_absent: components whose condition is false are no error, but set `absent`; their nodes are
 * NULL. */
bool inst_gather(const scope *s, const ast_ref *r, bool allow_absent, inst_gathered *out);
/* Their values, all of them where a subscript is not known. */
bool inst_gathered_all(const scope *s, const ast_ref *r, const inst_gathered *g, value *out);
/* Is a component on the way not there, by its condition? Subscripts are not looked at. */
bool inst_is_absent(const scope *s, const ast_ref *r);

#endif
