/* SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/ens_system.h"

#include <string.h>

/* ---- evaluating ------------------------------------------------------------------------------ */

bool ens_unroll(const ens_view *v, const tape_program *f, unroll_refs r)
{
    ens_system *s = v->s;
    int n_w = s->of->m->n_w;
    r.p = v->p;
    r.w = arena_array(s->scratch, tape_ref, n_w);
    if (n_w) memcpy(r.w, v->w, (size_t)n_w * sizeof *r.w);
    if (unroll_program(v->b, f, &r, s->scratch)) return true;
    s->why = "it calls functions that are executed (tables, functions in C, loops)";
    return false;
}

bool ens_rhs(const ens_view *v, tape_ref t, const tape_ref *y, tape_ref *out)
{
    return ens_unroll(v, v->s->of->m->system.rhs.program,
                      (unroll_refs){.t = t, .y = y, .out = out});
}

bool ens_residual(const ens_view *v, tape_ref t, const tape_ref *y, const tape_ref *yp, tape_ref *r)
{
    return ens_unroll(v, v->s->of->m->system.residual.program,
                      (unroll_refs){.t = t, .y = y, .yp = yp, .out = r});
}

bool ens_jacobian(const ens_view *v, tape_ref t, const tape_ref *y, tape_ref *dy, tape_ref *dyp)
{
    const tape_program *f = v->s->of->m->system.jacobian.program;
    if (f->extent[TAPE_YP]) {
        v->s->why = "derivatives enter its equations with coefficients that move";
        return false;
    }
    return ens_unroll(v, f, (unroll_refs){.t = t, .y = y, .out = dy, .out2 = dyp});
}

bool ens_outputs(const ens_view *v, tape_ref t, const tape_ref *y, const tape_ref *yp,
                 const int *outputs, int n, tape_ref *values)
{
    const code_outputs *o = &v->s->of->m->outputs;
    tape_ref *computed = arena_array(v->s->scratch, tape_ref, o->computed.n_out);
    if (o->computed.program &&
        !ens_unroll(v, o->computed.program,
                    (unroll_refs){.t = t, .y = y, .yp = yp, .out = computed}))
        return false;
    for (int i = 0; i < n; i++) {
        tape_ref from = code_output_from(o, outputs[i]);
        int k = tape_index_of(from);
        switch (tape_kind_of(from)) {
        case TAPE_T: values[i] = t; break;
        case TAPE_Y: values[i] = y[k]; break;
        case TAPE_YP: values[i] = yp[k]; break;
        case TAPE_W: values[i] = v->w[k]; break;
        default: values[i] = computed[k]; break;
        }
    }
    return true;
}

ens_view ens_view_new(ens_system *s, arena *a)
{
    ens_view v = {.s = s, .b = tape_builder_new(a)};
    const code_model *m = s->of->m;
    v.p = arena_array(a, tape_ref, m->n_p);
    v.w = arena_array(a, tape_ref, m->n_w);
    for (int k = 0; k < m->n_p; k++)
        v.p[k] = s->p[k].is_number ? tape_const(v.b, s->p[k].number) : s->p[k].ref;
    for (int k = 0; k < m->n_w; k++)
        v.w[k] = s->w[k].is_number ? tape_const(v.b, s->w[k].number) : s->w[k].ref;
    return v;
}

ens_view ens_view_begin(ens_system *s)
{
    return (ens_view){s, s->begin, s->p_begin, s->w_begin};
}

/* ---- parameters and start values ------------------------------------------------------------- */

static bool is_input(const ens_system *s, int param)
{
    for (int k = 0; k < s->of->n_inputs; k++)
        if (s->of->inputs[k].param == param) return true;
    return false;
}

/* Parameters in `begin`: numbers, inputs, and what follows from them by the bindings. */
static bool system_parameters(const ens_view *v)
{
    const ens_source *of = v->s->of;
    const code_parameters *q = &of->m->parameters;
    for (int k = 0; k < of->m->n_p; k++) v->p[k] = tape_const(v->b, of->p[k]);
    for (int k = 0; k < of->n_inputs; k++)
        if (of->inputs[k].param >= 0) v->p[of->inputs[k].param] = tape_p(k);
    tape_ref *bound = arena_array(v->s->scratch, tape_ref, q->bound.n_out);
    for (int pass = 0; pass < q->depth && q->bound.program; pass++) {
        if (!ens_unroll(v, q->bound.program, (unroll_refs){.out = bound})) return false;
        for (int k = 0; k < q->bound.n_out; k++)
            if (!of->set[q->place[k]] && !is_input(v->s, q->place[k])) v->p[q->place[k]] = bound[k];
    }
    return true;
}

static tape_ref system_value(const ens_view *v, const code_value *x, const tape_ref *attributes)
{
    if (x->output == CODE_PARAMETER) return v->p[(int)x->number];
    return x->output < 0 ? tape_const(v->b, x->number) : attributes[x->output];
}

/* Start values by the attributes of the unknowns: what they are where nothing else is asked. */
static bool system_start(const ens_view *v)
{
    ens_system *s = v->s;
    const ens_source *of = s->of;
    const code_parameters *q = &of->m->parameters;
    tape_ref *attributes = arena_array(s->scratch, tape_ref, q->attributes.n_out);
    if (q->attributes.program &&
        !ens_unroll(v, q->attributes.program, (unroll_refs){.out = attributes}))
        return false;
    for (int i = 0; i < of->m->n; i++) {
        int e = of->m->formulation.unknowns[i].entry;
        s->y0[i] = tape_const(v->b, of->y[i]);
        if (of->given) s->y0[i] = tape_p(of->n_inputs + i);
        if (of->given || of->m->system.role[i] != CODE_STATE || e < 0) continue;
        s->y0[i] = system_value(v, &code_entry_of(of->m, e)->start, attributes);
        for (int k = 0; k < of->n_inputs; k++)
            if (of->inputs[k].entry == e) s->y0[i] = tape_p(k);
    }
    return true;
}

/* From refs of begin to terms of the other tapes: a value that is computed becomes a constant. */
static void system_hand_over(const ens_view *v, const tape_ref *from, int n, ens_term *out)
{
    ens_system *s = v->s;
    tape_ref *stored = arena_array(s->scratch, tape_ref, n + 1);
    int n_stored = 0, first = s->n_constants;
    for (int k = 0; k < n; k++) {
        out[k] = (ens_term){.ref = from[k]};
        out[k].is_number = tape_is_const(v->b, from[k], &out[k].number);
        if (tape_kind_of(from[k]) != TAPE_VALUE) continue;
        int j = 0;
        while (j < n_stored && stored[j] != from[k]) j++;
        if (j == n_stored) {
            stored[n_stored++] = from[k];
            tape_store(v->b, tape_out2(first + j), from[k]);
        }
        out[k].ref = tape_p(s->n_in + first + j);
    }
    s->n_constants += n_stored;
}

bool ens_system_init(ens_system *s, const ens_source *of, arena *a, arena *scratch)
{
    const code_model *m = of->m;
    *s = (ens_system){.of = of, .scratch = scratch, .n_in = of->n_inputs};
    if (of->given) s->n_in += m->n + m->n_w;
    s->p = arena_array(a, ens_term, m->n_p);
    s->w = arena_array(a, ens_term, m->n_w);
    s->y0 = arena_array(a, tape_ref, m->n);
    for (int k = 0; k < m->n_w; k++)
        s->w[k] = (ens_term){!of->given, of->w[k], tape_p(of->n_inputs + m->n + k)};
    ens_view v = ens_view_new(s, a);
    s->begin = v.b;
    s->p_begin = v.p;
    s->w_begin = v.w;
    if (!system_parameters(&v) || !system_start(&v)) return false;
    system_hand_over(&v, v.p, m->n_p, s->p);
    return true;
}
