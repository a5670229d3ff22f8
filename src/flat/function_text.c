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

/* ---- declarations ---- */

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

/* Two classes of one name (the same text with other modifications) get different names; but a
 * function for a further output may be there already, when a flat model is flattened again. */
static function_text *new_text(flat_builder *b, const char *name, bool further, bool *found)
{
    mem m = value_arena_mem(b->model);
    for (int k = 1;; k++) {
        text t;
        text_init(&t, &m);
        text_add(&t, name);
        if (k > 1) text_printf(&t, "#%d", k);
        sym unique = sym_of(b->lib->syms, text_str(&t));
        uint64_t *slot = map_put(&b->functions->by_name, map_key(unique));
        function_text *old = (function_text *)(uintptr_t)*slot;
        *found = old && (further || old->further);
        if (*found) return old;
        if (old) continue;
        function_text *made = arena_new(b->model, function_text);
        made->name = flat_quoted(b->model, unique);
        made->further = further;
        *slot = map_key(made);
        return made;
    }
}

function_text *function_text_of(flat_builder *b, function_def *f)
{
    bool found;
    if (f->text) return f->text;
    function_text *t = f->text = new_text(b, f->name, false, &found);
    if (!found && !f->failed) t->declaration = printed(b, function_clone(b, f, t, b->front));
    return t;
}

static function_text *output_text(flat_builder *b, function_def *f, int o)
{
    mem m = value_arena_mem(b->model);
    bool found;
    text name;
    text_init(&name, &m);
    text_printf(&name, "%s.%s", f->name, f->all[f->outputs[o]].name);
    function_text *t = new_text(b, text_str(&name), true, &found);
    if (!found) t->declaration = printed(b, function_clone_output(b, f, t, o, b->front));
    return t;
}

/* ---- arguments ---- */

/* Text is collected until the next scalar, then it becomes a piece. */
typedef struct pieces {
    flat_builder *b;
    mem m;
    text t;
    const char **at;
    int n;
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

/* ---- results ---- */

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

/* ---- all declarations ---- */

static void print_with_needs(const function_text *t, map *done, text *out)
{
    uint64_t *slot = map_put(done, map_key(t));
    if (*slot) return;
    *slot = 1;
    for (int i = 0; i < t->needs.n; i++) print_with_needs(t->needs.at[i], done, out);
    if (t->declaration) text_add(out, t->declaration);
}

void function_print_all(const flat_model *m, text *out)
{
    map done;
    map_init(&done, m->pool->a);
    for (int i = 0; i < m->functions.n; i++) {
        const struct function_pieces *p = m->functions.at[i]->text;
        if (!p) continue;
        print_with_needs(p->text, &done, out);
        for (int k = 0; k < p->further.n; k++) print_with_needs(p->further.at[k], &done, out);
    }
}
