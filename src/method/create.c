/* Creating a run: what a method needs, its memory, tolerances and levels.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/step.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void core_explain(method_core *c, const char *format, int number)
{
    snprintf(c->run->message, METHOD_WHY, format, number);
}

static size_t create_layout(method_core *c, void *block)
{
    size_t n = (size_t)c->n;
    bump b = bump_begin(block);
    c->norm.abs = bump_double(&b, n);
    c->norm.inv = bump_double(&b, n);
    c->norm.seen = c->p->unsized && !c->fixed ? bump_double(&b, n) : NULL;
    c->norm.counted = bump_bytes(&b, n);
    c->level = c->p->unknown_level || c->p->rate ? bump_bytes(&b, n) : NULL;
    c->rounding.asked = bump_double(&b, n);
    c->rounding.r = bump_double(&b, (1 + PROBLEM_NEAR_WORK) * n);
    c->y = bump_double(&b, n);
    c->yp = bump_double(&b, n);
    c->y_new = bump_double(&b, n);
    c->yp_new = bump_double(&b, n);
    c->corner_change = bump_double(&b, c->p->n_corners ? n : 0);
    char *corners = bump_bytes(&b, corner_layout(&c->corner, c->p->n_corners, NULL));
    corner_layout(&c->corner, c->p->n_corners, corners);
    if (c->method->ops->layout) {
        char *rest = block ? b.block + b.used : NULL;
        bump_bytes(&b, c->method->ops->layout(c->state, c, rest));
    }
    return bump_end(&b);
}

/* A method that is not registered lives with its run. */
typedef struct method_own {
    method_formula formula;
    vinc_method method;
} method_own;

static int create_refuse(char *why, const char *format, const char *name)
{
    if (why) snprintf(why, METHOD_WHY, format, name);
    return VINC_E_OPTION;
}

/* Which methods, and which problems, do without a stored matrix. */
static int create_without_matrix(const vinc_problem *p, const vinc_method *m, char *why)
{
    if (!(m->traits & METHOD_IMPLICIT))
        return create_refuse(
            why, "'%s' is explicit and solves no linear systems: 'krylov' is no use", m->name);
    if (!m->ops->by_products)
        return create_refuse(why,
                             "'%s' solves several systems at a time, complex ones or exactly, and "
                             "'krylov' does not; use bdf, mebdf, sdirk4, trbdf2, implicit-euler, "
                             "trapezoid, or leave the choice of the method to the run",
                             m->name);
    if (!p->product || p->blocks > 1)
        return create_refuse(why,
                             "'krylov' needs products of the Jacobian with vectors "
                             "(vinc_problem.product), which this problem does not give to '%s'; a "
                             "motion that slides along a switching surface has none. Use 'direct'",
                             m->name),
               VINC_E_PROBLEM;
    return VINC_OK;
}

/* What a method needs and this problem or configuration does not give. */
static int create_unsuitable(const vinc_problem *p, const vinc_method *m,
                             const method_config *config, const method_linear *linear, char *why)
{
    if (!p->residual && (m->traits & METHOD_IMPLICIT))
        return create_refuse(why, "'%s' needs the residual F(t, y, y')", m->name), VINC_E_PROBLEM;
    if (!p->rhs && (m->traits & METHOD_EXPLICIT))
        return create_refuse(
                   why,
                   "'%s' is explicit and needs y' = f(t, y), which this formulation does not "
                   "give: its iteration matrix would be singular. Use bdf or radau5, or a "
                   "formulation that solves for the derivatives",
                   m->name),
               VINC_E_PROBLEM;
    if (!p->velocity && (m->traits & METHOD_SECOND_ORDER))
        return create_refuse(why,
                             "'%s' needs second-order equations: pairs of unknown and velocity",
                             m->name),
               VINC_E_PROBLEM;
    if (p->blocks > 1 && (m->traits & METHOD_LINEARLY_IMPLICIT))
        return create_refuse(why,
                             "'%s' needs the exact Jacobian of all unknowns, and derivatives that "
                             "accompany a solution have only that of one block; use bdf, radau, "
                             "sdirk4 or an explicit method",
                             m->name);
    if (p->shared && !m->ops->shared)
        return create_refuse(why, "'%s' does not run on several processes; bdf and bdf1 to bdf6 do",
                             m->name);
    if (linear->petsc && !p->shared)
        return create_refuse(why,
                             "'petsc' solves the linear systems of several processes: start "
                             "'mpirun -n N vincolo run MODEL --distributed'; with one, '%s' has "
                             "'direct' and 'krylov'",
                             m->name);
    if (p->shared && config->fixed_step > 0)
        return create_refuse(
            why, "'%s' runs on several processes with steps of its own size: leave --step out",
            m->name);
    if (linear->precond) {
        int status = create_without_matrix(p, m, why);
        if (status) return status;
    }
    if (!(config->fixed_step > 0) && !(m->traits & METHOD_ADAPTIVE))
        return create_refuse(why, "'%s' has no error estimate: give a step size", m->name);
    if (config->fixed_step < 0 || config->fixed_step != config->fixed_step)
        return create_refuse(why, "the step size of '%s' must be positive", m->name);
    if (!(config->rel_tol >= 0) || !(config->abs_tol >= 0))
        return create_refuse(why, "the tolerances given to '%s' must be positive", m->name);
    return VINC_OK;
}

/* Levels as the problem gives them, except that in a problem of higher index an algebraic unknown
 * is taken for a function of velocities (level 1) unless it is worse: its error is no smaller. Of
 * index 1, rates have level 1. */
static void set_levels(method_core *c)
{
    const int8_t *given = c->p->unknown_level;
    const uint8_t *rate = c->p->rate;
    bool high = false, any = false;
    if (!c->level) return;
    for (int i = 0; given && i < c->n; i++) high |= given[i] > 0;
    high = shared_any(c->p->shared, high);
    for (int i = 0; i < c->n; i++) {
        bool algebraic = !problem_differential(c->p, i);
        c->level[i] = high ? given[i] : (int8_t)(algebraic && rate && rate[i]);
        if (high && c->level[i] == 0 && algebraic) c->level[i] = 1;
        any |= c->level[i] > 0;
    }
    any = shared_any(c->p->shared, any);
    c->norm.level = any ? c->level : NULL;
    c->norm.high_index = high;
    // Rates that grow are the first to tell of a position where constraints lose rank.
    c->norm.error_in_full = !high && c->p->regularity && c->p->velocity;
}

/* Multipliers are left out of the error test: what limits them is the index, not the step. */
void core_count_unknowns(method_core *c)
{
    problem_norm *w = &c->norm;
    w->n_counted = 0;
    c->all_differential = true;
    set_levels(c);
    for (int i = 0; i < c->n; i++) {
        bool algebraic = !problem_differential(c->p, i);
        if (algebraic) c->all_differential = false;
        bool skip =
            algebraic && ((w->high_index && w->level[i] > 0) || c->config.no_algebraic_error ||
                          (c->method->traits & METHOD_EXPLICIT));
        w->counted[i] = !skip;
        w->n_counted += !skip;
    }
    if (c->p->shared) {
        w->n_counted = shared_count(c->p->shared, w->n_counted);
        c->all_differential = !shared_any(c->p->shared, !c->all_differential);
    }
    w->all_counted = w->n_counted == shared_size(c->p->shared, c->n);
}

static void set_tolerances(method_core *c)
{
    method_config *g = &c->config;
    double rel = g->rel_tol > 0 ? g->rel_tol : 1e-6, abs = g->abs_tol > 0 ? g->abs_tol : rel;
    // Fixed steps have no error test: the norm is that of the iteration. To round-off: until
    // corrections of a few eps stagnate.
    if (c->fixed) rel = abs = g->newton_tol;
    rel = fmax(rel, 4 * DBL_EPSILON);
    abs = fmax(abs, c->fixed ? 4 * DBL_EPSILON : 0);
    c->norm.n = c->n;
    c->norm.crew = g->crew;
    c->norm.shared = c->p->shared;
    c->norm.blocks = c->norm.blocks_counted = problem_blocks(c->p);
    if (c->p->blocks_counted > 0 && c->p->blocks_counted < c->norm.blocks)
        c->norm.blocks_counted = c->p->blocks_counted;
    c->n_lead = problem_leads(c->p) ? c->n / c->norm.blocks : c->n;
    c->n_error = c->n / c->norm.blocks * c->norm.blocks_counted;
    c->norm.n_weighed = c->method->ops->weighs_counted && c->n_lead < c->n ? c->n_error : c->n;
    c->norm.rel_tol = rel;
    c->tol_least = rel;
    for (int i = 0; i < c->n; i++) {
        double own = g->abs_tol_each ? g->abs_tol_each[i] : abs;
        c->norm.abs[i] = own * problem_nominal(c->p, i);
        c->tol_least = fmin(c->tol_least, own);
    }
    problem_weigh_by_first(&c->norm);
    c->norm.unsized = c->p->unsized;
    for (int i = 0; i < c->n && c->norm.seen; i++) c->norm.seen[i] = 0;
    if (g->abs_tol_each) c->norm.seen = NULL;
    g->abs_tol_each = NULL;
    c->newton_tol = c->fixed ? 1 : 0.03;
}

static int create_build(method_core *c)
{
    const method_ops *ops = c->method->ops;
    if (c->method->traits & METHOD_IMPLICIT) {
        int status = c->linear.precond ? VINC_OK : problem_jac_init(&c->jac, c->m, c->p);
        if (status) return status;
    }
    c->state = mem_try(c->m, ops->state_bytes);
    if (!c->state) return VINC_E_MEMORY;
    memset(c->state, 0, ops->state_bytes);
    size_t bytes = create_layout(c, NULL) + BUMP_SLACK;
    c->block = mem_try_zeroed(c->m, bytes);
    if (!c->block) return VINC_E_MEMORY;
    c->bytes = bytes;
    create_layout(c, bump_aligned(c->block));
    core_count_unknowns(c);
    set_tolerances(c);
    return ops->open ? ops->open(c) : VINC_OK;
}

/* Registered, or given as a formula, which is copied. */
static int create_choose(mem *m, const char *spec, const method_config *config, char *why,
                         double *opt, const vinc_method **method, method_own **own)
{
    *own = NULL;
    if (!config->formula) {
        *method = method_find(spec, opt, why);
        return *method ? VINC_OK : VINC_E_OPTION;
    }
    *own = mem_try(m, sizeof **own);
    if (!*own) return VINC_E_MEMORY;
    memset(opt, 0, METHOD_OPTIONS_MAX * sizeof *opt);
    (*own)->formula = *config->formula;
    *method = &(*own)->method;
    if (method_custom(&(*own)->formula, &(*own)->method)) return VINC_OK;
    mem_free(m, *own, sizeof **own);
    return create_refuse(why, "'%s' is a formula for x'' = f: it can be analysed, not run",
                         config->formula->name);
}

static int create_run(mem *m, const vinc_problem *p, const method_config *config,
                      const vinc_method *method, method_run **out)
{
    method_run *r = mem_try(m, sizeof *r);
    method_core *c = mem_try(m, sizeof *c);
    *out = NULL;
    if (!r || !c) {
        if (r) mem_free(m, r, sizeof *r);
        if (c) mem_free(m, c, sizeof *c);
        return VINC_E_MEMORY;
    }
    *r = (method_run){.problem = p, .method = method, .core = c};
    *c = (method_core){.run = r, .p = p, .method = method, .m = m, .n = p->n, .config = *config};
    c->fixed = config->fixed_step > 0;
    c->defect = -1;
    *out = r;
    return VINC_OK;
}

int method_new(mem *m, const vinc_problem *p, const char *spec, const method_config *config,
               char *why, method_run **out)
{
    double opt[METHOD_OPTIONS_MAX];
    const vinc_method *method = NULL;
    method_own *own = NULL;
    method_linear linear;
    *out = NULL;
    if (why) why[0] = 0;
    if (!method_linear_find(config->linear, &linear, why)) return VINC_E_OPTION;
    int status = create_choose(m, spec, config, why, opt, &method, &own);
    if (status) return status;
    status = create_unsuitable(p, method, config, &linear, why);
    if (!status) status = create_run(m, p, config, method, out);
    if (status) {
        if (own) mem_free(m, own, sizeof *own);
        return status;
    }
    method_run *r = *out;
    method_core *c = r->core;
    memcpy(c->opt, opt, sizeof opt);
    c->own = own;
    c->linear = linear;
    c->formula = own ? &own->formula : NULL;
    status = create_build(c);
    if (status) {
        if (why && r->message[0]) snprintf(why, METHOD_WHY, "%s", r->message);
        else if (why && status == VINC_E_OPTION)
            snprintf(why, METHOD_WHY, "no linear solver '%s' for %d unknowns",
                     config->la ? config->la : "", p->n);
        method_free(r);
        *out = NULL;
        return status;
    }
    r->y = c->y;
    r->yp = c->yp;
    return VINC_OK;
}

void method_free(method_run *r)
{
    if (!r) return;
    method_core *c = r->core;
    mem *m = c->m;
    if (c->block && c->method->ops->close) c->method->ops->close(c);
    if (c->block) mem_free(m, c->block, c->bytes);
    if (c->state) mem_free(m, c->state, c->method->ops->state_bytes);
    problem_jac_done(&c->jac);
    if (c->own) mem_free(m, c->own, sizeof *c->own);
    mem_free(m, c, sizeof *c);
    mem_free(m, r, sizeof *r);
}
