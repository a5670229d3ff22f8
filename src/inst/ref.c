/* References: from a dotted name with subscripts to variables and their values.
 *
 * What the first names mean is looked up once per class and place in the text and kept, so that a
 * reference in the body of a loop costs a hash lookup; the rest is a walk down the instance tree
 * with the number of the element carried along. Scalars take the short way; slices and arrays of
 * components are gathered element by element.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

typedef enum target_kind {
    TARGET_NONE,
    TARGET_COMPONENT, // first, part
    TARGET_LITERAL,   // of an enumeration: literal
    TARGET_TYPE,      // a predefined type or enumeration used as an array of its values
    TARGET_CLASS,     // cls
    TARGET_TIME
} target_kind;

typedef struct target {
    const ast_ref *ref;
    const inst_class *at;
    struct target *next; // of equal hash
    target_kind kind;
    inst_node *first;
    int part; // the part of the reference that names `first`
    inst_class *cls;
    int literal;
    inst_node **path; // node of each part, when it is the same every time
} target;

/* ---- what the first names mean --------------------------------------------------------------- */

static void ref_report_unknown(const scope *s, const ast_ref *r, int i, inst_class *in)
{
    flat_builder *b = s->b;
    sym name = r->at[i].name;
    if (!in && b->verbs->unknown(b, s->cls, name, r->at[i].at, false)) return;
    const char *near = in ? inst_nearest_element(b, in, name) : NULL;
    if (!in) {
        int n = 0;
        for (const scope_name *k = s->names; k; k = k->next) n++;
        const char **local = arena_array(b->front, const char *, n + 1);
        n = 0;
        for (const scope_name *k = s->names; k; k = k->next) local[n++] = k->name;
        near = diag_nearest(name, local, n);
        if (!near) near = inst_nearest(b, s->cls, name);
    }
    const char *hint = i ? NULL : inst_hint(b, name, near);
    const char *ends = i && in && !near ? inst_connectors(b, in) : NULL;
    if (i)
        diag_error(b->diags, "M101", r->at[i].at, "'%s' has no element '%s'%s%s%s",
                   inst_ref_text(b, r, i), name,
                   near   ? "; did you mean '"
                   : ends ? "; its connectors are "
                          : "",
                   near   ? near
                   : ends ? ends
                          : "",
                   near ? "'?" : "");
    else if (hint)
        diag_error(b->diags, "M101", r->at[i].at, "'%s' is not declared here; %s", name, hint);
    else
        diag_error(b->diags, "M101", r->at[i].at, "'%s' is not declared here%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool find_literal(flat_builder *b, target *t, sym name)
{
    const inst_primitive *p = inst_primitive_of(b, t->cls);
    if (p->kind != PRE_ENUM) return false;
    const flat_enumeration *e = &b->m->enums.at[p->enum_id];
    for (int i = 0; i < e->n; i++)
        if (e->literals[i] == name) {
            t->kind = TARGET_LITERAL;
            t->literal = i + 1;
            return true;
        }
    return false;
}

static void use_conditional(flat_builder *b, const inst_element *el, span at)
{
    if (el->comp->condition && !b->connecting) b->verbs->use_conditional(b, el, at);
}

/* Walk the classes of a path until a component is found; *bad: the part that leads nowhere. */
static void find_target(const scope *s, const ast_ref *r, target *t, int *bad)
{
    flat_builder *b = s->b;
    inst_class *at = s->cls;
    inst_found f = {0};
    *bad = 0;
    if (r->n == 1 && r->at[0].name == b->inst->s_time && !inst_find(b, at, b->inst->s_time)) {
        t->kind = TARGET_TIME;
        b->verbs->use_time(s, r);
        return;
    }
    if (!inst_lookup(b, r->global ? NULL : at, r->at[0].name, &f)) return;
    if (f.component) b->verbs->use_first(s, f.component, r);
    for (int i = 0;; i++) {
        if (f.component) {
            use_conditional(b, f.component, r->at[i].at);
            t->kind = TARGET_COMPONENT;
            t->first = inst_node_of(b, f.component);
            t->part = i;
            return;
        }
        t->cls = f.cls;
        *bad = i + 1;
        if (f.literal && r->n == 1 && find_literal(b, t, f.literal)) return;
        if (i + 1 == r->n) break;
        sym name = r->at[i + 1].name;
        if (i + 2 == r->n && find_literal(b, t, name)) return;
        inst_element *el = inst_find(b, t->cls, name);
        if (!el) return;
        b->verbs->use_member(b, t->cls, el, r, i + 1);
        f = (inst_found){.component = el->comp ? el : NULL};
        if (!el->comp && !(f.cls = inst_element_class(b, el))) return;
    }
    t->kind = TARGET_CLASS;
    predefined k = inst_primitive_of(b, t->cls)->kind;
    if (k == PRE_ENUM || k == PRE_BOOLEAN) t->kind = TARGET_TYPE;
}

static target *ref_resolve(const scope *s, const ast_ref *r)
{
    flat_builder *b = s->b;
    uint64_t key = hash_u64(map_key(r) ^ hash_u64(map_key(s->cls)));
    uint64_t *slot = map_put(&b->inst->refs, key);
    for (target *t = (target *)(uintptr_t)*slot; t; t = t->next)
        if (t->ref == r && t->at == s->cls) return t;
    target *t = arena_new(b->front, target);
    int bad, errors = b->diags->n_errors;
    t->ref = r;
    t->at = s->cls;
    t->path = arena_array(b->front, inst_node *, r->n);
    find_target(s, r, t, &bad);
    if (t->kind == TARGET_NONE) {
        if (b->diags->n_errors == errors) ref_report_unknown(s, r, bad, bad ? t->cls : NULL);
        return NULL;
    }
    slot = map_put(&b->inst->refs, key);
    t->next = (target *)(uintptr_t)*slot;
    *slot = map_key(t);
    return t;
}

/* ---- down the tree --------------------------------------------------------------------------- */

/* n is the component named by part i, e the element of its parent: complete it and step through
 * `outer`. */
static inst_node *ref_enter(const scope *s, const ast_ref *r, int i, inst_node *n, int *e)
{
    if (!inst_complete(s->b, n)) return NULL;
    while (n->kind == NODE_OUTER) {
        inst_node *t = n->target;
        s->b->verbs->use_outer(s->b, n, r, i);
        *e = inst_up(t->parent, n->parent, *e);
        n = t;
        if (!inst_complete(s->b, n)) return NULL;
    }
    if (r->at[i].subs.n > n->n_dims && n->kind != NODE_ABSENT) {
        if (n->n_dims)
            diag_error(s->b->diags, "M139", r->at[i].at,
                       "'%s' has %d dimension%s but %d subscripts", r->at[i].name, n->n_dims,
                       n->n_dims > 1 ? "s" : "", r->at[i].subs.n);
        else
            diag_error(s->b->diags, "M139", r->at[i].at,
                       "'%s' is not an array and has no subscripts", r->at[i].name);
        return NULL;
    }
    return n;
}

/* A component that shares its node with others: that node, and which of its elements it is. */
static int ref_member(inst_node **n)
{
    if ((*n)->kind != NODE_MEMBER) return 0;
    int k = (*n)->index;
    *n = (*n)->target;
    return k;
}

static inst_node *child_of(const scope *s, const ast_ref *r, int i, inst_node *n)
{
    inst_element *el = n->cls ? inst_find(s->b, n->cls, r->at[i].name) : NULL;
    if (el && el->comp) {
        s->b->verbs->use_member(s->b, n->cls, el, r, i);
        use_conditional(s->b, el, r->at[i].at);
        return inst_node_of(s->b, el);
    }
    if (n->kind == NODE_PRIMITIVE)
        diag_error(s->b->diags, "M101", r->at[i].at, "'%s' is a variable and has no element '%s'",
                   inst_ref_text(s->b, r, i), r->at[i].name);
    else if (n->is_expandable)
        diag_error(s->b->diags, "M183", r->at[i].at,
                   "nothing says what '%s' is: '%s' does not declare it, and no connection joins "
                   "it to what is declared",
                   inst_ref_text(s->b, r, i + 1), inst_ref_text(s->b, r, i));
    else ref_report_unknown(s, r, i, n->cls ? n->cls : n->type);
    return NULL;
}

static bool report_absent(const scope *s, const ast_ref *r, int i, const inst_node *n)
{
    if (n->parent->is_expandable && !n->is_present) {
        diag_error(s->b->diags, "M186", r->at[i].at,
                   "'%s' is not there: nothing is connected to this element of an expandable "
                   "connector",
                   inst_ref_text(s->b, r, i + 1));
        return false;
    }
    diag_error(s->b->diags, "M141", r->at[i].at,
               "'%s' is not there: the condition of its declaration is false here",
               inst_ref_text(s->b, r, i + 1));
    return false;
}

/* Element of the parent of the first component of a reference. */
static int first_element(const scope *s, const inst_node *first)
{
    if (first->parent == s->self) return s->element;
    return inst_up(first->parent, s->self, s->element);
}

/* An array over the values of a type is subscripted with that type. */
static bool check_index_type(const scope *s, const inst_node *n, int k, const ast_expr *e)
{
    flat_builder *b = s->b;
    if (!(n->typed >> k & 1) || e->kind == AST_COLON || e->kind == AST_END) return true;
    const inst_primitive *p = inst_index_type(b, n, k);
    value v;
    if (!p || !eval_expr(s, e, &v)) return p == NULL;
    if (v.type == p->type && (p->kind != PRE_ENUM || v.enum_id == p->enum_id)) return true;
    diag_error(b->diags, "M149", e->span,
               "dimension %d of '%s' is subscripted with %s, not with %s", k + 1, n->name,
               p->kind == PRE_ENUM ? b->m->enums.at[p->enum_id].name : "Boolean",
               value_type_name(&b->env, &v));
    return false;
}

/* The short way: every array on the path has all its subscripts, each one element. 1 done, 0 take
 * the long way, -1 error. */
static int walk_scalar(const scope *s, const ast_ref *r, target *t, inst_node **leaf, int *element)
{
    inst_node *n = t->first;
    int e = first_element(s, n);
    for (int i = t->part;; i++) {
        int pos = ref_member(&n);
        if (n->state != INST_READY || n->kind == NODE_OUTER || r->at[i].subs.n > n->n_dims)
            if (!(n = ref_enter(s, r, i, n, &e))) return -1;
        const ast_part *p = &r->at[i];
        if (n->kind == NODE_ABSENT) return report_absent(s, r, i, n), -1;
        if (n->n_dims != p->subs.n || n->kind == NODE_SPLIT) return 0;
        for (int k = 0; k < n->n_dims; k++) {
            subscript sub;
            if (!check_index_type(s, n, k, p->subs.at[k])) return -1;
            if (!eval_subscript(s, p->subs.at[k], n->dims[k], p->name, &sub)) return -1;
            if (sub.kind != SUB_INDEX) return 0;
            pos = pos * n->dims[k] + sub.index;
        }
        e = e * n->size + pos;
        if (i == r->n - 1) {
            *leaf = n;
            *element = e;
            return 1;
        }
        inst_node *next = t->path[i + 1];
        if (!next || next->parent != n) {
            if (!(next = child_of(s, r, i + 1, n))) return -1;
            t->path[i + 1] = next;
        }
        n = next;
    }
}

/* How many steps a subscript stays between 1 and n. */
static int64_t steps_within(int64_t sub, int64_t slope, int64_t n)
{
    if (!slope) return INT64_MAX;
    return slope > 0 ? (n - sub) / slope : (sub - 1) / -slope;
}

bool inst_leaf(const scope *s, const ast_ref *r, void **way, const int64_t *subs, inst_course *c,
               inst_node **leaf, int *element)
{
    target *t = *way;
    diag_sink mark = *s->b->diags;
    if (!t && !(t = *way = ref_resolve(s, r)))
        return eval_forget(s, &mark), false; // it will be said
    if (t->kind != TARGET_COMPONENT) return false;
    inst_node *n = t->first;
    int e = first_element(s, n);
    const int64_t *slope = c->slopes;
    c->slope = c->by_element;
    if (c->by_element && (n->parent != s->self || s->self->family)) c->steps = 0;
    for (int i = t->part;; i++) {
        int member = ref_member(&n);
        if (n->state != INST_READY || n->n_dims != r->at[i].subs.n || n->typed) return false;
        if (n->kind != NODE_PRIMITIVE && n->kind != NODE_COMPOSITE) return false;
        if (n->family && n->family->node == n) e = member;
        for (int k = 0; k < n->n_dims; k++) {
            int64_t sub = *subs++;
            if (sub < 1 || sub > n->dims[k]) return false;
            int64_t within = steps_within(sub, *slope, n->dims[k]);
            if (within < c->steps) c->steps = within;
            e = e * n->dims[k] + (int)(sub - 1);
            c->slope = c->slope * n->dims[k] + *slope++;
        }
        if (i == r->n - 1) break;
        inst_node *next = t->path[i + 1];
        if (!next || next->parent != n) {
            next = n->kind == NODE_COMPOSITE ? child_of(s, r, i + 1, n) : NULL;
            if (!next) return eval_forget(s, &mark), false;
            t->path[i + 1] = next;
        }
        n = next;
    }
    *leaf = n;
    *element = e;
    return true;
}

bool inst_element_value(const scope *s, const ast_ref *r, void **way, const int64_t *subs,
                        value *out)
{
    static const int64_t still[ELEMENT_SUBSCRIPTS];
    inst_course c = {.slopes = still};
    inst_node *n;
    int e;
    if (!inst_leaf(s, r, way, subs, &c, &n, &e) || n->kind != NODE_PRIMITIVE) return false;
    *out = (value){.type = n->type_id, .enum_id = (uint16_t)n->enum_id, .n = 1};
    if (!inst_leaf_value(s, n, e, &out->e)) *out = value_error();
    return true;
}

/* ---- gathering ------------------------------------------------------------------------------- */

typedef struct gathering {
    const scope *s;
    const ast_ref *r;
    subscript *subs[64]; // of each part, evaluated at the first visit
    const inst_node *seen[64];
    bool allow_absent;
    inst_gathered *out;
} gathering;

static void ref_push(gathering *g, inst_node *n, int e)
{
    inst_scalar leaf = {n, e};
    array_push(g->s->b->env.a, &g->out->at, leaf);
}

/* The subscripts of part i for node n; missing ones take all elements. */
static bool find_subscripts(gathering *g, int i, const inst_node *n)
{
    flat_builder *b = g->s->b;
    const ast_part *p = &g->r->at[i];
    if (g->subs[i]) { // elements of a split array must agree
        bool same = g->seen[i]->n_dims == n->n_dims;
        for (int k = 0; same && k < n->n_dims; k++) same = g->seen[i]->dims[k] == n->dims[k];
        if (!same)
            diag_error(b->diags, "M142", p->at,
                       "'%s' has different sizes in different elements of the array around it and "
                       "cannot be used as a whole",
                       p->name);
        return same;
    }
    g->subs[i] = arena_array(b->env.a, subscript, n->n_dims ? n->n_dims : 1);
    g->seen[i] = n;
    for (int k = 0; k < n->n_dims; k++) {
        subscript *sub = &g->subs[i][k];
        sub->kind = SUB_ALL;
        if (k < p->subs.n && !check_index_type(g->s, n, k, p->subs.at[k])) return false;
        if (k < p->subs.n && !eval_subscript(g->s, p->subs.at[k], n->dims[k], p->name, sub))
            return false;
        if (sub->kind == SUB_INDEX) continue;
        if (g->out->n_dims == VALUE_MAX_DIMS) return false;
        g->out->choose[g->out->n_dims] = (subscript){.kind = SUB_ALL};
        if (sub->kind == SUB_SYMBOLIC) {
            g->out->choose[g->out->n_dims] = *sub;
            g->out->symbolic = true;
        }
        g->out->dims[g->out->n_dims++] = sub->kind == SUB_SET ? sub->n : n->dims[k];
    }
    return true;
}

static bool ref_gather(gathering *g, int i, inst_node *n, int e);

static bool gather_one(gathering *g, int i, inst_node *n, int e, int pos)
{
    inst_node *m = n;
    int me = e * n->size + pos;
    if (n->kind == NODE_SPLIT) {
        m = n->children.at[pos];
        me = 0;
    }
    if (i == g->r->n - 1) {
        ref_push(g, m, me);
        return true;
    }
    inst_node *next = child_of(g->s, g->r, i + 1, m);
    return next && ref_gather(g, i + 1, next, me);
}

/* Part i has no element, but the names that follow still say what there would be, and its sizes. */
static bool gather_none(gathering *g, int i, inst_node *n, int e)
{
    for (int k = i + 1; k < g->r->n && n->kind == NODE_COMPOSITE; k++) {
        n = inst_follow(child_of(g->s, g->r, k, n));
        if (!n || !(n = ref_enter(g->s, g->r, k, n, &e))) return false;
        if (n->kind == NODE_ABSENT) break;
        if (!g->subs[k] && !find_subscripts(g, k, n)) return false;
        if (k == g->r->n - 1) g->out->last = n;
    }
    return true;
}

/* All chosen places of dimension k and the following ones. */
static bool gather_dims(gathering *g, int i, inst_node *n, int e, int k, int pos)
{
    if (k == n->n_dims) return gather_one(g, i, n, e, pos);
    const subscript *sub = &g->subs[i][k];
    if (sub->kind == SUB_INDEX)
        return gather_dims(g, i, n, e, k + 1, pos * n->dims[k] + sub->index);
    int count = sub->kind == SUB_SET ? sub->n : n->dims[k];
    if (!count && !gather_none(g, i, n, e)) return false;
    for (int j = 0; j < count; j++) {
        int at = sub->kind == SUB_SET ? sub->at[j] : j;
        if (!gather_dims(g, i, n, e, k + 1, pos * n->dims[k] + at)) return false;
    }
    return true;
}

static bool ref_gather(gathering *g, int i, inst_node *n, int e)
{
    int member = ref_member(&n);
    if (!(n = ref_enter(g->s, g->r, i, n, &e))) return false;
    if (i == g->r->n - 1) g->out->last = n;
    if (n->kind == NODE_ABSENT) {
        g->out->absent = true;
        if (g->allow_absent) ref_push(g, NULL, 0); // keeps the places of the others
        return g->allow_absent || report_absent(g->s, g->r, i, n);
    }
    return find_subscripts(g, i, n) && gather_dims(g, i, n, e, 0, member);
}

static bool gather_target(const scope *s, const ast_ref *r, target *t, bool allow_absent,
                          inst_gathered *out)
{
    gathering g = {.s = s, .r = r, .allow_absent = allow_absent, .out = out};
    if (r->n > 64) {
        diag_error(s->b->diags, "M121", r->span, "a reference has more than 64 names");
        return false;
    }
    *out = (inst_gathered){.first = t->first->kind == NODE_MEMBER ? t->first->target : t->first};
    return ref_gather(&g, t->part, t->first, first_element(s, t->first));
}

bool inst_gather(const scope *s, const ast_ref *r, bool allow_absent, inst_gathered *out)
{
    s->b->connecting += allow_absent;
    target *t = ref_resolve(s, r);
    s->b->connecting -= allow_absent;
    if (!t) return false;
    if (t->kind != TARGET_COMPONENT) {
        diag_error(s->b->diags, "M143", r->span, "'%s' is not a component",
                   inst_ref_text(s->b, r, r->n));
        return false;
    }
    s->b->connecting += allow_absent;
    bool ok = gather_target(s, r, t, allow_absent, out);
    s->b->connecting -= allow_absent;
    return ok;
}

bool inst_is_absent(const scope *s, const ast_ref *r)
{
    s->b->connecting++;
    target *t = ref_resolve(s, r);
    s->b->connecting--;
    inst_node *n = t && t->kind == TARGET_COMPONENT ? t->first : NULL;
    for (int i = t ? t->part : 0; n; i++) {
        if (!inst_complete(s->b, n)) return false;
        n = inst_follow(n);
        if (n->kind == NODE_ABSENT) return !n->in_bus; // there it may come to be
        if (n->kind == NODE_SPLIT || i + 1 >= r->n || !n->cls) return false;
        inst_element *el = inst_find(s->b, n->cls, r->at[i + 1].name);
        n = el && el->comp ? inst_node_of(s->b, el) : NULL;
    }
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

bool inst_gathered_all(const scope *s, const ast_ref *r, const inst_gathered *g, value *out)
{
    flat_builder *b = s->b;
    inst_node *n = g->at.n ? g->at.at[0].node : NULL;
    if (!n) { // an empty array: its type is that of the component named last
        expr *none;
        bool known = g->last && g->last->kind == NODE_PRIMITIVE;
        *out = value_new(&b->env, known ? (value_type)g->last->type_id : VALUE_REAL,
                         known ? g->last->enum_id : 0, g->dims, g->n_dims, &none);
        return true;
    }
    if (!g->n_dims) return inst_value(s, n, g->at.at[0].e, r->span, out);
    if (n->kind == NODE_PRIMITIVE) {
        expr *slots;
        *out = value_new(&b->env, (value_type)n->type_id, n->enum_id, g->dims, g->n_dims, &slots);
        for (int i = 0; i < g->at.n; i++)
            if (!inst_leaf_value(s, g->at.at[i].node, g->at.at[i].e, &slots[i])) return false;
    } else {
        value *slots, v;
        if (!inst_value(s, n, g->at.at[0].e, r->span, &v)) return false;
        *out = value_new_record(&b->env, v.record, g->dims, g->n_dims, &slots);
        for (int i = 0; i < g->at.n; i++) {
            if (!inst_value(s, g->at.at[i].node, g->at.at[i].e, r->span, &v)) return false;
            memcpy(slots + i * v.record->n, v.fields, (size_t)v.record->n * sizeof *slots);
        }
    }
    return true;
}

static bool gathered_value(const scope *s, const ast_ref *r, const inst_gathered *g, value *out)
{
    flat_builder *b = s->b;
    if (!inst_gathered_all(s, r, g, out)) return false;
    if (!g->symbolic) return true;
    eval_check_subscripts(s, inst_ref_text(b, r, r->n), g->choose, g->dims, g->n_dims, r->span);
    *out = value_index(&b->env, *out, g->choose, g->n_dims, r->span);
    return !value_is_error(out);
}

/* for e in E: all literals of an enumeration, or false and true. */
static void type_values(const scope *s, const inst_primitive *p, value *out)
{
    flat_builder *b = s->b;
    int n = p->kind == PRE_ENUM ? b->m->enums.at[p->enum_id].n : 2;
    expr *slots;
    *out = value_new(&b->env, (value_type)p->type, p->enum_id, &n, 1, &slots);
    for (int i = 0; i < n; i++)
        slots[i] =
            p->kind == PRE_ENUM ? expr_enum(b->pool, p->enum_id, i + 1) : expr_boolean(b->pool, i);
}

inst_node *inst_named(flat_builder *b, inst_class *at, const ast_ref *r)
{
    inst_found f;
    if (!inst_lookup(b, r->global ? NULL : at, r->at[0].name, &f)) return NULL;
    inst_node *n = NULL;
    inst_class *in = NULL;
    for (int i = 0; i < r->n; i++) {
        inst_element *el = i ? inst_find(b, in, r->at[i].name) : f.component;
        if (el && el->comp) {
            n = inst_follow(inst_node_of(b, el));
            if (!inst_declare(b, n)) return NULL;
            in = n->cls ? n->cls : n->type;
        } else {
            n = NULL;
            in = i ? (el ? inst_element_class(b, el) : NULL) : f.cls;
        }
        if (!in) return NULL;
    }
    return n;
}

bool inst_index_values(const scope *s, const ast_ref *r, int k, value *out)
{
    inst_node *n = inst_named(s->b, s->cls, r);
    const inst_primitive *p = n ? inst_index_type(s->b, n, k) : NULL;
    if (p) type_values(s, p, out);
    return p != NULL;
}

bool inst_ref(const scope *s, const ast_ref *r, value *out)
{
    flat_builder *b = s->b;
    target *t = ref_resolve(s, r);
    if (!t) return false;
    switch (t->kind) {
    case TARGET_TIME: *out = value_scalar(&b->env, b->pool->time); return true;
    case TARGET_LITERAL: {
        int id = inst_primitive_of(b, t->cls)->enum_id;
        *out = value_scalar(&b->env, expr_enum(b->pool, id, t->literal));
        return true;
    }
    case TARGET_TYPE: type_values(s, inst_primitive_of(b, t->cls), out); return true;
    case TARGET_COMPONENT: break;
    default:
        diag_error(b->diags, "M144", r->span, "'%s' is a %s and has no value",
                   inst_ref_text(b, r, r->n),
                   lang_restriction_text((ast_restriction)inst_restriction(b, t->cls)));
        return false;
    }
    inst_node *leaf;
    int e, k = walk_scalar(s, r, t, &leaf, &e);
    if (k < 0) return false;
    if (k > 0 && (leaf->kind == NODE_PRIMITIVE || leaf->kind == NODE_COMPOSITE))
        return inst_value(s, leaf, e, r->span, out);
    inst_gathered g;
    return gather_target(s, r, t, false, &g) && gathered_value(s, r, &g, out);
}
