/* Finding classes: files, package directories and search paths.
 *
 * A library object owns source texts, which stay, and the trees of the classes that were looked up,
 * which go when lang_forget is called. A class is read from disk when it is first looked up:
 * Modelica.Electrical.Analog.Basic.Resistor reads the package.mo of each directory on the way and
 * the one file that holds the class, no more. After lang_forget it is read and parsed again; a text
 * that has not changed keeps its place among the sources. Modelica Language Specification 3.6,
 * sections 13.3 and 13.4.
 *
 * A class whose file has errors is not found; the errors are reported. Compare diags->n_errors
 * before and after before saying that it does not exist.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_LIBRARY_H
#define LANG_LIBRARY_H

#include "lang/lang.h"

typedef struct lang_dir lang_dir;

typedef ARRAY(ast_class *) lang_classes;

/* What the user opened. It stays known: its classes come back, parsed again from the text that is
 * kept, when one of its names is looked up after lang_forget. */
typedef struct lang_opened {
    sym path;          // as the user named it
    uint32_t base;     // its text: offset in the sources
    const char *dir;   // the directory of a package; NULL: a file or a text
    const char *where; // where the package around it should be; NULL: a text in memory
    ARRAY(sym) names;  // at the top: of its classes, or of the package that it is within
    bool open;         // its classes are in the trees
    ast_class *last;   // the last of them
    ast_file *file;    // all of them; NULL: not open
} lang_opened;

typedef struct lang_library {
    arena *a, *trees; // what stays; what lang_forget gives back
    sym_table *syms;
    diag_sink *diags;
    source_set sources;          // for diag_print_all
    map texts;                   // path, interned, to the number of its newest source, plus one
    ARRAY(lang_dir *) search;    // directories, in the order in which they are tried
    ARRAY(lang_opened *) opened; // in the order of opening
    lang_opened *latest;         // the one opened last
    lang_classes top;            // top-level classes in the trees, in the order of loading
    map top_index;               // name to ast_class; 0: looked for and not found
    ast_class *last;             // the last class of the last lang_open; NULL after lang_forget
    bool allow_external;         // code in libraries that models name may be loaded and called
    int as_of; // texts are taken as they were when there were so many sources; 0: as they are on disk
} lang_library;

enum { // results of lang_open and lang_parse_tree; all errors are also reported
    LANG_OK = 0,
    LANG_E_TEXT = -1, // the text or the package is wrong
    LANG_E_FILE = -2, // there is no such file, or it cannot be read
};

/* Everything lives in a, trees and syms; nothing is freed separately. The names of syms and the
 * texts of diags must not live in trees. Takes no memory yet. */
void lang_library_init(lang_library *lib, arena *a, arena *trees, sym_table *syms,
                       diag_sink *diags);

/* Drop all trees, and with them every ast_class that was handed out. Takes no memory. */
void lang_forget(lang_library *lib);

/* Append a directory to the search list (-L DIR, then MODELICAPATH entries, then the built-in one).
 * It need not exist. */
void lang_search_add(lang_library *lib, const char *dir);
const char *lang_search_at(const lang_library *lib, int i); // the i-th of them; NULL: there are fewer

/* Open a file or a package directory named by the user. A file that says "within A.B" is put into
 * that package, which is looked for on disk above the file and then in the search list. The
 * directory that holds a package opened in this way is appended to the search list. Sets lib->last.
 * What is opened under a path takes the place of what was opened under it before, unless it has
 * errors or the old classes are still in the trees. */
int lang_open(lang_library *lib, const char *path);

/* The last class of what was opened last, also after lang_forget; NULL when there is none. */
ast_class *lang_last(lang_library *lib);

/* What was opened under this path is no longer: its classes leave the trees, and all others stay. */
void lang_close(lang_library *lib, const char *path);

/* The same as lang_open for a text that is already in memory. It is copied. */
int lang_open_text(lang_library *lib, const char *path, const char *words, size_t n);

/* A top-level class by its simple name, loading it from the search list; NULL when there is none. A
 * directory or file is called "Name" or "Name 1.2.3"; among several versions the one that the
 * opened classes name in their annotation uses(Name(version = "...")) is taken, otherwise the plain
 * name, otherwise the newest. The first directory of the list that has one decides, unless its name
 * is that of another version and a later directory has the one that is wanted. */
ast_class *lang_top(lang_library *lib, sym name);

/* The class declared in c under this name, in its text or, if c is a directory package, in a file
 * of it that is now read; NULL when there is none. Inherited classes are not looked for. */
ast_class *lang_child(lang_library *lib, ast_class *c, sym name);

/* A dotted name from the top, with or without a leading dot, or from a class; quoted identifiers may
 * hold dots. NULL when there is none. */
ast_class *lang_find(lang_library *lib, const char *dotted);
ast_class *lang_find_in(lang_library *lib, ast_class *in, const char *dotted);

/* Names of all classes in c, loaded or not: those of its text, then those of its directory in the
 * order of package.order, then any others sorted. Array in lib->trees. */
int lang_child_names(lang_library *lib, ast_class *c, const sym **names);

/* Names at the top: of the classes in the trees and of those that were opened. In lib->trees. */
int lang_top_names(lang_library *lib, const sym **names);

/* Syntax check of a file or of every .mo file in a directory, recursively, in sorted order. Adds to
 * stats. The tree of a file is dropped when it is checked. */
typedef struct lang_tree_stats {
    int files, failed; // parsed; with errors
    size_t bytes;
} lang_tree_stats;
int lang_parse_tree(lang_library *lib, const char *path, lang_tree_stats *stats);

#endif
