/* The language server (inside lsp only).
 *
 * A question is answered from the syntax trees: that of the document as it is typed, and those of the
 * classes that its names lead to, read from the search path as they are needed (lsp_documents.h). Names are
 * looked up as in the specification (5.3, 7.1): in the class, what it inherits, its imports, the classes
 * around it, the top. What modifications put in the place of a replaceable class is not followed; its
 * declaration is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LSP_LSP_H
#define LSP_LSP_H

#include "api/api.h"
#include "lang/lang.h"
#include "told/json_value.h"

/* ---- where things are ------------------------------------------------------------------------ */

/* Places as editors count them: lines and, in a line, UTF-16 units, both from 0. */
typedef struct lsp_position {
    long line, column;
} lsp_position;

uint32_t lsp_offset(const char *words, size_t n, lsp_position p); // of a byte; n: beyond the end
/* The same of the numbers at two paths of a value; 0 in place of those that are absent. */
uint32_t lsp_offset_at(const char *words, size_t n, const json_value *v, const char *line,
                       const char *column);

/* ---- the document in question ----------------------------------------------------------------- */

/* Classes may inherit from each other in circles, while they are typed. */
typedef struct lsp_care {
    int depth;
    long looks;
    bool declared;       // a name means what was declared, not what is put in its place further on
    const char *refused; // why there is no answer; NULL: there is one
} lsp_care;

struct lsp_desk;

typedef struct lsp_world {
    lang_library *library;
    arena *a;
    const ast_file *file; // of the document
    source words;         // it: its places lie beyond those of the library
    const char *uri;
    lsp_care *care;
    // what its last class is, compiled, as it was when it last was right; NULL: none
    const vinc_model *model;
    const struct lsp_desk *desk; // where other documents are
} lsp_world;

enum { LSP_BASE = 0x70000000 }; // where the places of the document begin

typedef enum lsp_kind {
    LSP_NOTHING,
    LSP_A_CLASS,
    LSP_A_COMPONENT,
    LSP_A_LITERAL,
    LSP_AN_ITERATOR,
    LSP_BUILT_IN // a type, an attribute, a function or a word of the language
} lsp_kind;

typedef struct lsp_found {
    lsp_kind kind;
    ast_class *cls; // the class itself; that around a component or literal
    const ast_component *component;
    sym name;
    span at; // of the name where it is declared; zero: nowhere
    ast_string comment;
} lsp_found;

/* Its name from the top, also of a document that is within a package. */
const char *lsp_class_path(const lsp_world *w, const ast_class *c);
/* The class around it, of the document or of the package that the document is within; NULL: none. */
ast_class *lsp_class_around(const lsp_world *w, const ast_class *c);
/* A name as it stands in class c. */
lsp_found lsp_find(const lsp_world *w, ast_class *c, sym name);
/* The first k + 1 parts of a reference that stands in c. */
lsp_found lsp_find_ref(const lsp_world *w, ast_class *c, const ast_ref *r, int k);
/* A member of what was found: of a class, or of the class of a component, which may have been redeclared
 * where the name stands, in c. */
lsp_found lsp_member(const lsp_world *w, ast_class *c, lsp_found of, sym name);

/* All names that can stand behind what was found (`of` a class or component), or, where it is nothing,
 * in c; inherited ones included, each once. */
typedef void lsp_take_name(void *user, lsp_found f);
void lsp_each_member(const lsp_world *w, lsp_found of, lsp_take_name *take, void *user);
/* ... and the attributes of a number, a text or the like: start, unit. */
void lsp_each_attribute(const lsp_world *w, lsp_found of,
                        void (*take)(void *user, const char *name), void *user);
void lsp_each_visible(const lsp_world *w, ast_class *c, lsp_take_name *take, void *user);

/* ---- where names are used --------------------------------------------------------------------- */

/* Part k of a reference in class c; of: what its first part is a member of (in a modification, or a named
 * argument), nothing elsewhere. */
typedef struct lsp_use {
    ast_class *c;
    lsp_found of;
    const ast_ref *ref;
    int k;
    bool iterator; // its first part is one
    bool loose;    // in an annotation: perhaps it means nothing
} lsp_use;
typedef bool lsp_take_use(void *user, const lsp_use *u); // true: enough

/* only: those at this place of the sources, and perhaps a few others; 0: all. */
bool lsp_each_use(const lsp_world *w, uint32_t only, lsp_take_use *take, void *user);
lsp_found lsp_use_found(const lsp_world *w, const lsp_use *u);
/* The innermost class of the document around a place; NULL: there is none. */
ast_class *lsp_class_at(const lsp_world *w, uint32_t offset);

/* What stands at a place. */
typedef struct lsp_looked {
    const lsp_world *w;
    uint32_t offset;
    lsp_found found;
    span at;
    ast_class *in; // where it stands
    bool declares; // it is the name in a declaration
    const ast_ref
        *ref; // or part k of a name in the model; NULL: of something else, as in a modifier
    int k;
} lsp_looked;
bool lsp_look(const lsp_world *w, uint32_t offset, lsp_looked *l); // false: there is no name

bool lsp_in_document(const lsp_world *w, span at);
void lsp_write_place(const lsp_world *w, span at, text *out);
void lsp_add_uri(const char *path, text *out); // file://..., without quotes

/* ---- answers ---------------------------------------------------------------------------------- */

void lsp_hover(const lsp_world *w, uint32_t offset, text *out);
void lsp_definition(const lsp_world *w, uint32_t offset, text *out);
void lsp_references(const lsp_world *w, uint32_t offset, text *out);
void lsp_rename(const lsp_world *w, uint32_t offset, const char *name, text *out);
void lsp_completion(const lsp_world *w, uint32_t offset, text *out);
void lsp_symbols(const lsp_world *w, text *out);
/* The edits that indent it (lang_indent); none where it cannot be understood. */
void lsp_formatting(const lsp_world *w, text *out);
/* At the head of a model how many equations and unknowns it has, where they are known. */
void lsp_hints(const lsp_world *w, text *out);
/* What the messages in `params` suggest: another name in the place of one. */
void lsp_actions(const lsp_world *w, const json_value *params, text *out);
/* How many parts of names there are, and which of them mean nothing: for who tests a library, or this. */
void lsp_names(const lsp_world *w, text *out);
/* What a variable is in the compiled model, in a sentence or two: state or not, by which equation it is
 * determined. Nothing where it has none of this name. */
void lsp_say_role(const vinc_model *model, const char *name, text *out);
/* Its value before the run and its unit, where it has them. */
void lsp_say_value(const lsp_world *w, const char *name, text *out);
void lsp_write_range(const char *words, size_t n, uint32_t begin, uint32_t end, text *out);

#endif
