/* What an analysis found, described once: from the description of a struct come its text, its JSON,
 * the data of the page, and the copy that belongs to the caller.
 *
 * A description has two tables. `fields` says where each member lies, its key and its type, in the
 * order of the JSON object. `lines` says what is printed, with the values of fields put into words:
 *
 *     {key}            its value; {index.structural} of a field inside an object
 *     {key:%.9g}       by that format; a list has ", " between its entries
 *     {key:%.9g; }     ... or what follows the semicolon
 *     {key|none}       what stands after the bar where there is no value
 *     {key?one|other}  `one` where the value is 1 or true, otherwise `other`
 *
 * Only what no pattern can say has a function. What is not described is not kept.
 *
 * A value is there unless it is a word that is NULL or empty, a number that is not finite, an
 * integer or truth value not above 0, or a list without entries.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOLD_TOLD_H
#define TOLD_TOLD_H

#include "told/json.h"
#include "vincolo_report.h"

#include <stddef.h>

typedef enum told_type {
    TOLD_WORD,   // const char *; NULL: null
    TOLD_REAL,   // double; not finite: null
    TOLD_INT,    // int
    TOLD_INDEX,  // int; negative: null
    TOLD_LONG,   // long
    TOLD_BOOL,   // int; negative: null
    TOLD_WORDS,  // const char *const *, as all lists with a count
    TOLD_REALS,  // const double *
    TOLD_INTS,   // const int *
    TOLD_FEW,    // int [size] in the struct itself
    TOLD_MATRIX, // const double *, count by columns, stored by columns
    TOLD_PAIR,   // double, and double `also`: [re, im]
    TOLD_PAIRS,  // const double *, and `also`
    TOLD_VALUES, // const char *const *, and const double * `also`: {name: value}
    TOLD_ROWS,   // const struct *: an array of objects
    TOLD_OBJECT, // fields of the same struct, in an object of their own
    TOLD_INLINE  // a struct in the struct, its fields among the others
} told_type;

enum {
    TOLD_HIDDEN = 1,  // for words only, not in JSON
    TOLD_OR_NULL = 2, // null, not left out, where it does not apply
    TOLD_BULKY = 4,   // not on the page
    TOLD_CHART = 8    // drawn by us: it may carry terminal colours
};

typedef struct told_field {
    const char *key;
    told_type type;
    unsigned flags;
    size_t at, also;                 // offsets of members
    size_t count, columns;           // offsets of ints
    size_t size;                     // bytes of a row; entries of TOLD_FEW
    const struct told_field *inside; // of rows, objects and inline structs
    const char *when, *unless;       // it applies where that field is there, or is not
} told_field;                        // a table ends with a NULL key

typedef struct told_line {
    const char *words;
    const char *when, *unless;
    void (*say)(const void *told, vinc_format format, text *out); // instead of words
    const struct told_line *inside; // ... more lines, under one condition
    const char *of, *between;       // ... for each of these rows, with that between them
} told_line;                        // a table ends with none of words, say and inside

typedef struct told_kind {
    const char *name;              // of the struct, without vinc_
    const char *command, *summary; // what shows it; what it says
    size_t size;
    const told_field *fields;
    const told_line *lines;
    const char *document; // rows that are the whole JSON text, an array; NULL: an object
    const char *alone;    // ... unless this is true: then its only row
} told_kind;

/* Copy a struct that is filled, with all it points to, into memory of its own; *out is its address.
 * VINC_E_MEMORY, and *out NULL, when there is none. */
int told_keep(const mem *m, const told_kind *kind, const void *told, void *out);

/* Append. The memory of out has a guard. */
void told_words(const told_kind *kind, const void *told, vinc_format format, text *out);
void told_lines(const told_field *fields, const told_line *lines, const void *told,
                vinc_format format, text *out);
void told_json(const told_kind *kind, const void *told, text *out);
void told_json_page(const told_kind *kind, const void *told, text *out); // without bulky fields

/* The field of a key, with dots for fields inside objects; NULL: there is none. *told becomes the
 * struct that holds it; told may be NULL. */
const told_field *told_find(const told_field *fields, const char *key, size_t n, const void **told);
/* The k-th key of the JSON text (vinc_report_key); false after the last. */
bool told_key(const told_kind *kind, int k, char *out, size_t room);
bool told_is_there(const told_field *fields, const char *key, const void *told);

/* Entries of tables: TOLD(vinc_check, INT, "dof", dof). */
#define TOLD(T, type_, key_, member, ...)                                                          \
    {                                                                                              \
        .key = key_, .type = TOLD_##type_, .at = offsetof(T, member), __VA_ARGS__                  \
    }
#define TOLD_LIST(T, type_, key_, member, count_, ...)                                             \
    TOLD(T, type_, key_, member, .count = offsetof(T, count_), __VA_ARGS__)
#define TOLD_IN(key_, fields_, ...)                                                                \
    {                                                                                              \
        .key = key_, .type = TOLD_OBJECT, .inside = fields_, __VA_ARGS__                           \
    }

#endif
