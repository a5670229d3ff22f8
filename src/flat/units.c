/* Parsing, algebra and names of units. SPDX-License-Identifier: BSD-3-Clause */
#include "flat/units.h"

#include <math.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct symbol {
    const char *name;
    double factor;
    int8_t power[UNIT_BASES];
    bool prefixes; // may have one
    bool print;    // used to write a unit
} symbol;

#define PI               3.14159265358979323846
#define FACTOR_ROUND_OFF 1e-9 // relative, of products of tabled factors

/* BIPM 2019, tables 2, 4 and 8. */
static const symbol symbols[] = {
    {"m", 1, {1}, true, true},
    {"g", 1e-3, {0, 1}, true, false},
    {"kg", 1, {0, 1}, false, true},
    {"s", 1, {0, 0, 1}, true, true},
    {"A", 1, {0, 0, 0, 1}, true, true},
    {"K", 1, {0, 0, 0, 0, 1}, true, true},
    {"mol", 1, {0, 0, 0, 0, 0, 1}, true, true},
    {"cd", 1, {0, 0, 0, 0, 0, 0, 1}, true, true},
    {"N", 1, {1, 1, -2}, true, true},
    {"Pa", 1, {-1, 1, -2}, true, true},
    {"J", 1, {2, 1, -2}, true, true},
    {"W", 1, {2, 1, -3}, true, true},
    {"C", 1, {0, 0, 1, 1}, true, true},
    {"V", 1, {2, 1, -3, -1}, true, true},
    {"F", 1, {-2, -1, 4, 2}, true, true},
    {"Ohm", 1, {2, 1, -3, -2}, true, true},
    {"S", 1, {-2, -1, 3, 2}, true, true},
    {"Wb", 1, {2, 1, -2, -1}, true, true},
    {"T", 1, {0, 1, -2, -1}, true, true},
    {"H", 1, {2, 1, -2, -2}, true, true},
    {"Hz", 1, {0, 0, -1}, true, false},
    {"lm", 1, {0, 0, 0, 0, 0, 0, 1}, true, false},
    {"lx", 1, {-2, 0, 0, 0, 0, 0, 1}, true, false},
    {"Bq", 1, {0, 0, -1}, true, false},
    {"Gy", 1, {2, 0, -2}, true, false},
    {"Sv", 1, {2, 0, -2}, true, false},
    {"kat", 1, {0, 0, -1, 0, 0, 1}, true, false},
    {"var", 1, {2, 1, -3}, true, false},
    {"VA", 1, {2, 1, -3}, true, false},
    {"rad", 1, {0}, true, false},
    {"sr", 1, {0}, false, false},
    {"rev", 2 * PI, {0}, false, false},
    {"deg", PI / 180, {0}, false, false},
    {"min", 60, {0, 0, 1}, false, false},
    {"h", 3600, {0, 0, 1}, false, false},
    {"d", 86400, {0, 0, 1}, false, false},
    {"l", 1e-3, {3}, true, false},
    {"L", 1e-3, {3}, true, false},
    {"t", 1e3, {0, 1}, true, false},
    {"bar", 1e5, {-1, 1, -2}, true, false},
    {"eV", 1.602176634e-19, {2, 1, -2}, true, false},
};
enum { N_SYMBOLS = sizeof symbols / sizeof *symbols };

static const struct prefix {
    const char *name;
    double factor;
} prefixes[] = {{"Y", 1e24},  {"Z", 1e21},  {"E", 1e18},  {"P", 1e15},  {"T", 1e12},
                {"G", 1e9},   {"M", 1e6},   {"k", 1e3},   {"h", 1e2},   {"da", 1e1},
                {"d", 1e-1},  {"c", 1e-2},  {"m", 1e-3},  {"u", 1e-6},  {"n", 1e-9},
                {"p", 1e-12}, {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24}};
enum { N_PREFIXES = sizeof prefixes / sizeof *prefixes };

/* ---- algebra --------------------------------------------------------------------------------- */

static unit one(void)
{
    return (unit){.factor = 1};
}

bool unit_multiply(const unit *a, const unit *b, int sign, unit *out)
{
    unit u = {.factor = sign > 0 ? a->factor * b->factor : a->factor / b->factor};
    for (int i = 0; i < UNIT_BASES; i++) {
        int p = a->power[i] + sign * b->power[i];
        if (p > 20000 || p < -20000) return false;
        u.power[i] = (int16_t)p;
    }
    *out = u;
    return true;
}

bool unit_power(const unit *a, double exponent, unit *out)
{
    unit u = {.factor = pow(a->factor, exponent)};
    for (int i = 0; i < UNIT_BASES; i++) {
        double p = a->power[i] * exponent;
        if (!(fabs(p) < 20000) || p != floor(p)) return false;
        u.power[i] = (int16_t)p;
    }
    *out = u;
    return true;
}

bool unit_equal(const unit *a, const unit *b)
{
    return !memcmp(a->power, b->power, sizeof a->power) &&
           fabs(a->factor - b->factor) <= FACTOR_ROUND_OFF * fabs(a->factor);
}

/* ---- text to unit ---------------------------------------------------------------------------- */

typedef struct reader {
    const char *at;
    int depth;
} reader;

static const symbol *find_symbol(const char *s, size_t n)
{
    for (int i = 0; i < N_SYMBOLS; i++)
        if (strlen(symbols[i].name) == n && !memcmp(symbols[i].name, s, n)) return &symbols[i];
    return NULL;
}

/* unit-operand: a symbol, or a prefix and a symbol. */
static bool read_operand(reader *r, unit *out)
{
    size_t n = 0;
    double scale = 1;
    while ((r->at[n] >= 'a' && r->at[n] <= 'z') || (r->at[n] >= 'A' && r->at[n] <= 'Z')) n++;
    if (!n) return false;
    const symbol *s = find_symbol(r->at, n);
    for (int i = 0; !s && i < N_PREFIXES; i++) {
        size_t k = strlen(prefixes[i].name);
        if (k >= n || memcmp(prefixes[i].name, r->at, k)) continue;
        s = find_symbol(r->at + k, n - k);
        if (s && !s->prefixes) s = NULL;
        scale = prefixes[i].factor;
    }
    if (!s) return false;
    r->at += n;
    *out = (unit){.factor = scale * s->factor};
    for (int i = 0; i < UNIT_BASES; i++) out->power[i] = (int16_t)(UNIT_PARTS * s->power[i]);
    return true;
}

static bool read_expression(reader *r, unit *out);

/* unit-factor: operand and exponent, or an expression in parentheses. */
static bool read_factor(reader *r, unit *out)
{
    if (*r->at == '(') {
        r->at++;
        if (++r->depth > 20 || !read_expression(r, out) || *r->at != ')') return false;
        r->depth--;
        r->at++;
        return true;
    }
    if (!read_operand(r, out)) return false;
    int sign = 1, n = 0;
    bool any = false;
    if (*r->at == '+' || *r->at == '-') sign = *r->at++ == '-' ? -1 : 1, any = true;
    if (any && !(*r->at >= '0' && *r->at <= '9')) return false;
    if (!(*r->at >= '0' && *r->at <= '9')) return true;
    for (; *r->at >= '0' && *r->at <= '9'; r->at++)
        if ((n = 10 * n + (*r->at - '0')) > 99) return false;
    return unit_power(out, sign * n, out);
}

static bool read_expression(reader *r, unit *out)
{
    unit u;
    *out = one();
    if (*r->at == '1') {
        r->at++;
    } else {
        if (!read_factor(r, out)) return false;
        while (*r->at == '.') {
            r->at++;
            if (!read_factor(r, &u) || !unit_multiply(out, &u, 1, out)) return false;
        }
    }
    if (*r->at != '/') return true;
    r->at++;
    return read_factor(r, &u) && unit_multiply(out, &u, -1, out);
}

bool unit_parse(const char *words, unit *out)
{
    reader r = {.at = words};
    return read_expression(&r, out) && !*r.at;
}

/* ---- unit to text ---------------------------------------------------------------------------- */

static const char *named(const unit *u)
{
    for (int i = 0; i < N_SYMBOLS; i++) {
        unit s = {.factor = symbols[i].factor};
        for (int k = 0; k < UNIT_BASES; k++)
            s.power[k] = (int16_t)(UNIT_PARTS * symbols[i].power[k]);
        if (symbols[i].print && unit_equal(u, &s)) return symbols[i].name;
    }
    return NULL;
}

static size_t unit_put(char *t, size_t n, size_t room, const char *s)
{
    while (*s && n + 1 < room) t[n++] = *s++;
    t[n] = 0;
    return n;
}

static size_t put_number(char *t, size_t n, size_t room, int i)
{
    char digits[12];
    int k = 0;
    if (i < 0) n = unit_put(t, n, room, "-"), i = -i;
    do digits[k++] = (char)('0' + i % 10);
    while (i /= 10);
    while (k && n + 1 < room) t[n++] = digits[--k];
    t[n] = 0;
    return n;
}

const char *unit_symbol(int i)
{
    return i >= 0 && i < (int)(sizeof symbols / sizeof *symbols) ? symbols[i].name : NULL;
}

const char *unit_name(const unit *u, arena *a)
{
    static const char *const bases[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    const char *s = named(u);
    if (s) return s;
    enum { NAME_CHARACTERS = 120 };
    char *t = arena_array(a, char, NAME_CHARACTERS);
    size_t n = 0;
    bool scaled = fabs(u->factor - 1) > FACTOR_ROUND_OFF;
    for (int i = 0; i < UNIT_BASES; i++) {
        if (!u->power[i]) continue;
        if (n) n = unit_put(t, n, NAME_CHARACTERS, ".");
        n = unit_put(t, n, NAME_CHARACTERS, bases[i]);
        int whole = u->power[i] / UNIT_PARTS, rest = u->power[i] % UNIT_PARTS;
        if (rest)
            n = put_number(t, unit_put(t, n, NAME_CHARACTERS, "^("), NAME_CHARACTERS, u->power[i]);
        if (rest) n = unit_put(t, n, NAME_CHARACTERS, "/12)");
        else if (whole != 1) n = put_number(t, n, NAME_CHARACTERS, whole);
    }
    if (!n) n = unit_put(t, n, NAME_CHARACTERS, "1");
    if (scaled) unit_put(t, n, NAME_CHARACTERS, " (scaled)");
    return t;
}

/* ---- how values are shown -------------------------------------------------------------------- */

/* Units with a zero of their own: K = (shown + zero) * factor. */
static const struct {
    const char *name;
    double factor, zero;
} temperatures[] = {{"degC", 1, 273.15}, {"degF", 5. / 9, 459.67}, {"degRk", 5. / 9, 0}};

unit_fit unit_display(const char *of, const char *display, double *scale, double *offset)
{
    unit a, b;
    *scale = *offset = 0;
    if (!strcmp(of, display)) return UNIT_FITS;
    const char *known = display;
    double factor = 1, zero = 0;
    for (size_t i = 0; i < sizeof temperatures / sizeof *temperatures; i++)
        if (!strcmp(display, temperatures[i].name)) {
            known = "K";
            factor = temperatures[i].factor;
            zero = temperatures[i].zero;
        }
    if (!unit_parse(of, &a) || !unit_parse(known, &b)) return UNIT_UNKNOWN;
    double ratio = a.factor / (b.factor * factor);
    a.factor = b.factor = 1;
    if (!unit_equal(&a, &b)) return UNIT_DIFFERS;
    *scale = ratio;
    *offset = -zero;
    return UNIT_FITS;
}
