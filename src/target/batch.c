/* Every node has a row of `lanes` doubles, one per instance of the block, so the dispatch is paid
 * once per block and the inner loops are plain array loops.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/batch.h"

#include "target/nodes.h"

#include <math.h>

enum { LEAST_LANES = 8, CACHED_DOUBLES = 4096 }; // those fit the first-level cache

typedef struct batch_ins {
    uint32_t op;    // of a call: a is its index
    int a, b, c, d; // rows; of a store: b is the row, a the access or, where c > 0, the element of
                    // the array of kind c
} batch_ins;

struct batch {
    int n, lanes, n_rows, n_values, n_leaves, n_ins, max_in, max_out;
    const tape_ref *leaf;
    const double *consts;
    const batch_ins *ins;
    const tape_access *access;
    const tape_call *calls;
    const uint32_t *args; // rows, by call
};

static const tape_access *copy_accesses(const tape_step *s, pool *keep)
{
    int n = s->kernel->extent[TAPE_X];
    tape_access *to = pool_copy(keep, s->access, (size_t)n, sizeof *to);
    for (int k = 0; to && k < n; k++) {
        int same = 0; // several may share a list
        while (same < k && s->access[same].list != s->access[k].list) same++;
        if (!to[k].list) continue;
        to[k].list =
            same < k ? to[same].list : pool_copy(keep, to[k].list, (size_t)s->n, sizeof(int));
        if (!to[k].list) return NULL;
    }
    return to;
}

static batch_ins store_of(tape_ref target, int row)
{
    tape_kind kind = tape_kind_of(target);
    return (batch_ins){TAPE_STORE, tape_index_of(target), row, kind == TAPE_X ? 0 : (int)kind, 0};
}

const batch *batch_new(const tape_step *map, pool *keep, pool *temp)
{
    const tape *t = map->kernel;
    tape_nodes nodes;
    batch *p = pool_array(keep, batch, 1);
    batch_ins *ins = pool_array(keep, batch_ins, t->n_ins);
    if (!p || !ins || !tape_nodes_of(t, temp, &nodes)) return NULL;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        const uint32_t *row = nodes.operand[i];
        ins[i] = (batch_ins){in->op, (int)row[0], (int)row[1], (int)row[2], (int)row[3]};
        if (in->op == TAPE_CALL) ins[i].a = (int)in->a;
        if (in->op == TAPE_STORE) ins[i] = store_of(in->a, (int)row[0]);
    }
    *p = (batch){.n = map->n,
                 .n_rows = nodes.n_values + nodes.n_leaves,
                 .n_values = nodes.n_values,
                 .n_leaves = nodes.n_leaves,
                 .n_ins = t->n_ins,
                 .max_in = t->max_in,
                 .ins = ins,
                 .access = copy_accesses(map, keep),
                 .leaf = pool_copy(keep, nodes.leaf, (size_t)nodes.n_leaves, sizeof(tape_ref)),
                 .consts = pool_copy(keep, t->consts, (size_t)t->n_consts, sizeof(double)),
                 .calls = pool_copy(keep, t->calls, (size_t)t->n_calls, sizeof(tape_call)),
                 .args = pool_copy(keep, nodes.arg, (size_t)t->n_args, sizeof(uint32_t))};
    for (int k = 0; k < t->n_calls; k++)
        if (t->calls[k].fn->n_out > p->max_out) p->max_out = t->calls[k].fn->n_out;
    p->lanes = BATCH_LANES;
    while (p->lanes > LEAST_LANES &&
           (p->lanes * p->n_rows > CACHED_DOUBLES || p->lanes >= 2 * p->n))
        p->lanes /= 2;
    return keep->failed ? NULL : p;
}

size_t batch_scratch(const batch *p)
{
    return (size_t)p->n_rows * (size_t)p->lanes + (size_t)p->max_in + (size_t)p->max_out;
}

static void batch_gather(const tape_access *a, const double *from, int first, int n, double *row)
{
    for (int k = 0; k < n; k++) row[k] = from[tape_element(a, first + k)];
}

static void batch_scatter(const tape_access *a, const double *row, int first, int n, double *to)
{
    for (int k = 0; k < n; k++) to[tape_element(a, first + k)] = row[k];
}

static void batch_call(const batch *p, void *run, double *m, int i, int n)
{
    const tape_call *c = &p->calls[p->ins[i].a];
    double *in = m + (size_t)p->n_rows * (size_t)p->lanes, *out = in + p->max_in;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < c->fn->n_in; j++)
            in[j] = m[(size_t)p->args[c->args + j] * (size_t)p->lanes + (size_t)k];
        c->fn->value(c->fn->user, run, in, out);
        for (int j = 0; j < c->fn->n_out; j++)
            m[(size_t)(i + 1 + j) * (size_t)p->lanes + (size_t)k] = out[j];
    }
}

#define ROW(node) (m + (size_t)(node) * (size_t)p->lanes)
#define A         a[k]
#define B         b[k]
#define C         c[k]
#define D         d[k]
static void run_block(const batch *p, void *run, double *m, int first, int n, double *const base[])
{
    for (int i = 0; i < p->n_ins; i++) {
        const batch_ins *in = &p->ins[i];
        const double *a, *b, *c, *d;
        double *v = ROW(i);
        switch ((tape_op)in->op) {
#define OP(name, operands, mnemonic, flags, value)                                                 \
    case TAPE_##name:                                                                              \
        a = ROW(operands > 0 ? in->a : 0), b = ROW(operands > 1 ? in->b : 0);                      \
        c = ROW(operands > 2 ? in->c : 0), d = ROW(operands > 3 ? in->d : 0);                      \
        (void)a, (void)b, (void)c, (void)d;                                                        \
        for (int k = 0; k < n; k++) v[k] = value;                                                  \
        break;
            TAPE_OPS(OP)
#undef OP
        case TAPE_CALL: batch_call(p, run, m, i, n); break;
        case TAPE_RESULT: break;
        case TAPE_STORE:
            if (in->c) base[in->c][in->a] = ROW(in->b)[n - 1];
            else
                batch_scatter(&p->access[in->a], ROW(in->b), first, n,
                              base[p->access[in->a].array]);
            break;
        }
    }
}

void batch_run(const batch *p, const tape_args *args)
{
    double *m = args->scratch, t = args->t;
    double *const base[TAPE_N_KINDS] = {[TAPE_CONST] = (double *)p->consts,
                                        [TAPE_T] = &t,
                                        [TAPE_P] = (double *)args->p,
                                        [TAPE_Y] = (double *)args->y,
                                        [TAPE_YP] = (double *)args->yp,
                                        [TAPE_W] = args->w,
                                        [TAPE_OUT] = args->out,
                                        [TAPE_OUT2] = args->out2};
    for (int k = 0; k < p->n_leaves; k++) {
        tape_kind kind = tape_kind_of(p->leaf[k]);
        if (kind == TAPE_X) continue;
        double x = base[kind][tape_index_of(p->leaf[k])], *row = ROW(p->n_values + k);
        for (int j = 0; j < p->lanes; j++) row[j] = x;
    }
    for (int first = 0; first < p->n; first += p->lanes) {
        int n = p->n - first < p->lanes ? p->n - first : p->lanes;
        for (int k = 0; k < p->n_leaves; k++) {
            if (tape_kind_of(p->leaf[k]) != TAPE_X) continue;
            const tape_access *a = &p->access[tape_index_of(p->leaf[k])];
            batch_gather(a, base[a->array], first, n, ROW(p->n_values + k));
        }
        run_block(p, args->run, m, first, n, base);
    }
}
