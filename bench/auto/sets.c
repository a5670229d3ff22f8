/* What is run.
 *
 * A line of sets.txt is `set NAME`, which begins a set, or a problem:
 *     NAME FILE [CLASS] [stop=T] [abs=A] [formulation=F] [also=F] [VARIABLE=VALUE ...]
 * Empty lines and those that begin with # are nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "auto.h"

#ifdef HAVE_QUADMATH
#include "../honest/honest.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static auto_problem *add(auto_list *l)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 64;
        l->at = realloc(l->at, (size_t)l->room * sizeof *l->at);
        if (!l->at) abort();
    }
    auto_problem *p = &l->at[l->n++];
    memset(p, 0, sizeof *p);
    return p;
}

/* Alternating, from the second on: fixed before anything was tuned. */
static void halve(auto_list *l)
{
    int k = 0;
    for (int i = 0; i < l->n; i++) {
        k = i && !strcmp(l->at[i].set, l->at[i - 1].set) ? k + 1 : 0;
        l->at[i].reported = k % 2;
    }
}

static bool word(auto_problem *p, const char *w)
{
    const char *value = strchr(w, '=');
    if (!value) return snprintf(p->class_name, sizeof p->class_name, "%s", w) > 0;
    size_t n = (size_t)(value++ - w);
    if (!strncmp(w, "stop=", 5)) p->stop = atof(value);
    else if (!strncmp(w, "abs=", 4)) p->abs_tol = atof(value);
    else if (!strncmp(w, "also=", 5)) snprintf(p->also, sizeof p->also, "%s", value);
    else if (!strncmp(w, "formulation=", 12))
        snprintf(p->formulation, sizeof p->formulation, "%s", value);
    else {
        if (p->n_settings == AUTO_SETTINGS || n >= AUTO_NAME) return false;
        snprintf(p->setting[p->n_settings].name, AUTO_NAME, "%.*s", (int)n, w);
        p->setting[p->n_settings++].value = atof(value);
    }
    return true;
}

static bool read_sets(auto_list *l, const char *path, const char *folder)
{
    char line[600], set[AUTO_NAME] = "";
    FILE *f = fopen(path, "r");
    if (!f) return fprintf(stderr, "cannot read %s\n", path), false;
    for (int number = 1; fgets(line, sizeof line, f); number++) {
        char *w = strtok(line, " \t\n");
        if (!w || *w == '#') continue;
        char *next = strtok(NULL, " \t\n");
        if (!next) return fprintf(stderr, "%s:%d: a name and a file\n", path, number), false;
        if (!strcmp(w, "set")) {
            snprintf(set, sizeof set, "%s", next);
            continue;
        }
        bool outside = !strcmp(set, "scalable"); // its files lie in a folder that is given
        if (outside && !folder) continue;
        auto_problem *p = add(l);
        snprintf(p->set, sizeof p->set, "%s", set);
        snprintf(p->name, sizeof p->name, "%s", w);
        if (outside) snprintf(p->file, sizeof p->file, "%s/%s", folder, next);
        else snprintf(p->file, sizeof p->file, "%s", next);
        while ((w = strtok(NULL, " \t\n")))
            if (!word(p, w)) return fprintf(stderr, "%s:%d: %s\n", path, number, w), false;
    }
    fclose(f);
    return true;
}

/* The families of bench/honest, one draw of each, of a seed of their own. */
static void read_families(auto_list *l, const char *folder)
{
#ifdef HAVE_QUADMATH
    static const char *const kinds[] = {"nonstiff", "stiff",       "index1",   "index2",
                                        "index3",   "mechanism",   "switches", "pulses",
                                        "scales",   "oscillation", "singular", "delays"};
    enum { SEED = 26 };
    char path[500];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        snprintf(path, sizeof path, "%s/%s.txt", folder, kinds[k]);
        for (int i = 0;; i++) {
            problem *q = family_draw(path, i, SEED, 0);
            if (!q) break;
            auto_problem *p = add(l);
            snprintf(p->set, sizeof p->set, "families");
            snprintf(p->name, sizeof p->name, "%.40s", q->name);
            p->stop = q->stop;
            p->text = strdup(q->model);
            problem_free(q);
        }
    }
#else
    (void)l;
    (void)folder;
#endif
}

bool auto_read(auto_list *l, const char *sets, const char *honest, const char *scalable)
{
    if (!read_sets(l, sets, scalable)) return false;
    read_families(l, honest);
    halve(l);
    return true;
}
