/* `vincolo passivity`: is a transfer function positive real?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lab/poly.h"
#include "pencil/passive.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

#define FIELD(...) TOLD(vinc_positive_real, __VA_ARGS__)
static const told_field positive_real_fields[] = {
    FIELD(BOOL, "passive", passive),
    FIELD(WORD, "kind", kind),
    FIELD(BOOL, "strictly", strictly),
    TOLD_LIST(vinc_positive_real, REALS, "crossings", crossings, n_crossings),
    FIELD(WORD, "reason", reason),
    FIELD(INT, "common", n_common),
    FIELD(WORD, "numerator", numerator, .flags = TOLD_HIDDEN),
    FIELD(WORD, "denominator", denominator, .flags = TOLD_HIDDEN),
    {0},
};

static const told_line positive_real_lines[] = {
    {.words =
         "H(s) with numerator {numerator} and denominator {denominator} (highest power first)\n"
         "  verdict        {reason}\n"},
    {.words = "  cancelled      a common factor of degree {common}\n", .when = "common"},
    {.words = "  kind           {kind}\n"
              "  how            eigenvalues of the Hamiltonian pencil on the imaginary axis: "
              "{crossings:%.9g; |none}\n"},
    {0},
};

const told_kind study_positive_real = {
    .name = "positive_real",
    .command = "passivity --num N --den D",
    .summary = "is a transfer function positive real, that is, the system passive",
    .size = sizeof(vinc_positive_real),
    .fields = positive_real_fields,
    .lines = positive_real_lines,
};

typedef struct positive_real_job {
    vinc_ctx *ctx;
    const char *num, *den;
    vinc_positive_real **out;
} positive_real_job;

// Numbers separated by commas; how many, or -1 after a message.
static int read_coefficients(vinc_ctx *ctx, const char *what, const char *list, double *x)
{
    int n = 0;
    for (const char *at = list; n <= PASSIVE_DEGREE; at++) {
        char *end = NULL;
        x[n++] = strtod(at, &end);
        while (end != at && *end == ' ') end++;
        if (end == at || (*end && *end != ',') || !isfinite(x[n - 1])) break;
        if (!*end) return n;
        at = end;
    }
    diag_error(&ctx->diags, "C155", (span){0},
               "the %s '%s' must be at most %d numbers separated by commas, highest power first",
               what, list, PASSIVE_DEGREE + 1);
    return -1;
}

static poly ascending(int n, const double *x)
{
    poly p = poly_zero();
    p.n = n - 1;
    for (int i = 0; i < n; i++) p.c[i] = number_of(x[n - 1 - i]);
    poly_trim(&p);
    return p;
}

static int descending(const poly *p, double *x)
{
    for (int i = 0; i <= p->n; i++) x[p->n - i] = p->c[i].x;
    return p->n + 1;
}

/* What numerator and denominator have in common is no part of H. Known exactly where their coefficients are fractions.
 * The degree of the common factor. */
static int cancel_common_factor(int *n, double *num, int *d, double *den)
{
    poly p = ascending(*n, num), q = ascending(*d, den);
    int degree = q.n;
    if (poly_size(&p) == 0 || poly_size(&q) == 0) return 0;
    poly_reduce(&p, &q);
    if (q.n == degree) return 0;
    *n = descending(&p, num);
    *d = descending(&q, den);
    return degree - q.n;
}

static int tell_positive_real(void *job)
{
    static const char *const kinds[] = {"memoryless", "lossless", "storage-limited", "active"};
    positive_real_job *j = job;
    double num[PASSIVE_DEGREE + 1], den[PASSIVE_DEGREE + 1];
    watch_doing(&j->ctx->watch, "deciding on the passivity of", "the transfer function");
    int n = read_coefficients(j->ctx, "numerator", j->num, num);
    int d = n < 0 ? -1 : read_coefficients(j->ctx, "denominator", j->den, den);
    if (d < 0) return VINC_E_OPTION;
    int common = cancel_common_factor(&n, num, &d, den);
    passive_report r;
    if (passive_analyse(&j->ctx->scratch, n, num, d, den, &r)) {
        diag_error(&j->ctx->diags, "C155", (span){0}, "%s", r.reason);
        return VINC_E_OPTION;
    }
    vinc_positive_real told = {.numerator = j->num,
                               .denominator = j->den,
                               .passive = r.kind != PASSIVE_ACTIVE,
                               .strictly = r.strictly,
                               .kind = kinds[r.kind],
                               .reason = r.reason,
                               .n_common = common,
                               .n_crossings = r.n_crossings,
                               .crossings = r.crossings};
    return told_keep(&j->ctx->lasting, &study_positive_real, &told, j->out);
}

int vinc_positive_real_of(vinc_ctx *ctx, const char *numerator, const char *denominator,
                          vinc_positive_real **out)
{
    if (out) *out = NULL;
    if (!ctx || !out) return api_lacks(ctx, "a place for the report");
    if (!numerator || !denominator) return api_lacks(ctx, "a numerator and a denominator");
    int room = api_needs_blas(ctx);
    if (room) return room;
    return api_guarded(ctx, tell_positive_real,
                       &(positive_real_job){ctx, numerator, denominator, out});
}

int vinc_passivity_report(vinc_ctx *ctx, const char *numerator, const char *denominator,
                          vinc_format format, const char **out)
{
    vinc_positive_real *told = NULL;
    int rc = vinc_positive_real_of(ctx, numerator, denominator, &told);
    return study_say_ctx(ctx, rc, told, format, out);
}
