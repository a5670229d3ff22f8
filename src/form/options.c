/* Parameters that ride on the name of a formulation: "zeta=1,omega=10".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"
#include "method/formula.h"

#include <math.h>
#include <string.h>

static void complain(const form_builder *b, const char *given, const form_option *list, int n)
{
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        size_t k = strlen(list[i].name);
        if (used + k + 3 > sizeof names) break;
        if (used) memcpy(names + used, ", ", 2), used += 2;
        memcpy(names + used, list[i].name, k + 1);
        used += k;
    }
    diag_error(b->sink, "S201", (span){0, 0},
               "'%s' is not a parameter of the formulation '%s'; write name=number, from: %s",
               given, b->f->kind->name, n ? names : "none");
}

static bool options_take(form_option *o, const char *value, size_t n, arena *a)
{
    o->given = true;
    if (o->text) {
        *o->text = arena_strndup(a, value, n);
        return n > 0;
    }
    return method_formula_number(arena_strndup(a, value, n), o->number) && isfinite(*o->number);
}

bool form_options(form_builder *b, const char *rest, form_option *list, int n)
{
    while (*rest) {
        size_t length = strcspn(rest, ","), name = strcspn(rest, "=");
        bool ok = false;
        for (int i = 0; i < n && name < length; i++)
            if (strlen(list[i].name) == name && !strncmp(list[i].name, rest, name))
                ok = options_take(&list[i], rest + name + 1, length - name - 1, b->a);
        if (!ok) {
            complain(b, arena_strndup(b->scratch, rest, length), list, n);
            return false;
        }
        rest += length + (rest[length] == ',');
    }
    return true;
}
