/* Records of variables, and their names.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_vars.h"

#include <string.h>

/* ---- records --------------------------------------------------------------------------------- */

static bool vars_alike(const flat_var *x, const flat_var *y)
{
    return x->type == y->type && x->variability == y->variability && x->causality == y->causality &&
           !((x->flags ^ y->flags) & ~FLAT_IN_COMMON) && x->binding == y->binding &&
           x->attr == y->attr && x->decl == y->decl;
}

static int record_new(flat_vars *x, arena *a, flat_var v)
{
    v.flags &= (uint8_t)~FLAT_IN_COMMON;
    array_push(a, &x->records, v);
    return x->records.n - 1;
}

static void record_share(flat_vars *x, int v, int record)
{
    x->of.at[v] = record;
    x->records.at[record].flags |= FLAT_IN_COMMON;
}

void flat_vars_put(flat_vars *x, arena *a, int v, flat_var is)
{
    flat_var *now = &x->records.at[x->of.at[v]];
    if (vars_alike(now, &is)) return;
    if (v && vars_alike(flat_vars_at(x, v - 1), &is)) {
        record_share(x, v, x->of.at[v - 1]);
    } else if (now->flags & FLAT_IN_COMMON) {
        x->of.at[v] = record_new(x, a, is);
    } else {
        is.flags &= (uint8_t)~FLAT_IN_COMMON;
        *now = is;
    }
}

void flat_vars_put_all(flat_vars *x, int v, flat_var is)
{
    flat_var *now = &x->records.at[x->of.at[v]];
    is.flags = (uint8_t)((is.flags & ~FLAT_IN_COMMON) | (now->flags & FLAT_IN_COMMON));
    *now = is;
}

/* ---- adding ---------------------------------------------------------------------------------- */

void flat_vars_reserve(flat_vars *x, arena *a, int n, int n_listed)
{
    array_reserve(a, &x->of, n);
    array_reserve(a, &x->names.list, n_listed);
}

static void push_record(flat_vars *x, arena *a, int record)
{
    array_push(a, &x->of, record);
    x->n = x->of.n;
}

static int push_path(flat_vars *x, arena *a, int record, name_family path, int n)
{
    int first = x->n;
    names_add_family(&x->names, a, path, n);
    for (int i = 0; i < n; i++) push_record(x, a, record);
    record_share(x, first, record);
    return first;
}

int flat_vars_add(flat_vars *x, arena *a, flat_var v, const char *name)
{
    if (name[0] == '$') v.flags |= FLAT_HIDDEN;
    names_add(&x->names, a, name);
    push_record(x, a, record_new(x, a, v));
    return x->n - 1;
}

void flat_vars_add_like(flat_vars *x, arena *a, int like, const char *name)
{
    names_add(&x->names, a, name);
    push_record(x, a, x->of.at[like]);
    record_share(x, x->n - 1, x->of.at[like]);
}

int flat_vars_add_path(flat_vars *x, arena *a, flat_var v, name_family path, int n)
{
    return push_path(x, a, record_new(x, a, v), path, n);
}

void flat_vars_add_path_like(flat_vars *x, arena *a, int like, name_family path, int n)
{
    push_path(x, a, x->of.at[like], path, n);
}

void flat_vars_forget(flat_vars *x, int n)
{
    names_forget(&x->names, n);
    x->n = x->of.n = n;
}

void flat_vars_copy(flat_vars *x, arena *a)
{
    array_copy(a, &x->of);
    array_copy(a, &x->records);
    names_copy(&x->names, a);
}

/* ---- some of another model ------------------------------------------------------------------- */

void flat_vars_pick(flat_vars *x, arena *a, const flat_vars *of, const uint8_t *marks,
                    arena *scratch)
{
    int *now = arena_array(scratch, int, of->records.n); // by record: its number here, + 1
    names_pick(&x->names, a, &of->names, marks);
    x->n = x->names.n;
    array_reserve(a, &x->of, x->n);
    for (int v = 0; v < of->n; v++) {
        if (!marks[v]) continue;
        int *record = &now[of->of.at[v]];
        if (!*record) {
            array_push(a, &x->records, of->records.at[of->of.at[v]]);
            *record = x->records.n;
        }
        array_push(a, &x->of, *record - 1);
    }
}

void flat_vars_rename(flat_vars *x, int v, const char *name)
{
    names_put(&x->names, v, name);
    flat_var *record = &x->records.at[x->of.at[v]];
    if (name[0] != '$') record->flags &= (uint8_t)~FLAT_HIDDEN;
}
