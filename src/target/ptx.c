/* SPDX-License-Identifier: BSD-3-Clause */
#include "target/ptx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- operands -------------------------------------------------------------------------------- */

void ptx_number(text *out, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    text_printf(out, "0d%016" PRIX64, bits);
}

static void ptx_operand(const ptx_tape *x, tape_ref r, text *out)
{
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: text_printf(out, "%s%d", x->values, k); break;
    case TAPE_CONST: ptx_number(out, x->t->consts[k]); break;
    case TAPE_T: text_add(out, x->time); break;
    default: text_printf(out, "%s%d", x->kind[tape_kind_of(r)], k); break;
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

/* One instruction, or a comparison and a choice between C and D (min and max: A and B), or a call of
 * vinc_NAME. `loose`: where contraction is allowed. */
typedef struct ptx_form {
    const char *strict, *loose, *compare;
} ptx_form;

static const ptx_form forms[TAPE_N_OPS] = {
    [TAPE_ADD] = {"add.rn.f64", "add.f64", NULL},
    [TAPE_SUB] = {"sub.rn.f64", "sub.f64", NULL},
    [TAPE_MUL] = {"mul.rn.f64", "mul.f64", NULL},
    [TAPE_DIV] = {"div.rn.f64", NULL, NULL},
    [TAPE_NEG] = {"neg.f64", NULL, NULL},
    [TAPE_ABS] = {"abs.f64", NULL, NULL},
    [TAPE_SQRT] = {"sqrt.rn.f64", NULL, NULL},
    [TAPE_FLOOR] = {"cvt.rmi.f64.f64", NULL, NULL},
    [TAPE_CEIL] = {"cvt.rpi.f64.f64", NULL, NULL},
    [TAPE_TRUNC] = {"cvt.rzi.f64.f64", NULL, NULL},
    [TAPE_COPY] = {"mov.f64", NULL, NULL},
    [TAPE_MIN] = {NULL, NULL, "lt"},
    [TAPE_MAX] = {NULL, NULL, "gt"},
    [TAPE_SEL_LT] = {NULL, NULL, "lt"},
    [TAPE_SEL_LE] = {NULL, NULL, "le"},
    [TAPE_SEL_EQ] = {NULL, NULL, "eq"},
    [TAPE_SEL_NE] = {NULL, NULL, "neu"}, // not equal, or not comparable
};

static void ptx_choice(const ptx_tape *x, int i, const char *compare, text *out)
{
    const tape_ins *in = &x->t->ins[i];
    bool four = tape_op_operands((tape_op)in->op) == 4;
    text_printf(out, "\tsetp.%s.f64 %sq%d, ", compare, x->values, i);
    ptx_operand(x, in->a, out);
    text_add(out, ", ");
    ptx_operand(x, in->b, out);
    text_printf(out, ";\n\tselp.f64 %s%d, ", x->values, i);
    ptx_operand(x, four ? in->c : in->a, out);
    text_add(out, ", ");
    ptx_operand(x, four ? in->d : in->b, out);
    text_printf(out, ", %sq%d;\n", x->values, i);
}

static void ptx_call(const ptx_tape *x, int i, text *out)
{
    const tape_ins *in = &x->t->ins[i];
    const tape_ref operand[2] = {in->a, in->b};
    int n = tape_op_operands((tape_op)in->op);
    text_add(out, "\t{\n");
    for (int k = 0; k < n; k++) {
        text_printf(out, "\t.param .b64 a%d;\n\tst.param.f64 [a%d], ", k, k);
        ptx_operand(x, operand[k], out);
        text_add(out, ";\n");
    }
    text_printf(out, "\t.param .b64 r;\n\tcall.uni (r), vinc_%s, (%s);\n",
                tape_op_name((tape_op)in->op), n == 2 ? "a0, a1" : "a0");
    text_printf(out, "\tld.param.f64 %s%d, [r];\n\t}\n", x->values, i);
}

static bool ptx_is_inverse(const ptx_tape *x, const tape_ins *in) // 1/b
{
    return in->op == TAPE_DIV && tape_kind_of(in->a) == TAPE_CONST &&
           x->t->consts[tape_index_of(in->a)] == 1;
}

static void ptx_operation(const ptx_tape *x, int i, text *out)
{
    const tape_ins *in = &x->t->ins[i];
    const ptx_form *f = &forms[in->op];
    const tape_ref operand[2] = {in->a, in->b};
    if (ptx_is_inverse(x, in)) { // the same bits as by a division, and fewer instructions
        text_printf(out, "\trcp.rn.f64 %s%d, ", x->values, i);
        ptx_operand(x, in->b, out);
        text_add(out, ";\n");
    } else if (f->compare) {
        ptx_choice(x, i, f->compare, out);
    } else if (!f->strict) {
        ptx_call(x, i, out);
    } else {
        text_printf(out, "\t%s %s%d", x->contract && f->loose ? f->loose : f->strict, x->values, i);
        for (int k = 0; k < tape_op_operands((tape_op)in->op); k++) {
            text_add(out, ", ");
            ptx_operand(x, operand[k], out);
        }
        text_add(out, ";\n");
    }
}

/* ---- tapes ----------------------------------------------------------------------------------- */

void ptx_declare(const ptx_tape *x, text *out)
{
    text_printf(out, "\t.reg .f64 %s<%d>;\n", x->values, x->t->n_ins + 1);
    text_printf(out, "\t.reg .pred %sq<%d>;\n", x->values, x->t->n_ins + 1);
}

void ptx_instructions(const ptx_tape *x, text *out)
{
    for (int i = 0; i < x->t->n_ins; i++) {
        const tape_ins *in = &x->t->ins[i];
        if (in->op != TAPE_STORE) {
            ptx_operation(x, i, out);
            continue;
        }
        text_printf(out, "\tmov.f64 %s%d, ", x->kind[tape_kind_of(in->a)], tape_index_of(in->a));
        ptx_operand(x, in->b, out);
        text_add(out, ";\n");
    }
}

/* ---- modules --------------------------------------------------------------------------------- */

static const char module_head[] = ".version 6.0\n.target sm_70\n.address_size 64\n\n";

ptx_functions ptx_needs(const tape *t)
{
    ptx_functions set = 0;
    for (int i = 0; i < t->n_ins; i++)
        if (t->ins[i].op < TAPE_N_OPS && tape_op_flags((tape_op)t->ins[i].op) & TAPE_CALLS)
            set |= (ptx_functions)1 << t->ins[i].op;
    return set;
}

/* Tables stand before the functions, a line each. */
static void add_tables(const char *all, text *out)
{
    static const char table[] = "\n.global ";
    for (const char *at = strstr(all, table); at; at = strstr(at, table)) {
        const char *end = strchr(++at, '\n');
        text_add_n(out, at, (size_t)(end - at) + 1);
        at = end;
    }
    text_char(out, '\n');
}

static bool add_function(const char *all, const char *name, text *out)
{
    char head[100];
    snprintf(head, sizeof head, ".visible .func  (.param .b64 func_retval0) vinc_%s(", name);
    const char *at = strstr(all, head), *end = at ? strstr(at, "\n}\n") : NULL;
    if (!end) return false;
    text_add_n(out, at, (size_t)(end - at) + 3);
    text_char(out, '\n');
    return true;
}

bool ptx_begin_module(ptx_functions needed, text *out)
{
    const char *all = ptx_math_text();
    text_add(out, module_head);
    if (!needed) return true;
    if (!all) return false;
    add_tables(all, out);
    for (int op = 0; op < TAPE_N_OPS; op++)
        if (needed >> op & 1 && !add_function(all, tape_op_name((tape_op)op), out)) return false;
    return true;
}
