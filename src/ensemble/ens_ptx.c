/* The state of a run lives in registers %y, what stays as it is in %p; the body computes %z, which then
 * become %y. What only phases use is kept in memory of the thread (`cold`) while the body runs. Runs are handed out with the stride of the grid, so that neighbouring threads read and
 * write neighbouring elements.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_ptx.h"

#include "target/ptx.h"

static ptx_tape part(const tape *t, const char *values, const char *to, bool contract)
{
    return (ptx_tape){
        .t = t,
        .values = values,
        .kind = {[TAPE_P] = "%p", [TAPE_Y] = "%y", [TAPE_OUT] = to, [TAPE_OUT2] = "%c"},
        .contract = contract};
}

static void print_start(text *out)
{
    text_add(out, "\tld.param.u64 %in, [in];\n\tld.param.u64 %out, [out];\n"
                  "\tld.param.u64 %n, [n];\n"
                  "\tcvta.to.global.u64 %in, %in;\n\tcvta.to.global.u64 %out, %out;\n"
                  "\tmov.u32 %r0, %ctaid.x;\n\tmov.u32 %r1, %ntid.x;\n\tmov.u32 %r2, %tid.x;\n"
                  "\tmov.u32 %r3, %nctaid.x;\n"
                  "\tmul.wide.u32 %run, %r0, %r1;\n\tcvt.u64.u32 %a, %r2;\n"
                  "\tadd.s64 %run, %run, %a;\n"
                  "\tmul.wide.u32 %stride, %r1, %r3;\n\tshl.b64 %bytes, %n, 3;\n");
}

/* Loads or stores of n elements of a run, those of a quantity side by side. */
static void print_transfer(const char *array, const char *prefix, int n, bool load, text *out)
{
    text_printf(out, "\tshl.b64 %%a, %%run, 3;\n\tadd.s64 %%a, %%a, %s;\n", array);
    for (int k = 0; k < n; k++) {
        if (k) text_add(out, "\tadd.s64 %a, %a, %bytes;\n");
        if (load) text_printf(out, "\tld.global.f64 %s%d, [%%a];\n", prefix, k);
        else text_printf(out, "\tst.global.f64 [%%a], %s%d;\n", prefix, k);
    }
}

static void print_advance(const tape *t, text *out) // what was computed is the state
{
    for (int i = 0; i < t->n_ins; i++)
        if (t->ins[i].op == TAPE_STORE)
            text_printf(out, "\tmov.f64 %%y%d, %%z%d;\n", tape_index_of(t->ins[i].a),
                        tape_index_of(t->ins[i].a));
}

/* ---- what only phases use -------------------------------------------------------------------- */

/* Is the element of the state an operand of the tape? Is it stored by it? */
static bool tape_has(const tape *t, tape_kind kind, int k)
{
    tape_ref what = tape_ref_of(kind, k);
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        bool store = in->op == TAPE_STORE;
        int n = store ? 2 : tape_op_operands((tape_op)in->op);
        if (n > 0 && in->a == what) return true;
        if (n > 1 && in->b == what) return true;
        if (n > 2 && (in->c == what || in->d == what)) return true;
    }
    return false;
}

static bool is_cold(const ens_kernel *k, int element)
{
    return k->n_phases && !tape_has(k->body, TAPE_Y, element) &&
           !tape_has(k->body, TAPE_OUT, element);
}

/* Elements that the tape reads come from memory, or those that it stores go there. */
static void print_cold(const ens_kernel *k, const tape *t, bool load, text *out)
{
    for (int i = 0; i < k->n_state && k->n_phases; i++) {
        if (!is_cold(k, i) || !tape_has(t, load ? TAPE_Y : TAPE_OUT, i)) continue;
        if (load) text_printf(out, "\tld.local.f64 %%y%d, [cold+%d];\n", i, 8 * i);
        else text_printf(out, "\tst.local.f64 [cold+%d], %%y%d;\n", 8 * i, i);
    }
}

/* ---- parts of the text ----------------------------------------------------------------------- */

static void print_begin(const ens_kernel *k, const ptx_tape *begin, text *out)
{
    print_transfer("%in", "%p", k->n_in, true, out);
    ptx_instructions(begin, out);
    print_advance(begin->t, out);
    print_cold(k, begin->t, false, out);
    for (int i = 0; i < k->n_constants; i++)
        text_printf(out, "\tmov.f64 %%p%d, %%c%d;\n", k->n_in + i, i);
}

static void print_end(const ens_kernel *k, const ptx_tape *end, text *out)
{
    print_cold(k, end->t, true, out);
    ptx_instructions(end, out);
    print_transfer("%out", "%z", k->n_out, false, out);
}

static void print_step(const ptx_tape *body, text *out)
{
    ptx_instructions(body, out);
    print_advance(body->t, out);
}

/* The predicate: is the status of the run so? */
static void print_is(const char *predicate, const char *how, ens_status status, text *out)
{
    text_printf(out, "\tsetp.%s.f64 %s, %%y0, ", how, predicate);
    ptx_number(out, status);
    text_add(out, ";\n");
}

static void print_counted(const ens_kernel *k, const ptx_tape *body, const ptx_tape *last,
                          text *out)
{
    if (k->count) {
        text_printf(out, "\tmov.u64 %%count, %ld;\nSTEP:\n", k->count);
        print_step(body, out);
        text_add(out, "\tsub.s64 %count, %count, 1;\n\tsetp.ne.u64 %q, %count, 0;\n"
                      "\t@%q bra STEP;\n");
    }
    if (k->last) print_step(last, out);
}

/* Each phase while the state says so. What the body leaves for them alone is not kept over the next
 * one. */
static void print_phases(const ens_kernel *k, const ptx_tape *phases, text *out)
{
    text_add(out, "PHASES:\n");
    for (int i = 0; i < k->n_phases; i++) {
        print_is("%q", "neu", k->phases[i].when, out);
        text_printf(out, "\t@%%q bra PHASE%d;\n", i + 1);
        print_cold(k, phases[i].t, true, out);
        print_step(&phases[i], out);
        print_cold(k, phases[i].t, false, out);
        text_printf(out, "\tbra PHASES;\nPHASE%d:\n", i + 1);
    }
}

/* A run that is over: its values, and, with refilling, the next one. */
static void print_change(const ens_kernel *k, const ens_ptx_options *o, const ptx_tape *begin,
                         const ptx_tape *end, text *out)
{
    text_add(out, "\t@!%has bra GOES;\n");
    print_is("%q", "eq", ENS_RUNNING, out);
    text_add(out, "\t@%q bra GOES;\n");
    print_is("%q", "ge", ENS_FIRST_PHASE, out);
    text_add(out, "\t@%q bra GOES;\n");
    print_end(k, end, out);
    if (!o->refill) {
        text_add(out, "\tsetp.lt.u64 %has, %n, %n;\nGOES:\n"); // no more
        return;
    }
    text_add(out, "\tadd.s64 %run, %run, %stride;\n\tsetp.lt.u64 %has, %run, %n;\n"
                  "\t@!%has bra GOES;\n");
    print_begin(k, begin, out);
    text_add(out, "GOES:\n");
}

/* The threads of a warp go through steps and phases together: those with an event wait, and %waited
 * counts the steps that they miss until phases are run for them. A thread without a run goes along
 * until all are done, as votes ask all of them. The loop has one entry: with two the threads of a warp
 * do not come together again, which was ten times slower. */
static void print_together(const ens_kernel *k, const ens_ptx_options *o, const ptx_tape *begin,
                           const ptx_tape *body, const ptx_tape *phases, const ptx_tape *end,
                           text *out)
{
    text_add(out, "\tmov.u32 %waited, 0;\n\tmov.f64 %y0, ");
    ptx_number(out, ENS_DONE);
    text_add(out, ";\n\tsetp.lt.u64 %has, %run, %n;\n\t@!%has bra STEP;\n");
    print_begin(k, begin, out);
    text_add(out, "STEP:\n");
    print_is("%q", "neu", ENS_RUNNING, out);
    text_add(out, "\t@%q bra STEPPED;\n");
    print_step(body, out);
    text_add(out, "STEPPED:\n");
    print_is("%q", "ge", ENS_FIRST_PHASE, out);
    text_add(out, "\tvote.sync.ballot.b32 %v0, %q, 4294967295;\n\tpopc.b32 %v0, %v0;\n"
                  "\tadd.u32 %waited, %waited, %v0;\n");
    print_is("%q", "eq", ENS_RUNNING, out);
    text_printf(out,
                "\tvote.sync.ballot.b32 %%v1, %%q, 4294967295;\n"
                "\tsetp.eq.u32 %%q, %%v1, 0;\n"
                "\tselp.u32 %%waited, 4294967295, %%waited, %%q;\n"
                "\tsetp.lt.u32 %%q, %%waited, %d;\n\t@%%q bra LOOK;\n"
                "\tmov.u32 %%waited, 0;\n",
                k->patience);
    print_phases(k, phases, out);
    text_add(out, "LOOK:\n");
    print_change(k, o, begin, end, out);
    text_add(out, "\tvote.sync.ballot.b32 %v0, %has, 4294967295;\n"
                  "\tsetp.ne.u32 %q, %v0, 0;\n\t@%q bra STEP;\n");
}

/* With refilling, the end of a run and the beginning of the next one are a branch inside the loop, so
 * that the threads of a warp come together again after it and not at the end of the loop. */
static void print_until_done(const ens_kernel *k, const ens_ptx_options *o, const ptx_tape *begin,
                             const ptx_tape *body, const ptx_tape *end, text *out)
{
    text_add(out, "STEP:\n");
    print_step(body, out);
    print_is("%q", "eq", ENS_RUNNING, out);
    if (!o->refill) {
        text_add(out, "\t@%q bra STEP;\n");
        print_end(k, end, out);
        return;
    }
    text_add(out, "\t@%q bra NEXT;\n");
    print_end(k, end, out);
    text_add(out, "\tadd.s64 %run, %run, %stride;\n"
                  "\tsetp.ge.u64 %q, %run, %n;\n\t@%q bra EXIT;\n");
    print_begin(k, begin, out);
    text_add(out, "NEXT:\n\tbra STEP;\n");
}

bool ens_ptx_print(const ens_kernel *k, const ens_ptx_options *o, text *out)
{
    ptx_tape begin = part(k->begin, "%b", "%z", o->contract),
             body = part(k->body, "%s", "%z", o->contract),
             last = part(k->last, "%l", "%z", o->contract),
             end = part(k->end, "%e", "%z", o->contract);
    int most = k->n_state > k->n_out ? k->n_state : k->n_out;
    ptx_functions needed = ptx_needs(k->begin) | ptx_needs(k->body) | ptx_needs(k->end);
    if (k->last) needed |= ptx_needs(k->last);
    ptx_tape phases[ENS_PHASES_MAX];
    static const char *const names[ENS_PHASES_MAX] = {"%f", "%g", "%h", "%i"};
    for (int i = 0; i < k->n_phases; i++) {
        phases[i] = part(k->phases[i].t, names[i], "%z", o->contract);
        needed |= ptx_needs(k->phases[i].t);
    }
    if (!ptx_begin_module(needed, out)) return false;
    text_add(out,
             ".visible .entry vinc_ensemble(.param .u64 in, .param .u64 out, .param .u64 n)\n");
    if (o->registers) text_printf(out, ".maxnreg %d\n", o->registers);
    text_add(out, "{\n");
    text_add(out, "\t.reg .u64 %in, %out, %n, %run, %stride, %bytes, %a, %count;\n"
                  "\t.reg .u32 %r<4>;\n\t.reg .pred %q;\n");
    text_printf(out,
                "\t.reg .f64 %%p<%d>;\n\t.reg .f64 %%c<%d>;\n\t.reg .f64 %%y<%d>;\n"
                "\t.reg .f64 %%z<%d>;\n",
                k->n_in + k->n_constants + 1, k->n_constants + 1, k->n_state + 1, most + 1);
    if (k->n_phases)
        text_printf(out,
                    "\t.local .align 8 .b8 cold[%d];\n\t.reg .pred %%has;\n"
                    "\t.reg .u32 %%waited, %%v<2>;\n",
                    8 * k->n_state);
    ptx_declare(&begin, out);
    ptx_declare(&body, out);
    if (k->last) ptx_declare(&last, out);
    ptx_declare(&end, out);
    for (int i = 0; i < k->n_phases; i++) ptx_declare(&phases[i], out);
    print_start(out);

    if (k->n_phases) {
        print_together(k, o, &begin, &body, phases, &end, out);
    } else {
        text_add(out, "\tsetp.ge.u64 %q, %run, %n;\n\t@%q bra EXIT;\n");
        print_begin(k, &begin, out);
        if (k->count < 0) {
            print_until_done(k, o, &begin, &body, &end, out);
        } else {
            print_counted(k, &body, &last, out);
            print_end(k, &end, out);
        }
    }
    text_add(out, "EXIT:\n\tret;\n}\n");
    return true;
}
