/* Functions that are executed, as C: kernels of blocks as functions, and a loop with a switch that runs one block
 * after the other, as machine_code.c does.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "routine/machine_code.h"

#include <stdio.h>

typedef struct routine_printer {
    const routine_compiled *x;
    const routine_code *code;
    const char *name;
    bool tangent;
    text *out;
    tape_c *calls;
} routine_printer;

static void print_operand(const routine_printer *p, int r)
{
    if (r < 0) text_c_number(p->out, p->x->consts[~r]);
    else text_printf(p->out, "w[%d]", r);
}

/* The register, and its derivative, from a register or a constant. */
static void print_move(const routine_printer *p, int to, int from)
{
    int n = p->x->n_registers + 1;
    text_printf(p->out, "w[%d] = ", to);
    print_operand(p, from);
    text_add(p->out, ";");
    if (p->tangent && from < 0) text_printf(p->out, " w[%d] = 0;", n + to);
    else if (p->tangent) text_printf(p->out, " w[%d] = w[%d];", n + to, n + from);
}

static void print_pick(const routine_printer *p, const routine_block *b)
{
    const int *list = p->x->lists + b->b;
    int n = list[0] - 1;
    text_add(p->out, "            x = ");
    print_operand(p, b->a);
    text_printf(p->out,
                ";\n            switch (x >= 1 && x <= %d && x == (int)x ? (int)x - 1 : %d) {\n", n,
                n);
    for (int k = 0; k <= n; k++) {
        if (k == n) text_add(p->out, "            default: ");
        else text_printf(p->out, "            case %d: ", k);
        print_move(p, b->dst, list[1 + k]);
        text_add(p->out, " break;\n");
    }
    text_add(p->out, "            }\n");
}

static void print_table(const routine_printer *p, const routine_block *b, int k)
{
    text_add(p->out, "            x = ");
    print_operand(p, b->a);
    text_printf(
        p->out,
        ";\n            w[%d] = %s_table_%d[x >= 1 && x <= %d && x == (int)x ? (int)x - 1 : "
        "%d];\n",
        b->dst, p->name, k, b->c, b->c);
    if (p->tangent) text_printf(p->out, "            w[%d] = 0;\n", p->x->n_registers + 1 + b->dst);
}

/* Another function, which has been printed; there are no tangents through it. */
static void print_call(const routine_printer *p, const routine_block *b)
{
    const int *list = p->x->lists + b->dst;
    int n_in = list[0], n_out = list[n_in + 1];
    text_printf(p->out, "            {\n                double in[%d] = {", n_in + 1);
    for (int k = 0; k < n_in; k++) {
        print_operand(p, list[1 + k]);
        text_add(p->out, ", ");
    }
    text_printf(p->out, "0}, out[%d];\n                %s(run, in, out);\n", n_out + 1,
                tape_c_name(p->calls, routine_at(p->x->g->set, b->a), NULL));
    for (int k = 0; k < n_out; k++)
        text_printf(p->out, "                w[%d] = out[%d];\n", list[n_in + 2 + k], k);
    text_add(p->out, "            }\n");
}

static void print_block(const routine_printer *p, int k)
{
    const routine_block *b = &p->code->blocks[k];
    text_printf(p->out, "        case %d:\n", k);
    if (b->kernel >= 0)
        text_printf(p->out, "            %s_k%d(0, 0, 0, 0, w, 0, 0, v, run);\n", p->name,
                    b->kernel);
    if (b->checks)
        text_printf(p->out, "            if (w[%d] != 0) return 0;\n", p->x->n_registers);
    text_printf(p->out, "            steps += %d;\n", b->n);
    switch (b->op) {
    case PROGRAM_JUMP: text_printf(p->out, "            at = %d;\n", b->dst); break;
    case PROGRAM_UNLESS:
        text_add(p->out, "            if (");
        print_operand(p, b->a);
        text_printf(p->out, " == 0) at = %d;\n", b->dst);
        break;
    case PROGRAM_FAIL: text_add(p->out, "            return 0;\n"); return;
    case PROGRAM_CALL: print_call(p, b); break;
    case PROGRAM_PICK: print_pick(p, b); break;
    case PROGRAM_TABLE: print_table(p, b, k); break;
    default: break;
    }
    text_add(p->out, "            break;\n");
}

/* Kernels and tables; how many doubles the kernels need beside. */
static size_t print_parts(const routine_printer *p, arena *a)
{
    size_t most = 0;
    for (int k = 0; k < p->code->program->n_steps; k++) {
        char name[60];
        tape_program_builder *b = tape_program_new(a);
        tape_program_kernel(b, p->code->program->steps[k].kernel);
        const tape_program *one = tape_program_finish(b);
        if (tape_program_scratch(one) > most) most = tape_program_scratch(one);
        snprintf(name, sizeof name, "%s_k%d", p->name, k);
        target_c.print(one, name, p->out);
        text_char(p->out, '\n');
    }
    for (int k = 0; k < p->x->n_blocks; k++) {
        const routine_block *b = &p->code->blocks[k];
        if (b->op != PROGRAM_TABLE) continue;
        text_printf(p->out, "static const double %s_table_%d[] = {", p->name, k);
        for (int i = 0; i <= b->c; i++) {
            text_c_number(p->out, p->x->tables[b->b + i]);
            text_add(p->out, i % 8 == 7 ? ",\n    " : ", ");
        }
        text_add(p->out, "0};\n");
    }
    return most;
}

/* What it calls is printed before it; false: one cannot be. */
static bool print_others(const routine_compiled *x, const routine_code *code, tape_c *c)
{
    for (int k = 0; k < x->n_blocks; k++) {
        if (code->blocks[k].op != PROGRAM_CALL) continue;
        const tape_function *f = routine_at(x->g->set, code->blocks[k].a);
        if (!f || !tape_c_name(c, f, NULL)) return false;
    }
    return true;
}

/* out[i * n_out_stride + at] from the registers; a failure gives NaN. */
static void print_results(const routine_printer *p, int stride, int at)
{
    const routine_compiled *x = p->x;
    int n = x->n_registers + 1;
    for (int i = 0; i < x->g->call.n_out; i++) {
        int r = x->results[i];
        text_printf(p->out, "    out[%d] = done ? ", i * stride + at);
        if (!p->tangent) print_operand(p, r);
        else if (r < 0) text_add(p->out, "0.0");
        else text_printf(p->out, "w[%d]", n + r);
        text_add(p->out, " : NAN;\n");
    }
}

bool routine_code_as_c(const routine_compiled *x, tape_c *c, const char *name,
                       const uint8_t *active)
{
    routine_printer p = {x, active ? &x->tangent : &x->value, name, active != NULL, c->out, c};
    c->known = NULL;
    if (!p.code->program || !print_others(x, p.code, c)) return false;
    size_t scratch = print_parts(&p, c->a);
    int n = x->n_registers + 1, room = p.tangent ? 2 * n : n;
    text_printf(
        c->out,
        "static int %s_run(double *w, double *v, void *run)\n{\n    double x = 0, steps = 0;\n"
        "    (void)x, (void)v, (void)run;\n    for (int at = 0; at < %d;) {\n"
        "        if (steps > %.17g) return 0;\n        switch (at++) {\n",
        name, x->n_blocks, (double)PROGRAM_STEPS);
    for (int k = 0; k < x->n_blocks; k++) print_block(&p, k);
    text_add(c->out, "        default: break;\n        }\n    }\n    return 1;\n}\n\n");
    tape_c_begin(c, name);
    text_printf(c->out, "    double w[%d], v[%zu];\n    int done;\n", room, scratch + 1);
    for (int j = 0; j < (active ? x->g->call.n_in : 1); j++) {
        if (active && !active[j]) continue;
        text_printf(c->out, "    for (int i = 0; i < %d; i++) w[i] = i < %d ? in[i] : 0;\n", room,
                    x->g->call.n_in);
        if (active) text_printf(c->out, "    w[%d] = 1;\n", n + j);
        text_printf(c->out, "    done = %s_run(w, v, run);\n", name);
        print_results(&p, active ? x->g->call.n_in : 1, j);
    }
    text_add(c->out, "    (void)w, (void)v, (void)done;\n}\n\n");
    return true;
}
