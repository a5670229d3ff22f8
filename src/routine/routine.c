/* What tapes call: programs, and functions with a derivative annotation.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/map.h"
#include "base/watch.h"
#include "external/external_run.h"
#include "routine/machine_code.h"
#include "vincolo_problem.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- programs -------------------------------------------------------------------------------- */

struct routine_run {
    mem *m;
    const routine_codes *codes; // of the model; NULL: all programs are interpreted
    routine_vain vain;
};

static routine_vain *vain_of(const routine_bound *g, const external_run *run)
{
    routine_run *x = external_run_lent(run);
    return x ? &x->vain : g->set->folding;
}

/* NULL: the program is interpreted. */
static const routine_compiled *compiled_of(const routine_bound *g, const external_run *run)
{
    const routine_run *x = external_run_lent(run);
    if (!x || !x->codes || g->number >= x->codes->all.n) return NULL;
    const routine_compiled *c = x->codes->all.at[g->number];
    return c && c->ready ? c : NULL;
}

static uint64_t mixed_arguments(const routine_bound *g, const double *in)
{
    uint64_t number = (uint64_t)g->number * 0x9E3779B97F4A7C15;
    return (hash_bytes(in, sizeof *in * (size_t)g->call.n_in) ^ number) | 1;
}

static bool has_failed(const routine_bound *g, const routine_vain *v)
{
    return v->of >> (g->number & 63) & 1;
}

static bool is_in_vain(const routine_bound *g, const routine_vain *v, const double *in)
{
    if (!has_failed(g, v)) return false;
    uint64_t here = mixed_arguments(g, in);
    for (int k = 0; k < ROUTINE_IN_VAIN; k++)
        if (v->at[k] == here) return true;
    return false;
}

/* What was stopped from outside may have a value another time. Threads may lose an entry to each
 * other: it is found again. */
static void note_in_vain(const routine_bound *g, routine_vain *v, const double *in)
{
    if (g->call.impure || watch_passed(g->set->limits)) return;
    uint64_t here = mixed_arguments(g, in);
    int k = 0;
    while (k < ROUTINE_IN_VAIN && v->at[k]) k++;
    v->at[k < ROUTINE_IN_VAIN ? k : (int)(here / 2 % ROUTINE_IN_VAIN)] = here;
    v->of |= (uint64_t)1 << (g->number & 63);
}

static void program_routine(void *bound, void *run, const double *in, double *out)
{
    const routine_bound *g = bound;
    routine_vain *vain = vain_of(g, run);
    if (!is_in_vain(g, vain, in)) {
        const routine_compiled *code = compiled_of(g, run);
        if (code ? routine_code_value(code, run, in, out)
                 : routine_run_program(g, run, in, NULL, out))
            return;
        note_in_vain(g, vain, in);
    }
    for (int i = 0; i < g->call.n_out; i++) out[i] = NAN;
}

/* What wants all arguments in one place is given a copy. */
static void program_routine_far(void *bound, void *run, const double *in, const tape_stretch *far,
                                double *out)
{
    const routine_bound *g = bound;
    bool here = !compiled_of(g, run) && !g->program->integral && !has_failed(g, vain_of(g, run));
    if (here && routine_run_program(g, run, in, far, out)) return;
    double all[g->call.n_in + 1];
    int end = far->first + far->n;
    memcpy(all, in, sizeof *in * (size_t)far->first);
    memcpy(all + far->first, far->at, sizeof *in * (size_t)far->n);
    memcpy(all + end, in + end, sizeof *in * (size_t)(g->call.n_in - end));
    program_routine(bound, run, all, out);
}

/* Forward, one argument after the other: the program runs along the branches that its values take,
 * so that what comes out is the derivative of what was computed. */
static void program_partials(void *bound, void *run, const uint8_t *active, const double *in,
                             double *jac)
{
    const routine_bound *g = bound;
    int n = g->call.n_in, m = g->call.n_out;
    double seed[n + 1], out[m + 1], d[m + 1];
    memset(seed, 0, sizeof seed);
    bool in_vain = is_in_vain(g, vain_of(g, run), in);
    const routine_compiled *code = compiled_of(g, run);
    if (code && !code->tangent.program) code = NULL;
    for (int j = 0; j < n; j++) {
        if (!active[j]) continue;
        seed[j] = 1;
        if (in_vain || !(code ? routine_code_tangent(code, run, in, seed, d)
                              : routine_run_tangent(g, run, in, seed, out, d)))
            for (int i = 0; i < m; i++) d[i] = NAN;
        for (int i = 0; i < m; i++) jac[i * n + j] = d[i];
        seed[j] = 0;
    }
}

static bool program_as_c(const tape_function *fn, tape_c *c, const char *name,
                         const uint8_t *active)
{
    const routine_compiled *x = routine_compile(fn->user, c->a, c->a);
    if (!x) return false;
    return active && !x->tangent.program ? tape_c_differences(c, fn, name, active)
                                         : routine_code_as_c(x, c, name, active);
}

int routine_run_new(mem *m, const routine_codes *codes, routine_run **out)
{
    *out = mem_try_zeroed(m, sizeof **out);
    if (!*out) return VINC_E_MEMORY;
    (*out)->m = m;
    (*out)->codes = codes;
    return VINC_OK;
}

void routine_run_free(routine_run *x)
{
    if (x) mem_free(x->m, x, sizeof *x);
}

/* ---- the set --------------------------------------------------------------------------------- */

routine_set *routine_set_new(arena *a)
{
    routine_set *set = arena_new(a, routine_set);
    *set = (routine_set){.a = a, .limits = a->m->watch ? a->m->watch->limits : NULL};
    set->folding = arena_new(a, routine_vain);
    return set;
}

void routine_set_put(routine_set *set, int number, const tape_function *f)
{
    while (set->all.n <= number) array_push(set->a, &set->all, NULL);
    set->all.at[number] = f;
}

const tape_function *routine_set_program(routine_set *set, int number, const routine_program *p,
                                         bool impure)
{
    routine_bound *g = arena_new(set->a, routine_bound);
    *g = (routine_bound){.call = {.kind = TAPE_FN_PROGRAM,
                                  .name = p->name,
                                  .n_in = p->n_args,
                                  .n_out = p->n_results,
                                  .value = program_routine,
                                  .value_far = program_routine_far,
                                  .partials = program_partials,
                                  .user = g,
                                  .impure = impure,
                                  .as_c = program_as_c},
                         .program = p,
                         .set = set,
                         .number = number};
    routine_set_put(set, number, &g->call);
    return &g->call;
}

const routine_program *routine_program_of(const tape_function *f)
{
    return f && f->kind == TAPE_FN_PROGRAM ? ((const routine_bound *)f->user)->program : NULL;
}

/* ---- derivatives by annotation --------------------------------------------------------------- */

static void annotated_value(void *user, void *run, const double *in, double *out)
{
    const routine_annotation *x = user;
    x->itself->value(x->itself->user, run, in, out);
}

/* Central differences by argument j, which the annotation leaves out. */
static void difference_by(const routine_annotation *x, void *run, double *in, int j, double *jac)
{
    double up[PROGRAM_SCALARS], down[PROGRAM_SCALARS], at = in[j];
    double h = cbrt(DBL_EPSILON) * fmax(1.0, fabs(at));
    in[j] = at + h;
    x->itself->value(x->itself->user, run, in, up);
    in[j] = at - h;
    x->itself->value(x->itself->user, run, in, down);
    in[j] = at;
    for (int i = 0; i < x->itself->n_out; i++)
        jac[i * x->itself->n_in + j] = (up[i] - down[i]) / (2 * h);
}

static void annotated_partials(void *user, void *run, const uint8_t *active, const double *in,
                               double *jac)
{
    const routine_annotation *x = user;
    int n = x->itself->n_in;
    double list[2 * PROGRAM_SCALARS] = {0}, out[PROGRAM_SCALARS];
    memcpy(list, in, (size_t)n * sizeof *in);
    for (int j = 0; j < n; j++) {
        if (!active[j]) continue;
        if (x->der_at[j] < 0) {
            difference_by(x, run, list, j, jac);
            continue;
        }
        list[x->der_at[j]] = 1;
        x->derivative->value(x->derivative->user, run, list, out);
        list[x->der_at[j]] = 0;
        for (int i = 0; i < x->itself->n_out; i++) jac[i * n + j] = out[i];
    }
}

static bool annotated_as_c(const tape_function *fn, tape_c *c, const char *name,
                           const uint8_t *active)
{
    const routine_annotation *x = fn->user;
    int n = x->itself->n_in, m = x->itself->n_out;
    c->known = NULL; // of the derivative the arguments are others
    const char *value = tape_c_name(c, x->itself, NULL);
    const char *slope = active ? tape_c_name(c, x->derivative, NULL) : "";
    if (!value || !slope) return false;
    tape_c_begin(c, name);
    if (!active) {
        text_printf(c->out, "    %s(run, in, out);\n}\n\n", value);
        return true;
    }
    text_printf(c->out,
                "    double list[%d] = {0}, up[%d], down[%d];\n"
                "    for (int j = 0; j < %d; j++) list[j] = in[j];\n",
                2 * PROGRAM_SCALARS, m + 1, m + 1, n);
    for (int j = 0; j < n; j++) {
        if (!active[j]) continue;
        if (x->der_at[j] < 0)
            text_printf(
                c->out,
                "    {\n        const double h = 6.055454452393343e-06 * fmax(1.0, "
                "fabs(in[%d]));\n        list[%d] = in[%d] + h;\n        %s(run, list, up);\n"
                "        list[%d] = in[%d] - h;\n        %s(run, list, down);\n"
                "        list[%d] = in[%d];\n        for (int i = 0; i < %d; i++) out[i * %d "
                "+ %d] = (up[i] - down[i]) / (2 * h);\n    }\n",
                j, j, j, value, j, j, value, j, j, m, n, j);
        else
            text_printf(c->out,
                        "    list[%d] = 1;\n    %s(run, list, up);\n    list[%d] = 0;\n"
                        "    for (int i = 0; i < %d; i++) out[i * %d + %d] = up[i];\n",
                        x->der_at[j], slope, x->der_at[j], m, n, j);
    }
    text_add(c->out, "    (void)down;\n}\n\n");
    return true;
}

const tape_function *routine_annotated(arena *a, const tape_function *f, const tape_function *d,
                                       const int *der_at)
{
    if (d->n_in > 2 * PROGRAM_SCALARS || f->n_in > PROGRAM_SCALARS || f->n_out > PROGRAM_SCALARS ||
        d->n_out != f->n_out)
        return f;
    routine_annotation *x = arena_new(a, routine_annotation);
    tape_function *own = arena_new(a, tape_function);
    *x = (routine_annotation){f, d, der_at};
    *own = *f;
    own->kind = TAPE_FN_ANNOTATED;
    own->value = annotated_value;
    own->value_far = NULL;
    own->partials = annotated_partials;
    own->as_c = annotated_as_c;
    own->user = x;
    return own;
}
