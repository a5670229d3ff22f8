/* Directories of classes. Internal to lang.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANG_LIBRARY_DIR_H
#define LANG_LIBRARY_DIR_H

#include "lang/lang_file.h"
#include "lang/library.h"

typedef struct dir_entry {
    sym name;
    const char *file;    // name in the directory; NULL: not from there
    const char *version; // "" or what follows the name; only in directories of the search list
    bool is_dir, loaded; // loaded: class_ is valid, NULL after an error
    ast_class *class_;
} dir_entry;

/* A directory on the search list, or the directory of a package. */
struct lang_dir {
    const char *path; // NULL: holds only classes that the user opened
    bool listed;
    ARRAY(dir_entry) entries; // sorted by file name
    map index;                // name to the last entry of that name, plus one
};

/* In a: lib->a for one of the search list, lib->trees for one of a package. */
lang_dir *dir_new(lang_library *lib, arena *a, const char *path);
void dir_forget(lang_library *lib, lang_dir *d); // what was listed, which went with the trees
/* Read the directory, once. package: the class it belongs to, or NULL for the search list. */
void dir_list(lang_library *lib, lang_dir *d, ast_class *package);
dir_entry *dir_find(lang_dir *d, sym name); // NULL when there is none
bool dir_has_class(lang_library *lib, const lang_dir *d, const dir_entry *e); // no mere folder

/* The text of a file as it is now: the one that is kept, if it has not changed. NULL, reported,
 * when it cannot be read. Good until the next text. */
const source *read_text(lang_library *lib, const char *path);
/* The same for a text in memory. */
const source *keep_text(lang_library *lib, const char *path, const char *words, size_t n);
/* Read and parse; NULL, reported, when the file cannot be read. */
ast_file *load_text(lang_library *lib, const char *path);
/* The one class of a file or package directory, which must have this name (NULL: any) and stand
 * in this class (NULL: at the top). NULL, reported, when something is wrong. */
ast_class *load_file(lang_library *lib, const char *path, ast_class *parent, sym name);
ast_class *load_dir(lang_library *lib, const char *path, ast_class *parent, sym name);

/* Make c known at the top; false, reported, when the name is taken. */
bool top_add(lang_library *lib, ast_class *c);
void top_remove(lang_library *lib, const ast_class *c); // nothing where it is not there
/* Bring back into the trees what was opened and has this name at the top; NULL: all of it. */
void opened_again(lang_library *lib, sym name);
/* A warning, unless it is among the messages: what is read again is not warned of again. */
void warn_once(lang_library *lib, const char *code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
