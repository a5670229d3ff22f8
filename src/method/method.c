/* The registry and the reading of "name:key=value,...".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/diag.h"
#include "method/formula.h"
#include "method/method_list.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST(name) &vinc_method_##name,
const vinc_method *const vinc_methods[] = {METHODS(LIST) NULL};
#undef LIST

static int options_of(const method_option *options)
{
    int n = 0;
    while (options && options[n].name) n++;
    return n;
}

bool method_set_option(const char *name, const method_option *options, const char *pair,
                       size_t length, double *opt, char *why)
{
    const char *equal = memchr(pair, '=', length);
    size_t key = equal ? (size_t)(equal - pair) : length;
    for (int i = 0; i < options_of(options); i++) {
        const method_option *o = &options[i];
        if (strlen(o->name) != key || memcmp(o->name, pair, key)) continue;
        char number[64] = "";
        size_t digits = equal ? length - key - 1 : 0;
        if (digits && digits < sizeof number) memcpy(number, equal + 1, digits);
        number[digits < sizeof number ? digits : 0] = 0;
        double x = NAN;
        bool read = method_formula_number(number, &x);
        bool whole = !o->integer || x == floor(x);
        bool one_of = !o->every || fmod(x - o->min, o->every) == 0;
        if (!read || !(x >= o->min && x <= o->max) || !whole || !one_of) {
            if (why && o->every)
                snprintf(why, METHOD_WHY, "'%s:%s' must be %g, %g, ... %g", name, o->name, o->min,
                         o->min + o->every, o->max);
            else if (why)
                snprintf(why, METHOD_WHY, "'%s:%s' must be %s between %g and %g", name, o->name,
                         o->integer ? "a whole number" : "a number", o->min, o->max);
            return false;
        }
        opt[i] = x;
        return true;
    }
    if (why) {
        int at =
            snprintf(why, METHOD_WHY, "'%s' has no option '%.*s'; it has", name, (int)key, pair);
        for (int i = 0; i < options_of(options) && at < METHOD_WHY; i++)
            at += snprintf(why + at, (size_t)(METHOD_WHY - at), " %s", options[i].name);
        if (!options_of(options) && at < METHOD_WHY)
            snprintf(why + at, (size_t)(METHOD_WHY - at), " none");
    }
    return false;
}

static const vinc_method *method_named(const char *name, size_t length)
{
    for (const vinc_method *const *m = vinc_methods; *m; m++)
        if (*(*m)->name == *name && strlen((*m)->name) == length &&
            !memcmp((*m)->name, name, length))
            return *m;
    return NULL;
}

static void no_such_method(const char *spec, size_t length, char *why)
{
    enum { METHODS_MAX = 100, NAME_SHOWN_MAX = 60 };
    const char *names[METHODS_MAX];
    char name[NAME_SHOWN_MAX + 1];
    int n = 0;
    for (const vinc_method *const *k = vinc_methods; *k && n < METHODS_MAX; k++)
        names[n++] = (*k)->name;
    snprintf(name, sizeof name, "%.*s", (int)(length < NAME_SHOWN_MAX ? length : NAME_SHOWN_MAX),
             spec);
    const char *near = diag_nearest(name, names, n);
    int at = snprintf(why, METHOD_WHY, "there is no method '%s'", name);
    if (near)
        snprintf(why + at, (size_t)(METHOD_WHY - at),
                 "; did you mean '%s'? 'vincolo method' lists all", near);
    else snprintf(why + at, (size_t)(METHOD_WHY - at), "; 'vincolo method' lists them");
}

const vinc_method *method_find(const char *spec, double *opt, char *why)
{
    size_t length = strcspn(spec, ":");
    const vinc_method *m = method_named(spec, length);
    double ignored[METHOD_OPTIONS_MAX];
    if (!opt) opt = ignored;
    if (!m) {
        if (why) no_such_method(spec, length, why);
        return NULL;
    }
    memset(opt, 0, METHOD_OPTIONS_MAX * sizeof *opt);
    for (int i = 0; i < options_of(m->options); i++) opt[i] = m->options[i].standard;
    const char *p = spec + length;
    while (*p) {
        p++; // the colon or comma
        size_t part = strcspn(p, ",");
        if (!method_set_option(m->name, m->options, p, part, opt, why)) return NULL;
        p += part;
    }
    return m;
}

bool method_formula_of(const vinc_method *m, const double *opt, method_formula *out)
{
    *out = (method_formula){.kind = m->multistep ? m->kind : FORMULA_RUNGE_KUTTA};
    snprintf(out->name, sizeof out->name, "%s", m->name);
    if (m->tableau) m->tableau(opt, &out->tableau);
    else if (m->multistep) m->multistep(opt, &out->multistep);
    return m->tableau || m->multistep;
}
