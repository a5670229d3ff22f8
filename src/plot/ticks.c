/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/ticks.h"

#include "base/whole.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- texts ----------------------------------------------------------------------------------- */

static const char minus_sign[] = "\u2212";

int plot_superscript(int value, char *out)
{
    static const char *const digit[10] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                          "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char s[16];
    int n = 0;
    snprintf(s, sizeof s, "%d", value);
    for (const char *c = s; *c; c++) {
        const char *u = *c == '-' ? "\u207b" : digit[*c - '0'];
        memcpy(out + n, u, strlen(u));
        n += (int)strlen(u);
    }
    return n;
}

static const struct {
    const char *word, *sign;
} unit_signs[] = {{"degC", "\u00b0C"}, {"deg", "\u00b0"}, {"Ohm", "\u03a9"}};

/* The sign for a word that starts here, which must end a word; its length. */
static int unit_sign(const char *c, const char **sign)
{
    for (size_t i = 0; i < sizeof unit_signs / sizeof *unit_signs; i++) {
        size_t n = strlen(unit_signs[i].word);
        if (strncmp(c, unit_signs[i].word, n) == 0 && strchr("./)^-0123456789", c[n])) { // or NUL
            *sign = unit_signs[i].sign;
            return (int)n;
        }
    }
    return 0;
}

void plot_unit(const char *unit, char *out, int n)
{
    int used = 0;
    for (const char *c = unit; *c;) {
        char piece[40];
        int k;
        const char *sign;
        bool letter_before = c > unit && strchr("0123456789./(^*-+ ", c[-1]) == NULL;
        bool exponent = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+';
        if (exponent && letter_before) {
            int value = 0, factor = 1, digits = 0;
            const char *d = c;
            if (*d == '-' || *d == '+') factor = *d++ == '-' ? -1 : 1;
            for (; *d >= '0' && *d <= '9' && digits < 4; d++, digits++)
                value = value * 10 + *d - '0';
            k = digits ? plot_superscript(factor * value, piece) : 0;
            if (digits) c = d;
            else piece[k++] = *c++;
        } else if (!letter_before && (k = unit_sign(c, &sign)) > 0) {
            c += k;
            k = (int)strlen(strcpy(piece, sign));
        } else if (*c == '.') {
            memcpy(piece, "\u00b7", 2);
            k = 2;
            c++;
        } else {
            piece[0] = *c++;
            k = 1;
        }
        if (used + k >= n) break;
        memcpy(out + used, piece, (size_t)k);
        used += k;
    }
    out[used] = 0;
}

/* value * 10^exponent as a plain decimal. */
static void put_decimal(int64_t value, int exponent, char *out, size_t n)
{
    char digits[24], s[48];
    if (value == 0) {
        snprintf(out, n, "0");
        return;
    }
    snprintf(digits, sizeof digits, "%lld", (long long)(value < 0 ? -value : value));
    int d = (int)strlen(digits), k = 0;
    if (exponent >= 0)
        k = snprintf(s, sizeof s, "%s%.*s", digits, exponent > 20 ? 20 : exponent,
                     "00000000000000000000");
    else if (d > -exponent)
        k = snprintf(s, sizeof s, "%.*s.%s", d + exponent, digits, digits + d + exponent);
    else
        k = snprintf(s, sizeof s, "0.%.*s%s", -exponent - d > 20 ? 20 : -exponent - d,
                     "00000000000000000000", digits);
    (void)k;
    snprintf(out, n, "%s%s", value < 0 ? minus_sign : "", s);
}

/* ---- linear ---------------------------------------------------------------------------------- */

static double scaled_tick(int64_t k, int exponent) // k * 10^exponent, rounded once where it can be
{
    return exponent >= 0 ? (double)k * pow(10, exponent) : (double)k / pow(10, -exponent);
}

static int exponent_of(double x) // floor(log10 |x|)
{
    return (int)floor(log10(x));
}

/* Round labels to what people read: an offset when they need more than five digits, and a common
 * power of ten (a multiple of three) when they are very large or small. */
static void label_linear(plot_ticks *t, const int64_t *k, int e)
{
    int64_t first = k[0], last = k[t->n - 1], base = 0;
    int64_t greatest = -first > last ? -first : last;
    if (greatest >= 100000 && (first > 0) == (last > 0)) {
        int64_t unit = 1;
        while (unit < last - first) unit *= 10;
        base = first / unit * unit;
        if (greatest / unit < 10) base = 0; // the offset would be no simpler than the numbers
    }
    int e_base = e;
    int64_t short_base = base;
    while (short_base && short_base % 10 == 0) short_base /= 10, e_base++;
    if (base && e_base <= 6 && e_base >= -18) {
        put_decimal(short_base, e_base, t->offset, sizeof t->offset);
    } else if (base) { // too long for plain decimals
        put_decimal(short_base, 0, t->offset, sizeof t->offset);
        char power[24];
        power[plot_superscript(e_base, power)] = 0;
        size_t used = strlen(t->offset);
        snprintf(t->offset + used, sizeof t->offset - used, "\u00d710%s", power);
    }
    int64_t low = first < base ? base - first : first - base,
            high = last < base ? base - last : last - base;
    greatest = low > high ? low : high;
    int size = e + exponent_of((double)greatest);
    if (size >= 5 || size < -2) t->exponent = (int)floor(size / 3.0) * 3;
    for (int i = 0; i < t->n; i++)
        put_decimal(k[i] - base, e - t->exponent, t->label[i], sizeof t->label[i]);
}

/* Multiples of m 10^e in [lo, hi]; a limit that is one but for rounding counts. */
static double count_multiples(double lo, double hi, int64_t m, int e, int64_t *first)
{
    double step = scaled_tick(m, e);
    double slack = 1e-9 + 4 * DBL_EPSILON * (fmax(fabs(lo), fabs(hi)) / step);
    double a = ceil(lo / step - slack), b = floor(hi / step + slack);
    *first = whole_number(a);
    return b - a + 1;
}

void plot_ticks_linear(plot_ticks *t, double lo, double hi, int most, bool integers)
{
    static const int steps[3] = {1, 2, 5};
    *t = (plot_ticks){0};
    // the smallest step with not too many ticks; the one before where too few remain
    int e = exponent_of(hi / most - lo / most) - 1, i = 0;
    if (integers && e < 0) e = 0;
    int64_t first = 0;
    double count;
    bool smallest = true;
    while ((count = count_multiples(lo, hi, steps[i], e, &first)) > most) {
        smallest = false;
        if (++i == 3) i = 0, e++;
    }
    if (count < 3 && !(smallest && integers)) {
        if (--i < 0) i = 2, e--;
        count = count_multiples(lo, hi, steps[i], e, &first);
    }
    int64_t k[TICKS_MAX];
    for (; t->n < count && t->n < TICKS_MAX; t->n++) {
        k[t->n] = (first + t->n) * steps[i];
        t->at[t->n] = scaled_tick(k[t->n], e);
    }
    if (t->n > 0) label_linear(t, k, e);
}

/* ---- logarithmic ----------------------------------------------------------------------------- */

static void label_power(int mantissa, int exponent, char *out, size_t n)
{
    char power[24];
    power[plot_superscript(exponent, power)] = 0;
    if (exponent >= -3 && exponent <= 3) put_decimal(mantissa, exponent, out, n);
    else if (mantissa == 1) snprintf(out, n, "10%.19s", power);
    else snprintf(out, n, "%d\u00d710%.16s", mantissa, power);
}

/* Within less than three decades: 1, 2, 5 of each, or fewer where they are too many. */
static void few_decades(plot_ticks *t, double low, double high, int most, double slack)
{
    static const int sets[3][3] = {{1, 2, 5}, {1, 3, 0}, {1, 0, 0}};
    for (int set = 0; set < 3; set++) {
        int n = 0;
        for (int e = (int)floor(low); e <= (int)floor(high + slack); e++)
            for (int i = 0; i < 3 && sets[set][i]; i++) {
                int m = sets[set][i];
                double x = log10(m) + e;
                if (x < low - slack || x > high + slack || n >= TICKS_MAX) continue;
                label_power(m, e, t->label[n], sizeof t->label[0]);
                t->at[n++] = scaled_tick(m, e);
            }
        t->n = n;
        if (set == 0 && n < 3) t->n = 0; // less than a decade
        if (n <= most) return;
    }
}

void plot_ticks_log(plot_ticks *t, double lo, double hi, int most)
{
    const double slack = 1e-9;
    double low = log10(lo), high = log10(hi);
    int first = (int)ceil(low - slack), last = (int)floor(high + slack);
    int decades = last - first + 1;
    *t = (plot_ticks){0};
    if (decades < 3) {
        few_decades(t, low, high, most, slack);
        if (t->n < 2) plot_ticks_linear(t, lo, hi, most, false);
        return;
    }
    static const int strides[] = {1, 2, 3, 5, 10, 20, 50, 100, 200};
    int k = 0;
    while ((decades + strides[k] - 1) / strides[k] > most) k++;
    int stride = strides[k];
    // multiples of the stride, so that 10^0 is among them
    int from = first;
    while (from % stride != 0) from++;
    if (from > last || (last - from) / stride + 1 < 3) from = first;
    if ((last - from) / stride + 1 < 3) stride = strides[k - 1];
    for (int e = from; e <= last; e += stride) {
        label_power(1, e, t->label[t->n], sizeof t->label[0]);
        if (decades > 4 || e < -3 || e > 3) { // one way of writing along the axis
            char power[24];
            power[plot_superscript(e, power)] = 0;
            snprintf(t->label[t->n], sizeof t->label[0], "10%.19s", power);
        }
        t->at[t->n++] = scaled_tick(1, e);
    }
    int each = stride == 1 ? 8 : 0; // 2 ... 9 between decades, or the decades without a label
    if (stride > 5) return;
    for (int e = first - 1; e <= last; e++) {
        if (each == 0 && (e - from) % stride != 0 && e >= first && t->n_minor < TICKS_MINOR_MAX)
            t->minor[t->n_minor++] = scaled_tick(1, e);
        for (int m = 2; m <= each + 1; m++)
            if (scaled_tick(m, e) >= lo && scaled_tick(m, e) <= hi && t->n_minor < TICKS_MINOR_MAX)
                t->minor[t->n_minor++] = scaled_tick(m, e);
    }
}

void plot_ticks_names(plot_ticks *t, const char *const *names, int n)
{
    *t = (plot_ticks){.n = n < TICKS_MAX ? n : TICKS_MAX};
    for (int i = 0; i < t->n; i++) {
        t->at[i] = i + 1;
        snprintf(t->label[i], sizeof t->label[0], "%s", names && names[i] ? names[i] : "");
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

void plot_limits(double *lo, double *hi, double margin, bool log)
{
    const double huge = 1e300, tiny = 1e-290;      // room for arithmetic
    double a = fmin(*lo, *hi), b = fmax(*lo, *hi); // a NaN gives way
    if (log) {
        if (!(b > 0)) b = 1;
        if (!(a > 0)) a = b / 10;
        a = fmin(fmax(a, tiny), huge);
        b = fmin(fmax(b, tiny), huge);
        double s = log10(a), u = log10(b), more = (u - s) * margin;
        if (u - s < 0.05) more = 0.25;
        *lo = pow(10, fmax(s - more, -295));
        *hi = pow(10, fmin(u + more, 302));
        return;
    }
    if (!isfinite(a) && !isfinite(b)) a = b = 0;
    a = fmin(fmax(isnan(a) ? b : a, -huge), huge);
    b = fmin(fmax(isnan(b) ? a : b, -huge), huge);
    double size = fmax(fabs(a), fabs(b)), range = b - a;
    if (size < tiny) {
        a = -1;
        b = 1;
    } else if (range < 1e-13 * size) { // a constant, but for rounding
        a -= 0.1 * size;
        b += 0.1 * size;
    } else {
        // start from zero where that costs little
        double low = a, high = b;
        if (a > 0 && a < 0.2 * range && margin > 0) low = 0;
        if (b < 0 && -b < 0.2 * range && margin > 0) high = 0;
        bool from_zero = low == 0 && a >= 0, to_zero = high == 0 && b <= 0;
        a = from_zero && margin > 0 ? 0 : low - margin * range;
        b = to_zero && margin > 0 ? 0 : high + margin * range;
    }
    *lo = a;
    *hi = b;
}
