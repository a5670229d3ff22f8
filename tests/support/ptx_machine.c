/* Statements are read once into a list of operations with numbered operands; then they run. Registers
 * hold 64 bits whatever their type; the suffix of an instruction says what it sees in them. Rounding,
 * comparisons of what is no number, and shifts beyond the width follow the PTX ISA reference.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/ptx_machine.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 80, OPERANDS = 8, WHY = 200, STEPS_MAX = 2000000000 };

typedef union word {
    uint64_t u;
    int64_t s;
    double d;
} word;

typedef enum { NOTHING, REGISTER, NUMBER, SPECIAL, PARAM, SYMBOL } operand_kind;

typedef struct operand {
    operand_kind kind;
    int at;       // register, parameter, special register
    word number;  // immediate; offset of a parameter or an address
    bool address; // in brackets
} operand;

typedef struct statement {
    char op[NAME], type[8], cmp[8]; // "setp", "f64", "lt"
    char mode[8];                   // "rmi", "rn", "hi", "wide", "from" type of cvt in cmp
    int guard;                      // register, or -1
    bool inverted;
    int n;
    operand x[OPERANDS];
    int target; // of a branch; the function of a call
    int line;
} statement;

typedef struct names {
    char (*at)[NAME];
    int n, cap;
} names;

typedef struct function {
    char name[NAME];
    names registers, params, labels;
    int *label_at;
    int first, n;    // statements
    int n_arguments; // parameters; after the result where there is one
    bool has_result;
    word *value, *param;
} function;

typedef struct table {
    char name[NAME];
    uint8_t *bytes;
} table;

struct ptx_machine {
    statement *code;
    int n_code, cap_code;
    function *f;
    int n_f, cap_f;
    table *tables;
    int n_tables, cap_tables;
    char *why;
    bool failed;
    int line;
    unsigned ctaid, ntid, tid, nctaid;
    long executed;
};

#define GROW(array, n, cap)                                                                        \
    do {                                                                                           \
        if ((n) == (cap)) {                                                                        \
            (cap) = 2 * (cap) + 16;                                                                \
            (array) = realloc((array), (size_t)(cap) * sizeof *(array));                           \
        }                                                                                          \
    } while (0)

static void refuse(ptx_machine *m, const char *what, const char *of)
{
    if (!m->failed) snprintf(m->why, WHY, "line %d: %s '%.60s'", m->line, what, of);
    m->failed = true;
}

static int name_of(names *x, const char *name, bool make)
{
    for (int i = x->n - 1; i >= 0; i--)
        if (!strcmp(x->at[i], name)) return i;
    if (!make) return -1;
    GROW(x->at, x->n, x->cap);
    snprintf(x->at[x->n], NAME, "%s", name);
    return x->n++;
}

/* Registers %prefix0, %prefix1 ... are many: their numbers are found without a search. */
typedef struct bank {
    char prefix[NAME];
    int first, n;
} bank;

static bank banks[256];
static int n_banks;

static int register_of(ptx_machine *m, function *f, const char *name)
{
    size_t n = strlen(name), digits = n;
    while (digits > 0 && isdigit((unsigned char)name[digits - 1])) digits--;
    for (int i = n_banks - 1; i >= 0 && digits < n; i--)
        if (strlen(banks[i].prefix) == digits && !strncmp(banks[i].prefix, name, digits)) {
            int k = atoi(name + digits);
            if (k >= banks[i].n) break;
            return banks[i].first + k;
        }
    int k = name_of(&f->registers, name, false);
    if (k < 0) refuse(m, "no such register", name);
    return k;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void declare_registers(ptx_machine *m, function *f, char *list)
{
    char *type = strtok(list, " \t\n"); // .f64
    (void)type;
    for (char *name = strtok(NULL, " \t\n,"); name; name = strtok(NULL, " \t\n,")) {
        char *open = strchr(name, '<');
        if (!open) {
            name_of(&f->registers, name, true);
            continue;
        }
        int count = atoi(open + 1);
        *open = 0;
        if (n_banks == 256) return refuse(m, "too many kinds of registers", name);
        snprintf(banks[n_banks].prefix, NAME, "%s", name);
        banks[n_banks].first = f->registers.n;
        banks[n_banks++].n = count;
        for (int k = 0; k < count; k++) { // room without names
            GROW(f->registers.at, f->registers.n, f->registers.cap);
            f->registers.at[f->registers.n++][0] = 0;
        }
    }
}

static int table_of(const ptx_machine *m, const char *name)
{
    for (int i = 0; i < m->n_tables; i++)
        if (!strcmp(m->tables[i].name, name)) return i;
    return -1;
}

static operand read_operand(ptx_machine *m, function *f, char *text)
{
    static const char *const special[] = {"%ctaid.x", "%ntid.x", "%tid.x", "%nctaid.x"};
    operand x = {NUMBER, 0, {0}, false};
    size_t n = strlen(text);
    if (text[0] == '[') {
        x.address = true;
        text[n - 1] = 0;
        text++;
        char *plus = strchr(text, '+');
        if (plus) *plus = 0, x.number.s = atoll(plus + 1);
    }
    for (int k = 0; k < 4; k++)
        if (!strcmp(text, special[k])) return x.kind = SPECIAL, x.at = k, x;
    if (text[0] == '%') {
        x.kind = REGISTER;
        x.at = register_of(m, f, text);
    } else if (!strncmp(text, "0d", 2) || !strncmp(text, "0D", 2)) {
        x.number.u = strtoull(text + 2, NULL, 16);
    } else if (isdigit((unsigned char)text[0]) || text[0] == '-') {
        x.number.s = strtoll(text, NULL, 0);
    } else if (table_of(m, text) >= 0) {
        x.kind = SYMBOL;
        x.at = table_of(m, text);
    } else {
        x.kind = PARAM;
        x.at = name_of(&f->params, text, true);
    }
    return x;
}

static void read_op(statement *s, const char *word_)
{
    char text[NAME], *part[8] = {""};
    int n = 0;
    snprintf(text, sizeof text, "%s", word_);
    for (char *p = strtok(text, "."); p && n < 8; p = strtok(NULL, ".")) part[n++] = p;
    snprintf(s->op, sizeof s->op, "%s", part[0]);
    snprintf(s->type, sizeof s->type, "%s", n > 1 ? part[n - 1] : "");
    if (!strcmp(part[0], "cvt")) { // cvt.mode.to.from
        snprintf(s->cmp, sizeof s->cmp, "%s", part[n - 1]);
        snprintf(s->type, sizeof s->type, "%s", part[n - 2]);
        if (n == 4) snprintf(s->mode, sizeof s->mode, "%s", part[1]);
    } else if (!strcmp(part[0], "setp")) {
        snprintf(s->cmp, sizeof s->cmp, "%s", part[1]);
    } else if (n > 2) {
        snprintf(s->mode, sizeof s->mode, "%s", part[1]);
    }
}

/* (r), name, (a, b): the result first, then the arguments. */
static void read_call(ptx_machine *m, function *f, statement *s, char *rest)
{
    char result[NAME], name[NAME], list[NAME * 2] = "";
    if (sscanf(rest, " ( %79[^) ] ) , %79[^, ] , ( %159[^)] )", result, name, list) < 2)
        return refuse(m, "a call that is not understood", rest);
    s->x[0] = (operand){PARAM, name_of(&f->params, result, true), {0}, false};
    s->n = 1;
    for (char *p = strtok(list, ", \n\t"); p; p = strtok(NULL, ", \n\t"))
        s->x[s->n++] = (operand){PARAM, name_of(&f->params, p, true), {0}, false};
    s->target = -1;
    for (int i = 0; i < m->n_f; i++)
        if (!strcmp(m->f[i].name, name)) s->target = i;
    if (s->target < 0) refuse(m, "no such function", name);
}

/* Threads run one after the other: one memory serves all of them. */
static void read_local(ptx_machine *m, const char *text)
{
    int size;
    GROW(m->tables, m->n_tables, m->cap_tables);
    table *t = &m->tables[m->n_tables++];
    *t = (table){0};
    if (sscanf(text, ".local .align %*d .b8 %79[^[][%d]", t->name, &size) != 2)
        return refuse(m, "memory that is not understood", text);
    t->bytes = calloc(1, (size_t)size);
}

static void read_statement(ptx_machine *m, function *f, char *text)
{
    statement s = {.guard = -1, .line = m->line, .target = -1};
    while (isspace((unsigned char)*text)) text++;
    if (!*text) return;
    if (!strncmp(text, ".reg", 4)) return declare_registers(m, f, text + 4);
    if (!strncmp(text, ".local", 6)) return read_local(m, text);
    if (!strncmp(text, ".param", 6)) {
        char *name = strrchr(text, ' ') + 1;
        name_of(&f->params, name, true);
        return;
    }
    if (*text == '@') {
        char name[NAME];
        s.inverted = *++text == '!';
        if (s.inverted) text++;
        sscanf(text, "%79s", name);
        s.guard = register_of(m, f, name);
        text += strlen(name);
        while (isspace((unsigned char)*text)) text++;
    }
    char op[NAME];
    sscanf(text, "%79s", op);
    text += strlen(op);
    read_op(&s, op);
    if (!strcmp(s.op, "bra")) {
        char name[NAME];
        sscanf(text, " %79s", name);
        s.target = name_of(&f->labels, name, true);
    } else if (!strcmp(s.op, "call")) {
        read_call(m, f, &s, text);
    } else {
        for (char *p = strtok(text, ",\n"); p; p = strtok(NULL, ",\n")) {
            while (isspace((unsigned char)*p)) p++;
            char *end = p + strlen(p);
            while (end > p && isspace((unsigned char)end[-1])) *--end = 0;
            if (!*p) continue;
            if (s.n == OPERANDS) return refuse(m, "too many operands", p);
            char *copy = strdup(p); // strtok of another one is not going on in there
            s.x[s.n++] = read_operand(m, f, copy);
            free(copy);
        }
    }
    GROW(m->code, m->n_code, m->cap_code);
    m->code[m->n_code++] = s;
}

static void read_table(ptx_machine *m, char *text)
{
    GROW(m->tables, m->n_tables, m->cap_tables);
    table *t = &m->tables[m->n_tables++];
    int size;
    if (sscanf(text, ".global .align %*d .b8 %79[^[][%d]", t->name, &size) != 2)
        return refuse(m, "a table that is not understood", text);
    t->bytes = aligned_alloc(16, (size_t)(size + 15) / 16 * 16);
    char *p = strchr(text, '{');
    for (int k = 0; k < size; k++) t->bytes[k] = (uint8_t)strtol(p + 1, &p, 10);
}

/* NAME ( .param .b64 a, .param .b64 b ) */
static void read_head(ptx_machine *m, char *text)
{
    GROW(m->f, m->n_f, m->cap_f);
    function *f = &m->f[m->n_f++];
    *f = (function){.first = m->n_code};
    n_banks = 0;
    bool entry = strstr(text, ".entry") != NULL;
    char *open = strchr(text, '(');
    if (!entry) { // the result comes first
        f->has_result = true;
        char *close = strchr(open, ')');
        *close = 0;
        name_of(&f->params, strrchr(open, ' ') + 1, true);
        text = close + 1;
        open = strchr(text, '(');
    } else {
        text = strstr(text, ".entry") + 6;
    }
    *open = 0;
    sscanf(text, " %79s", f->name);
    char *close = strrchr(open + 1, ')');
    if (close) *close = 0;
    for (char *p = strtok(open + 1, ",\n"); p; p = strtok(NULL, ",\n")) {
        char *end = p + strlen(p), *space;
        while (end > p && isspace((unsigned char)end[-1])) *--end = 0;
        if ((space = strrchr(p, ' ')) == NULL) continue;
        name_of(&f->params, space + 1, true);
        f->n_arguments++;
    }
}

static void finish_function(ptx_machine *m)
{
    function *f = &m->f[m->n_f - 1];
    f->n = m->n_code - f->first;
    f->value = calloc((size_t)f->registers.n + 1, sizeof *f->value);
    f->param = calloc((size_t)f->params.n + 1, sizeof *f->param);
}

/* Labels are noted where they stand. */
static void note_label(function *f, const char *name, int at)
{
    int k = name_of(&f->labels, name, true);
    f->label_at = realloc(f->label_at, ((size_t)f->labels.cap + 1) * sizeof(int));
    f->label_at[k] = at;
}

static void read_all(ptx_machine *m, char *text)
{
    int depth = 0;
    char *from = text;
    m->line = 1;
    for (char *p = text; *p && !m->failed; p++) {
        if (p[0] == '/' && p[1] == '/')
            while (*p && *p != '\n') *p++ = ' ';
        if (*p == '\n') {
            m->line++;
            if (!depth && (!strncmp(from, ".version", 8) || !strncmp(from, ".target", 7) ||
                           !strncmp(from, ".address", 8)))
                from = p + 1;
        }
        while (!depth && isspace((unsigned char)*from) && from < p) from++;
        bool in_table = !depth && !strncmp(from, ".global", 7);
        if (*p == '{' && !in_table) {
            *p = 0;
            if (!depth++) read_head(m, from);
            from = p + 1;
        } else if (*p == '}' && !in_table) {
            if (!--depth) finish_function(m);
            from = p + 1;
        } else if (*p == ':' && depth) {
            *p = 0;
            char name[NAME];
            if (sscanf(from, " %79s", name) == 1) note_label(&m->f[m->n_f - 1], name, m->n_code);
            from = p + 1;
        } else if (*p == ';') {
            *p = 0;
            if (depth) read_statement(m, &m->f[m->n_f - 1], from);
            else if (in_table) read_table(m, from);
            from = p + 1;
        }
        if (!*p && p[1] == 0) break;
    }
}

ptx_machine *ptx_machine_new(const char *text, char *why)
{
    ptx_machine *m = calloc(1, sizeof *m);
    char *copy = strdup(text);
    m->why = why;
    read_all(m, copy);
    free(copy);
    if (!m->failed) return m;
    ptx_machine_free(m);
    return NULL;
}

void ptx_machine_free(ptx_machine *m)
{
    if (!m) return;
    for (int i = 0; i < m->n_f; i++) {
        function *f = &m->f[i];
        free(f->registers.at), free(f->params.at), free(f->labels.at), free(f->label_at);
        free(f->value), free(f->param);
    }
    for (int i = 0; i < m->n_tables; i++) free(m->tables[i].bytes);
    free(m->tables), free(m->f), free(m->code), free(m);
}

long ptx_machine_executed(const ptx_machine *m)
{
    return m->executed;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

static int width_of(const char *type)
{
    return is(type, "pred") ? 1 : atoi(type + 1);
}

static uint64_t cut(uint64_t x, int width)
{
    return width >= 64 ? x : x & (((uint64_t)1 << width) - 1);
}

static int64_t widen(uint64_t x, int width)
{
    return width >= 64 ? (int64_t)x : (int64_t)(x << (64 - width)) >> (64 - width);
}

static word value_of(const ptx_machine *m, const function *f, const operand *x)
{
    unsigned special[] = {m->ctaid, m->ntid, m->tid, m->nctaid};
    switch (x->kind) {
    case REGISTER: return f->value[x->at];
    case SPECIAL: return (word){.u = special[x->at]};
    case SYMBOL: return (word){.u = (uint64_t)(uintptr_t)m->tables[x->at].bytes};
    default: return x->number;
    }
}

static bool compare(ptx_machine *m, const statement *s, word a, word b)
{
    const char *c = s->cmp;
    if (s->type[0] == 'f') {
        bool open = isnan(a.d) || isnan(b.d);
        size_t n = strlen(c);
        if (is(c, "nan")) return open;
        if (is(c, "num")) return !open;
        if (n == 3 && c[2] == 'u' && open) return true;
        if (!strncmp(c, "ne", 2)) return !open && a.d != b.d;
        if (!strncmp(c, "eq", 2)) return a.d == b.d;
        if (!strncmp(c, "lt", 2)) return a.d < b.d;
        if (!strncmp(c, "le", 2)) return a.d <= b.d;
        if (!strncmp(c, "gt", 2)) return a.d > b.d;
        if (!strncmp(c, "ge", 2)) return a.d >= b.d;
    } else {
        int width = width_of(s->type);
        if (s->type[0] == 's') {
            int64_t p = widen(a.u, width), q = widen(b.u, width);
            if (is(c, "lt")) return p < q;
            if (is(c, "le")) return p <= q;
            if (is(c, "gt")) return p > q;
            if (is(c, "ge")) return p >= q;
        }
        uint64_t p = cut(a.u, width), q = cut(b.u, width);
        if (is(c, "eq")) return p == q;
        if (is(c, "ne")) return p != q;
        if (is(c, "lt")) return p < q;
        if (is(c, "le")) return p <= q;
        if (is(c, "gt")) return p > q;
        if (is(c, "ge")) return p >= q;
    }
    refuse(m, "a comparison that is not known:", c);
    return false;
}

static word convert(ptx_machine *m, const statement *s, word a)
{
    const char *to = s->type, *from = s->cmp;
    int wide_to = width_of(to), wide_from = width_of(from);
    if (from[0] == 'f' && to[0] == 'f') {
        if (is(s->mode, "rmi")) return (word){.d = floor(a.d)};
        if (is(s->mode, "rpi")) return (word){.d = ceil(a.d)};
        if (is(s->mode, "rzi")) return (word){.d = trunc(a.d)};
        if (is(s->mode, "rni")) return (word){.d = rint(a.d)};
    } else if (from[0] == 'f') {
        double x = is(s->mode, "rzi") ? trunc(a.d) : rint(a.d);
        double most = ldexp(1, wide_to - 1);
        if (isnan(x)) return (word){.u = 0};
        if (x >= most) return (word){.u = cut(((uint64_t)1 << (wide_to - 1)) - 1, wide_to)};
        if (x < -most) x = -most;
        return (word){.u = cut((uint64_t)(int64_t)x, wide_to)};
    } else if (to[0] == 'f') {
        return from[0] == 's' ? (word){.d = (double)widen(a.u, wide_from)}
                              : (word){.d = (double)cut(a.u, wide_from)};
    } else {
        uint64_t x = from[0] == 's' ? (uint64_t)widen(a.u, wide_from) : cut(a.u, wide_from);
        return (word){.u = cut(x, wide_to)};
    }
    refuse(m, "a conversion that is not known:", s->mode);
    return a;
}

static word shifted(const statement *s, word a, word b)
{
    int width = width_of(s->type);
    uint64_t by = cut(b.u, 32);
    if (is(s->op, "shl")) return (word){.u = by >= (uint64_t)width ? 0 : cut(a.u << by, width)};
    if (s->type[0] == 's')
        return (word){.u = cut((uint64_t)(widen(a.u, width) >>
                                          (by >= (uint64_t)width ? (uint64_t)width - 1 : by)),
                               width)};
    return (word){.u = by >= (uint64_t)width ? 0 : cut(a.u, width) >> by};
}

static word extracted(const statement *s, word a, word b, word c)
{
    int width = width_of(s->type), at = (int)cut(b.u, 8), n = (int)cut(c.u, 8);
    if (!n || at >= width) return (word){.u = 0};
    uint64_t x = cut(cut(a.u, width) >> at, n);
    return (word){.u = s->type[0] == 's' ? cut((uint64_t)widen(x, n), width) : x};
}

static word arithmetic(ptx_machine *m, const statement *s, word a, word b, word c)
{
    const char *o = s->op;
    int width = width_of(s->type);
    if (s->type[0] == 'f') {
        if (is(o, "add")) return (word){.d = a.d + b.d};
        if (is(o, "sub")) return (word){.d = a.d - b.d};
        if (is(o, "mul")) return (word){.d = a.d * b.d};
        if (is(o, "div")) return (word){.d = a.d / b.d};
        if (is(o, "rcp")) return (word){.d = 1 / a.d};
        if (is(o, "fma")) return (word){.d = fma(a.d, b.d, c.d)};
        if (is(o, "neg")) return (word){.d = -a.d};
        if (is(o, "abs")) return (word){.d = fabs(a.d)};
        if (is(o, "sqrt")) return (word){.d = sqrt(a.d)};
        if (is(o, "max")) return (word){.d = fmax(a.d, b.d)};
        if (is(o, "min")) return (word){.d = fmin(a.d, b.d)};
    } else if (is(o, "mul")) {
        if (is(s->mode, "wide"))
            return s->type[0] == 's' ? (word){.s = widen(a.u, width) * widen(b.u, width)}
                                     : (word){.u = cut(a.u, width) * cut(b.u, width)};
        if (is(s->mode, "lo")) return (word){.u = cut(a.u * b.u, width)};
        if (is(s->mode, "hi") && is(s->type, "u64")) {
            uint64_t p = (a.u & 0xFFFFFFFF) * (b.u & 0xFFFFFFFF),
                     q = (a.u >> 32) * (b.u & 0xFFFFFFFF), r = (a.u & 0xFFFFFFFF) * (b.u >> 32),
                     t = (p >> 32) + (q & 0xFFFFFFFF) + (r & 0xFFFFFFFF);
            return (word){.u = (a.u >> 32) * (b.u >> 32) + (q >> 32) + (r >> 32) + (t >> 32)};
        }
    } else {
        if (is(o, "add")) return (word){.u = cut(a.u + b.u, width)};
        if (is(o, "sub")) return (word){.u = cut(a.u - b.u, width)};
        if (is(o, "neg")) return (word){.u = cut(0 - a.u, width)};
        if (is(o, "and")) return (word){.u = cut(a.u & b.u, width)};
        if (is(o, "or")) return (word){.u = cut(a.u | b.u, width)};
        if (is(o, "xor")) return (word){.u = cut(a.u ^ b.u, width)};
        if (is(o, "not")) return (word){.u = cut(~a.u, width)};
        if (is(o, "shl") || is(o, "shr")) return shifted(s, a, b);
        if (is(o, "bfe")) return extracted(s, a, b, c);
        if (is(o, "vote")) return (word){.u = a.u & 1}; // of a warp of this thread alone
        if (is(o, "popc")) return (word){.u = (uint64_t)__builtin_popcountll(cut(a.u, width))};
    }
    refuse(m, "an instruction that is not known:", o);
    return a;
}

static bool run_function(ptx_machine *m, function *f);

static void move_memory(ptx_machine *m, function *f, const statement *s)
{
    bool load = is(s->op, "ld");
    const operand *at = &s->x[load ? 1 : 0];
    if (at->kind == PARAM) {
        if (load) f->value[s->x[0].at] = f->param[at->at];
        else f->param[at->at] = value_of(m, f, &s->x[1]);
        return;
    }
    uint64_t base = at->kind == REGISTER
                        ? f->value[at->at].u + at->number.u
                        : (uint64_t)(uintptr_t)m->tables[at->at].bytes + at->number.u;
    void *p;
    memcpy(&p, &base, sizeof p);
    if (width_of(s->type) != 64) return refuse(m, "memory of another width:", s->type);
    word x = load ? (word){0} : value_of(m, f, &s->x[1]);
    if (load) memcpy(&x, p, sizeof x), f->value[s->x[0].at] = x;
    else memcpy(p, &x, sizeof x);
}

static void call_function(ptx_machine *m, function *f, const statement *s)
{
    function *g = &m->f[s->target];
    for (int k = 1; k < s->n; k++) g->param[k] = f->param[s->x[k].at]; // after the result
    if (run_function(m, g)) f->param[s->x[0].at] = g->param[0];
}

static void run_statement(ptx_machine *m, function *f, const statement *s)
{
    word x[OPERANDS];
    if (is(s->op, "ld") || is(s->op, "st")) return move_memory(m, f, s);
    if (is(s->op, "call")) return call_function(m, f, s);
    for (int k = 1; k < s->n; k++) x[k] = value_of(m, f, &s->x[k]);
    word *to = &f->value[s->x[0].at];
    if (is(s->op, "mov") || is(s->op, "cvta")) *to = x[1];
    else if (is(s->op, "setp")) to->u = compare(m, s, x[1], x[2]);
    else if (is(s->op, "selp")) *to = x[3].u & 1 ? x[1] : x[2];
    else if (is(s->op, "cvt")) *to = convert(m, s, x[1]);
    else *to = arithmetic(m, s, x[1], s->n > 2 ? x[2] : x[1], s->n > 3 ? x[3] : x[1]);
}

static bool run_function(ptx_machine *m, function *f)
{
    for (int at = f->first; at < f->first + f->n && !m->failed; at++) {
        const statement *s = &m->code[at];
        m->line = s->line;
        if (m->executed++ > STEPS_MAX) return refuse(m, "it does not end", f->name), false;
        if (s->guard >= 0 && (f->value[s->guard].u & 1) == s->inverted) continue;
        if (is(s->op, "ret")) break;
        if (is(s->op, "bra")) at = f->label_at[s->target] - 1;
        else run_statement(m, f, s);
    }
    return !m->failed;
}

static function *find_function(ptx_machine *m, const char *name)
{
    for (int i = 0; i < m->n_f; i++)
        if (is(m->f[i].name, name)) return &m->f[i];
    m->line = 0;
    refuse(m, "no such function", name);
    return NULL;
}

int ptx_machine_call(ptx_machine *m, const char *name, const double *arguments, int n,
                     double *result, char *why)
{
    m->why = why;
    function *f = find_function(m, name);
    for (int k = 0; f && k < n; k++) f->param[k + 1].d = arguments[k];
    if (!f || !run_function(m, f)) return -1;
    *result = f->param[0].d;
    return 0;
}

int ptx_machine_launch(ptx_machine *m, const char *name, unsigned blocks, unsigned block,
                       const uint64_t *arguments, int n, char *why)
{
    m->why = why;
    function *f = find_function(m, name);
    m->nctaid = blocks;
    m->ntid = block;
    for (m->ctaid = 0; f && m->ctaid < blocks; m->ctaid++)
        for (m->tid = 0; m->tid < block; m->tid++) {
            for (int k = 0; k < n; k++) f->param[k].u = arguments[k];
            if (!run_function(m, f)) return -1;
        }
    return f ? 0 : -1;
}
