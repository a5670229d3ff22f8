/* One run of the command, and its errors in units of the tolerance.
 *
 * An error counts as the tolerance is defined: |x - reference| / (tol (|reference| + nominal)), at every output point
 * and for every column that the reference knows. The condition of a value says how much of an error the problem itself
 * makes: the sum, over what was drawn and over start values, of the change that a relative change of one makes
 * (start values: by their weight), in the same units; and of the change of the value when the states it is made of move
 * by their weights. An error that is not far above the condition is no fault of a method.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "honest.h"

static const double FINE = 1e-28, COARSE = 1e-22, FINE_STIFF = 1e-16, COARSE_STIFF = 1e-14;
static const double LARGE = 100; // errors above it need an explanation
static const double EXPLAINED =
    10; // within that many times its condition an error is the problem's own
static const double MOVE = 1e-12;    // relative, for conditions
static const double EVENT_TOLS = 10; // a jump may be that many tolerances early or late

/* ---- the reference ------------------------------------------------------------------------------------- */

static void reference_states(problem *p, const reference *r, double t, int i, const real *states)
{
    series *s = p->s;
    series_node *time = &s->at[series_time(s)];
    real late = (real)t - (real)r->times[i]; // of the row, by rounding
    time->v[0] = r->times[i], time->v[1] = 1;
    for (int k = 0; k < p->n_states; k++) s->at[p->unknown[k]].v[0] = states[i * p->n_states + k];
    if (p->n_states && late != 0) {
        series_coefficient(s, 0);
        for (int k = 0; k < p->n_states; k++)
            s->at[p->unknown[k]].v[0] += late * s->at[p->rate[k]].v[0];
    }
    time->v[0] = t;
    series_coefficient(s, 0);
    for (int k = 0; k < p->n_states; k++) s->at[p->unknown[k]].v[1] = s->at[p->rate[k]].v[0];
    series_coefficient(s, 1);
}

reference *reference_new(problem *p, const judge *j)
{
    reference *r = calloc(1, sizeof *r);
    r->n = j->points + 1;
    r->times = calloc((size_t)r->n, sizeof *r->times);
    for (int i = 0; i < r->n; i++) r->times[i] = p->stop * i / j->points;
    size_t n = (size_t)r->n * (size_t)p->n_states;
    real *coarse = calloc(n + 1, sizeof *coarse);
    r->states = calloc(n + 1, sizeof *r->states);
    r->failed = !integrate(p, r->times, r->n, p->stiff ? FINE_STIFF : FINE, NULL, r->states) ||
                !integrate(p, r->times, r->n, p->stiff ? COARSE_STIFF : COARSE, NULL, coarse);
    for (size_t i = 0; i < n; i++) {
        double e = (double)(fabsq(coarse[i] - r->states[i]) / (fabsq(r->states[i]) + 1) / 1e-10);
        r->doubt = e > r->doubt || e != e ? e : r->doubt;
    }
    free(coarse);
    return r;
}

void reference_free(const problem *p, reference *r)
{
    for (int k = 0; r->moved && k < p->n_parameters + p->n_states; k++) free(r->moved[k]);
    free(r->moved);
    free(r->states);
    free(r->times);
    free(r);
}

/* ---- the run ------------------------------------------------------------------------------------------- */

typedef struct table {
    char *text;
    int n_columns, n_rows;
    char **names;
    double *values;
} table;

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(n + 1);
    n = fread(text, 1, n, f);
    text[n] = 0;
    fclose(f);
    return text;
}

static bool table_read(table *c, const char *path)
{
    *c = (table){.text = read_all(path)};
    if (!c->text) return false;
    char *body = strchr(c->text, '\n');
    if (!body) return false;
    *body++ = 0;
    for (const char *x = c->text; x; x = strchr(x + 1, ',')) c->n_columns++;
    c->names = calloc((size_t)c->n_columns, sizeof *c->names);
    char *name = c->text;
    for (int i = 0; i < c->n_columns; i++) {
        char *comma = name + strcspn(name, ",");
        c->names[i] = name;
        *comma = 0;
        name = comma + 1;
    }
    for (const char *x = body; *x; x++) c->n_rows += *x == '\n';
    c->values = calloc((size_t)c->n_rows * (size_t)c->n_columns + 1, sizeof *c->values);
    char *x = body;
    for (int i = 0; i < c->n_rows * c->n_columns; i++) {
        c->values[i] = strtod(x, &x);
        x += *x != 0;
    }
    return true;
}

static void table_free(table *c)
{
    free(c->text);
    free(c->names);
    free(c->values);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The command's exit status; -1: stopped after the limit. What it says goes to a file.
static int command(const judge *j, const judged *d, double end_time, const char *model,
                   const char *csv, const char *said)
{
    char tol[32], stop[32], points[16];
    snprintf(tol, sizeof tol, "%g", d->tol);
    snprintf(stop, sizeof stop, "%.17g", end_time);
    snprintf(points, sizeof points, "%d", j->points);
    const char *argv[] = {j->vincolo,
                          "run",
                          model,
                          "--tol",
                          tol,
                          "--stop",
                          stop,
                          "--intervals",
                          points,
                          "--out",
                          csv,
                          "--quiet",
                          *d->method ? "--method" : NULL,
                          d->method,
                          NULL};
    pid_t child = fork();
    if (!child) {
        int f = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        dup2(f, 1), dup2(f, 2);
        execvp(j->vincolo, (char *const *)argv);
        _exit(127);
    }
    double end = now() + j->limit;
    int status;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (now() > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- errors -------------------------------------------------------------------------------------------- */

typedef struct spot { // of an error: which column, which point
    int column, derivative_of, point;
    double time;
} spot;

static real spot_value(const problem *p, const spot *x) // after reference_states
{
    return x->column >= 0 ? p->s->at[p->columns[x->column].node].v[0]
                          : p->s->at[p->columns[x->derivative_of].node].v[1];
}

static real weight(real value, double nominal)
{
    return fabsq(value) + nominal;
}

static real spot_at(problem *p, const reference *r, const spot *x, double t)
{
    reference_states(p, r, t, x->point, r->states);
    return spot_value(p, x);
}

static double spot_error(problem *p, const reference *r, const spot *x, double got, double tol)
{
    double nominal = x->column >= 0 ? p->columns[x->column].nominal : 1;
    real value = spot_at(p, r, x, x->time);
    double e = (double)(fabsq(got - value) / weight(value, nominal)) / tol;
    if (e == e && (e <= LARGE || !p->jumps)) return e;
    if (e != e) return INFINITY;
    /* Beside a jump: the value just before or after it; where the reference is integrated, any. */
    double late = EVENT_TOLS * tol * fmax(1, x->time);
    for (int k = 0; k < p->n_events; k++)
        if (fabs(p->events[k] - x->time) < late) return 0;
    for (int side = -1; side <= 1 && !p->n_states; side += 2) {
        real other = spot_at(p, r, x, x->time + side * late);
        e = fmin(e, (double)(fabsq(got - other) / weight(other, nominal)) / tol);
    }
    return e;
}

// The k-th of what may move: parameters that were drawn, then start values.
static void move(problem *p, int k, bool back, real *start)
{
    series *s = p->s;
    if (k < p->n_parameters) {
        real factor = 1 + (real)MOVE;
        s->at[p->parameter[k]].x =
            back ? s->at[p->parameter[k]].x / factor : s->at[p->parameter[k]].x * factor;
        return;
    }
    k -= p->n_parameters;
    start[k] = back ? 0 : MOVE * weight(s->at[p->start[k]].v[0], p->columns[k].nominal);
}

static void reference_move(problem *p, reference *r)
{
    int n = p->n_parameters + p->n_states;
    real start[MAX_STATES] = {0};
    r->moved = calloc((size_t)n + 1, sizeof *r->moved);
    series_coefficient(p->s, 0);
    for (int k = 0; k < n; k++) {
        r->moved[k] = calloc((size_t)r->n * (size_t)p->n_states + 1, sizeof **r->moved);
        move(p, k, false, start);
        if (!integrate(p, r->times, r->n, p->stiff ? COARSE_STIFF : COARSE, start, r->moved[k]))
            memcpy(r->moved[k], r->states, sizeof **r->moved * (size_t)r->n * (size_t)p->n_states);
        move(p, k, true, start);
    }
}

static double condition(problem *p, reference *r, const spot *x)
{
    series *s = p->s;
    double nominal = x->column >= 0 ? p->columns[x->column].nominal : 1;
    real value, sum = 0, start[MAX_STATES] = {0};
    if (!r->moved) reference_move(p, r);
    value = spot_at(p, r, x, x->time);
    for (int k = 0; k < p->n_parameters + p->n_states; k++) {
        move(p, k, false, start);
        reference_states(p, r, x->time, x->point, r->moved[k]);
        sum += fabsq(spot_value(p, x) - value);
        move(p, k, true, start);
    }
    (void)spot_at(p, r, x, x->time);
    for (int k = 0; k < p->n_columns; k++) {
        if (p->columns[k].shift < 0) continue;
        series_node *shift = &s->at[p->columns[k].shift];
        shift->x = MOVE * weight(s->at[p->columns[k].node].v[0], p->columns[k].nominal);
        sum += fabsq(spot_at(p, r, x, x->time) - value);
        shift->x = 0;
    }
    return (double)(sum / MOVE / weight(value, nominal));
}

static void compare(problem *p, reference *r, const table *c, judged *d)
{
    int row = 0, known = 0;
    for (int i = 0; i < r->n; i++) {
        /* The rows of this output point: one, or two where an event falls on it. */
        double near = 8 * 0x1p-52 * p->stop;
        while (row < c->n_rows && c->values[row * c->n_columns] < r->times[i] - near) row++;
        int last = row;
        while (last < c->n_rows && c->values[last * c->n_columns] <= r->times[i] + near) last++;
        if (last == row) {
            snprintf(d->failure, sizeof d->failure, "no row at t = %.17g", r->times[i]);
            return;
        }
        for (int at = 1; at < c->n_columns; at++) {
            char of[NAME + 8];
            spot x = {.column = -1, .derivative_of = -1, .point = i};
            for (int m = 0; m < p->n_columns; m++) {
                snprintf(of, sizeof of, "der(%s)", p->columns[m].name);
                if (!strcmp(c->names[at], p->columns[m].name)) x.column = m;
                else if (p->columns[m].sort == STATE && !strcmp(c->names[at], of))
                    x.derivative_of = m;
            }
            if (x.column < 0 && x.derivative_of < 0) continue;
            known++;
            column_sort sort = x.column < 0 ? DERIVATIVE : p->columns[x.column].sort;
            double e = INFINITY;
            for (int m = row; m < last; m++) {
                x.time = c->values[m * c->n_columns];
                e = fmin(e, spot_error(p, r, &x, c->values[m * c->n_columns + at], d->tol));
            }
            d->error[sort] = fmax(d->error[sort], e);
            if (sort == STATE && i == r->n - 1) d->end = fmax(d->end, e);
            double k = e > LARGE ? condition(p, r, &x) : 0;
            bool wrong = e > LARGE && !(e <= EXPLAINED * k);
            if (wrong > d->wrong || (wrong == d->wrong && e > d->worst_error)) {
                snprintf(d->worst, sizeof d->worst, "%s", c->names[at]);
                d->wrong = wrong, d->worst_error = e, d->worst_time = x.time, d->condition = k;
            }
        }
        row = last;
    }
    if (!known)
        snprintf(d->failure, sizeof d->failure, "no column of the reference is in the result");
}

void judge_run(const judge *j, problem *p, reference *r, judged *d)
{
    char folder[300], model[340], csv[400], said[400];
    snprintf(folder, sizeof folder, "%s/%s", j->folder, p->name);
    mkdir(folder, 0755);
    snprintf(model, sizeof model, "%s/model.mo", folder);
    snprintf(csv, sizeof csv, "%s/%s-%g.csv", folder, *d->method ? d->method : "auto", d->tol);
    snprintf(said, sizeof said, "%s/%s-%g.txt", folder, *d->method ? d->method : "auto", d->tol);
    FILE *f = fopen(model, "w");
    if (!f) exit(2);
    fputs(p->model, f);
    fclose(f);
    remove(csv);
    snprintf(d->command, sizeof d->command,
             "%s run %s --tol %g --stop %.17g --intervals %d%s%s --out %s", j->vincolo, model,
             d->tol, p->stop, j->points, *d->method ? " --method " : "", d->method, csv);
    d->doubt = r->doubt;
    double begin = now();
    int status = command(j, d, p->stop, model, csv, said);
    d->seconds = now() - begin;
    table c;
    if (r->failed) snprintf(d->failure, sizeof d->failure, "the reference could not be integrated");
    else if (status == -1) snprintf(d->failure, sizeof d->failure, "not done in %g s", j->limit);
    else if (status) {
        char *text = read_all(said), *error = text ? strstr(text, "error:") : NULL;
        snprintf(d->failure, sizeof d->failure, "status %d: %.150s", status, error ? error : text);
        d->failure[strcspn(d->failure, "\n")] = 0;
        free(text);
    } else if (!table_read(&c, csv)) snprintf(d->failure, sizeof d->failure, "no result");
    else {
        compare(p, r, &c, d);
        table_free(&c);
    }
}
