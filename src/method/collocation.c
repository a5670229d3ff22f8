/* SPDX-License-Identifier: BSD-3-Clause */
#include "method/collocation.h"

typedef long double wide;

void collocation_begin(collocation *q, int n, const double *c)
{
    *q = (collocation){.n = n, .c = c, .product = {1}};
    wide *m = q->product;
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k >= 0; k--) m[k] = (k ? m[k - 1] : 0) - c[i] * m[k];
    for (int i = 0; i < n; i++) {
        wide *w = q->without[i], sum = 1;
        w[n - 1] = 1;
        for (int k = n - 1; k > 0; k--) w[k - 1] = m[k] + c[i] * w[k];
        for (int k = n - 2; k >= 0; k--) sum = sum * c[i] + w[k];
        q->inverse[i] = 1 / sum;
    }
}

/* Products of complex numbers by their parts: those of the language look for infinities first. */

/* u with u' - lambda u = M, at the nodes; u(1) = 1. 1/lambda = x + i y. */
static void collocation_column(const collocation *q, wide x, wide y, wide *re, wide *im)
{
    int n = q->n;
    wide u[SCHEME_STAGES + 1], v[SCHEME_STAGES + 1], one = 0, one_im = 0;
    for (int k = n; k > 0; k--) {
        wide a = (k < n ? (k + 1) * u[k + 1] : 0) - q->product[k],
             b = k < n ? (k + 1) * v[k + 1] : 0;
        u[k] = x * a - y * b, v[k] = x * b + y * a;
        one += u[k], one_im += v[k];
    }
    wide size = 1 / (one * one + one_im * one_im), s = one * size, t = -one_im * size;
    for (int i = 0; i < n; i++) {
        wide a = 0, b = 0, c = q->c[i];
        for (int k = n; k > 0; k--) a = (a + u[k]) * c, b = (b + v[k]) * c;
        re[i] = a * s - b * t, im[i] = a * t + b * s;
    }
}

static void collocation_row(const collocation *q, wide x, wide y, collocation_pair *out)
{
    int n = q->n;
    wide u[SCHEME_STAGES] = {1}, v[SCHEME_STAGES] = {0}; // moments
    for (int k = 1; k < n; k++) {
        u[k] = k * (u[k - 1] * x - v[k - 1] * y);
        v[k] = k * (u[k - 1] * y + v[k - 1] * x);
    }
    wide one = 0, one_im = 0;
    for (int i = 0; i < n; i++) {
        wide a = 0, b = 0;
        for (int k = 0; k < n; k++) a += q->without[i][k] * u[k], b += q->without[i][k] * v[k];
        a *= q->inverse[i], b *= q->inverse[i];
        one += a * out->re[i] - b * out->im[i], one_im += a * out->im[i] + b * out->re[i];
        out->row[i] = a, out->row_im[i] = b;
    }
    wide size = 1 / (one * one + one_im * one_im), s = one * size, t = -one_im * size;
    for (int i = 0; i < n; i++) {
        wide a = out->row[i], b = out->row_im[i];
        out->row[i] = a * s - b * t, out->row_im[i] = a * t + b * s;
    }
}

void collocation_vectors(const collocation *q, long double re, long double im,
                         collocation_pair *out)
{
    wide size = 1 / (re * re + im * im), x = re * size, y = -im * size;
    collocation_column(q, x, y, out->re, out->im);
    collocation_row(q, x, y, out);
}
