/* Texts of functions: declarations for the flat model, and how calls are written.
 *
 * A call node has scalar arguments and one scalar result; in the text arrays and records are put
 * together again, f({x[1], x[2]}, R(a, b)), and parts of a result are selected: (f(x))[2],
 * (f(x)).re. Calls of a further output go through a function that has only that one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/function_text.h"

#include "lang/lang.h"

#include <string.h>

/* ---- declarations ---------------------------------------------------------------------------- */

static const char *printed(flat_builder *b, const ast_class *cls)
{
    if (!cls) return NULL;
    mem m = value_arena_mem(b->model);
    text t;
    text_init(&t, &m);
    lang_print_class(cls, 2, &t);
    text_add(&t, ";\n");
    return text_str(&t);
}

static void declare(flat_builder *b, function_def *f, int o, function_text *t)
{
    t->declaration = printed(b, o ? function_clone_output(b, f, t, o, b->front)
                                  : function_clone(b, f, t, b->front));
}

static bool same_text(const function_text *x, const function_text *y)
{
    if (!x->declaration || !y->declaration || strcmp(x->declaration, y->declaration)) return false;
    if (x->needs.n != y->needs.n) return false;
    for (int i = 0; i < x->needs.n; i++)
        if (x->needs.at[i] != y->needs.at[i]) return false;
    return true;
}

/* The declaration of f (o == 0) or of the function that has only its output o. Classes of one name
 * that read the same share it (a function declared in a model belongs to every component anew);
 * others get a number behind their name. */
static function_text *declared(flat_builder *b, function_def *f, int o, const char *name,
                               function_text **slot)
{
    mem m = value_arena_mem(b->model);
    for (int k = 1;; k++) {
        text t;
        text_init(&t, &m);
        text_add(&t, name);
        if (k > 1) text_printf(&t, "#%d", k);
        function_text *made = arena_new(b->model, function_text);
        made->plain = sym_of(b->lib->syms, text_str(&t));
        made->name = flat_quoted(b->model, made->plain);
        made->further = o > 0;
        uint64_t *known = map_put(&b->functions->by_name, map_key(made->plain));
        function_text *old = (function_text *)(uintptr_t)*known;
        if (slot) *slot = made; // it may mention itself
        if (!old) *known = map_key(made);
        else if (old->further != made->further) return old; // of a model flattened before
        declare(b, f, o, made);
        if (!old) return made;
        if (same_text(old, made)) return old;
    }
}

function_text *function_text_of(flat_builder *b, function_def *f)
{
    if (f->text || f->failed) return f->text;
    return f->text = declared(b, f, 0, f->name, &f->text);
}

static function_text *output_text(flat_builder *b, function_def *f, int o)
{
    mem m = value_arena_mem(b->model);
    text name;
    text_init(&name, &m);
    text_printf(&name, "%s.%s", function_text_of(b, f)->plain, f->all[f->outputs[o]].name);
    return declared(b, f, o, text_str(&name), NULL);
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Text is collected until the next scalar, then it becomes a piece. */
typedef struct pieces {
    flat_builder *b;
    mem m;
    text t;
    const char **at;
    int n;
    ARRAY(function_text *) needs;
} pieces;

static void cut(pieces *p)
{
    p->at[p->n++] = text_str(&p->t);
    text_init(&p->t, &p->m);
}

static void add_argument(pieces *p, const value *v);

/* Elements `from` ... of the last dimensions, starting with d. */
static void add_array(pieces *p, const value *v, int d, int *from)
{
    if (d == v->n_dims) {
        if (v->type == VALUE_RECORD) {
            value one = *v;
            one.n_dims = 0;
            one.n = 1;
            one.fields = v->fields + (size_t)*from * (size_t)v->record->n;
            add_argument(p, &one);
        } else {
            cut(p);
        }
        (*from)++;
        return;
    }
    text_char(&p->t, '{');
    for (int i = 0; i < v->dims[d]; i++) {
        if (i) text_add(&p->t, ", ");
        add_array(p, v, d + 1, from);
    }
    text_char(&p->t, '}');
}

static void add_argument(pieces *p, const value *v)
{
    int from = 0;
    if (v->n_dims && !v->n) {
        static const char *const zero[] = {"0.0", "0", "false", "\"\""};
        text_printf(&p->t, "fill(%s", v->type <= VALUE_STRING ? zero[v->type] : "0.0");
        for (int d = 0; d < v->n_dims; d++) text_printf(&p->t, ", %d", v->dims[d]);
        text_char(&p->t, ')');
    } else if (v->n_dims) {
        add_array(p, v, 0, &from);
    } else if (v->type == VALUE_FUNCTION) {
        function_text *t = function_text_of(p->b, (function_def *)v->record->class_);
        array_push(p->b->model, &p->needs, t);
        text_printf(&p->t, v->record->n ? "function %s(" : "%s", t->name);
        for (int i = 0; i < v->record->n; i++) {
            text_printf(&p->t, "%s%s = ", i ? ", " : "", v->record->names[i]);
            add_argument(p, &v->fields[i]);
        }
        if (v->record->n) text_char(&p->t, ')');
    } else if (v->type == VALUE_RECORD) {
        function_def *f = function_find(p->b, (inst_class *)v->record->class_);
        text_printf(&p->t, "%s(", function_text_of(p->b, f)->name);
        for (int i = 0; i < v->record->n; i++) {
            if (i) text_add(&p->t, ", ");
            add_argument(p, &v->fields[i]);
        }
        text_char(&p->t, ')');
    } else {
        cut(p);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

typedef struct selections {
    flat_builder *b;
    const char *name, *open, *close; // of the function; up to and behind the arguments
    bool bare;                       // there are no arguments
    const char **first, **last;
    int n;
} selections;

/* `depth` parentheses around the call and `path` behind it select the value v. */
static void select_parts(selections *s, const value *v, int depth, const char *path)
{
    mem m = value_arena_mem(s->b->model);
    bool whole = !v->n_dims && v->type <= VALUE_ENUM;
    if (whole) {
        text first, last;
        text_init(&first, &m);
        text_init(&last, &m);
        text_pad(&first, '(', depth);
        text_printf(&first, "%s%s", s->name, s->open);
        text_printf(s->bare ? &first : &last, "%s%s", s->close, path);
        s->first[s->n] = text_str(&first);
        s->last[s->n++] = text_str(&last);
        return;
    }
    if (v->n_dims) {
        for (int i = 0; i < v->n; i++) {
            text t;
            text_init(&t, &m);
            text_printf(&t, "%s)", path);
            for (int d = 0, rest = i; d < v->n_dims; d++) {
                int below = 1;
                for (int k = d + 1; k < v->n_dims; k++) below *= v->dims[k];
                text_printf(&t, d ? ", %d" : "[%d", rest / below + 1);
                rest %= below;
            }
            text_char(&t, ']');
            value one = {.type = v->type, .n = 1, .record = v->record};
            if (v->type == VALUE_RECORD) one.fields = v->fields + (size_t)i * (size_t)v->record->n;
            select_parts(s, &one, depth + 1, text_str(&t));
        }
        return;
    }
    for (int i = 0; i < v->record->n; i++) {
        text t;
        text_init(&t, &m);
        text_printf(&t, "%s).%s", path, v->record->names[i]);
        select_parts(s, &v->fields[i], depth + 1, text_str(&t));
    }
}

struct function_pieces *function_pieces_of(flat_builder *b, function_def *f, const flat_function *g)
{
    struct function_pieces *out = arena_new(b->model, struct function_pieces);
    out->text = function_text_of(b, f);
    pieces p = {.b = b, .m = value_arena_mem(b->model)};
    p.at = arena_array(b->model, const char *, g->n_args + 1);
    text_init(&p.t, &p.m);
    text_char(&p.t, '(');
    for (int i = 0; i < g->n_inputs; i++) {
        if (i) text_add(&p.t, ", ");
        add_argument(&p, &g->inputs[i]);
    }
    text_char(&p.t, ')');
    cut(&p);

    int n = g->n_results ? g->n_results : 1;
    out->between = p.at;
    for (int i = 0; i < p.needs.n; i++) array_push(b->model, &out->further, p.needs.at[i]);
    selections s = {.b = b, .name = out->text->name, .open = "", .bare = !g->n_args};
    s.first = out->first = arena_array(b->model, const char *, n);
    s.last = out->last = arena_array(b->model, const char *, n);
    if (g->n_args) s.open = p.at[0];
    s.close = p.at[g->n_args];
    for (int o = 0; o < g->n_outputs; o++) {
        if (o) {
            function_text *t = output_text(b, f, o);
            array_push(b->model, &out->further, t);
            s.name = t->name;
        }
        select_parts(&s, &g->outputs[o], 0, "");
    }
    if (!g->n_results) select_parts(&s, &(value){.n = 1}, 0, "");
    return out;
}

const char *function_call_text(const flat_model *m, int function, int output, int k)
{
    const flat_function *g = m->functions.at[function];
    if (!g->text) return NULL;
    if (!g->n_args && !k) return g->text->first[output];
    if (k == g->n_args) return g->text->last[output];
    return k ? g->text->between[k] : g->text->first[output];
}

/* ---- all declarations ------------------------------------------------------------------------ */

static void print_with_needs(const function_text *t, map *done, text *out)
{
    uint64_t *slot = map_put(done, map_key(t));
    if (*slot) return;
    *slot = 1;
    for (int i = 0; i < t->needs.n; i++) print_with_needs(t->needs.at[i], done, out);
    if (t->declaration) text_add(out, t->declaration);
}

static void add_expr(const flat_model *m, int_array *roots, expr e)
{
    if (e) array_push(m->pool->a, roots, e);
}

static void add_statements(const flat_model *m, int_array *roots, const flat_statements *list)
{
    for (int i = 0; i < list->n; i++) {
        const flat_statement *t = &list->at[i];
        add_expr(m, roots, t->value);
        add_expr(m, roots, t->message);
        for (int k = 0; k < t->branches.n; k++) {
            add_expr(m, roots, t->branches.at[k].condition);
            for (int j = 0; j < t->branches.at[k].also.n; j++)
                add_expr(m, roots, t->branches.at[k].also.at[j]);
            add_statements(m, roots, &t->branches.at[k].body);
        }
    }
}

static void add_equations(const flat_model *m, int_array *roots, const flat_equations *list)
{
    for (int i = 0; i < list->n; i++) {
        add_expr(m, roots, list->at[i].lhs);
        add_expr(m, roots, list->at[i].rhs);
    }
}

static int_array all_roots(const flat_model *m)
{
    int_array roots = {0};
    for (int i = 0; i < m->vars.n; i++) {
        const flat_attributes *a = m->vars.at[i].attr;
        add_expr(m, &roots, m->vars.at[i].binding);
        if (!a) continue;
        add_expr(m, &roots, a->start);
        add_expr(m, &roots, a->min);
        add_expr(m, &roots, a->max);
        add_expr(m, &roots, a->nominal);
    }
    add_equations(m, &roots, &m->equations);
    add_equations(m, &roots, &m->initial_equations);
    add_statements(m, &roots, &m->whens);
    add_statements(m, &roots, &m->asserts);
    for (int i = 0; i < m->algorithms.n; i++) add_statements(m, &roots, &m->algorithms.at[i].body);
    return roots;
}

void function_print_all(const flat_model *m, text *out)
{
    if (!m->functions.n) return;
    arena *a = m->pool->a;
    map done;
    map_init(&done, a);
    int_array roots = all_roots(m), nodes = expr_reach(m->pool, roots.at, roots.n, a);
    bool *used = arena_array(a, bool, m->functions.n);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node *n = expr_at(m->pool, nodes.at[i]);
        if (n->op == EXPR_CALL) used[n->u.call.function] = true;
    }
    for (int i = 0; i < m->functions.n; i++) {
        const struct function_pieces *p = m->functions.at[i]->text;
        if (!p || !used[i]) continue;
        print_with_needs(p->text, &done, out);
        for (int k = 0; k < p->further.n; k++) print_with_needs(p->further.at[k], &done, out);
    }
}
