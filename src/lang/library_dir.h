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

lang_dir *dir_new(lang_library *lib, const char *path);
/* Read the directory, once. package: the class it belongs to, or NULL for the search list. */
void dir_list(lang_library *lib, lang_dir *d, ast_class *package);
dir_entry *dir_find(lang_dir *d, sym name); // NULL when there is none
bool dir_has_class(lang_library *lib, const lang_dir *d, const dir_entry *e); // no mere folder

/* Read and parse; NULL, reported, when the file cannot be read. */
ast_file *load_text(lang_library *lib, const char *path);
/* The one class of a file or package directory, which must have this name (NULL: any) and stand
 * in this class (NULL: at the top). NULL, reported, when something is wrong. */
ast_class *load_file(lang_library *lib, const char *path, ast_class *parent, sym name);
ast_class *load_dir(lang_library *lib, const char *path, ast_class *parent, sym name);

/* Make c known at the top; false, reported, when the name is taken. */
bool top_add(lang_library *lib, ast_class *c);

#endif
