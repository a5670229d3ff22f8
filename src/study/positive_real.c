/* `vincolo passivity`: is a transfer function positive real?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "pencil/passive.h"
#include "told/json.h"

#include <math.h>
#include <stdlib.h>

typedef struct passivity_job {
    vinc_ctx *ctx;
    const char *num, *den;
    vinc_format format;
} passivity_job;

// Numbers separated by commas; how many, or -1 after a message.
static int read_list(vinc_ctx *ctx, const char *what, const char *list, double *x)
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

static int report(void *job)
{
    static const char *const kinds[] = {"memoryless", "lossless", "storage-limited", "active"};
    passivity_job *j = job;
    double num[PASSIVE_DEGREE + 1], den[PASSIVE_DEGREE + 1];
    text *o = &j->ctx->out;
    text_clear(o);
    int n = read_list(j->ctx, "numerator", j->num, num);
    int d = n < 0 ? -1 : read_list(j->ctx, "denominator", j->den, den);
    if (d < 0) return VINC_E_OPTION;
    passive_report r;
    if (passive_analyse(&j->ctx->front, n, num, d, den, &r)) {
        diag_error(&j->ctx->diags, "C155", (span){0}, "%s", r.reason);
        return VINC_E_OPTION;
    }
    if (j->format == VINC_JSON) {
        json js = {o, true};
        json_open(&js, NULL, '{');
        json_bool(&js, "passive", r.kind != PASSIVE_ACTIVE);
        json_text(&js, "kind", kinds[r.kind]);
        json_bool(&js, "strictly", r.strictly);
        json_open(&js, "crossings", '[');
        for (int i = 0; i < r.n_crossings; i++) json_real(&js, NULL, r.crossings[i]);
        json_close(&js, ']');
        json_text(&js, "reason", r.reason);
        json_close(&js, '}');
        text_char(o, '\n');
        return VINC_OK;
    }
    text_printf(o, "H(s) with numerator %s and denominator %s (highest power first)\n", j->num,
                j->den);
    text_printf(o, "  %-14s %s\n  %-14s %s\n", "verdict", r.reason, "kind", kinds[r.kind]);
    text_printf(o, "  %-14s eigenvalues of the Hamiltonian pencil on the imaginary axis:", "how");
    for (int i = 0; i < r.n_crossings; i++) text_printf(o, " %.9g", r.crossings[i]);
    text_add(o, r.n_crossings ? "\n" : " none\n");
    return VINC_OK;
}

int vinc_passivity_report(vinc_ctx *ctx, const char *numerator, const char *denominator,
                          vinc_format format, const char **out)
{
    *out = "";
    if (!ctx) return VINC_E_MEMORY;
    int rc = api_guarded(ctx, report, &(passivity_job){ctx, numerator, denominator, format});
    if (!rc) *out = text_str(&ctx->out);
    return rc;
}
