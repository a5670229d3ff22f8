/* What the tests of results share: an allocator that counts and fails, scratch paths, a sample.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_RESULT_HELPERS_H
#define TEST_RESULT_HELPERS_H

#include "cmocka_all.h"

#include "result/result.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct counting {
    long live_bytes;     // sizes given to free must be those asked for
    long calls, fail_at; // the fail_at-th allocation (from 0) fails; < 0: none
} counting;

static inline void *counting_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    counting *c = user;
    if (new_bytes && c->calls++ == c->fail_at) return NULL;
    c->live_bytes += (long)new_bytes - (long)(p ? old_bytes : 0);
    if (!new_bytes) {
        free(p);
        return NULL;
    }
    return realloc(p, new_bytes);
}

static inline mem counting_mem(counting *c)
{
    return (mem){.resize = counting_resize, .user = c};
}

/* A directory of its own for each test program; removed with its files at the end. */
static inline const char *scratch_dir(void)
{
    static char dir[64];
    if (!dir[0]) {
        strcpy(dir, "/tmp/vincolo-test-XXXXXX");
        if (!mkdtemp(dir)) fail_msg("no scratch directory");
    }
    return dir;
}

static inline const char *scratch(const char *name)
{
    static char path[4][256];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", scratch_dir(), name);
    return p;
}

static inline int scratch_count(void)
{
    int n = 0;
    DIR *d = opendir(scratch_dir());
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    closedir(d);
    return n;
}

static inline int scratch_remove(void **state)
{
    (void)state;
    DIR *d = opendir(scratch_dir());
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' || strlen(e->d_name) > 2) unlink(scratch(e->d_name));
    if (d) closedir(d);
    rmdir(scratch_dir());
    return 0;
}

/* x, an integer n, a Boolean b, a name with a comma, a constant, aliases of each kind; six rows
 * with an event (two rows) at t = 1. */
static inline int sample(mem *m, result **out)
{
    result *r;
    if (result_new(m, &r)) return RESULT_E_MEMORY;
    int x = result_add(r, "x", "m", "position", RESULT_REAL);
    int n = result_add(r, "n", "", "", RESULT_INT);
    int b = result_add(r, "b", "", "contact", RESULT_BOOL);
    int k = result_add_constant(r, "L", "m", "length", RESULT_REAL, 0.75);
    int rc = x;
    if (rc > 0) rc = n;
    if (rc > 0) rc = b;
    if (rc > 0) rc = k;
    if (rc > 0) rc = result_add(r, "R.T[1,2]", "", "", RESULT_REAL);
    if (rc > 0) rc = result_add_alias(r, "minus", "m", "", x, true);
    if (rc > 0) rc = result_add_alias(r, "not_b", "", "", b, true);
    if (rc > 0) rc = result_add_alias(r, "L2", "m", "", k, true);
    static const double t[6] = {0, 0.5, 1, 1, 2, 3};
    for (int i = 0; i < 6 && rc >= 0; i++) {
        double v[4] = {0.1 * i, i < 3 ? 1 : 7, i >= 3, -1.0 / (i + 1)};
        rc = result_append(r, t[i], v);
    }
    if (rc < 0) {
        result_free(r);
        return rc;
    }
    *out = r;
    return RESULT_OK;
}

/* Same columns by name and value; kinds and constants may differ where a format cannot say them. */
static inline void assert_same_values(const result *a, const result *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    for (int c = 0; c < a->n_columns; c++) {
        int d = result_find(b, a->columns[c].name);
        if (d < 0) fail_msg("column %s is missing", a->columns[c].name);
        for (size_t i = 0; i < a->n_rows; i++) {
            double x = result_value(a, c, i), y = result_value(b, d, i);
            if (!(x == y || (x != x && y != y)))
                fail_msg("%s row %zu: %.17g != %.17g", a->columns[c].name, i, x, y);
        }
    }
}

#endif
