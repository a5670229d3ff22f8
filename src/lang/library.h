/* Finding classes: files, package directories and search paths.
 *
 * A library object owns the source texts and the top-level classes seen so far. A class is read
 * from disk when it is first looked up: Modelica.Electrical.Analog.Basic.Resistor reads the
 * package.mo of each directory on the way and the one file that holds the class, no more.
 * Modelica Language Specification 3.6, section 13.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_LIBRARY_H
#define LANG_LIBRARY_H

#include "lang/lang.h"

typedef struct lang_dir lang_dir;

typedef struct lang_library {
    arena *a;
    sym_table *syms;
    diag_sink *diags;
    source_set sources;         // for diag_print
    ARRAY(const char *) search; // directories, in the order in which they are tried
    ARRAY(ast_class *) top;     // top-level classes loaded so far, in the order of loading
    map top_index;              // name to place in top, plus one; 0: looked for and not found
    map seen;                   // paths already read, by interned path
    ast_class *last;            // the last top-level class of the last lang_open
} lang_library;

/* Everything lives in a and syms; nothing is freed separately. */
void lang_library_init(lang_library *lib, arena *a, sym_table *syms, diag_sink *diags);

/* Append a directory to the search list (-L DIR, then MODELICAPATH entries, then the built-in one).
 * It need not exist. */
void lang_search_add(lang_library *lib, const char *dir);

/* Open a file or a package directory named by the user. A file that says "within A.B" is put into
 * that package if the package directories are on disk above it. Status 0, or -1 with a diagnostic.
 * Sets lib->last. */
int lang_open(lang_library *lib, const char *path);

/* Parse a text that is already in memory, as if it were a file of that name. */
int lang_open_text(lang_library *lib, const char *path, const char *text, size_t n);

/* A top-level class by its simple name, loading it from the search list; NULL when there is none.
 * No diagnostic for a class that does not exist; syntax errors in its file are reported. */
ast_class *lang_top(lang_library *lib, sym name);

/* The class declared in c under this name, in its text or, if c is a directory package, in a file
 * of it that is now read; NULL when there is none. Inherited classes are not looked for. */
ast_class *lang_child(lang_library *lib, ast_class *c, sym name);

/* A full dotted name from the top; quoted identifiers may hold dots. NULL when there is none. */
ast_class *lang_find(lang_library *lib, const char *dotted);

/* Names of all classes in c, loaded or not: those of its text, then those of its directory in the
 * order of package.order, then any others sorted. Array in lib->a. */
int lang_child_names(lang_library *lib, ast_class *c, const sym **names);

/* lang_candidates and what lies in directories around c. */
int lang_library_candidates(lang_library *lib, ast_class *c, const char *const **names);

/* Syntax check of files and directories (recursively, every .mo in sorted order). */
typedef struct lang_tree_stats {
    int files, failed; // parsed; with errors
    size_t bytes;
} lang_tree_stats;
int lang_parse_tree(lang_library *lib, const char *path, lang_tree_stats *stats);

#endif
