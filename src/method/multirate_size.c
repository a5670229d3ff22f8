/* Errors of steps of all unknowns with parts, and the sizes that follow from them.
 *
 * An error counts by what it does to others. The next step of all is as long as is cheapest: the few unknowns that ask for
 * much shorter steps are left out of the question and will make their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/larger.h"
#include "method/multirate.h"

#include <string.h>

/* Rates of decay, and what an error may be: unknowns that follow another one within the step have an error, too, where
 * that has. What an unknown misses of a part acts on all that read it, the part itself among them, for as long as the
 * step takes: by the derivative of their rate times that time. */
void multirate_weigh(const method_core *c, multirate *s, double h)
{
    const vinc_pattern *a = &c->jac.pattern;
    const double *mass = s->pairs.mass;
    for (int j = 0; j < c->n; j++) {
        s->decay[j] = 0;
        for (int e = a->start[j]; e < a->start[j + 1]; e++)
            if (a->row[e] == s->pairs.row[j]) s->decay[j] = larger_of(0, c->jac.dy[e] / mass[j]);
    }
    // By row, of its unknown: what a change of its rate comes to, and where it follows within the step what it follows to.
    for (int r = 0; r < c->n; r++) {
        int i = s->pairs.unknown[r];
        double rate = fabs(c->norm.inv[i] / mass[i]), fades = s->decay[i] * h;
        s->felt[r] = rate * h / (1 + fades);
        s->estimate[r] = fades > 1 ? rate / s->decay[i] : 0;
    }
    for (int j = 0; j < c->n; j++) {
        double reach = 0, most = c->norm.inv[j] / part_leave(s->decay[j] * h, LEAVE_MOST);
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            double change = a->row[e] == s->pairs.row[j] ? 0 : fabs(c->jac.dy[e]);
            reach = larger_of(reach, change * s->felt[a->row[e]]);
            most = larger_of(most, change * s->estimate[a->row[e]]);
        }
        s->inv[j] = smaller_of(most, FOLLOWERS_MOST * c->norm.inv[j]);
        s->reach[j] = reach;
        reach = larger_of(reach, c->norm.inv[j]);
        s->seen[j] = s->decay[j] * h > FADES_MIN
                         ? reach
                         : smaller_of(reach, FOLLOWERS_MOST * c->norm.inv[j]);
    }
}

/* An unknown that follows others within the step has an error of its own, which is another one in each step and does not
 * pile up. In a step of all, those that it follows know of it. A part of these alone is given the unknown with its error, all
 * through the step: where that comes to too much, the two belong together. False: there are too many of them. */
bool multirate_find_spoilt(const method_core *c, multirate *s, double h)
{
    const vinc_pattern *a = &c->jac.pattern;
    s->n_spoilt = 0;
    for (int j = 0; j < c->n; j++) {
        double error = fabs(c->error_vector[j]);
        if (s->fast[j] || s->decay[j] * h <= FADES_MIN || error * s->reach[j] <= ERROR_MOST)
            continue;
        for (int e = a->start[j]; e < a->start[j + 1]; e++) {
            int i = s->pairs.unknown[a->row[e]];
            if (i == j || error * fabs(c->jac.dy[e]) * s->felt[a->row[e]] <= ERROR_MOST) continue;
            if (s->n_spoilt == c->n) return false;
            s->spoilt[s->n_spoilt++] = (multirate_pair){.given = j, .reader = i};
        }
    }
    return true;
}

/* Unknowns that are fast: held, or with an error that is too large. How many of the second kind. */
int multirate_find_fast(const method_core *c, multirate *s)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        bool held = s->held[s->pairs.row[i]];
        bool wrong = !held && fabs(c->error_vector[i]) * s->inv[i] > ERROR_MOST;
        s->fast[i] = held || wrong;
        n += wrong;
    }
    return n;
}

/* That an error of h allows. */
double multirate_size(const multirate *s, double h, double error)
{
    const double GROWTH_MOST = 8; // as of the controller
    return smaller_of(h * part_growth(error), larger_of(h * GROWTH_MOST, s->h_cut));
}

/* Of a step of an unknown of which no part is known, and beside it in a step of all. */
double multirate_guess(const method_core *c)
{
    const double STAGES = 9, REST = 500; // as in part_step_work
    return STAGES * c->p->work_residual / c->n + REST;
}

/* By unknown: the size that it would allow by itself, and the work of its steps and beside them. */
static void multirate_wishes(const method_core *c, multirate *s, double t_new, double h)
{
    double guess = multirate_guess(c);
    for (int i = 0; i < c->n; i++) {
        const part_trace *trace = multirate_of(s, i);
        const part_code *x = trace ? &s->codes.code[trace->code] : NULL;
        s->work[i] = x ? part_step_work(x) / x->own.n : guess;
        s->beside[i] = x ? part_window_work(x) / x->own.n : guess;
        if (!x || !s->began[i]) {
            double e = s->estimate[i] * s->inv[i] / ERROR_MOST;
            s->next[i] = multirate_size(s, h, problem_of_squares_error(&c->norm, e * e));
            continue;
        }
        int m = 0;
        while (x->unknown[m] != i) m++;
        s->next[i] = multirate_same_time(trace->t_end, t_new, h)
                         ? trace->wish[m]
                         : part_at(x, trace, t_new, NULL, NULL);
    }
}

/* Those that ask for the shortest steps, ascending; how many. */
static int multirate_shortest(const method_core *c, const multirate *s, int *which)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        int at = n;
        while (at > 0 && s->next[i] < s->next[which[at - 1]]) at--;
        if (at == SHORTEST_MAX) continue;
        n += n < SHORTEST_MAX;
        for (int k = n - 1; k > at; k--) which[k] = which[k - 1];
        which[at] = i;
    }
    return n;
}

/* The size of the steps of an unknown that is left out, which are those of its part: the others of it were left out before.
 * sizes: of these; 0: it is not left out. */
static double multirate_size_among(const method_core *c, const multirate *s, double *sizes, int i)
{
    const vinc_pattern *a = &c->jac.pattern;
    double size = s->next[i];
    for (int e = a->start[i]; e < a->start[i + 1]; e++) {
        int j = s->pairs.unknown[a->row[e]];
        if (sizes[j] > 0 && sizes[j] < size && part_reads(c, &s->pairs, i, j)) size = sizes[j];
    }
    return sizes[i] = size;
}

/* The size of the next step of all. Of length H it costs a step of all and, for each unknown that is left out of it,
 * what its part takes beside steps, and its own steps: the work per time is least for one of the sizes that the rest
 * allows when the k most demanding are left out. These keep their wish in `next`. And the error of this step. */
void multirate_next(const method_core *c, multirate *s, double t_new, double h, double growth,
                    step_result *result)
{
    int which[SHORTEST_MAX];
    double parts = 0, all = s->work_step, least = INFINITY, H = h, squares = 0;
    multirate_wishes(c, s, t_new, h);
    int n = multirate_shortest(c, s, which);
    memset(s->point, 0, (size_t)c->n * sizeof *s->point);
    for (int k = 0; k < n; k++) {
        int i = which[k];
        double cost = all / s->next[i] + parts;
        if (cost < least) least = cost, H = s->next[i];
        parts += s->work[i] / multirate_size_among(c, s, s->point, i);
        all += s->beside[i];
    }
    for (int i = 0; i < c->n; i++) {
        double e = s->error[i] * s->inv[i] / ERROR_MOST;
        if (s->next[i] < H) continue;
        s->next[i] = 0;
        squares += e * e;
    }
    result->error = problem_of_squares_error(&c->norm, squares);
    // A step that had to end is followed by one between its length and the one that was tried.
    result->h_next = smaller_of(H, s->h_cut > 0 ? 0.5 * (h + s->h_cut) : growth * h);
}
