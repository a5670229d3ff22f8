/* One run of the command, and its errors in units of the tolerance.
 *
 * An error counts as the tolerance is defined: |x - reference| / (tol (|reference| + nominal)), at
 * every output point and for every column that the reference knows. The condition of a value says
 * how much of an error the problem itself makes: the sum, over what was drawn, of the change that
 * a relative change of one makes, in the same units; of the change when integrated states move by
 * their weights, at the start or somewhere on the way, whichever is most; and of the change of the
 * value when the states it is made of move by their weights. An error that is not far above the
 * condition is no fault of a method.
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

enum { PLACES = 6, NEAR = 3 }; // of the run, where states are moved; output points before a point
static const double FINE = 1e-28, COARSE = 1e-22, FINE_STIFF = 1e-16, COARSE_STIFF = 1e-14;
static const double LARGE = 100;     // errors above it need an explanation
static const double EXPLAINED = 10;  // times its condition: so far an error is the problem's own
static const double ROUGH = 1e-13;   // accuracy of integrations for conditions
static const double MOVE = 1e-9;     // relative, for conditions
static const double EVENT_TOLS = 10; // a jump may be that many tolerances early or late

/* ---- the reference --------------------------------------------------------------------------- */

static void reference_states(problem *p, const reference *r, double t, int i, const real *y)
{
    series *s = p->s;
    series_node *time = &s->at[series_time(s)];
    real late = (real)t - (real)r->times[i]; // of the row, by rounding
    time->v[0] = r->times[i], time->v[1] = 1;
    for (int k = 0; k < p->n_states; k++) s->at[p->unknown[k]].v[0] = y[k];
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

static void reference_start(problem *p, real *y)
{
    series_coefficient(p->s, 0);
    for (int k = 0; k < p->n_states; k++) y[k] = p->s->at[p->start[k]].v[0];
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
    real start[MAX_STATES];
    reference_start(p, start);
    r->failed = !integrate(p, r->times, r->n, p->stiff ? FINE_STIFF : FINE, start, r->states) ||
                !integrate(p, r->times, r->n, p->stiff ? COARSE_STIFF : COARSE, start, coarse);
    r->n_events = p->n_events;
    memcpy(r->events, p->events, sizeof r->events);
    for (size_t i = 0; i < n; i++) {
        double e = (double)(fabsq(coarse[i] - r->states[i]) / (fabsq(r->states[i]) + 1) / 1e-10);
        r->doubt = e > r->doubt || e != e ? e : r->doubt;
    }
    free(coarse);
    return r;
}

void reference_free(const problem *p, reference *r)
{
    for (int k = 0; r->moved && k < p->n_parameters + PLACES * p->n_states; k++) free(r->moved[k]);
    for (int i = 0; r->near && i < r->n; i++) free(r->near[i]);
    free(r->moved);
    free(r->near);
    free(r->states);
    free(r->times);
    free(r);
}

/* ---- the run --------------------------------------------------------------------------------- */

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

/* ---- errors ---------------------------------------------------------------------------------- */

typedef struct
    spot { // of an error: which column of the reference, or the derivative of which; where
    int column, derivative_of, point;
    double time;
} spot;

static real spot_value(const problem *p, const spot *x) // after reference_states
{
    return x->column >= 0 ? p->s->at[p->columns[x->column].node].v[0]
                          : p->s->at[p->columns[x->derivative_of].node].v[1];
}

static double rounding(const problem *p) // of times
{
    return 8 * 0x1p-52 * p->stop;
}

static double spot_nominal(const problem *p, const spot *x)
{
    return x->column >= 0 ? p->columns[x->column].nominal : 1;
}

static real weight(real value, double nominal)
{
    return fabsq(value) + nominal;
}

static real spot_at(problem *p, const reference *r, const spot *x, double t)
{
    reference_states(p, r, t, x->point, r->states + x->point * p->n_states);
    return spot_value(p, x);
}

static double spot_error(const problem *p, const spot *x, real value, double got, double tol)
{
    double e = (double)(fabsq(got - value) / weight(value, spot_nominal(p, x))) / tol;
    return e == e ? e : INFINITY;
}

/* Beside a jump: the value just before or after it will do; where the reference is integrated,
 * any. */
static double jump_error(problem *p, const reference *r, const spot *x, double e, double got,
                         double tol)
{
    double near = rounding(p) / 2, late = fmax(EVENT_TOLS * tol * fmin(1, p->stop), 2 * near);
    for (int k = 0; k < r->n_events; k++)
        if (fabs(r->events[k] - x->time) < late) return 0;
    for (double shift = late; shift > near && !p->n_states; shift /= 10)
        for (int side = -1; side <= 1; side += 2)
            e = fmin(e, spot_error(p, x, spot_at(p, r, x, x->time + side * shift), got, tol));
    return e;
}

static void move(problem *p, int parameter, bool back)
{
    real *x = &p->s->at[p->parameter[parameter]].x, factor = 1 + (real)MOVE;
    *x = back ? *x / factor : *x * factor;
}

/* Integrations with a parameter moved, then with a state moved at one of several places of the run,
 * by its weight. */
static void reference_move(problem *p, reference *r)
{
    int n = p->n_parameters, m = p->n_states;
    real start[MAX_STATES];
    size_t size = sizeof(real) * ((size_t)r->n * (size_t)m + 1);
    r->moved = calloc((size_t)(n + PLACES * m) + 1, sizeof *r->moved);
    for (int k = 0; k < n + PLACES * m; k++) {
        int first = k < n ? 0 : (k - n) / m * (r->n - 1) / PLACES;
        memcpy(r->moved[k] = malloc(size), r->states, size);
        if (k < n) move(p, k, false);
        reference_start(p, start);
        if (k >= n) {
            real *y = start + (k - n) % m;
            memcpy(start, r->states + first * m, sizeof(real) * (size_t)m);
            *y += MOVE * weight(*y, p->columns[(k - n) % m].nominal);
        }
        if (!integrate(p, r->times + first, r->n - first, ROUGH, start, r->moved[k] + first * m))
            memcpy(r->moved[k], r->states, size);
        if (k < n) move(p, k, true);
    }
}

// The same from a few output points before a point to it: each state moved up, then each moved down.
static const real *reference_near(problem *p, reference *r, int point)
{
    int m = p->n_states, first = point > NEAR ? point - NEAR : 0, n = point - first + 1;
    if (!r->near) r->near = calloc((size_t)r->n, sizeof *r->near);
    if (r->near[point]) return r->near[point];
    real *out = r->near[point] = calloc((size_t)(2 * m * m) + 1, sizeof *out);
    for (int k = 0; k < 2 * m; k++) {
        real start[MAX_STATES], path[(NEAR + 1) * MAX_STATES], *y = start + k % m;
        memcpy(start, r->states + first * m, sizeof(real) * (size_t)m);
        *y += (k < m ? MOVE : -MOVE) * weight(*y, p->columns[k % m].nominal);
        bool good = integrate(p, r->times + first, n, ROUGH, start, path);
        memcpy(out + k * m, good ? path + (n - 1) * m : r->states + point * m,
               sizeof(real) * (size_t)m);
    }
    return out;
}

static double condition(problem *p, reference *r, const spot *x, double tol)
{
    series *s = p->s;
    real sum = 0, places[PLACES] = {0};
    if (!r->moved) reference_move(p, r);
    real value = spot_at(p, r, x, x->time);
    for (int k = 0; k < p->n_parameters + PLACES * p->n_states; k++) {
        bool parameter = k < p->n_parameters;
        if (parameter) move(p, k, false);
        reference_states(p, r, x->time, x->point, r->moved[k] + x->point * p->n_states);
        *(parameter ? &sum : &places[(k - p->n_parameters) / p->n_states]) +=
            fabsq(spot_value(p, x) - value);
        if (parameter) move(p, k, true);
    }
    real most = 0;
    for (int k = 0; k < p->n_states; k++) {
        real moved = 0; // beside a switch the two directions differ
        for (int back = 0; back <= 1; back++) {
            const real *near = reference_near(p, r, x->point);
            reference_states(p, r, x->time, x->point,
                             near + (k + back * p->n_states) * p->n_states);
            moved = fmaxq(moved, fabsq(spot_value(p, x) - value));
        }
        most += moved;
    }
    for (int k = 0; k < PLACES; k++) most = fmaxq(most, places[k]);
    sum += most;
    sum /= MOVE;
    for (int k = 0; k < p->n_columns; k++) {
        if (p->columns[k].shift < 0) continue;
        series_node *shift = &s->at[p->columns[k].shift];
        (void)spot_at(p, r, x, x->time);
        shift->x = tol * weight(s->at[p->columns[k].node].v[0], p->columns[k].nominal);
        sum += fabsq(spot_at(p, r, x, x->time) - value) / tol;
        shift->x = 0;
    }
    return (double)(sum / weight(value, spot_nominal(p, x)));
}

// Columns of the result by columns of the reference; false: one of the reference is missing.
static bool match(const problem *p, const table *c, spot *spots, judged *d)
{
    bool found[MAX_COLUMNS] = {false};
    for (int at = 0; at < c->n_columns; at++) {
        spots[at] = (spot){.column = -1, .derivative_of = -1};
        for (int k = 0; k < p->n_columns; k++) {
            char of[NAME + 8];
            snprintf(of, sizeof of, "der(%s)", p->columns[k].name);
            if (!strcmp(c->names[at], p->columns[k].name)) spots[at].column = k, found[k] = true;
            else if (p->columns[k].sort == STATE && !strcmp(c->names[at], of))
                spots[at].derivative_of = k;
        }
    }
    for (int k = 0; k < p->n_columns; k++)
        if (!found[k] && !p->columns[k].optional) {
            snprintf(d->failure, sizeof d->failure, "'%s' is not in the result",
                     p->columns[k].name);
            return false;
        }
    return true;
}

static void compare_value(problem *p, reference *r, const char *name, const spot *x, double e,
                          judged *d)
{
    column_sort sort = x->column < 0 ? DERIVATIVE : p->columns[x->column].sort;
    d->error[sort] = fmax(d->error[sort], e);
    if (sort == STATE && x->point == r->n - 1) d->end = fmax(d->end, e);
    double k = e > LARGE ? condition(p, r, x, d->tol) : 0;
    bool wrong = e > LARGE && !(e <= EXPLAINED * k);
    if (wrong > d->wrong || (wrong == d->wrong && e > d->worst_error)) {
        snprintf(d->worst, sizeof d->worst, "%s", name);
        d->wrong = wrong, d->worst_error = e, d->worst_time = x->time, d->condition = k;
    }
}

/* Every row at an output point, and those between (at events) where the reference is known
 * everywhere. */
static void compare(problem *p, reference *r, const table *c, judged *d)
{
    spot spots[c->n_columns];
    real values[c->n_columns];
    double near = rounding(p);
    int points = 0;
    if (!match(p, c, spots, d)) return;
    for (int row = 0; row < c->n_rows; row++) {
        const double *got = c->values + row * c->n_columns;
        int point = (int)fmin(fmax(lround(got[0] / p->stop * (r->n - 1)), 0), r->n - 1);
        bool on = fabs(got[0] - r->times[point]) <= near;
        if (on && point == points) points++;
        if (!on && p->n_states) continue;
        for (int at = 1; at < c->n_columns; at++) spots[at].time = got[0], spots[at].point = point;
        reference_states(p, r, got[0], point, r->states + point * p->n_states);
        for (int at = 1; at < c->n_columns; at++)
            if (spots[at].column >= 0 || spots[at].derivative_of >= 0)
                values[at] = spot_value(p, &spots[at]);
        for (int at = 1; at < c->n_columns; at++) {
            if (spots[at].column < 0 && spots[at].derivative_of < 0) continue;
            double e = spot_error(p, &spots[at], values[at], got[at], d->tol);
            if (e > LARGE && p->jumps) e = jump_error(p, r, &spots[at], e, got[at], d->tol);
            compare_value(p, r, c->names[at], &spots[at], e, d);
        }
    }
    if (points < r->n)
        snprintf(d->failure, sizeof d->failure, "no row at t = %.17g", r->times[points]);
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
