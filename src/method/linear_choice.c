/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/linear_choice.h"

#include "base/diag.h"
#include "base/team.h"

#include <stdio.h>
#include <string.h>

enum { LINEAR_RESTART, LINEAR_ITERATIONS, LINEAR_BLOCK, LINEAR_RELAX };

/* restart: choice. relax: O. Axelsson and G. Lindskog, Numer. Math. 48 (1986) 479-498, find 0.95 to 0.99
 * best on diffusion; on bench/sparse, advection and reaction nothing was better without. */
static const method_option krylov_options[] = {
    {"restart", 30, 2, 500, true, "vectors kept before the search begins anew", 0},
    {"iterations", 300, 1, 100000, true, "products for one system before it is given up", 0},
    {"block", 8, 1, 64, true, "unknowns in a block of block-jacobi", 0},
    {"relax", 0.95, 0, 1, false, "part of what ilu drops that goes to the diagonal", 0},
    {NULL, 0, 0, 0, false, NULL, 0},
};

static const method_option petsc_options[] = {
    {"restart", 60, 2, 500, true, "vectors kept before the search begins anew", 0},
    {"iterations", 600, 1, 100000, true, "iterations for one system before it is given up", 0},
    {NULL, 0, 0, 0, false, NULL, 0},
};

static const char PRECOND[] = "precond", SOLVER[] = "solver";

static const char *const solver_names[] = {
#define X(id, name, summary) name,
    TEAM_SOLVERS(X)
#undef X
};

const char *method_petsc_name(int solver)
{
    return solver_names[solver];
}

static bool no_such_name(char *why, const char *what, const char *name, size_t length,
                         const char *const *names, int n)
{
    char given[61];
    if (!why) return false;
    snprintf(given, sizeof given, "%.*s", (int)(length < 60 ? length : 60), name);
    const char *near = diag_nearest(given, names, n);
    int at = snprintf(why, METHOD_WHY, "there is no %s '%s'; there are", what, given);
    for (int i = 0; i < n && at < METHOD_WHY; i++)
        at += snprintf(why + at, (size_t)(METHOD_WHY - at), " %s", names[i]);
    if (near && at < METHOD_WHY)
        snprintf(why + at, (size_t)(METHOD_WHY - at), "; did you mean '%s'?", near);
    return false;
}

static bool set_precond(const char *name, size_t length, method_linear *out, char *why)
{
    const char *names[8];
    int n = 0;
    for (const la_precond_kind *const *k = la_preconds; *k; k++) {
        names[n++] = (*k)->name;
        if (strlen((*k)->name) != length || memcmp((*k)->name, name, length)) continue;
        out->precond = *k;
        return true;
    }
    return no_such_name(why, "preconditioner", name, length, names, n);
}

static bool set_solver(const char *name, size_t length, method_linear *out, char *why)
{
    for (int k = 0; k < TEAM_N_SOLVERS; k++) {
        if (strlen(solver_names[k]) != length || memcmp(solver_names[k], name, length)) continue;
        out->solver = k;
        return true;
    }
    return no_such_name(why, "solver of petsc", name, length, solver_names, TEAM_N_SOLVERS);
}

static bool set_part(const char *part, size_t length, method_linear *out, double *opt, char *why)
{
    const char *word = out->petsc ? SOLVER : PRECOND;
    size_t key = strlen(word);
    if (length > key && !memcmp(part, word, key) && part[key] == '=')
        return (out->petsc ? set_solver : set_precond)(part + key + 1, length - key - 1, out, why);
    if (method_set_option(out->petsc ? "petsc" : "krylov",
                          out->petsc ? petsc_options : krylov_options, part, length, opt, why))
        return true;
    if (why && strstr(why, "it has")) {
        size_t at = strlen(why);
        snprintf(why + at, METHOD_WHY - at, " %s", word);
    }
    return false;
}

bool method_linear_find(const char *spec, method_linear *out, char *why)
{
    static const char *const names[] = {"direct", "krylov", "petsc"};
    double opt[METHOD_OPTIONS_MAX];
    *out = (method_linear){.open = !spec,
                           .restart = (int)petsc_options[LINEAR_RESTART].standard,
                           .iterations = (int)petsc_options[LINEAR_ITERATIONS].standard};
    if (!spec || !strcmp(spec, names[0])) return true;
    size_t length = strcspn(spec, ":");
    if (length == strlen(names[0]) && !memcmp(spec, names[0], length)) {
        if (why) snprintf(why, METHOD_WHY, "'direct' has no options");
        return false;
    }
    bool krylov = length == strlen(names[1]) && !memcmp(spec, names[1], length);
    out->petsc = length == strlen(names[2]) && !memcmp(spec, names[2], length);
    if (!krylov && !out->petsc) return no_such_name(why, "linear solver", spec, length, names, 3);
    out->precond = krylov ? la_preconds[0] : NULL;
    const method_option *options = krylov ? krylov_options : petsc_options;
    for (int i = 0; options[i].name; i++) opt[i] = options[i].standard;
    for (const char *p = spec + length; *p;) {
        size_t part = strcspn(++p, ",");
        if (!set_part(p, part, out, opt, why)) return false;
        p += part;
    }
    out->restart = (int)opt[LINEAR_RESTART];
    out->iterations = (int)opt[LINEAR_ITERATIONS];
    if (!krylov) return true;
    out->block = (int)opt[LINEAR_BLOCK];
    out->relax = opt[LINEAR_RELAX];
    return true;
}
