/* Files of libraries: modelica://Modelica.Blocks/Resources/Data/table.txt, and code in them.
 *
 * The path counts from the directory of the package, or of the first package around it that has the
 * file. Code is looked for in the directory that the external clause names, in Resources/Library of
 * the packages around the function, and where the system looks.
 * Modelica Language Specification 3.6, sections 13.5 and 12.9.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external.h"
#include "function/function_def.h"
#include "inst/tree.h"

#include "lang/lang.h"

#include <string.h>
#include <unistd.h>

static bool begins(const char *s, const char *with)
{
    for (; *with; s++, with++)
        if ((*s >= 'A' && *s <= 'Z' ? *s + 32 : *s) != *with) return false;
    return true;
}

const char *function_resource(flat_builder *b, const char *uri)
{
    static const char scheme[] = "modelica://", file[] = "file://";
    if (begins(uri, file)) return uri + sizeof file - 1;
    if (!begins(uri, scheme)) return uri;
    const char *name = uri + sizeof scheme - 1, *path = strchr(name, '/');
    if (!path) return uri;
    const char *dotted = arena_strndup(b->env.a, name, (size_t)(path - name));
    for (const ast_class *c = lang_find(b->lib, dotted); c; c = c->parent) {
        const source *s = source_of(&b->lib->sources, c->at.begin);
        const char *slash = s ? strrchr(s->path, '/') : NULL;
        mem m = value_arena_mem(b->model);
        text t;
        text_init(&t, &m);
        if (s)
            text_printf(&t, "%.*s%s", slash ? (int)(slash - s->path) : 1, slash ? s->path : ".",
                        path);
        if (s && !access(text_str(&t), F_OK)) return text_str(&t);
    }
    return uri;
}

/* ---- code ------------------------------------------------------------------------------------ */

typedef ARRAY(const char *) file_list;

static const char *joined(flat_builder *b, const char *dir, const char *between, const char *name)
{
    mem m = value_arena_mem(b->model);
    text t;
    text_init(&t, &m);
    text_printf(&t, "%s%slib%s.so", dir, between, name);
    return text_str(&t);
}

/* The value of an annotation of the external clause: a text, or the texts of an array. */
static void clause_texts(flat_builder *b, const ast_external *e, const char *name, file_list *out)
{
    for (int i = 0; e->annotation && i < e->annotation->args.n; i++) {
        const ast_arg *a = &e->annotation->args.at[i];
        if (a->kind != AST_ARG_MOD || a->name.n != 1 || strcmp(a->name.at[0].name, name)) continue;
        const ast_expr *v = a->mod ? a->mod->value : NULL;
        if (v && v->kind == AST_STRING) array_push(b->env.a, out, lang_string(b->model, v->string));
        for (int k = 0; v && v->kind == AST_ARRAY && k < v->list.n; k++)
            if (v->list.at[k]->kind == AST_STRING)
                array_push(b->env.a, out, lang_string(b->model, v->list.at[k]->string));
    }
}

/* Folders of the files of a function and of the packages around it, and what lies below them. */
static void source_folders(flat_builder *b, const function_def *f, const char *below,
                           file_list *out)
{
    for (const ast_class *c = inst_ast(f->cls); c; c = c->parent) {
        const source *s = source_of(&b->lib->sources, c->at.begin);
        const char *slash = s ? strrchr(s->path, '/') : NULL;
        if (!s) continue;
        mem m = value_arena_mem(b->model);
        text t;
        text_init(&t, &m);
        text_printf(&t, "%.*s", slash ? (int)(slash - s->path) : 1, slash ? s->path : ".");
        array_push(b->env.a, out, text_str(&t));
        text r;
        text_init(&r, &m);
        text_printf(&r, "%s%s", text_str(&t), below);
        array_push(b->env.a, out, text_str(&r));
    }
}

/* Directories of code: as named, then those of the packages around. */
static void code_folders(flat_builder *b, const function_def *f, file_list *out)
{
    file_list named = {0};
    clause_texts(b, f->external, "LibraryDirectory", &named);
    for (int k = 0; k < named.n; k++) array_push(b->env.a, out, function_resource(b, named.at[k]));
    source_folders(b, f, "/Resources/Library", out);
}

/* Files that there are, in order; where there is none, a name for the system to find. */
static void code_files(flat_builder *b, const file_list *names, const file_list *folders,
                       file_list *out)
{
    static const char *const below[] = {"/linux64/", "/aarch64-linux/", "/"};
    for (int k = 0; k < names->n; k++) {
        if (strchr(names->at[k], '/')) {
            array_push(b->env.a, out, function_resource(b, names->at[k]));
            continue;
        }
        int before = out->n;
        for (int d = 0; d < folders->n; d++)
            for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
                const char *file = joined(b, folders->at[d], below[i], names->at[k]);
                if (!access(file, R_OK)) array_push(b->env.a, out, file);
            }
        if (out->n == before) array_push(b->env.a, out, joined(b, "", "", names->at[k]));
    }
}

function_def *function_destructor(flat_builder *b, const function_def *f)
{
    inst_class *object = f->cls->parent;
    inst_element *el = object ? inst_find(b, object, sym_of(b->lib->syms, "destructor")) : NULL;
    function_def *d = el && el->class_ ? function_find(b, inst_element_class(b, el)) : NULL;
    return d && d->external ? d : NULL;
}

static char returned_type(const function_def *f)
{
    if (f->external->has_call ? !f->external->result : f->n_outputs != 1) return 'v';
    const inst_component *c = &f->all[f->outputs[0]];
    for (int o = 0; f->external->result && o < f->n_outputs; o++)
        if (f->all[f->outputs[o]].name == f->external->result->ref->at[0].name)
            c = &f->all[f->outputs[o]];
    if (function_dims_count(c)) return 'v';
    static const char types[] = {[TYPE_REAL] = 'r',   [TYPE_INTEGER] = 'i', [TYPE_BOOLEAN] = 'i',
                                 [TYPE_STRING] = 's', [TYPE_ENUM] = 'i',    [TYPE_OBJECT] = 'o'};
    return types[c->type.type];
}

/* Where #include looks: as named, then Resources/Include of the packages around, and beside them. */
static void include_folders(flat_builder *b, const function_def *f, file_list *out)
{
    file_list named = {0};
    clause_texts(b, f->external, "IncludeDirectory", &named);
    for (int k = 0; k < named.n; k++) array_push(b->env.a, out, function_resource(b, named.at[k]));
    source_folders(b, f, "/Resources/Include", out);
}

/* The library made of the Include of its external clause, each text once; NULL after a message, or
 * because there is none. */
static void *included_library(function_frame *fr, const function_def *f, const file_list *files)
{
    flat_builder *b = fr->b;
    file_list texts = {0}, folders = {0};
    clause_texts(b, f->external, "Include", &texts);
    if (!texts.n) return NULL;
    struct functions *all = function_all(b);
    for (int k = 0; k < all->builds.n; k++)
        if (!strcmp(all->builds.at[k].text, texts.at[0])) return all->builds.at[k].library;
    include_folders(b, f, &folders);
    char why[EXTERNAL_WHY];
    external_source s = {texts.at[0], folders.at, folders.n, files->at, files->n};
    function_build made = {texts.at[0], external_build(b->env.a, &s, why)};
    if (made.library) array_push(b->front, &all->builds, made);
    else
        diag_error(b->diags, "M436", fr->at, "the external function %s cannot be loaded: %s",
                   function_c_name(f), why);
    return made.library;
}

const external_function *function_load(function_frame *fr, const char *name)
{
    flat_builder *b = fr->b;
    const function_def *f = fr->f;
    file_list names = {0}, folders = {0}, files = {0}, texts = {0};
    clause_texts(b, f->external, "Library", &names);
    clause_texts(b, f->external, "Include", &texts);
    if (!b->lib->allow_external) {
        diag_error(b->diags, "M426", fr->at,
                   "the external function %s is not one of those that are written here%s%s; code "
                   "of others is loaded only with --allow-external",
                   name, names.n ? ", but in the library " : "", names.n ? names.at[0] : "");
        return NULL;
    }
    char returns = returned_type(f), why[EXTERNAL_WHY];
    if (returns == 's') {
        diag_error(b->diags, "M433", f->external->span,
                   "the external function %s gives back a String, which only functions of the "
                   "standard library do here",
                   name);
        return NULL;
    }
    code_folders(b, f, &folders);
    code_files(b, &names, &folders, &files);
    const function_def *end = f->constructs ? function_destructor(b, f) : NULL;
    external_wish w = {.name = name,
                       .destructor = end ? function_c_name(end) : NULL,
                       .files = files.at,
                       .n_files = files.n,
                       .returns = returns,
                       .by_reference =
                           f->external->language.at && f->external->language.at[0] == 'F'};
    // Beside a library, Include is a header; alone, it is the code.
    if (texts.n && !names.n) {
        w.library = included_library(fr, f, &files);
        if (!w.library) return NULL;
        w.destroy_library = end ? included_library(fr, end, &files) : NULL;
        if (end && !w.destroy_library) w.destroy_library = w.library;
    }
    const external_function *found = external_load(b->model, &w, why);
    if (!found)
        diag_error(b->diags, "M436", fr->at, "the external function %s cannot be loaded: %s", name,
                   why);
    return found;
}
