/* Arrays: elements q[1], q[2] ... that lie side by side and are alike become one variable of FMI 3.
 *
 * States of an array must be states one after the other, and so must their derivatives: an importer reads
 * the order of states from the arrays. Elements that differ in what may be set, or in their unit, stay by
 * themselves.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/fmu_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* base[i,j], der(base[i,j]) or der(base[i,j],2): what stands before and after the subscripts. */
typedef struct element_name {
    size_t before;
    const char *after;
    int subs[FMU_DIMS_MAX], n;
} element_name;

static bool read_element(const char *name, element_name *e)
{
    const char *open = name ? strrchr(name, '[') : NULL, *p = open;
    if (!open || open == name) return false;
    *e = (element_name){.before = (size_t)(open - name)};
    do {
        char *end;
        if (e->n == FMU_DIMS_MAX) return false;
        long sub = strtol(p + 1, &end, 10);
        if (end == p + 1 || sub < 1 || sub > 1 << 24) return false;
        e->subs[e->n++] = (int)sub;
        p = end;
    } while (*p == ',');
    if (*p != ']') return false;
    e->after = p + 1;
    bool der = !strncmp(name, "der(", 4);
    return der ? *e->after == ')' || *e->after == ',' : !*e->after;
}

static bool same_unit(const fmu_listing *l, int i, int k)
{
    const char *a = fmu_unit_of(l, i), *b = fmu_unit_of(l, k);
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_attributes(const flat_var *a, const flat_var *b)
{
    static const flat_attributes none = {0};
    if (!a || !b) return a == b;
    const flat_attributes *x = a->attr ? a->attr : &none, *y = b->attr ? b->attr : &none;
    return a->decl->enum_id == b->decl->enum_id && x->min == y->min && x->max == y->max &&
           x->nominal == y->nominal && x->quantity == y->quantity;
}

static bool are_alike(const fmu_listing *l, int i, int k)
{
    const fmu_variable *a = &l->at[i], *b = &l->at[k];
    return a->type == b->type && a->causality == b->causality && a->variability == b->variability &&
           a->exact == b->exact && a->clock == b->clock && same_unit(l, i, k) &&
           same_attributes(a->flat, b->flat);
}

/* Element k of an array of these sizes, the last subscript running fastest? */
static bool is_element(const element_name *e, const int *dims, int k)
{
    for (int d = e->n; d--; k /= dims[d])
        if (e->subs[d] != k % dims[d] + 1) return false;
    return k == 0;
}

/* The array that begins with variable i, up to `end`: its length; 1: none does. */
static int array_from(const fmu_listing *l, int i, int end, int *dims, int *n_dims)
{
    element_name first, e, last;
    int n = 1, product = 1;
    if (!read_element(l->at[i].name, &first)) return 1;
    last = first;
    for (; i + n < end && read_element(l->at[i + n].name, &e); n++, last = e)
        if (e.n != first.n || e.before != first.before || strcmp(e.after, first.after) != 0 ||
            strncmp(l->at[i].name, l->at[i + n].name, e.before) != 0 || !are_alike(l, i, i + n))
            break;
    for (int d = 0; d < last.n; d++) product *= dims[d] = last.subs[d];
    *n_dims = last.n;
    if (product != n) return 1;
    for (int k = 0; k < n; k++)
        if (!read_element(l->at[i + k].name, &e) || !is_element(&e, dims, k)) return 1;
    return n;
}

static void dissolve(fmu_listing *l, int first)
{
    for (int k = l->at[first].n_elements - 1; k >= 0; k--) {
        l->at[first + k].of = first + k;
        l->at[first + k].n_elements = 1;
    }
}

/* Do states, or rates, of this array fill it in their order? */
static bool in_order(const fmu_listing *l, const int *list, int k)
{
    int first = l->at[list[k]].of, n = l->at[first].n_elements, begin = k - (list[k] - first);
    if (begin < 0 || begin + n > l->n_states) return false;
    for (int i = 0; i < n; i++)
        if (list[begin + i] != first + i) return false;
    return true;
}

/* Arrays of states and of their rates, of the same elements, or none. */
static void settle_states(fmu_listing *l)
{
    for (bool again = true; again;) {
        again = false;
        for (int k = 0; k < l->n_states; k++) {
            int state = l->at[l->state[k]].of, rate = l->at[l->rate[k]].of;
            if (l->at[state].n_elements == 1 && l->at[rate].n_elements == 1) continue;
            if (in_order(l, l->state, k) && in_order(l, l->rate, k) &&
                l->at[state].n_elements == l->at[rate].n_elements &&
                l->state[k] - state == l->rate[k] - rate)
                continue;
            dissolve(l, state);
            dissolve(l, rate);
            again = true;
        }
    }
}

static const char *array_name(const fmu_listing *l, int first)
{
    element_name e;
    const char *name = l->at[first].name;
    if (!read_element(name, &e)) return name;
    char *whole = arena_alloc(l->a, strlen(name) + 1);
    sprintf(whole, "%.*s%s", (int)e.before, name, e.after);
    return whole;
}

static bool is_taken(const fmu_listing *l, const char *name, int by)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i].name && l->at[i].of != by && !strcmp(l->at[i].name, name)) return true;
    return false;
}

void fmu_group_arrays(fmu_listing *l)
{
    int end = FMU_FIRST_VARIABLE + l->n_columns, dims[FMU_DIMS_MAX] = {0};
    for (int i = FMU_FIRST_VARIABLE; i < end; i += l->at[i].n_elements) {
        int n = array_from(l, i, end, dims, &l->at[i].n_dims);
        l->at[i].n_elements = n;
        memcpy(l->at[i].dims, dims, sizeof dims);
        for (int k = 0; k < n; k++) l->at[i + k].of = i;
    }
    settle_states(l);
    for (int i = FMU_FIRST_VARIABLE; i < end; i += l->at[i].n_elements)
        if (l->at[i].n_elements > 1 && is_taken(l, array_name(l, i), i)) dissolve(l, i);
    settle_states(l);
    for (int i = FMU_FIRST_VARIABLE; i < end; i += l->at[i].n_elements) {
        if (l->at[i].n_elements == 1) continue;
        l->at[i].name = array_name(l, i);
        for (int k = 1; k < l->at[i].n_elements; k++) l->at[i + k].name = NULL;
    }
}
