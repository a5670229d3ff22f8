/* Programs as C: what a user's compiler turns into a library or an FMU, and the oracle the emitters
 * are tested against.
 *
 * A step is printed as functions of about a thousand instructions, since compilers are not linear
 * in the length of a function; values that a later one needs go through the array v. The operations
 * are printed from their definitions in opcodes.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/target.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { FUNCTION_INSTRUCTIONS = 1000 };
/* Who reads a value: functions of later chunks, that of its own. */
enum { USED_LATER = 1, USED_HERE = 2 };

static const char *const definition[] = {
#define OP(name, operands, mnemonic, flags, value) [TAPE_##name] = #value,
    TAPE_OPS(OP)
#undef OP
};

static const char *const array_names[TAPE_N_KINDS] = {
    [TAPE_P] = "p", [TAPE_Y] = "y",     [TAPE_YP] = "yp",
    [TAPE_W] = "w", [TAPE_OUT] = "out", [TAPE_OUT2] = "out2"};

#define ARGUMENTS                                                                                  \
    "double t, const double *p, const double *y, const double *yp, double *w, double *out, "       \
    "double *out2, double *v, void *run"

typedef struct printer {
    text *out;
    const char *name;
    int step;
    const tape_step *s;
    const tape *t;
    int begin; // first instruction of the chunk
} printer;

/* ---- operands -------------------------------------------------------------------------------- */

static void c_number(text *out, double x)
{
    if (isnan(x)) {
        text_add(out, "NAN");
    } else if (isinf(x)) {
        text_add(out, x < 0 ? "(-INFINITY)" : "INFINITY");
    } else {
        if (signbit(x)) text_char(out, '(');
        size_t before = out->n;
        text_real(out, x);
        if (!strpbrk(text_str(out) + before, ".e")) text_add(out, ".0");
        if (signbit(x)) text_char(out, ')');
    }
}

/* The first access with the list of access k: it gives the list its name. */
static int list_number(const printer *p, int k)
{
    int first = 0;
    while (p->s->access[first].list != p->s->access[k].list) first++;
    return first;
}

static void c_access(printer *p, int k)
{
    const tape_access *a = &p->s->access[k];
    text_add(p->out, array_names[a->array]);
    if (a->list && a->base) text_printf(p->out, "[%d + ", a->base);
    else if (a->list) text_char(p->out, '[');
    if (a->list) text_printf(p->out, "%s_%d_x%d[i]]", p->name, p->step, list_number(p, k));
    else if (a->stride) text_printf(p->out, "[%d + %d * i]", a->base, a->stride);
    else text_printf(p->out, "[%d]", a->base);
}

static void c_ref(printer *p, tape_ref r)
{
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: text_printf(p->out, k < p->begin ? "v[%d]" : "v%d", k); break;
    case TAPE_CONST: c_number(p->out, p->t->consts[k]); break;
    case TAPE_T: text_char(p->out, 't'); break;
    case TAPE_X: c_access(p, k); break;
    default: text_printf(p->out, "%s[%d]", array_names[tape_kind_of(r)], k); break;
    }
}

static void print_identifier(text *out, const char *name)
{
    for (; *name; name++) text_char(out, isalnum((unsigned char)*name) ? *name : '_');
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void print_operation(printer *p, const tape_ins *in)
{
    const tape_ref operand[4] = {in->a, in->b, in->c, in->d};
    for (const char *c = definition[in->op]; *c; c++) {
        if (*c >= 'A' && *c <= 'D') c_ref(p, operand[*c - 'A']);
        else text_char(p->out, *c);
    }
}

static void c_call(printer *p, int i)
{
    const tape_call *c = &p->t->calls[p->t->ins[i].a];
    int n_in = c->fn->n_in;
    text_printf(p->out, "    double arg%d[%d] = {", i, n_in ? n_in : 1);
    for (int k = 0; k < n_in; k++) {
        if (k) text_add(p->out, ", ");
        c_ref(p, p->t->args[c->args + k]);
    }
    text_printf(p->out, "%s}, res%d[%d];\n    fn_", n_in ? "" : "0", i, c->fn->n_out);
    print_identifier(p->out, c->fn->name);
    text_printf(p->out, "(run, arg%d, res%d);\n", i, i);
}

static void print_ins(printer *p, int i, uint8_t used)
{
    const tape_ins *in = &p->t->ins[i];
    if (in->op == TAPE_CALL) {
        c_call(p, i);
        return;
    }
    if (in->op == TAPE_RESULT && !used) return;
    text_add(p->out, "    ");
    if (in->op == TAPE_STORE) {
        c_ref(p, in->a);
        text_add(p->out, " = ");
        c_ref(p, in->b);
    } else {
        if (used & USED_HERE || !used) text_printf(p->out, "const double v%d = ", i);
        if (used & USED_LATER) text_printf(p->out, "v[%d] = ", i);
        if (in->op == TAPE_RESULT) text_printf(p->out, "res%d[%d]", i - 1 - (int)in->a, (int)in->a);
        else print_operation(p, in);
    }
    text_add(p->out, ";\n");
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* The end of the chunk that begins at i: a call and its results stay together. */
static int chunk_end(const tape *t, int i)
{
    int end = i + FUNCTION_INSTRUCTIONS < t->n_ins ? i + FUNCTION_INSTRUCTIONS : t->n_ins;
    while (end < t->n_ins && t->ins[end].op == TAPE_RESULT) end++;
    return end;
}

static void c_note_use(tape_ref r, int begin, uint8_t *used)
{
    if (tape_kind_of(r) != TAPE_VALUE) return;
    used[tape_index_of(r)] |= tape_index_of(r) < begin ? USED_LATER : USED_HERE;
}

static void find_uses(const tape *t, uint8_t *used)
{
    for (int begin = 0, end; begin < t->n_ins; begin = end) {
        end = chunk_end(t, begin);
        for (int i = begin; i < end; i++) {
            const tape_ins *in = &t->ins[i];
            const tape_ref refs[4] = {in->op == TAPE_STORE ? in->b : in->a, in->b, in->c, in->d};
            int n = in->op == TAPE_STORE ? 1 : tape_op_operands(in->op);
            for (int k = 0; k < n; k++) c_note_use(refs[k], begin, used);
            if (in->op != TAPE_CALL) continue;
            const tape_call *c = &t->calls[in->a];
            for (int k = 0; k < c->fn->n_in; k++) c_note_use(t->args[c->args + k], begin, used);
        }
    }
}

static void print_unused(printer *p)
{
    text_add(p->out, "    (void)t, (void)p, (void)y, (void)yp, (void)w, (void)out, (void)out2, "
                     "(void)v, (void)run;\n");
}

static const char *c_instance(const printer *p)
{
    return p->s->kind == TAPE_STEP_MAP ? "int i, " : "";
}

/* The functions of a kernel or map; how many they are. */
static int print_functions(printer *p, const uint8_t *used)
{
    int n = 0;
    for (int begin = 0, end; begin < p->t->n_ins; begin = end, n++) {
        end = chunk_end(p->t, begin);
        p->begin = begin;
        text_printf(p->out, "static void %s_%d_%d(%s" ARGUMENTS ")\n{\n", p->name, p->step, n,
                    c_instance(p));
        print_unused(p);
        if (p->s->kind == TAPE_STEP_MAP) text_add(p->out, "    (void)i;\n");
        for (int i = begin; i < end; i++) print_ins(p, i, used[i]);
        text_add(p->out, "}\n\n");
    }
    return n;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* static const int NAME_STEP_WHATk[n] = {...}; k < 0: no number */
static void print_ints(printer *p, const char *what, int k, const int *x, int n)
{
    text_printf(p->out, "static const int %s_%d_%s", p->name, p->step, what);
    if (k >= 0) text_printf(p->out, "%d", k);
    text_printf(p->out, "[%d] = {", n ? n : 1);
    for (int i = 0; i < n; i++) text_printf(p->out, "%s%d", i ? ", " : "", x[i]);
    text_add(p->out, n ? "};\n" : "0};\n");
}

static void c_sum(printer *p)
{
    const tape_step *s = p->s;
    int n_terms = s->start[s->n];
    print_ints(p, "start", -1, s->start, s->n + 1);
    print_ints(p, "index", -1, s->index, n_terms);
    if (s->access->list) print_ints(p, "x", 0, s->access->list, s->n);
    if (s->coef) {
        text_printf(p->out, "static const double %s_%d_coef[%d] = {", p->name, p->step,
                    n_terms ? n_terms : 1);
        for (int k = 0; k < n_terms; k++) {
            if (k) text_add(p->out, ", ");
            c_number(p->out, s->coef[k]);
        }
        text_add(p->out, n_terms ? "};\n" : "0};\n");
    }
    text_printf(p->out, "static void %s_%d_0(int i, " ARGUMENTS ")\n{\n", p->name, p->step);
    print_unused(p);
    text_printf(p->out,
                "    double sum = 0;\n"
                "    for (int k = %s_%d_start[i]; k < %s_%d_start[i + 1]; k++) {\n"
                "        double x = w[%s_%d_index[k]];\n",
                p->name, p->step, p->name, p->step, p->name, p->step);
    if (s->coef) text_printf(p->out, "        x *= %s_%d_coef[k];\n", p->name, p->step);
    text_printf(p->out, "        sum = k == %s_%d_start[i] ? x : sum + x;\n    }\n    ", p->name,
                p->step);
    c_access(p, 0);
    text_add(p->out, " = sum;\n}\n\n");
}

static int print_step(printer *p, const tape_step *s, mem *m)
{
    p->s = s;
    p->t = s->kernel;
    if (s->kind == TAPE_STEP_SUM) {
        c_sum(p);
        return 1;
    }
    size_t n = (size_t)p->t->n_ins + 1;
    uint8_t *used = mem_get(m, n);
    memset(used, 0, n);
    find_uses(p->t, used);
    for (int k = 0; k < p->t->extent[TAPE_X]; k++)
        if (s->access[k].list && list_number(p, k) == k)
            print_ints(p, "x", k, s->access[k].list, s->n);
    int n_functions = print_functions(p, used);
    mem_free(m, used, n);
    return n_functions;
}

static void print_externs(const tape_program *program, text *out)
{
    for (int k = 0; k < program->n_steps; k++) {
        const tape *t = program->steps[k].kernel;
        for (int c = 0; t && c < t->n_calls; c++) {
            text_add(out, "extern void fn_");
            print_identifier(out, t->calls[c].fn->name);
            text_add(out, "(void *run, const double *in, double *out);\n");
        }
    }
}

static bool mentions(const char *words, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) {
        bool begins = at == words || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (begins && !isalnum((unsigned char)at[n]) && at[n] != '_') return true;
    }
    return false;
}

static bool calls_ours(const tape_program *program, const char *name)
{
    for (int k = 0; k < program->n_steps; k++) {
        const tape *t = program->steps[k].kernel;
        for (int i = 0; t && i < t->n_ins; i++) {
            uint32_t op = t->ins[i].op;
            if (op < TAPE_N_OPS && tape_op_flags((tape_op)op) & TAPE_OURS &&
                (!name || !strcmp(tape_op_name((tape_op)op), name)))
                return true;
        }
    }
    return false;
}

/* What is not of math.h: the functions that are called, and those that they mention, each once in a file. */
static void print_elementary(const tape_program *program, text *out)
{
    enum { ENTRIES_MAX = 64 };
    bool wanted[ENTRIES_MAX];
    const elementary_entry *e = elementary_texts;
    int n = 0;
    if (!calls_ours(program, NULL)) return;
    while (e[n].text) n++;
    assert(n <= ENTRIES_MAX);
    for (int k = n - 1; k >= 0; k--) {
        wanted[k] = !e[k].name || calls_ours(program, e[k].name);
        for (int later = k + 1; later < n && !wanted[k]; later++)
            wanted[k] = wanted[later] && mentions(e[later].text, e[k].name);
    }
    for (int k = 0; k < n; k++) {
        if (!wanted[k]) continue;
        if (e[k].name)
            text_printf(out, "#ifndef ELEMENTARY_%s\n#define ELEMENTARY_%s\n", e[k].name,
                        e[k].name);
        text_add(out, e[k].text);
        if (e[k].name) text_add(out, "#endif\n");
    }
    text_add(out, "\n");
}

/* C99 with math.h, to be compiled with contraction off:
 *
 *     void NAME(double t, const double *p, const double *y, const double *yp, double *w,
 *               double *out, double *out2, double *scratch, void *run)
 *
 * and static functions of about a thousand instructions that it calls. Functions the tape calls
 * appear as `extern void fn_<name>(void *run, const double *in, double *out)`; what keeps objects finds them in run.
 * scratch: as many doubles as tape_program_scratch says. */
static void c_print(const tape_program *program, const char *name, text *out)
{
    text body; // of the function that calls the others
    text_init(&body, out->m);
    printer p = {.out = out, .name = name};
    text_add(out, "#include <math.h>\n\n");
    print_elementary(program, out);
    print_externs(program, out);
    for (int k = 0; k < program->n_steps; k++) {
        const tape_step *s = &program->steps[k];
        p.step = k;
        int n = print_step(&p, s, out->m);
        bool loop = s->kind != TAPE_STEP_KERNEL;
        if (loop) text_printf(&body, "    for (int i = 0; i < %d; i++) {\n", s->n);
        for (int j = 0; j < n; j++)
            text_printf(&body, "    %s%s_%d_%d(%st, p, y, yp, w, out, out2, v, run);\n",
                        loop ? "    " : "", name, k, j, loop ? "i, " : "");
        if (loop) text_add(&body, "    }\n");
    }
    text_printf(out, "void %s(" ARGUMENTS ");\nvoid %s(" ARGUMENTS ")\n{\n", name, name);
    print_unused(&p);
    text_add(out, text_str(&body));
    text_add(out, "}\n");
    text_done(&body);
}

const tape_target target_c = {
    .name = "c",
    .summary = "C99 for any compiler, with the same bits where contraction is off",
    .lanes = 1,
    .calls = true,
    .print = c_print,
};
