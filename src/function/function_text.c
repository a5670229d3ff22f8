/* Texts of functions: declarations for the flat model, and how calls are written.
 *
 * A call node has scalar arguments and one scalar result; in the text arrays and records are put
 * together again, f({x[1], x[2]}, R(a, b)), and parts of a result are selected: (f(x))[2],
 * (f(x)).re. Calls of a further output go through a function that has only that one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_text.h"

#include "lang/lang.h"

#include <string.h>

/* ---- declarations ---------------------------------------------------------------------------- */

const char *function_printed(flat_builder *b, const ast_class *cls)
{
    if (!cls) return NULL;
    mem m = value_arena_mem(b->model);
    text t;
    text_init(&t, &m);
    lang_print_class(cls, 2, &t);
    text_add(&t, ";\n");
    return text_str(&t);
}

/* A function inside a class of external objects. */
static bool add_inside(flat_builder *b, const ast_class *cls, const char *name, text *out)
{
    if (!cls) return false;
    ast_class named = *cls;
    named.name = sym_of(b->lib->syms, name);
    lang_print_class(&named, 4, out);
    text_add(out, ";\n");
    return true;
}

/* class X extends ExternalObject; function constructor ...; function destructor ...; end X; */
static const char *printed_object(flat_builder *b, function_def *f, flat_text *t)
{
    mem m = value_arena_mem(b->model);
    text out;
    text_init(&out, &m);
    text_printf(&out, "  class %s\n    extends ExternalObject;\n", t->name);
    if (!add_inside(b, function_clone(b, f, t, b->front), "constructor", &out)) return NULL;
    function_def *end = function_destructor(b, f);
    const ast_class *ends = end ? function_clone(b, end, t, b->front) : NULL;
    if (!add_inside(b, ends, "destructor", &out)) return NULL;
    text_printf(&out, "  end %s;\n", t->name);
    return text_str(&out);
}

static void text_declare(flat_builder *b, function_def *f, int o, flat_text *t)
{
    if (f->constructs) {
        t->declaration = printed_object(b, f, t);
        return;
    }
    t->declaration = function_printed(b, o ? function_clone_output(b, f, t, o, b->front)
                                           : function_clone(b, f, t, b->front));
}

static bool same_text(const flat_text *x, const flat_text *y)
{
    if (!x->declaration || !y->declaration || strcmp(x->declaration, y->declaration)) return false;
    if (x->needs.n != y->needs.n) return false;
    for (int i = 0; i < x->needs.n; i++)
        if (x->needs.at[i] != y->needs.at[i]) return false;
    return true;
}

/* The declaration of f (o == 0) or of the function that has only its output o. Classes of one name
 * that read the same share it (a function declared in a model belongs to every component anew);
 * others get a number after their name. */
static flat_text *text_declared(flat_builder *b, function_def *f, int o, const char *name,
                                flat_text **slot)
{
    mem m = value_arena_mem(b->model);
    for (int k = 1;; k++) {
        text t;
        text_init(&t, &m);
        text_add(&t, name);
        if (k > 1) text_printf(&t, "#%d", k);
        flat_text *made = arena_new(b->model, flat_text);
        made->plain = sym_of(b->lib->syms, text_str(&t));
        made->name = flat_quoted(b->model, made->plain);
        made->further = o > 0;
        uint64_t *known = map_put(&b->functions->by_name, map_key(made->plain));
        flat_text *old = (flat_text *)(uintptr_t)*known;
        if (slot) *slot = made; // it may mention itself
        if (!old) *known = map_key(made);
        else if (old->further != made->further) return old; // of a model flattened before
        text_declare(b, f, o, made);
        if (!old) return made;
        if (same_text(old, made)) return old;
    }
}

flat_text *function_text_of(flat_builder *b, function_def *f)
{
    if (f->text || f->failed) return f->text;
    const char *name = f->name;
    if (f->constructs) // X(...) makes an object of class X
        name = b->m->objects.at[f->all[f->outputs[0]].type.enum_id];
    return f->text = text_declared(b, f, 0, name, &f->text);
}

static flat_text *output_text(flat_builder *b, function_def *f, int o)
{
    mem m = value_arena_mem(b->model);
    text name;
    text_init(&name, &m);
    text_printf(&name, "%s.%s", function_text_of(b, f)->plain, f->all[f->outputs[o]].name);
    return text_declared(b, f, o, text_str(&name), NULL);
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Text is collected until the next scalar, then it becomes a piece. */
typedef struct pieces {
    flat_builder *b;
    mem m;
    text t;
    const char **at;
    int n;
    ARRAY(flat_text *) needs;
} pieces;

static void pieces_cut(pieces *p)
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
            pieces_cut(p);
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
        flat_text *t = function_text_of(p->b, (function_def *)v->record->class_);
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
        pieces_cut(p);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

typedef struct selections {
    flat_builder *b;
    const char *name, *open, *close; // of the function; up to and after the arguments
    bool bare;                       // there are no arguments
    const char **first, **last;
    int n;
} selections;

/* `depth` parentheses around the call and `path` after it select the value v. */
static void select_parts(selections *s, const value *v, int depth, const char *path)
{
    mem m = value_arena_mem(s->b->model);
    bool whole = !v->n_dims && v->type <= VALUE_OBJECT;
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

const flat_pieces *function_pieces_of(flat_builder *b, function_def *f, const function_version *v)
{
    const flat_function *g = v->g;
    flat_pieces *out = arena_new(b->model, flat_pieces);
    out->text = function_text_of(b, f);
    pieces p = {.b = b, .m = value_arena_mem(b->model)};
    p.at = arena_array(b->model, const char *, g->n_args + 1);
    text_init(&p.t, &p.m);
    text_char(&p.t, '(');
    for (int i = 0; i < v->n_inputs; i++) {
        if (i) text_add(&p.t, ", ");
        add_argument(&p, &v->inputs[i]);
    }
    text_char(&p.t, ')');
    pieces_cut(&p);

    int n = g->n_results ? g->n_results : 1;
    out->between = p.at;
    for (int i = 0; i < p.needs.n; i++) array_push(b->model, &out->further, p.needs.at[i]);
    selections s = {.b = b, .name = out->text->name, .open = "", .bare = !g->n_args};
    s.first = out->first = arena_array(b->model, const char *, n);
    s.last = out->last = arena_array(b->model, const char *, n);
    if (g->n_args) s.open = p.at[0];
    s.close = p.at[g->n_args];
    for (int o = 0; o < v->n_outputs; o++) {
        if (o) {
            flat_text *t = output_text(b, f, o);
            array_push(b->model, &out->further, t);
            s.name = t->name;
        }
        select_parts(&s, &v->outputs[o], 0, "");
    }
    if (!g->n_results) select_parts(&s, &(value){.n = 1}, 0, "");
    return out;
}
