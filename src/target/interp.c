/* Run scheduling: list scheduling inside windows, always the operation with the most instructions
 * ready, until none of it is left. All operands live in one array m: constants and leaves, copied
 * in at the start of an evaluation (so that stores to w cannot disturb them), then the values in
 * the order they are computed. Calls end a window, so they are made in the order written.
 *
 * The program is a stream of ints: operation, count, first destination, operands.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "target/interp.h"

#include "target/batch.h"
#include "target/nodes.h"
#include "target/target.h"

#include <math.h>
#include <string.h>

enum { WINDOW_INSTRUCTIONS = 2000, STREAM_END = -1, N_CODES = TAPE_STORE + 1 };

typedef struct interp_call {
    const tape_function *fn;
    const int *args; // places in m
} interp_call;

struct interp {
    int n_m, max_in;
    const double *consts;
    int first[TAPE_N_KINDS + 1]; // leaves of kind k are m[first[k]] ... m[first[k+1] - 1]
    const int *element;          // per leaf: its index in the array of its kind
    const int *code;
    const interp_call *calls;
};

/* ---- preparation ----------------------------------------------------------------------------- */

typedef struct scheduler {
    const tape *t;
    tape_nodes nodes;
    int *place;        // per node: where it lives in m
    int next_place;    // of the next value
    int *code, n_code; // the stream
    /* Of the window that starts at instruction `begin`: */
    int begin;
    int waits[WINDOW_INSTRUCTIONS]; // operands not computed yet
    int users[WINDOW_INSTRUCTIONS],
        next[4 * WINDOW_INSTRUCTIONS]; // chains of uses; use 4*i + k is operand k of ins begin + i
    int chain[WINDOW_INSTRUCTIONS];    // ready instructions of one operation, linked
    int head[N_CODES], tail[N_CODES], ready[N_CODES];
} scheduler;

static void interp_make_ready(scheduler *s, int i)
{
    uint32_t op = s->t->ins[s->begin + i].op;
    if (s->ready[op]++) s->chain[s->tail[op]] = i;
    else s->head[op] = i;
    s->tail[op] = i;
}

static void interp_find_uses(scheduler *s, int n)
{
    for (int i = 0; i < n; i++) s->users[i] = -1, s->waits[i] = 0;
    for (int i = 0; i < n; i++) {
        const tape_ins *in = &s->t->ins[s->begin + i];
        for (int k = 0; k < tape_n_operands(in); k++) {
            uint32_t node = s->nodes.operand[s->begin + i][k];
            if (node >= (uint32_t)s->t->n_ins || (int)node < s->begin) continue;
            s->waits[i]++;
            s->next[4 * i + k] = s->users[(int)node - s->begin];
            s->users[(int)node - s->begin] = 4 * i + k;
        }
        if (!s->waits[i]) interp_make_ready(s, i);
    }
}

static void interp_emit_one(scheduler *s, int i)
{
    const tape_ins *in = &s->t->ins[s->begin + i];
    if (in->op == TAPE_STORE) s->code[s->n_code++] = (int)in->a;
    for (int k = 0; k < tape_n_operands(in); k++)
        s->code[s->n_code++] = s->place[s->nodes.operand[s->begin + i][k]];
    s->place[s->begin + i] = s->next_place++;
    for (int use = s->users[i]; use >= 0; use = s->next[use])
        if (--s->waits[use / 4] == 0) interp_make_ready(s, use / 4);
}

static void schedule_window(scheduler *s, int begin, int n)
{
    s->begin = begin;
    interp_find_uses(s, n);
    for (int done = 0; done < n;) {
        int op = 0;
        for (int k = 1; k < N_CODES; k++)
            if (s->ready[k] > s->ready[op]) op = k;
        int header = s->n_code, first = done;
        s->code[header] = op;
        s->code[header + 2] = s->next_place;
        s->n_code += 3;
        while (s->ready[op]) {
            int i = s->head[op];
            s->head[op] = s->chain[i];
            s->ready[op]--;
            interp_emit_one(s, i);
            done++;
        }
        s->code[header + 1] = done - first;
    }
}

static int schedule_call(scheduler *s, int i)
{
    int n_out = s->t->calls[s->t->ins[i].a].fn->n_out;
    const int words[4] = {TAPE_CALL, 1, s->next_place + 1, (int)s->t->ins[i].a};
    memcpy(s->code + s->n_code, words, sizeof words);
    s->n_code += 4;
    for (int k = 0; k <= n_out; k++) s->place[i + k] = s->next_place++;
    return 1 + n_out;
}

static void interp_schedule(scheduler *s)
{
    const tape *t = s->t;
    for (int i = 0; i < t->n_ins;) {
        if (t->ins[i].op == TAPE_CALL) {
            i += schedule_call(s, i);
            continue;
        }
        int n = 1;
        while (n < WINDOW_INSTRUCTIONS && i + n < t->n_ins && t->ins[i + n].op != TAPE_CALL) n++;
        schedule_window(s, i, n);
        i += n;
    }
    s->code[s->n_code++] = STREAM_END;
}

/* Leaves sorted by kind: constants are copied as one block, arrays one after the other. */
static void place_leaves(scheduler *s, interp *p, int *element, double *consts)
{
    const tape_nodes *n = &s->nodes;
    int at[TAPE_N_KINDS] = {0};
    for (int k = 0; k < n->n_leaves; k++) p->first[tape_kind_of(n->leaf[k]) + 1]++;
    for (int k = 0; k < TAPE_N_KINDS; k++) p->first[k + 1] += at[k] = p->first[k];
    for (int k = 0; k < n->n_leaves; k++) {
        tape_kind kind = tape_kind_of(n->leaf[k]);
        int place = at[kind]++, index = tape_index_of(n->leaf[k]);
        s->place[n->n_values + k] = place;
        element[place] = index;
        if (kind == TAPE_CONST) consts[place] = s->t->consts[index];
    }
    s->next_place = n->n_leaves;
}

static const interp_call *place_calls(const scheduler *s, pool *keep)
{
    const tape *t = s->t;
    interp_call *calls = pool_array(keep, interp_call, t->n_calls);
    int *args = pool_array(keep, int, t->n_args);
    if (!calls || !args) return NULL;
    for (int k = 0; k < t->n_args; k++) args[k] = s->place[s->nodes.arg[k]];
    for (int k = 0; k < t->n_calls; k++)
        calls[k] = (interp_call){t->calls[k].fn, args + t->calls[k].args};
    return calls;
}

const interp *interp_new(const tape *t, pool *keep, pool *temp)
{
    interp *p = pool_array(keep, interp, 1);
    scheduler *s = pool_array(temp, scheduler, 1);
    if (!p || !s) return NULL;
    s->t = t;
    if (!tape_nodes_of(t, temp, &s->nodes)) return NULL;
    int *element = pool_raw_array(keep, int, s->nodes.n_leaves);
    double *consts = pool_raw_array(keep, double, t->n_consts);
    s->place = pool_raw_array(temp, int, s->nodes.n_values + s->nodes.n_leaves);
    s->code =
        pool_raw_array(temp, int, 7 * (size_t)t->n_ins + 1); // a header and four operands each
    if (!element || !consts || !s->place || !s->code) return NULL;

    place_leaves(s, p, element, consts);
    interp_schedule(s);
    p->element = element;
    p->consts = consts;
    p->max_in = t->max_in;
    p->n_m = s->next_place;
    p->code = pool_copy(keep, s->code, (size_t)s->n_code, sizeof *s->code);
    p->calls = place_calls(s, keep);
    return p->code && p->calls ? p : NULL;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

size_t interp_scratch(const interp *p)
{
    return (size_t)p->n_m + (size_t)p->max_in;
}

static void load_leaves(const interp *p, double *m, const tape_args *args)
{
    const double *const base[TAPE_N_KINDS] = {[TAPE_T] = &args->t,
                                              [TAPE_P] = args->p,
                                              [TAPE_Y] = args->y,
                                              [TAPE_YP] = args->yp,
                                              [TAPE_W] = args->w};
    int n_consts = p->first[TAPE_CONST + 1];
    if (n_consts) memcpy(m, p->consts, (size_t)n_consts * sizeof *m);
    for (int kind = TAPE_T; kind <= TAPE_W; kind++)
        for (int k = p->first[kind]; k < p->first[kind + 1]; k++) m[k] = base[kind][p->element[k]];
}

static void interp_call_fn(const interp_call *c, void *run, const double *m, double *in,
                           double *out)
{
    for (int k = 0; k < c->fn->n_in; k++) in[k] = m[c->args[k]];
    c->fn->value(c->fn->user, run, in, out);
}

#define A m[c[0]]
#define B m[c[1]]
#define C m[c[2]]
#define D m[c[3]]
void interp_run(const interp *p, const tape_args *args)
{
    double *m = args->scratch;
    double *const target[TAPE_N_KINDS] = {
        [TAPE_W] = args->w, [TAPE_OUT] = args->out, [TAPE_OUT2] = args->out2};
    load_leaves(p, m, args);
    for (const int *c = p->code; *c != STREAM_END;) {
        int op = c[0], n = c[1];
        double *v = m + c[2];
        c += 3;
        switch ((tape_op)op) {
#define OP(name, operands, mnemonic, flags, value)                                                 \
    case TAPE_##name:                                                                              \
        for (int k = 0; k < n; k++, c += operands) v[k] = value;                                   \
        break;
            TAPE_OPS(OP)
#undef OP
        case TAPE_CALL: interp_call_fn(&p->calls[*c++], args->run, m, m + p->n_m, v); break;
        case TAPE_RESULT: break;
        case TAPE_STORE:
            for (int k = 0; k < n; k++, c += 2)
                target[tape_kind_of((tape_ref)c[0])][tape_index_of((tape_ref)c[0])] = m[c[1]];
            break;
        }
    }
}

static bool interpreter_runs(void)
{
    return true;
}

/* With batch.c for maps, where a block of at most BATCH_LANES instances is computed at once. */
const tape_target target_interpreter = {
    .name = "interpreter",
    .summary = "run-scheduled interpreter, on any machine",
    .lanes = BATCH_LANES,
    .calls = true,
    .runs_here = interpreter_runs,
};
