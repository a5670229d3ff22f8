/* All uses of a name: in the document, and in the files from which it may be used.
 *
 * Those are the files of the packages that the document and the declaration lie in, and of the folders that the
 * editor has open. Only a file in which the name occurs as a word is parsed. What a name there means is what was
 * declared, not what is put in its place: a class that is redeclared is called by the same name still.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lang_file.h"
#include "lsp/lsp_documents.h"

#include <string.h>

enum {
    FILES_MOST = 20000,
    FOLDERS_DEEP = 30,
    FILE_BYTES_MOST = 50 << 20,
    LOOKED_AT_MOST = 300000, // uses of the same word
};

/* What was declared: the same in every file. */
typedef struct declared {
    lsp_kind kind;
    sym name;
    const char *path; // of the class that it is, or is in
} declared;

typedef struct collecting {
    const lsp_world *w;
    const declared *of;
    const char *to; // the new name; NULL: places only
    text *out;
    int n;       // so far, in this file or, of places, in all
    long looked; // uses of the same word
} collecting;

static declared declared_of(const lsp_world *w, const lsp_found *f)
{
    return (declared){f->kind, f->name, f->cls ? lsp_class_path(w, f->cls) : ""};
}

static bool is_declared(const lsp_world *w, const declared *d, const lsp_found *f)
{
    return f->kind == d->kind && f->name == d->name && f->at.begin && f->cls &&
           !strcmp(lsp_class_path(w, f->cls), d->path);
}

/* ---- in one file ------------------------------------------------------------------------------ */

static void collect_place(collecting *c, span at)
{
    const source *words = &c->w->words;
    if (c->n++) text_add(c->out, ", ");
    if (!c->to) {
        lsp_write_place(c->w, at, c->out);
        return;
    }
    text_add(c->out, "{\"range\": ");
    lsp_write_range(words->text, words->n, at.begin - words->base, at.end - words->base, c->out);
    text_add(c->out, ", \"newText\": ");
    text_quoted(c->out, c->to);
    text_char(c->out, '}');
}

static bool collect_use(void *user, const lsp_use *u)
{
    collecting *c = user;
    if (u->iterator || u->ref->at[u->k].name != c->of->name) return false;
    if (c->looked++ == LOOKED_AT_MOST) {
        c->w->care->refused = "it is a word of so many uses that they are not all looked at";
        return true;
    }
    c->w->care->looks = 0;
    lsp_found f = lsp_use_found(c->w, u);
    if (is_declared(c->w, c->of, &f)) collect_place(c, u->ref->at[u->k].at);
    return false;
}

/* A class is named at its end, too. */
static void collect_end(collecting *c, const ast_class *x)
{
    const source *words = &c->w->words;
    uint32_t n = (uint32_t)strlen(x->name), end = x->span.end - words->base;
    if (x->body != AST_LONG && x->body != AST_CLASS_EXTENDS) return;
    if (end >= n && !memcmp(words->text + (end - n), x->name, n))
        collect_place(c, (span){x->span.end - n, x->span.end});
}

/* Its declaration, where it is here. */
static void collect_declaration(collecting *c, ast_class *x)
{
    if (!lang_whole(x)) return;
    bool here = !strcmp(lsp_class_path(c->w, x), c->of->path);
    if (here && c->of->kind == LSP_A_CLASS && x->name == c->of->name) {
        collect_place(c, x->at);
        collect_end(c, x);
    }
    for (int i = 0; here && c->of->kind == LSP_A_LITERAL && i < x->n_literals; i++)
        if (x->literals[i].name == c->of->name) collect_place(c, x->literals[i].at);
    for (int i = 0; i < x->n_elements; i++) {
        const ast_element *e = x->elements[i];
        if (e->kind == AST_CLASS) collect_declaration(c, e->class_);
        if (here && e->kind == AST_COMPONENT && c->of->kind == LSP_A_COMPONENT &&
            e->component->name == c->of->name)
            collect_place(c, e->component->at);
    }
}

static void collect_file(collecting *c)
{
    for (int i = 0; i < c->w->file->n_classes; i++) collect_declaration(c, c->w->file->classes[i]);
    lsp_each_use(c->w, 0, collect_use, c);
}

/* ---- in other files ----------------------------------------------------------------------------- */

typedef struct files {
    arena *a;
    map seen; // by what they are, whatever path leads there
    ARRAY(const char *) list;
} files;

static bool is_new(files *f, file_id id)
{
    uint64_t *seen = map_put(&f->seen, hash_u64(id.inode) ^ id.device);
    return !(*seen)++;
}

static void list_folder(files *f, const char *folder, int depth)
{
    file_names names;
    file_id id;
    const char *why;
    if (depth > FOLDERS_DEEP || file_kind_of(folder, &id) != FILE_DIR || !is_new(f, id)) return;
    if (!file_list(f->a, folder, &names, &why)) return;
    for (int i = 0; i < names.n && f->list.n < FILES_MOST; i++) {
        const char *path = file_join(f->a, folder, names.at[i]);
        size_t n = strlen(path);
        file_kind kind = file_kind_of(path, &id);
        if (kind == FILE_DIR) list_folder(f, path, depth + 1);
        else if (kind == FILE_TEXT && n > 3 && !strcmp(path + n - 3, ".mo") && is_new(f, id))
            array_push(f->a, &f->list, path);
    }
}

/* The outermost folder around a file that is a package; NULL: it lies in none. */
static const char *package_around(arena *a, const char *path)
{
    const char *found = NULL, *folder = file_parent(a, path);
    for (int i = 0; i < FOLDERS_DEEP; i++) {
        if (file_kind_of(file_join(a, folder, "package.mo"), NULL) != FILE_TEXT) return found;
        found = folder;
        folder = file_parent(a, folder);
    }
    return found;
}

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += n) {
        char before = at > words ? at[-1] : ' ', after = at[n];
        if (!flat_is_identifier(&before, 1) && !flat_is_identifier(&after, 1) &&
            !(after >= '0' && after <= '9') && !(before >= '0' && before <= '9'))
            return true;
    }
    return false;
}

/* As the editor has it, if it has it. */
static const lsp_document *open_document(const lsp_desk *k, const char *path)
{
    file_id here, id;
    if (file_kind_of(path, &here) != FILE_TEXT) return NULL;
    for (const lsp_document *d = k->documents; d; d = d->next)
        if (file_kind_of(d->path, &id) == FILE_TEXT && id.inode == here.inode &&
            id.device == here.device)
            return d;
    return NULL;
}

static void collect_other(const collecting *c, const char *path,
                          void (*take)(void *user, collecting *c), void *user)
{
    arena *a = c->w->a;
    arena_mark here = arena_here(a);
    const lsp_document *d = open_document(c->w->desk, path);
    const char *why, *words;
    size_t n = d ? d->n : 0;
    words = d ? d->words : file_read(a, path, FILE_BYTES_MOST, &n, &why);
    if (words && has_word(words, c->of->name)) {
        diag_sink unheard;
        mem m = mem_std();
        text uri;
        text_init(&uri, &m);
        if (d) text_add(&uri, d->uri);
        else lsp_add_uri(path, &uri);
        diag_init(&unheard, a);
        lsp_world w = *c->w;
        w.words = (source){path, words, (uint32_t)n, LSP_BASE};
        w.file = lang_parse(&w.words, a, w.library->syms, &unheard);
        w.uri = text_str(&uri);
        collecting other = *c;
        other.w = &w;
        take(user, &other);
        text_done(&uri);
    }
    arena_release(a, here);
}

/* Of the packages that hold the document and the declaration, and the folders that are open. */
static files other_files(const lsp_world *w, const char *declared_in)
{
    files f = {.a = w->a};
    file_id id;
    map_init(&f.seen, w->a);
    if (file_kind_of(w->words.path, &id) == FILE_TEXT) is_new(&f, id);
    const char *packages[] = {package_around(w->a, w->words.path),
                              declared_in ? package_around(w->a, declared_in) : NULL};
    for (int i = 0; i < w->desk->n_folders; i++) list_folder(&f, w->desk->folders[i], 0);
    for (int i = 0; i < 2; i++)
        if (packages[i]) list_folder(&f, packages[i], 0);
    return f;
}

static const char *file_of(const lsp_world *w, span at)
{
    if (lsp_in_document(w, at)) return w->words.path;
    const source *s = source_of(&w->library->sources, at.begin);
    return s ? s->path : NULL;
}

/* ---- answers ------------------------------------------------------------------------------------ */

/* What stands at a place, as it was declared. */
static bool look_declared(const lsp_world *w, uint32_t offset, lsp_looked *l)
{
    w->care->declared = true;
    return lsp_look(w, offset, l) && l->found.at.begin && l->found.cls;
}

static void take_places(void *user, collecting *c)
{
    collecting *all = user;
    c->n = all->n;
    collect_file(c);
    all->n = c->n;
    all->looked = c->looked;
}

void lsp_references(const lsp_world *w, uint32_t offset, text *out)
{
    lsp_looked l;
    text_char(out, '[');
    if (look_declared(w, offset, &l)) {
        declared of = declared_of(w, &l.found);
        collecting c = {.w = w, .of = &of, .out = out};
        files f = other_files(w, file_of(w, l.found.at));
        collect_file(&c);
        for (int i = 0; i < f.list.n && !w->care->refused; i++)
            collect_other(&c, f.list.at[i], take_places, &c);
    }
    text_char(out, ']');
}

/* The edits of a file, where there are some. */
static void take_edits(void *user, collecting *c)
{
    collecting *all = user;
    mem m = mem_std();
    text edits;
    text_init(&edits, &m);
    c->n = 0;
    c->out = &edits;
    collect_file(c);
    if (c->n) {
        text_add(all->out, all->n++ ? ", " : "");
        text_quoted(all->out, c->w->uri);
        text_printf(all->out, ": [%s]", text_str(&edits));
    }
    all->looked = c->looked;
    text_done(&edits);
}

static bool lies_in(arena *a, const char *folder, const char *path)
{
    file_id want, id;
    if (!folder || file_kind_of(folder, &want) != FILE_DIR) return false;
    for (int i = 0; i < FOLDERS_DEEP; i++) {
        const char *up = file_parent(a, path);
        if (file_kind_of(up, &id) != FILE_DIR) return false;
        if (id.inode == want.inode && id.device == want.device) return true;
        if (!strcmp(up, path)) return false;
        path = up;
    }
    return false;
}

/* A file that is neither the document, nor in its package, nor in a folder that is open belongs to a library. */
static bool is_own(const lsp_world *w, const char *path)
{
    if (!path) return false;
    bool own =
        !strcmp(path, w->words.path) || lies_in(w->a, package_around(w->a, w->words.path), path);
    for (int i = 0; i < w->desk->n_folders; i++) own |= lies_in(w->a, w->desk->folders[i], path);
    return own;
}

static const char *why_not(const lsp_world *w, const lsp_looked *l, const char *to)
{
    const lsp_found *f = &l->found;
    if (f->kind == LSP_A_CLASS && f->cls->file && f->cls->file->has_within && !f->cls->parent)
        return "the file that holds this class has its name: rename the file, and the class in it";
    if (!is_own(w, file_of(w, f->at)))
        return "it is declared in a library, not in the folders that are open here";
    ast_class *in = f->kind == LSP_A_CLASS ? lsp_class_around(w, f->cls) : f->cls;
    sym name = lang_name(w->library->syms, to, strlen(to));
    lsp_found of = {.kind = LSP_A_CLASS, .cls = in};
    if (in && lsp_member(w, in, of, name).kind) return "there is something of this name already";
    return NULL;
}

void lsp_rename(const lsp_world *w, uint32_t offset, const char *name, text *out)
{
    lsp_looked l;
    bool found = look_declared(w, offset, &l);
    w->care->refused = found ? why_not(w, &l, name) : "there is no name here that was declared";
    if (w->care->refused) return;
    declared of = declared_of(w, &l.found);
    collecting all = {.w = w, .of = &of, .to = name, .out = out}, here = all;
    files f = other_files(w, file_of(w, l.found.at));
    text_add(out, "{\"changes\": {");
    take_edits(&all, &here);
    for (int i = 0; i < f.list.n && !w->care->refused; i++)
        collect_other(&all, f.list.at[i], take_edits, &all);
    text_add(out, "}}");
}
