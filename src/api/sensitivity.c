/* Runs with derivatives by parameters and start values: what was asked for, the columns of it, and the
 * integration of all of it together.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/vary.h"
#include "run/verbs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct api_sens {
    int m; // parameters and start values
    const char **names;
    vary_by *by;
    bool *guess; // a start value from which others are found, so that nothing moves with it
    const code_variation *code;
    int *columns, n_columns; // that have derivatives: of the model
    const char *selection;   // of the result: what was selected, and its derivatives
    double *y, *yp;
    size_t bytes; // of each
};

/* ---- what is asked for ----------------------------------------------------------------------- */

/* The next name of a list "a, b[1,2]; c", blanks dropped; NULL: there is none. Separators in brackets
 * and quotes do not separate. */
static const char *next_name(const char **from, const char *separators, arena *a)
{
    const char *p = *from;
    while (*p && (isspace((unsigned char)*p) || strchr(separators, *p))) p++;
    const char *begin = p;
    bool quoted = false;
    for (int depth = 0; *p && (depth > 0 || quoted || !strchr(separators, *p)); p++) {
        if (*p == '\'') quoted = !quoted;
        if (strchr("([{", *p)) depth++;
        if (strchr(")]}", *p)) depth--;
    }
    const char *end = p;
    while (end > begin && isspace((unsigned char)end[-1])) end--;
    *from = p;
    return end > begin ? arena_strndup(a, begin, (size_t)(end - begin)) : NULL;
}

static int refuse_sens(vinc_sim *s, const char *name, const char *why)
{
    diag_error(s->sink, "C185", (span){0}, "derivatives by '%s': %s", name, why);
    return VINC_E_OPTION;
}

/* Its number among the Real inputs; -1: it is none. */
static int find_input(const vinc_sim *s, const char *name)
{
    for (int i = 0; i < s->code->inputs.n; i++)
        if (!strcmp(s->code->inputs.list[i].name, name))
            return s->code->inputs.list[i].whole ? -1 : i;
    return -1;
}

static int find_asked(vinc_sim *s, api_sens *x, const char *name)
{
    vary_by *by = &x->by[x->m];
    by->next = by->input = 0;
    text_clear(&s->why);
    int rc = run_place_of(s->state, name, &by->param, &by->entry, &by->sign, &s->why);
    if (rc) return refuse_sens(s, name, text_str(&s->why));
    by->input = by->param < 0 && by->entry < 0 ? 1 + find_input(s, name) : 0;
    if (by->param < 0 && by->entry < 0 && !by->input)
        return refuse_sens(s, name,
                           "derivatives are taken by Real parameters, inputs, and start values of "
                           "continuous variables; this is a discrete variable");
    const char *why = by->param >= 0 ? run_cannot_vary(s->state, by->param) : NULL;
    if (why) return refuse_sens(s, name, why);
    for (int k = 0; k < x->m; k++)
        if (!strcmp(x->names[k], name)) return VINC_OK;
    x->names[x->m++] = name;
    return VINC_OK;
}

/* What a run with derivatives cannot do yet. */
static const char *cannot(const vinc_sim *s)
{
    const code_model *m = run_model(s->state);
    if (s->equilibrium) return "a point of rest has no run that derivatives could accompany";
    if (s->callbacks.follow || s->callbacks.lend)
        return "derivatives accompany runs that are recorded, not those that others step";
    if (m->events.delays.n_out)
        return "the model has delay() or spatialDistribution(): derivatives are not carried "
               "through it";
    if (m->clocks.list.n_bases)
        return "the model has clocks: derivatives are not carried through their ticks";
    if (s->callbacks.verify) return "--verify compares plain runs";
    return NULL;
}

typedef struct sens_job {
    vinc_sim *s;
    const api_compiled *made;
} sens_job;

static int make_sens(void *job)
{
    vinc_sim *s = ((sens_job *)job)->s;
    api_sens *x = arena_new(&s->a, api_sens);
    *x = (api_sens){0};
    const char *p = s->callbacks.sens, *name, *why = cannot(s);
    int room = 1, rc = VINC_OK;
    if (why) return refuse_sens(s, p, why);
    for (const char *c = p; *c; c++) room += strchr(",;", *c) != NULL;
    x->names = arena_array(&s->a, const char *, room);
    x->by = arena_array(&s->a, vary_by, room);
    x->guess = arena_array(&s->a, bool, room);
    memset(x->guess, 0, (size_t)room);
    while (!rc && (name = next_name(&p, ",;", &s->a)) != NULL) rc = find_asked(s, x, name);
    if (!rc && !x->m) return refuse_sens(s, s->callbacks.sens, "no parameter is named");
    if (rc) return rc;
    int *asked = arena_array(&s->a, int, x->m), n = 0;
    for (int k = 0; k < x->m; k++)
        if (x->by[k].param >= 0) asked[n++] = x->by[k].param;
    const api_compiled *made = s->model->compiled;
    while (made->code != s->code) made = made->next;
    rc = api_compile_variation(s->model, made, asked, n, &x->code);
    s->sens = x;
    return rc;
}

int api_sens_new(vinc_sim *s)
{
    sens_job j = {.s = s};
    int rc = api_guarded(s->model->ctx, make_sens, &j);
    if (rc) return rc;
    api_sens *x = s->sens;
    rc = vary_new(s->state, x->code, x->by, x->m, x->m);
    if (rc) return rc;
    vary_control(vary_of(s->state), !s->callbacks.no_sens_control);
    vary_allow_along(vary_of(s->state));
    x->bytes = (size_t)(1 + x->m) * ((size_t)run_problem(s->state)->n + 1) * sizeof(double);
    x->y = mem_try(&s->m, x->bytes);
    x->yp = mem_try(&s->m, x->bytes);
    return x->y && x->yp ? VINC_OK : VINC_E_MEMORY;
}

int api_sens_second(vinc_sim *s)
{
    api_sens *x = s->sens;
    code_variation *code = (code_variation *)x->code; // the model's, which is locked
    code_lower_second(code, &s->model->a, &s->model->ctx->scratch);
    int rc = code_variation_compile(code, &s->model->ctx->m);
    return rc ? rc : vary_new(s->state, x->code, x->by, x->m, x->m); // with room for them
}

void api_sens_free(vinc_sim *s)
{
    if (!s->sens) return;
    mem_free(&s->m, s->sens->y, s->sens->y ? s->sens->bytes : 0);
    mem_free(&s->m, s->sens->yp, s->sens->yp ? s->sens->bytes : 0);
}

/* Parameters that do nothing, and times of samples that would move. */
int api_sens_check(vinc_sim *s)
{
    const api_sens *x = s->sens;
    const run_variation *v = x ? vary_of(s->state) : NULL;
    if (x && s->callbacks.from)
        return refuse_sens(
            s, x->names[0],
            "a run that goes on from a result (--from) does not know how its beginning "
            "depends on it; run from the start");
    for (int k = 0; v && k < x->m; k++) {
        if (vary_does_nothing(v, k))
            return refuse_sens(s, x->names[k],
                               "it does nothing in this model: no equation, start value or event "
                               "depends on it");
        if (vary_moves_samples(v, k))
            return refuse_sens(s, x->names[k],
                               "the times of sample() depend on it, and derivatives by times of "
                               "samples are not computed");
    }
    return VINC_OK;
}

/* A start value that other equations decide is a place where their solution is looked for: nothing moves with it, and
 * what derivatives it has are rounding. */
void api_sens_started(vinc_sim *s)
{
    const api_sens *x = s->sens;
    const run_variation *v = x ? vary_of(s->state) : NULL;
    if (!v || vary_count(v) != x->m) return; // by something else
    for (int k = 0; k < x->m; k++) {
        x->guess[k] = vary_starts_nothing(v, k);
        if (x->guess[k])
            diag_warning(s->sink, "R173", (span){0},
                         "derivatives by the start value of '%s' are 0: it is a guess, and other "
                         "equations decide where the run begins; fixed = true would let it decide",
                         x->names[k]);
    }
}

int api_sens_count(const vinc_sim *s)
{
    return s->sens ? s->sens->m : 0;
}

const char *api_sens_name(const vinc_sim *s, int k)
{
    return s->sens->names[k];
}

const vary_by *api_sens_by(const vinc_sim *s)
{
    return s->sens->by;
}

double api_sens_value(const vinc_sim *s, int k)
{
    const vary_by *by = &s->sens->by[k];
    if (by->input)
        return run_discrete_values(s->state)[run_model(s->state)->inputs.list[by->input - 1].place];
    return by->param >= 0 ? run_parameters(s->state)[by->param]
                          : by->sign * run_start_of(s->state, by->entry);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* "d(x)/d(L)": x; otherwise the name as it is. */
static const char *name_inside(const char *name, arena *a)
{
    size_t n = strlen(name);
    if (n < 8 || strncmp(name, "d(", 2) || name[n - 1] != ')') return name;
    int depth = 0;
    for (size_t i = 1; i < n; i++) {
        depth += (name[i] == '(') - (name[i] == ')');
        if (depth) continue;
        return strncmp(name + i, ")/d(", 4) ? name : arena_strndup(a, name + 2, i - 2);
    }
    return name;
}

static bool has_derivative(code_column c)
{
    return !c.alias && !c.constant && c.type == TYPE_REAL;
}

/* By column of the model: is it selected? Derivatives in a selection stand for what they are of. */
static int select_columns(vinc_sim *s, const result *r, bool *chosen)
{
    int n = s->code->outputs.n_columns;
    const char *p = s->callbacks.vars, *name;
    text list;
    if (!p || !*p) {
        for (int i = 0; i < n; i++) {
            code_column c = code_column_in(&s->code->outputs, i);
            chosen[i] = has_derivative(c) || c.alias;
        }
        return VINC_OK;
    }
    text_init(&list, &s->m);
    while ((name = next_name(&p, ",;|:", &s->scratch)) != NULL)
        text_printf(&list, "%s%s", list.n ? "," : "", name_inside(name, &s->scratch));
    result_selection select;
    result_fault fault = {0};
    int rc = result_select(r, text_str(&list), &select, &fault);
    text_done(&list);
    if (rc < 0) {
        diag_error(s->sink, fault.code, (span){0}, "%s", fault.text);
        return rc == RESULT_E_MEMORY ? VINC_E_MEMORY : VINC_E_OPTION;
    }
    for (int i = 0; i < n; i++) {
        int at = result_find(r, code_column_name(s->code, i, &s->scratch));
        for (int k = 0; k < select.n_curves; k++)
            if (select.curves[k].y == at || select.curves[k].x == at) chosen[i] = true;
    }
    result_selection_done(&select);
    return VINC_OK;
}

/* Units of x over units of the parameter are left out: they would have to be simplified to be read. */
/* "d(x)/d(L)". Inside a guard. */
static const char *slope_name(vinc_sim *s, const char *of, int k)
{
    const char *by = s->sens->names[k];
    size_t n = strlen(of) + strlen(by) + 8;
    char *name = arena_array(&s->scratch, char, n);
    snprintf(name, n, "d(%s)/d(%s)", of, by);
    return name;
}

static int declare_one(vinc_sim *s, result *r, int column, int k, bool alias, int of)
{
    const char *name = slope_name(s, code_column_name(s->code, column, &s->scratch), k);
    const code_column c = code_column_in(&s->code->outputs, column);
    const char *comment = code_look_of(s->code, c)->comment;
    return alias ? result_add_alias(r, name, "", comment, of, c.alias < 0)
                 : result_add(r, name, "", comment, RESULT_REAL);
}

typedef struct column_job {
    vinc_sim *s;
    result *r;
} column_job;

static int declare(void *job)
{
    vinc_sim *s = ((column_job *)job)->s;
    result *r = ((column_job *)job)->r;
    api_sens *x = s->sens;
    int n = s->code->outputs.n_columns, n_outputs = 0;
    bool *chosen = arena_array(&s->scratch, bool, n + 1);
    int *outputs = arena_array(&s->scratch, int, n + 1), *at = arena_array(&s->scratch, int, n + 1);
    memset(chosen, 0, (size_t)n + 1);
    int rc = select_columns(s, r, chosen);
    if (rc) return rc;
    for (int i = 0; i < n; i++) { // an alias needs what it repeats
        code_column c = code_column_in(&s->code->outputs, i);
        if (chosen[i] && c.alias) chosen[c.at] = true;
    }
    x->n_columns = 0;
    x->columns = arena_array(&s->scratch, int, n + 1);
    for (int i = 0; i < n; i++) {
        code_column c = code_column_in(&s->code->outputs, i);
        if (!chosen[i] || !has_derivative(c)) continue;
        x->columns[x->n_columns++] = i;
        outputs[n_outputs++] = code_output_of(c);
    }
    if (vary_record(vary_of(s->state), outputs, n_outputs)) return VINC_E_MEMORY;
    for (int k = 0; k < x->m; k++) {
        for (int i = 0; i < x->n_columns; i++) {
            at[x->columns[i]] = rc = declare_one(s, r, x->columns[i], k, false, 0);
            if (rc < 0) return VINC_E_MEMORY;
        }
        for (int i = 0; i < n; i++) {
            code_column c = code_column_in(&s->code->outputs, i);
            if (!chosen[i] || !c.alias || !has_derivative(code_column_in(&s->code->outputs, c.at)))
                continue;
            rc = declare_one(s, r, i, k, true, at[c.at]);
            if (rc < 0) return VINC_E_MEMORY;
        }
    }
    return VINC_OK;
}

int api_sens_declare(vinc_sim *s, result *r)
{
    column_job j = {s, r};
    return s->sens ? api_run_guarded(s, declare, &j) : VINC_OK;
}

/* ---- the selection --------------------------------------------------------------------------- */

static bool is_varying(const vinc_sim *s, const char *name)
{
    const result *r = s->result.r;
    int at = r ? result_find(r, name) : -1;
    return strpbrk(name, "*?") || (at > 0 && !r->columns[at].constant);
}

static int make_selection(void *job)
{
    vinc_sim *s = job;
    api_sens *x = s->sens;
    text all;
    text_init(&all, &s->m);
    text_add(&all, s->callbacks.vars);
    for (int k = 0; k < x->m; k++) {
        const char *p = s->callbacks.vars, *name;
        bool any = false;
        while ((name = next_name(&p, ",;|:", &s->scratch)) != NULL) {
            if (name_inside(name, &s->scratch) != name) continue;
            const char *one = slope_name(s, name, k);
            if (!is_varying(s, one) || strstr(s->callbacks.vars, one)) continue;
            text_printf(&all, "%s%s", any ? "," : ";", one);
            any = true;
        }
    }
    x->selection = arena_strndup(&s->said, text_str(&all), all.n);
    text_done(&all);
    return VINC_OK;
}

const char *vinc_sim_selection(vinc_sim *s)
{
    if (!s) return NULL;
    if (!s->sens || !s->callbacks.vars || !*s->callbacks.vars) return s->callbacks.vars;
    return api_run_guarded(s, make_selection, s) ? s->callbacks.vars : s->sens->selection;
}

/* ---- the run --------------------------------------------------------------------------------- */

const vinc_problem *api_sens_begin(vinc_sim *s, double **y, double **yp)
{
    api_sens *x = s->sens;
    const double *dy, *dyp;
    *y = s->y;
    *yp = s->yp;
    if (!x) return run_problem(s->state);
    const vinc_problem *p = vary_problem(vary_of(s->state));
    size_t n = (size_t)run_problem(s->state)->n, m = (size_t)vary_moving(vary_of(s->state));
    vary_started(vary_of(s->state), &dy, &dyp);
    memcpy(x->y, s->y, n * sizeof *x->y);
    memcpy(x->yp, s->yp, n * sizeof *x->y);
    memcpy(x->y + n, dy, m * n * sizeof *x->y);
    memcpy(x->yp + n, dyp, m * n * sizeof *x->y);
    for (size_t k = 0; k < m && k < (size_t)x->m; k++) {
        if (!x->guess[k]) continue;
        memset(x->y + (1 + k) * n, 0, n * sizeof *x->y);
        memset(x->yp + (1 + k) * n, 0, n * sizeof *x->y);
    }
    *y = x->y;
    *yp = x->yp;
    return p;
}

void api_sens_end(vinc_sim *s, sim_outcome *done)
{
    int n = run_problem(s->state)->n;
    size_t bytes = (size_t)n * sizeof *s->y;
    if (!s->sens || !n) return;
    int *named[] = {&done->worst, &done->stats.open_unknown, &done->stats.widened_unknown};
    for (int i = 0; i < 3; i++) // a derivative is named by what it is of
        if (*named[i] >= n) *named[i] %= n;
    memcpy(s->y, s->sens->y, bytes);
    memcpy(s->yp, s->sens->yp, bytes);
}
