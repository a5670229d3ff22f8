/* Rosenbrock methods: linearly implicit, one factorisation and s solutions per step, no iteration.
 *
 * For M y' = f(t, y) with the exact Jacobian and U_i = h sum_j gamma_ij k_j (E. Hairer & G. Wanner
 * II, section IV.7):
 *
 *     (M/(h gamma) - f_y) U_i = f(t_i, y + sum a_ij U_j) + M sum (c_ij/h) U_j + h gamma_i f_t
 *
 * In terms of F the right-hand side is -F(t_i, Y_i, -sum (c_ij/h) U_j) - h gamma_i F_t as long as
 * dF/dy' is constant. Otherwise w = y' is taken for a further unknown, y' = w, 0 = F(t, y, w), and
 * eliminated again: the same matrix, and dF/dy' times R_i = W_i + sum (c_ij/h) U_j on the right,
 * W_i = w + sum a_ij V_j, V_i = U_i/(h gamma) - R_i. Whether it is constant shows from one Jacobian
 * to the next: there is one for every step.
 *
 * For index 1 and, since stages are solved only once, loose tolerances. In all of them the last
 * stage begins at the new point of the embedded formula, and its increment U_s leads to that of the
 * method: it is the error estimate, and its derivative is y' there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/rosenbrock.h"
#include "method/method_list.h"
#include "method/rosenbrock_step.h"
#include "method/small_stages.h"
#include "method/stages.h"
#include "method/step.h"

#include <float.h>
#include <math.h>
#include <string.h>

static size_t rosenbrock_layout(void *state, const method_core *c, void *block)
{
    rosenbrock *s = state;
    bool small = c->n > 0 && c->n <= ROSENBROCK_WHOLE_MAX;
    s->stride = small ? small_stride(c->n) : c->n;
    size_t n = (size_t)s->stride;
    bump b = bump_begin(block);
    s->t = c->method->detail;
    s->at = rosenbrock_place(s->t, s->stride, small ? (int)c->jac.nnz : 0);
    s->u = bump_double(&b, (size_t)s->at.end);
    s->f_t = s->u ? s->u + s->at.f_t : NULL;
    s->in = bump_double(&b, ROSENBROCK_IN_WEIGHT + 3 * n);
    s->v = bump_double(&b, (size_t)s->t->stages * n);
    s->dyp = bump_double(&b, (size_t)c->jac.nnz);
    double **arrays[] = {&s->y,   &s->w,        &s->r,        &s->mass_r,  &s->y0,
                         &s->yp0, &s->dense[0], &s->dense[1], &s->dense[2]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = bump_double(&b, n);
    return bump_end(&b);
}

static int rosenbrock_open(method_core *c)
{
    rosenbrock *s = c->state;
    la_config config = {.n = c->jac.pattern.n_cols,
                        .blocks = problem_blocks(c->p),
                        .pattern = &c->jac.pattern,
                        .backend = c->config.la,
                        .forgiving = c->p->event,
                        .crew = c->config.crew,
                        .work = &c->run->stats.work};
    unsigned kinds = c->p->whole_step ? c->p->whole_kinds : 0;
    s->offered = kinds & (VINC_WHOLE_ROSENBROCK | VINC_WHOLE_BY_LISTS);
    s->by_lists = kinds & VINC_WHOLE_BY_LISTS;
    s->numbers = kinds & VINC_WHOLE_MASS;
    if (s->by_lists && !config.backend) config.backend = "indexed";
    if (s->offered) s->work_whole = rosenbrock_whole_work(c->p, s->t);
    int status = la_new(c->m, &config, &s->lu);
    return !status ? VINC_OK : status == LA_E_MEMORY ? VINC_E_MEMORY : VINC_E_OPTION;
}

static void rosenbrock_close(method_core *c)
{
    rosenbrock *s = c->state;
    la_free(s->lu);
}

static int rosenbrock_start(method_core *c)
{
    rosenbrock *s = c->state;
    s->h_lu = 0;
    s->constant = s->numbers;
    s->have_time = false;
    s->first = true;
    s->ready = NO_STAGES;
    c->have_jac = false;
    return 0;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* F_t by a difference; the only derivative that a problem does not give. Backwards where there is nothing ahead, as of
 * the root of what vanishes at the next event. */
static int differentiate_time(method_core *c, rosenbrock *s, double h)
{
    double d = sqrt(DBL_EPSILON) * fmax(fabs(c->t), h);
    d = (c->t + d) - c->t;
    int status = problem_residual(c->p, &c->run->stats, c->t, c->y, c->yp, s->f_t);
    if (status) return step_status(status);
    status = problem_residual(c->p, &c->run->stats, c->t + d, c->y, c->yp, s->r);
    if (status > 0) {
        d = c->t - (c->t + d);
        status = problem_residual(c->p, &c->run->stats, c->t + d, c->y, c->yp, s->r);
    }
    for (int i = 0; i < c->n && !status; i++) s->f_t[i] = (s->r[i] - s->f_t[i]) / d;
    s->have_time = !status;
    s->h_time = h;
    return step_status(status);
}

static int rosenbrock_prepare(method_core *c, rosenbrock *s, double h)
{
    size_t bytes = (size_t)c->jac.nnz * sizeof(double);
    if (!c->jac_current || !c->have_jac) {
        bool again = c->have_jac;
        if (again) memcpy(s->dyp, c->jac.dyp, bytes);
        int status = problem_jac_eval(&c->jac, &c->run->stats, c->t, c->y, c->yp, h);
        c->have_jac = c->jac_current = !status;
        s->h_lu = 0;
        s->have_time = false;
        if (status) return step_status(status);
        s->constant = s->numbers || (again && memcmp(s->dyp, c->jac.dyp, bytes) == 0);
    }
    if (!s->have_time && !c->p->autonomous) {
        int status = differentiate_time(c, s, h);
        if (status) return status;
    }
    if (s->h_lu == h) return STEP_OK;
    int status = la_factor(s->lu, c->jac.dy, c->jac.dyp, 1 / (h * s->t->gamma), 0);
    c->run->stats.factorizations++;
    c->defect = s->lu->defect;
    core_watch(c, s->lu);
    s->h_lu = status ? 0 : h;
    s->factored = !status;
    const double *im;
    s->inverse = small_is(c->n) ? la_inverse(s->lu, &im) : NULL;
    return !status ? STEP_OK : status == LA_SINGULAR ? STEP_SINGULAR : STEP_UNDEFINED;
}

/* ---- stages ---------------------------------------------------------------------------------- */

static int rosenbrock_stage(method_core *c, rosenbrock *s, int i, double t_new, double h)
{
    const rosenbrock_table *k = s->t;
    int n = c->n, at = s->stride;
    double *restrict u = s->u + (size_t)i * (size_t)at, *restrict v = s->v + (size_t)i * (size_t)at;
    core_count_sums(c, (s->constant ? 2 : 4) * i);
    double t = k->alpha[i] == 1 ? t_new : c->t + k->alpha[i] * h, inverse = 1 / (h * k->gamma);
    if (s->constant && s->inverse) {
        small_sum(&(small_sums){n, i, s->u, k->a[i], k->c[i], c->y, 1 / h, s->y, s->w});
    } else {
        stages_sum_part(i, k->a[i], -1, s->u, at, c->y, s->y, n);
        if (s->constant) stages_sum_part(i, k->c[i], 1 / h, s->u, at, NULL, s->w, n);
        else {
            stages_sum_part(i, k->a[i], 1, s->v, at, c->yp, s->w, n);
            stages_sum_part(i, k->c[i], -1 / h, s->u, at, s->w, v, n); // R_i
        }
    }
    int status = problem_residual(c->p, &c->run->stats, t, s->y, s->w, u);
    if (status) return step_status(status);
    if (!s->constant) {
        core_mass(c, 1, v, s->mass_r);
        for (int m = 0; m < n; m++) u[m] -= s->mass_r[m];
    }
    double ft = c->p->autonomous ? 0 : h * k->gamma_i[i];
    for (int m = 0; m < n && ft != 0; m++) u[m] += ft * s->f_t[m];
    if (s->inverse) la_count_solve(s->lu), small_multiply(s->inverse, n, u);
    else la_solve(s->lu, u);
    c->run->stats.solves++;
    for (int m = 0; m < n && !s->constant; m++) v[m] = -inverse * u[m] - v[m];
    return STEP_OK;
}

/* From the last stage to the new point. */
static void rosenbrock_finish(method_core *c, rosenbrock *s, double h)
{
    int n = c->n, last = s->t->stages - 1;
    const double *restrict u = s->u + last * s->stride, *restrict v = s->v + last * s->stride;
    double inverse = 1 / (h * s->t->gamma);
    for (int i = 0; i < n; i++) {
        c->y_new[i] = s->y[i] - u[i];
        c->yp_new[i] = s->w[i] + (s->constant ? -inverse * u[i] : v[i]);
    }
}

static int rosenbrock_in_pieces(method_core *c, rosenbrock *s, double t_new, double h)
{
    int status = rosenbrock_prepare(c, s, h);
    for (int i = 0; i < s->t->stages && !status; i++) status = rosenbrock_stage(c, s, i, t_new, h);
    if (!status) rosenbrock_finish(c, s, h);
    return status;
}

static void rosenbrock_measure(method_core *c, const rosenbrock *s, bool whole, double h,
                               step_result *result)
{
    const problem_norm *norm = &c->norm;
    result->order = s->t->embedded;
    result->new_factors = true;
    if (problem_norm_is_plain(norm) && !norm->shared && norm->n) {
        double squares = whole ? s->u[s->at.squares] : problem_sum_error(norm, c->error_vector, h);
        result->error = problem_of_squares_error(norm, squares);
        result->squares = squares;
        result->per_n = problem_per_n(norm);
    } else {
        result->error = problem_norm_error(norm, c->error_vector, h);
        result->squares = result->error * result->error;
        result->per_n = 1;
    }
}

static int rosenbrock_attempt(method_core *c, double t_new, double h, step_result *result)
{
    rosenbrock *s = c->state;
    const rosenbrock_table *k = s->t;
    if (s->ready == KEPT) s->ready = NO_STAGES;
    double work = c->run->stats.work;
    rosenbrock_one one;
    bool offered = rosenbrock_one_offered(c, s, &one);
    int status = offered && !s->in_pieces ? rosenbrock_in_one(c, s, &one, t_new, h) : 1;
    s->in_pieces = false;
    bool whole = !status;
    if (status < 0) return STEP_STOP;
    if (!whole) status = rosenbrock_in_pieces(c, s, t_new, h);
    if (offered) c->run->stats.work = work + s->work_whole;
    if (status) return status;
    result->order = k->order;
    if (c->fixed) return STEP_OK;
    c->error_vector = s->u + (k->stages - 1) * s->stride;
    rosenbrock_measure(c, s, whole, h, result);
    return STEP_OK;
}

static int rosenbrock_accept(method_core *c, double t_new, double h)
{
    rosenbrock *s = c->state;
    size_t bytes = (size_t)c->n * sizeof(double);
    (void)t_new;
    memcpy(s->y0, c->y, bytes);
    memcpy(s->yp0, c->yp, bytes);
    if (s->first) core_straight_line(c, h, s->yp0);
    s->ready = s->t->n_dense ? KEPT : NO_STAGES;
    s->first = false;
    return 0;
}

static method_matrix rosenbrock_matrix(const method_core *c)
{
    const rosenbrock *s = c->state;
    return (method_matrix){.lu = s->lu, .c = 1 / (c->h_last * s->t->gamma), .c_scale = 1};
}

static const method_ops rosenbrock_ops = {
    .control = CONTROL_PREDICTIVE,
    .state_bytes = sizeof(rosenbrock),
    .layout = rosenbrock_layout,
    .open = rosenbrock_open,
    .close = rosenbrock_close,
    .start = rosenbrock_start,
    .attempt = rosenbrock_attempt,
    .accept = rosenbrock_accept,
    .glide = rosenbrock_glide,
    .interpolate = rosenbrock_interpolate,
    .blend = rosenbrock_blend,
    .lanes = rosenbrock_lanes,
    .looks = rosenbrock_looks,
    .inner_order = rosenbrock_inner_order,
    .matrix = rosenbrock_matrix,
};

/* ---- tables ---------------------------------------------------------------------------------- */

/* In the variables k_i: Gamma = (diag(1/gamma) - C)^-1, alpha = A Gamma, and b is one more row of A
 * with a 1 at its end. */
static void rosenbrock_tableau(const rosenbrock_table *k, method_tableau *t)
{
    int s = k->stages;
    double g[ROSENBROCK_STAGES_MAX][ROSENBROCK_STAGES_MAX] = {{0}};
    *t = (method_tableau){
        .stages = s, .order = k->order, .order_embedded = k->embedded, .linearly_implicit = true};
    for (int j = 0; j < s; j++) // columns of Gamma by forward substitution
        for (int i = j; i < s; i++) {
            double sum = i == j;
            for (int l = j; l < i; l++) sum += k->c[i][l] * g[l][j];
            g[i][j] = k->gamma * sum;
        }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            t->gamma[i][j] = g[i][j];
            t->b_embedded[j] += k->a[s - 1][i] * g[i][j];
            for (int l = 0; l < s; l++) t->a[i][j] += k->a[i][l] * g[l][j];
        }
    for (int i = 0; i < s; i++) {
        t->c[i] = k->alpha[i];
        t->b[i] = t->b_embedded[i] + g[s - 1][i];
    }
}

/* A. Sandu et al., Atmos. Environ. 31 (1997) 3459-3472. */
static const rosenbrock_table rodas3_table = {
    .stages = 4,
    .order = 3,
    .embedded = 2,
    .gamma = 0.5,
    .alpha = {0, 0, 1, 1},
    .gamma_i = {0.5, 1.5, 0, 0},
    .a = {{0}, {0}, {2, 0}, {2, 0, 1}},
    .c = {{0}, {4}, {1, -1}, {1, -1, -8.0 / 3}},
};

/* RODAS: Hairer & Wanner II, section VI.4. */
static const rosenbrock_table rodas4_table = {
    .stages = 6,
    .order = 4,
    .embedded = 3,
    .gamma = 0.25,
    .alpha = {0, 0.386, 0.21, 0.63, 1, 1},
    .gamma_i = {0.25, -0.1043, 0.1035, -0.0362, 0, 0},
    .a = {{0},
          {1.544},
          {0.9466785280815826, 0.2557011698983284},
          {3.314825187068521, 2.896124015972201, 0.9986419139977817},
          {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
          {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}},
    .c = {{0},
          {-5.6688},
          {-2.430093356833875, -0.2063599157091915},
          {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
          {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
          {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
           -6.058818238834054}},
    .n_dense = 2,
    .dense = {{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
               1.025137723295662},
              {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
               -6.594389125716872}},
};

/* RODAS5P: G. Steinebach, BIT Numer. Math. 63 (2023) 27. */
#define RODAS5P_ROW                                                                                \
    -7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256,              \
        0.030198172008377946
static const rosenbrock_table rodas5p_table = {
    .stages = 8,
    .order = 5,
    .embedded = 4,
    .gamma = 0.21193756319429014,
    .alpha = {0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1,
              1, 1},
    .gamma_i = {0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734,
                2.325825639765069},
    .a = {{0},
          {3},
          {2.849394379747939, 0.45842242204463923},
          {-6.954028509809101, 2.489845061869568, -10.358996098473584},
          {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
          {RODAS5P_ROW},
          {RODAS5P_ROW, 1},
          {RODAS5P_ROW, 1, 1}},
    .c = {{0},
          {-14.155112264123755},
          {-17.97296035885952, -2.859693295451294},
          {147.12150275711716, -1.41221402718213, 71.68940251302358},
          {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
          {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125,
           -0.6610691825249471},
          {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783,
           -19.097331116725623, -28.087943162872662},
          {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047,
           -40.06618937091002, -54.66780262877968, -9.48861652309627}},
    .n_dense = 3,
    .dense = {{25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204,
               0.524948541321073, 1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
              {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796,
               20.176138334709044, 15.98066361424651, -6.789040303419874, -6.710236069923372},
              {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643,
               -52.072871366152654, -59.78993625266729, -0.15582684282751913, 4.883087185713722}},
};

#define ROSENBROCK(id, p, text, source)                                                            \
    static void rodas##id(const double *opt, method_tableau *t)                                    \
    {                                                                                              \
        (void)opt;                                                                                 \
        rosenbrock_tableau(&rodas##id##_table, t);                                                 \
    }                                                                                              \
    const vinc_method vinc_method_rodas##id = {                                                    \
        .name = "rodas" #id,                                                                       \
        .summary = text,                                                                           \
        .cite = source,                                                                            \
        .order_min = p,                                                                            \
        .order_max = p,                                                                            \
        .traits = METHOD_IMPLICIT | METHOD_DAE | METHOD_ADAPTIVE | METHOD_ONESTEP | METHOD_STIFF | \
                  METHOD_LINEARLY_IMPLICIT,                                                        \
        .ops = &rosenbrock_ops,                                                                    \
        .tableau = rodas##id,                                                                      \
        .detail = &rodas##id##_table,                                                              \
    };

ROSENBROCK(3, 3, "Rosenbrock method of 4 stages, L-stable, for loose tolerances",
           "Sandu et al., Atmos. Environ. 31 (1997) 3459-3472")
ROSENBROCK(4, 4, "Rosenbrock method of 6 stages, L-stable, for loose tolerances",
           "Hairer & Wanner II, section VI.4")
ROSENBROCK(5p, 5, "Rosenbrock method of 8 stages, L-stable, for small systems",
           "Steinebach, BIT Numer. Math. 63 (2023) 27")
