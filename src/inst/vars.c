/* The variables of the flat model: numbers and names first, then attributes and bindings.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_top_connector(const inst_node *n)
{
    for (const inst_node *p = n->parent; p && p->parent; p = p->parent)
        if (!p->is_connector) return false;
    return true;
}

static uint8_t causality_of(const inst_node *n)
{
    uint8_t c = AST_NO_CAUSALITY;
    if (n->is_protected || !is_top_connector(n)) return FLAT_LOCAL;
    for (const inst_node *p = n; p && p->parent && !c; p = p->parent) c = p->causality;
    return c == AST_INPUT ? FLAT_INPUT : c == AST_OUTPUT ? FLAT_OUTPUT : FLAT_LOCAL;
}

/* Flat text has no connectors: it says by an annotation that a variable was a flow of one. */
static bool is_said_flow(const ast_component *d)
{
    static const char *const path[] = {FLAT_IS_FLOW, NULL};
    const ast_expr *e = d->annotation ? lang_annotation_value(d->annotation, path) : NULL;
    return e && e->kind == AST_BOOLEAN && e->boolean;
}

/* Components of one class have one comment, as it is written. */
static const char *vars_comment(flat_builder *b, ast_string s)
{
    if (!s.n) return "";
    uint64_t *slot = map_put(&b->inst->comments, map_key(s.at));
    if (!*slot) *slot = map_key(lang_string(b->model, s));
    return (const char *)(uintptr_t)*slot;
}

/* BaseProperties of a medium are declared in a package that the medium inherits, and what a component
 * calls Medium is another name for it: the medium itself is the last of these that lies in packages alone.
 * NULL: the class of the component is declared where it is found. */
static sym package_of(flat_builder *b, const inst_node *n)
{
    const inst_class *c = n->parent ? n->parent->cls : NULL, *last = NULL;
    if (!c || !c->parent || !c->parent->derived) return NULL;
    for (const inst_class *q = c->parent; q; q = q->derived) {
        bool in_packages = q->ast->restriction == AST_R_PACKAGE;
        for (const inst_class *up = q->parent; up && up->parent && in_packages; up = up->parent)
            in_packages = up->ast->restriction == AST_R_PACKAGE;
        if (in_packages) last = q;
    }
    return last ? inst_name(b, last) : NULL;
}

static const flat_declaration *share_declaration(flat_builder *b, const inst_node *n)
{
    flat_declaration d;
    memset(&d, 0, sizeof d); // padding too: they are compared as bytes
    d.comment = vars_comment(b, n->decl->comment);
    d.package = package_of(b, n);
    d.at = n->decl->at;
    d.enum_id = n->enum_id;
    uint64_t key = hash_bytes(&d, sizeof d);
    uint64_t *slot = map_put(&b->inst->declarations, key);
    const flat_declaration *known = (const flat_declaration *)(uintptr_t)*slot;
    if (known && !memcmp(known, &d, sizeof d)) return known;
    flat_declaration *made = arena_new(b->model, flat_declaration);
    memcpy(made, &d, sizeof d);
    *map_put(&b->inst->declarations, key) = map_key(made);
    return made;
}

uint64_t *inst_named_var(flat_builder *b, sym name)
{
    const flat_vars *all = &b->m->vars;
    for (; b->n_named < all->n; b->n_named++)
        if (names_keep(&all->names, b->n_named))
            *map_put(&b->by_name, map_key(FLAT_NAME(b->m, b->n_named))) = (uint64_t)b->n_named + 1;
    uint64_t *slot = map_put(&b->by_name, map_key(name));
    if (!*slot) *slot = (uint64_t)(names_find_element(&all->names, name, sym_len(name)) + 1);
    return slot;
}

void inst_forget_named(flat_builder *b, int first)
{
    for (int i = first; i < b->n_named; i++)
        if (names_keep(&b->m->vars.names, i))
            *map_put(&b->by_name, map_key(FLAT_NAME(b->m, i))) = 0;
    if (b->n_named > first) b->n_named = first;
}

/* Where the variable of a name would be found that is to be numbered now; NULL: there can be none, for
 * the text was not known before. Names of components and elements, of which there are millions, are
 * entered only if somebody asks. */
static uint64_t *first_of_name(flat_builder *b, sym name, bool is_new)
{
    if (!strpbrk(name, ".[")) return map_put(&b->by_name, map_key(name));
    return is_new ? NULL : inst_named_var(b, name);
}

static bool report_twice(flat_builder *b, const flat_var *v, const char *name, int other)
{
    diag_error(b->diags, "M106", v->decl->at,
               "two variables are called '%s' in the flat model; rename one of them", name);
    diag_note(b->diags, flat_at(b->m, other)->decl->at, "the other is declared here");
    return false;
}

/* What variables of a leaf have in common, without their name. */
static flat_var var_of(flat_builder *b, inst_node *n)
{
    static const flat_attributes none = {.fixed = -1}; // until read, or where wrong
    uint8_t causality = causality_of(n);
    if (causality == FLAT_INPUT && inst_has_binding(b, n)) causality = FLAT_LOCAL; // it has a value
    flat_var v = {.type = n->type_id,
                  .variability = n->variability,
                  .causality = causality,
                  .attr = &none,
                  .decl = share_declaration(b, n)};
    if (n->is_protected) v.flags |= FLAT_PROTECTED;
    if (n->is_final || n->variability == FLAT_CONSTANT || n->type_id == TYPE_OBJECT)
        v.flags |= FLAT_FINAL;
    if (n->flow == AST_FLOW || is_said_flow(n->decl)) v.flags |= FLAT_FLOW;
    if (n->causality == AST_INPUT && !inst_has_binding(b, n)) v.flags |= FLAT_SIGNAL_IN;
    return v;
}

/* Names of so many elements are not written. A path takes some hundred bytes, a name and its place in the table of
 * names about thirty. Texts and clocks are few. */
enum { PATH_ELEMENTS_MIN = 16 };

static bool is_on_path(const inst_node *n, int count)
{
    return count >= PATH_ELEMENTS_MIN && (n->type_id == TYPE_REAL || n->type_id == TYPE_INTEGER ||
                                          n->type_id == TYPE_BOOLEAN || n->type_id == TYPE_ENUM);
}

/* At the top a quoted name may be that of an element: 'x[3]'. */
static bool is_quoted(const inst_node *n)
{
    return n->name[0] == '\'' && n->parent && !n->parent->parent;
}

static bool is_name_free(flat_builder *b, const flat_var *v, sym name)
{
    int other = names_find_element(&b->m->vars.names, name, sym_len(name));
    if (other >= 0) return report_twice(b, v, name, other);
    array_push(b->front, &b->inst->quoted, b->m->vars.n);
    return true;
}

/* A quoted name that was before may be that of an element. */
static bool is_path_free(flat_builder *b, const flat_var *v, const name_family *path, int end)
{
    for (int i = 0; i < b->inst->quoted.n; i++) {
        int other = b->inst->quoted.at[i];
        const char *name = flat_name(b->m, other, NULL);
        int e = names_path_element(path->pieces, path->n_pieces, name, strlen(name));
        if (e >= path->from && e < end) return report_twice(b, v, name, other);
    }
    return true;
}

static bool number_leaf(flat_builder *b, inst_node *n, int member)
{
    flat_model *m = b->m;
    int first, last;
    inst_elements(n, member, &first, &last);
    if ((int64_t)m->vars.n + (last - first) > FLAT_MAX_ELEMENTS) {
        diag_error(b->diags, "M134", n->decl->at, "the model has more than %d scalars",
                   FLAT_MAX_ELEMENTS);
        return false;
    }
    bool again = member > 0 && last > first; // as for the first member
    int like = again ? inst_var(n, 0) : -1;
    flat_var v = again ? *flat_at(m, like) : var_of(b, n);
    if (member <= 0) n->var = m->vars.n - (n->family ? n->family->first[0] : 0);
    name_family path = {.from = first};
    if (is_on_path(n, last - first))
        path.n_pieces = inst_path_pieces(b, n, first, last, &path.pieces);
    if (path.n_pieces) {
        if (!is_path_free(b, &v, &path, last)) return false;
        if (again) flat_vars_add_path_like(&m->vars, b->model, like, path, last - first);
        else flat_vars_add_path(&m->vars, b->model, v, path, last - first);
        return true;
    }
    sym paths[INST_PATHS];
    bool fresh[INST_PATHS];
    for (int e = first, k = 0, n_paths = 0; e < last; e++, k++) {
        if (k == n_paths) n_paths = inst_path_syms(b, n, e, last, paths, fresh), k = 0;
        uint64_t *slot = first_of_name(b, paths[k], fresh[k]);
        if (slot && *slot) return report_twice(b, &v, paths[k], (int)*slot - 1);
        if (slot) *slot = (uint64_t)m->vars.n + 1;
        if (is_quoted(n) && !is_name_free(b, &v, paths[k])) return false;
        if (like < 0) like = flat_vars_add(&m->vars, b->model, v, paths[k]);
        else flat_vars_add_like(&m->vars, b->model, like, paths[k]);
    }
    return true;
}

static bool vars_number(flat_builder *b, inst_node *n, int member)
{
    bool ok = true;
    if (n->kind == NODE_MEMBER) {
        inst_family *f = n->target->family;
        f->first[n->index] = b->m->vars.n;
        bool good = vars_number(b, n->target, n->index);
        f->n_vars = b->m->vars.n - f->first[n->index];
        return good;
    }
    if (n->kind == NODE_PRIMITIVE) return number_leaf(b, n, member);
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return true;
    for (int i = 0; i < n->children.n; i++) ok = vars_number(b, n->children.at[i], member) && ok;
    return ok;
}

typedef struct vars_counted {
    int64_t all, written; // variables, and names of them that are written
} vars_counted;

static void vars_count(const inst_node *n, vars_counted *c)
{
    if (n->kind == NODE_MEMBER) {
        if (!n->index) vars_count(n->target, c);
        return;
    }
    if (n->kind == NODE_PRIMITIVE) {
        int each = n->family && n->family->n ? n->total / n->family->n : n->total;
        c->all += n->total;
        if (!is_on_path(n, each)) c->written += n->total;
    }
    if (n->kind == NODE_COMPOSITE || n->kind == NODE_SPLIT)
        for (int i = 0; i < n->children.n; i++) vars_count(n->children.at[i], c);
}

bool inst_number(flat_builder *b)
{
    vars_counted count = {0};
    vars_count(b->inst->root, &count);
    if (count.all <=
        FLAT_MAX_ELEMENTS) { // one block each: growing would leave as much again behind
        flat_vars_reserve(&b->m->vars, b->model, (int)count.all, (int)count.written);
        sym_reserve(b->lib->syms, (uint32_t)count.written);
    }
    bool ok = vars_number(b, b->inst->root, -1);
    b->inst->numbered = true;
    b->checks = &b->of_bindings;
    b->inst->variables = arena_array(b->front, expr, b->m->vars.n + 1);
    return ok;
}

expr inst_variable(flat_builder *b, int var)
{
    expr *known = &b->inst->variables[var];
    if (*known) return *known;
    const flat_var *v = flat_at(b->m, var);
    return *known = expr_var(b->pool, var, 0, (expr_type)v->type, v->decl->enum_id);
}

/* ---- attributes and bindings ----------------------------------------------------------------- */

static bool vars_check_binding(flat_builder *b, const inst_node *n, int var, expr e)
{
    if (expr_is_literal(b->pool, e)) return true;
    arena_mark mark = arena_here(b->scratch);
    int_array used = expr_vars(b->pool, &e, 1, b->scratch);
    bool ok = true;
    for (int i = 0; i < used.n && ok; i++) {
        int uses = expr_at(b->pool, used.at[i])->u.var.index;
        const flat_var *u = flat_at(b->m, uses);
        if (u->variability <= n->variability) continue;
        const char *name = FLAT_NAME(b->m, uses);
        diag_error(b->diags, "M150", n->decl->at,
                   "the %s '%s' is computed from '%s', which %s; declare '%s' without '%s', or use "
                   "a parameter",
                   n->variability == FLAT_CONSTANT ? "constant" : "parameter", FLAT_NAME(b->m, var),
                   name,
                   u->variability == FLAT_PARAMETER ? "is only a parameter"
                                                    : "changes during the simulation",
                   n->name, n->variability == FLAT_CONSTANT ? "constant" : "parameter");
        diag_note(b->diags, u->decl->at, "'%s' is declared here", name);
        ok = false;
    }
    if (ok && expr_at(b->pool, e)->op == EXPR_TIME) {
        diag_error(b->diags, "M150", n->decl->at, "the parameter '%s' cannot depend on time",
                   n->name);
        ok = false;
    }
    arena_release(b->scratch, mark);
    return ok;
}

static bool is_override_start(flat_builder *b, inst_node *n, int e, flat_var *v)
{
    expr start;
    if (!b->inst->n_overrides) return true;
    int k = inst_override(b, n, e, &start);
    if (k <= 0) return k == 0;
    flat_attributes a;
    memcpy(&a, v->attr, sizeof a);
    a.start = start;
    a.fixed = 1;
    v->attr = inst_share_attributes(b, &a);
    return true;
}

/* Elements of a leaf share the record of the first, which is filled for all; one that differs has its own. */
static void put_element(flat_builder *b, const inst_node *n, int e, flat_var v)
{
    flat_vars *all = &b->m->vars;
    if (e) flat_vars_put(all, b->model, inst_var(n, e), v);
    else flat_vars_put_all(all, inst_var(n, e), v);
}

static bool fill_leaf(flat_builder *b, inst_node *n)
{
    arena_mark mark = arena_here(b->scratch);
    const flat_attributes **attr =
        arena_array(b->scratch, const flat_attributes *, n->total ? n->total : 1);
    bool ok = inst_attributes(b, n, attr);
    bool fixed = n->variability <= FLAT_PARAMETER;
    for (int e = 0; ok && e < n->total; e++) {
        flat_var v = *flat_at(b->m, inst_var(n, e));
        v.attr = attr[e];
        if (!fixed) ok = is_override_start(b, n, e, &v);
        put_element(b, n, e, v);
        if (!fixed) continue;
        bool has;
        expr x = 0;
        ok = n->variability == FLAT_CONSTANT ? inst_known(b, n, e, &x)
                                             : inst_bound(b, n, e, SCOPE_SYMBOLIC, &has, &x);
        if (ok && x) ok = vars_check_binding(b, n, inst_var(n, e), x);
        v.binding = ok ? x : 0;
        if (n->binding && n->binding->final) v.flags |= FLAT_FINAL;
        put_element(b, n, e, v);
    }
    arena_release(b->scratch, mark);
    return ok;
}

static bool vars_fill(flat_builder *b, inst_node *n)
{
    bool ok = true;
    if (n->kind == NODE_MEMBER) return n->index || vars_fill(b, n->target); // all at once
    if (n->kind == NODE_PRIMITIVE) return fill_leaf(b, n);
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return true;
    for (int i = 0; i < n->children.n; i++) ok = vars_fill(b, n->children.at[i]) && ok;
    return ok;
}

bool inst_fill(flat_builder *b)
{
    return vars_fill(b, b->inst->root);
}

static void vars_mark(flat_builder *b, const inst_node *n)
{
    if (n->kind == NODE_MEMBER && !n->index) n = n->target;
    for (int e = 0; n->kind == NODE_PRIMITIVE && e < n->total; e++) {
        if (!inst_is_structural(n, e)) continue;
        flat_var v = *flat_at(b->m, inst_var(n, e));
        v.flags |= FLAT_STRUCTURAL;
        flat_vars_put(&b->m->vars, b->model, inst_var(n, e), v);
    }
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return;
    for (int i = 0; i < n->children.n; i++) vars_mark(b, n->children.at[i]);
}

void inst_mark_structural(flat_builder *b)
{
    vars_mark(b, b->inst->root);
}

/* ---- circular bindings of parameters --------------------------------------------------------- */

/* Every parameter must be computable from others: a depth-first search with an explicit stack. */
bool inst_check_circular(flat_builder *b)
{
    flat_model *m = b->m;
    arena_mark at = arena_here(b->scratch);
    uint8_t *state = arena_array(b->scratch, uint8_t, m->vars.n + 1); // 1 open, 2 done
    ARRAY(int) stack = {0};
    bool ok = true;
    for (int v = 0; v < m->vars.n && ok; v++) {
        if (state[v] || !flat_at(m, v)->binding || flat_at(m, v)->variability > FLAT_PARAMETER)
            continue;
        array_push(b->scratch, &stack, v);
        while (stack.n && ok) {
            int x = array_last(&stack);
            if (state[x]) {
                state[x] = 2;
                stack.n--;
                continue;
            }
            state[x] = 1;
            expr e = flat_at(m, x)->binding;
            if (!e || expr_is_literal(b->pool, e)) continue;
            int_array used = expr_vars(b->pool, &e, 1, b->scratch);
            for (int i = 0; i < used.n && ok; i++) {
                int u = expr_at(b->pool, used.at[i])->u.var.index;
                if (flat_at(m, u)->variability > FLAT_PARAMETER) continue;
                if (state[u] == 1) {
                    diag_error(b->diags, "M115", flat_at(m, u)->decl->at,
                               "the value of '%s' depends on itself", FLAT_NAME(m, u));
                    if (u != x)
                        diag_note(b->diags, flat_at(m, x)->decl->at, "through '%s'",
                                  FLAT_NAME(m, x));
                    ok = false;
                } else if (!state[u]) {
                    array_push(b->scratch, &stack, u);
                }
            }
        }
    }
    arena_release(b->scratch, at);
    return ok;
}
