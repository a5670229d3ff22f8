/* Dependent unknowns in layers: what is linear is solved once.
 *
 * Everything follows from the independent components by F = 0 (run/dependents.c): y' of the states, algebraic unknowns, and
 * what constraints tie. Of a mechanism these are positions, then velocities, which are linear once positions are known, then
 * accelerations and reactions, which are linear once both are. The system is brought to block triangular form and its
 * blocks are gathered into layers: as many as are linear together, known exactly from the instructions of the rows; those
 * that are linear in no order are layers that are searched for. Each has a tape of its rows with their derivatives by its own
 * unknowns, and no others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/layers.h"

#include "derive/derive.h"
#include "graph/graph.h"
#include "la/la.h"

#include <string.h>

// clang-format off
/*  bound                        quantity                                    source */
enum {
    UNKNOWNS_MAX       = 128,    // of all layers                            choice: beyond, one sparse matrix and steps of bdf
    LAYERS_MAX         = 8,      // ... of which there are so many           choice: each is a call and a matrix
    INSTRUCTIONS_MAX   = 20000,  // of the rows                              choice: what is lowered once more
};
// clang-format on
enum { WORDS = UNKNOWNS_MAX / 64 };

typedef struct unknown_set {
    uint64_t bits[WORDS];
} unknown_set;

typedef enum layer_state { LATER, HERE, KNOWN } layer_state;

/* How a value depends on the unknowns of a layer; beyond: or on those of later ones. */
typedef enum layer_degree { FREE, LINEAR, BEYOND } layer_degree;

typedef struct layer_writer {
    lowering *l;
    const code_system *x;
    int n;
    tape_picker *picker;
    const tape *t;       // all rows but those that select; row i is out[i]
    const int *group_of; // by row that selects: its group, and which row of P; -1
    const int *kept_row;
    unknown_set *reads;  // by row: unknowns that are not independent
    uint8_t *state;      // by unknown: layer_state
    uint8_t *degree;     // by instruction
    uint8_t *row_degree; // by row
    graph_matching match;
    graph_blocks blocks;
    uint8_t *done, *here; // by block
    const code_layer *now;
    tape_builder *b;
} layer_writer;

/* ---- what rows read -------------------------------------------------------------------------- */

/* The unknown that is solved for where an operand is one, -1: it is given, -2: y' of what has none of its own. */
static int unknown_of(const layer_writer *x, tape_ref r)
{
    int k = tape_index_of(r);
    tape_kind kind = tape_kind_of(r);
    if (kind != TAPE_Y && kind != TAPE_YP) return -1;
    bool state = x->x->role[k] == CODE_STATE;
    if (kind == TAPE_YP) return state ? k : -2;
    return state ? -1 : k;
}

static int operands_of(const tape *t, const tape_ins *in, const tape_ref **of)
{
    if (in->op == TAPE_CALL) {
        *of = t->args + t->calls[in->a].args;
        return t->calls[in->a].fn->n_in;
    }
    *of = in->op == TAPE_STORE ? &in->b : &in->a;
    return in->op == TAPE_STORE ? 1 : tape_op_operands((tape_op)in->op);
}

static bool find_reads(layer_writer *x)
{
    const tape *t = x->t;
    unknown_set *of = arena_array(x->l->scratch, unknown_set, t->n_ins + 1);
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        const tape_ref *operand;
        int k = operands_of(t, in, &operand);
        if (in->op == TAPE_RESULT) of[i] = of[i - 1 - (int)in->a];
        for (int j = 0; j < k; j++) {
            int u = unknown_of(x, operand[j]);
            if (u == -2) return false;
            if (u >= 0) of[i].bits[u / 64] |= (uint64_t)1 << (u % 64);
            if (tape_kind_of(operand[j]) != TAPE_VALUE) continue;
            for (int w = 0; w < WORDS; w++) of[i].bits[w] |= of[tape_index_of(operand[j])].bits[w];
        }
        if (in->op == TAPE_STORE) x->reads[tape_index_of(in->a)] = of[i];
    }
    return true;
}

static bool set_has(const unknown_set *s, int u)
{
    return s->bits[u / 64] >> (u % 64) & 1;
}

static tape_ref leaf_as_it_is(void *user, tape_ref r)
{
    (void)user;
    return r;
}

/* The rows as one tape, and what each reads. */
static bool pick_rows(layer_writer *x)
{
    const form_system *f = x->l->f;
    arena *a = x->l->scratch;
    int *wanted = arena_array(a, int, x->n), *group = arena_array(a, int, x->n),
        *kept = arena_array(a, int, x->n), m = 0;
    tape_ref *value = arena_array(a, tape_ref, x->n);
    for (int i = 0; i < x->n; i++) {
        group[i] = -1;
        if (!x->x->selecting[i]) wanted[m++] = i;
    }
    x->picker = tape_picker_new(x->x->residual.program, a);
    if (!x->picker) return false;
    x->b = tape_builder_new(a);
    tape_pick(x->picker, wanted, m, x->b, leaf_as_it_is, NULL, value);
    for (int i = 0; i < m; i++) {
        if (value[i] == TAPE_NONE) return false;
        tape_store(x->b, tape_out(wanted[i]), value[i]);
    }
    x->t = tape_finish(x->b, a);
    x->reads = arena_array(a, unknown_set, x->n);
    if (!find_reads(x)) return false;
    for (int g = 0; g < f->groups.n; g++) {
        const image_group *q = &f->groups.at[g];
        if (q->tied || q->independent) return false;
        for (int i = 0; i < q->n_columns - q->n_constraints; i++) {
            group[q->rows[i]] = g;
            kept[q->rows[i]] = i;
            for (int j = 0; j < q->n_columns; j++)
                x->reads[q->rows[i]].bits[q->columns[j] / 64] |= (uint64_t)1
                                                                 << (q->columns[j] % 64);
        }
    }
    x->group_of = group;
    x->kept_row = kept;
    return true;
}

static bool find_blocks(layer_writer *x)
{
    arena *a = x->l->scratch;
    graph_pattern g = {.n_rows = x->n, .n_cols = x->n};
    int_array col = {0};
    g.start = arena_array(a, int, x->n + 1);
    for (int i = 0; i < x->n; i++) {
        for (int u = 0; u < x->n; u++)
            if (set_has(&x->reads[i], u)) array_push(a, &col, u);
        g.start[i + 1] = col.n;
    }
    g.col = col.at;
    x->match = graph_match(&g, NULL, a, a);
    if (x->match.n < x->n) return false;
    x->blocks = graph_blt(&g, x->match.row_of, NULL, NULL, a, a);
    x->done = arena_array(a, uint8_t, x->blocks.n);
    x->here = arena_array(a, uint8_t, x->blocks.n);
    return true;
}

/* ---- degrees --------------------------------------------------------------------------------- */

static layer_degree degree_of(const layer_writer *x, tape_ref r)
{
    if (tape_kind_of(r) == TAPE_VALUE) return x->degree[tape_index_of(r)];
    int u = unknown_of(x, r);
    if (u < 0 || x->state[u] == KNOWN) return FREE;
    return x->state[u] == HERE ? LINEAR : BEYOND;
}

static layer_degree larger(layer_degree a, layer_degree b)
{
    return a > b ? a : b;
}

static layer_degree degree_of_ins(const layer_writer *x, int i)
{
    const tape_ins *in = &x->t->ins[i];
    const tape_ref *of;
    if (in->op == TAPE_RESULT) return x->degree[i - 1 - (int)in->a];
    int k = operands_of(x->t, in, &of);
    layer_degree most = FREE, first = k > 0 ? degree_of(x, of[0]) : FREE,
                 second = k > 1 ? degree_of(x, of[1]) : FREE;
    for (int j = 0; j < k; j++) most = larger(most, degree_of(x, of[j]));
    if (most != LINEAR) return most;
    switch (in->op) {
    case TAPE_ADD:
    case TAPE_SUB:
    case TAPE_NEG:
    case TAPE_COPY:
    case TAPE_STORE: return LINEAR;
    case TAPE_MUL: return first && second ? BEYOND : LINEAR;
    case TAPE_DIV: return second ? BEYOND : LINEAR;
    case TAPE_SEL_LT:
    case TAPE_SEL_LE:
    case TAPE_SEL_EQ:
    case TAPE_SEL_NE: return first || second ? BEYOND : LINEAR;
    default: return BEYOND;
    }
}

static void find_degrees(layer_writer *x)
{
    for (int i = 0; i < x->t->n_ins; i++) {
        x->degree[i] = (uint8_t)degree_of_ins(x, i);
        const tape_ins *in = &x->t->ins[i];
        if (in->op == TAPE_STORE) x->row_degree[tape_index_of(in->a)] = x->degree[i];
    }
    for (int i = 0; i < x->n; i++) {
        if (x->group_of[i] < 0) continue;
        x->row_degree[i] = LINEAR;
        for (int u = 0; u < x->n; u++)
            if (set_has(&x->reads[i], u) && x->state[u] == LATER) x->row_degree[i] = BEYOND;
    }
}

/* ---- gathering ------------------------------------------------------------------------------- */

enum { OTHER = 1, TIED = 2 }; // kinds of unknowns in a block

static int block_kind(const layer_writer *x, int k)
{
    int kind = 0;
    for (int p = x->blocks.start[k]; p < x->blocks.start[k + 1]; p++) {
        int role = x->x->role[x->match.col_of[x->blocks.item[p]]];
        kind |= role == CODE_SELECTED ? TIED : OTHER;
    }
    return kind;
}

static void mark_block(layer_writer *x, int k, layer_state state)
{
    for (int p = x->blocks.start[k]; p < x->blocks.start[k + 1]; p++)
        x->state[x->match.col_of[x->blocks.item[p]]] = (uint8_t)state;
}

/* The most blocks of a kind that are linear together, nothing but what is known before them. */
static int gather_linear(layer_writer *x, int kind)
{
    int count = 0;
    for (int k = 0; k < x->blocks.n; k++) {
        x->here[k] = !x->done[k] && block_kind(x, k) == kind;
        count += x->here[k];
        if (x->here[k]) mark_block(x, k, HERE);
    }
    for (bool again = count > 0; again;) {
        again = false;
        find_degrees(x);
        for (int k = 0; k < x->blocks.n; k++) {
            bool beyond = false;
            for (int p = x->blocks.start[k]; x->here[k] && p < x->blocks.start[k + 1]; p++)
                beyond = beyond || x->row_degree[x->blocks.item[p]] == BEYOND;
            if (!beyond) continue;
            x->here[k] = 0;
            mark_block(x, k, LATER);
            again = --count > 0;
        }
    }
    return count;
}

/* Blocks of a kind that read nothing unknown but their own. */
static int gather_ready(layer_writer *x, int kind)
{
    int count = 0;
    for (int k = 0; k < x->blocks.n; k++) {
        x->here[k] = !x->done[k] && block_kind(x, k) == kind;
        if (!x->here[k]) continue;
        mark_block(x, k, HERE);
        for (int p = x->blocks.start[k]; p < x->blocks.start[k + 1]; p++)
            for (int u = 0; u < x->n; u++)
                if (set_has(&x->reads[x->blocks.item[p]], u) && x->state[u] == LATER)
                    x->here[k] = 0;
        mark_block(x, k, LATER);
        count += x->here[k];
    }
    return count;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Of what is linear the rows are those of unknowns that vanish; of chosen states, which are to stay as they are where they
 * meet the constraints, those of a correction. */
static tape_ref leaf_without(void *user, tape_ref r)
{
    const layer_writer *x = user;
    int u = unknown_of(x, r);
    bool vanishes = x->now->linear && !x->now->corrected && u >= 0 && x->state[u] == HERE;
    return vanishes ? tape_const(x->b, 0) : r;
}

static void begin_with_rows(layer_writer *x, tape_leaf *leaf)
{
    const code_layer *q = x->now;
    tape_ref *value = arena_array(x->l->scratch, tape_ref, q->n + 1);
    x->b = tape_builder_new(x->l->scratch);
    tape_pick(x->picker, q->row, q->n_rows, x->b, leaf, x, value);
    for (int i = 0; i < q->n_rows; i++) tape_store(x->b, tape_out(i), value[i]);
}

/* Entries of F by the unknowns, then those of P; by columns. */
static void write_pattern(const layer_writer *x, const vinc_pattern *d, code_layer *q)
{
    arena *a = x->l->a;
    const form_system *f = x->l->f;
    int_array row = {0}, value = {0};
    int *start = arena_array(a, int, q->n + 1);
    for (int j = 0; j < q->n; j++) {
        for (int k = d->start[j]; k < d->start[j + 1]; k++) {
            array_push(a, &row, d->row[k]);
            array_push(a, &value, q->n_rows + k);
        }
        for (int i = q->n_rows; i < q->n; i++) {
            const image_group *g = &f->groups.at[q->kept[i - q->n_rows]];
            int at = g->w + q->kept_row[i - q->n_rows] * g->n_columns;
            for (int c = 0; c < g->n_columns; c++) {
                if (g->columns[c] != q->unknown[j]) continue;
                array_push(a, &row, i);
                array_push(a, &value, -1 - (at + c));
            }
        }
        start[j + 1] = row.n;
    }
    q->pattern = (vinc_pattern){q->n, q->n, row.n, start, row.at};
    q->value = value.at;
}

static bool write_layer(layer_writer *x, code_layer *q)
{
    lowering *l = x->l;
    arena *a = l->a, *s = l->scratch;
    tape_ref *wrt = arena_array(s, tape_ref, q->n + 1);
    for (int j = 0; j < q->n; j++) {
        int u = q->unknown[j];
        wrt[j] = x->x->role[u] == CODE_STATE ? tape_yp(u) : tape_y(u);
    }
    x->now = q;
    begin_with_rows(x, leaf_as_it_is);
    const tape *rows = tape_finish(x->b, q->linear ? s : a);
    tape_program_builder *p = tape_program_new(s);
    tape_program_kernel(p, rows);
    // What is kept is the tape below: the derivative itself is temporary, and its scratch is elsewhere.
    tape_program_derivative d =
        tape_program_derive(tape_program_finish(p), wrt, q->n, l->f->n_w, a, s);
    tape_picker *slopes = d.pattern.nnz ? tape_picker_new(d.code, s) : NULL;
    if (d.pattern.nnz && !slopes) return false;
    begin_with_rows(x, leaf_without);
    for (int k = 0; k < d.pattern.nnz; k++) {
        tape_ref slope;
        tape_pick(slopes, &k, 1, x->b, leaf_as_it_is, NULL, &slope);
        tape_store(x->b, tape_out(q->n_rows + k), slope == TAPE_NONE ? tape_const(x->b, 0) : slope);
    }
    write_pattern(x, &d.pattern, q);
    code_listed f = {"rows of a layer", "this equation", CODE_OFTEN, &q->f},
                matrix = {"rows and matrix of a layer", "this equation", CODE_OFTEN, &q->matrix};
    if (!q->linear) code_tape(l, &f, rows);
    code_tape(l, &matrix, tape_finish(x->b, a));
    double factor, solve;
    la_guess_work(q->n, q->pattern.nnz, &factor, &solve);
    q->work = tape_program_work(q->matrix.program) + factor + solve;
    return true;
}

static void mark_layer(layer_writer *x, const code_layer *q, layer_state state)
{
    for (int j = 0; j < q->n; j++) x->state[q->unknown[j]] = (uint8_t)state;
}

static void list_layer(layer_writer *x, code_layer *q)
{
    arena *a = x->l->a;
    int n = 0, m = 0;
    for (int k = 0; k < x->blocks.n; k++)
        for (int p = x->blocks.start[k]; x->here[k] && p < x->blocks.start[k + 1]; p++)
            n++, m += x->group_of[x->blocks.item[p]] < 0;
    q->n = n;
    q->n_rows = m;
    q->unknown = arena_array(a, int, n);
    q->row = arena_array(a, int, n);
    q->kept = arena_array(a, int, n - m + 1);
    q->kept_row = arena_array(a, int, n - m + 1);
    n = m = 0;
    for (int k = 0; k < x->blocks.n; k++)
        for (int p = x->blocks.start[k]; x->here[k] && p < x->blocks.start[k + 1]; p++) {
            int row = x->blocks.item[p], kept = n - m;
            q->unknown[n++] = x->match.col_of[row];
            if (x->group_of[row] < 0) {
                q->row[m++] = row;
                continue;
            }
            q->kept[kept] = x->group_of[row];
            q->kept_row[kept] = x->kept_row[row];
            q->row[q->n_rows + kept] = row;
        }
}

/* The next layer: linear ones as soon as they can be had. */
static void next_layer(layer_writer *x, code_layer *q, bool *mixed)
{
    static const int kinds[] = {OTHER, TIED, OTHER | TIED};
    int count = 0, kind = 0;
    for (int k = 0; k < 6 && !count; k++) {
        kind = kinds[k % 3];
        q->linear = k < 3;
        count = q->linear ? gather_linear(x, kind) : gather_ready(x, kind);
    }
    q->tied = kind == TIED;
    q->corrected = kind & TIED;
    *mixed = *mixed || kind == (OTHER | TIED);
    list_layer(x, q);
    mark_layer(x, q, KNOWN);
    for (int k = 0; k < x->blocks.n; k++) x->done[k] = x->done[k] || x->here[k];
}

void code_lower_layers(lowering *l, const code_system *x, code_layers *out)
{
    const form_system *f = l->f;
    int n = f->unknowns.n, found = 0;
    *out = (code_layers){0};
    if (!f->kind->explicit || f->mechanical || x->rhs.program || !x->residual.program || n < 1 ||
        n > UNKNOWNS_MAX || tape_program_instructions(x->residual.program, 1) > INSTRUCTIONS_MAX)
        return;
    layer_writer w = {.l = l, .x = x, .n = n};
    if (!pick_rows(&w) || !find_blocks(&w)) return;
    w.state = arena_array(l->scratch, uint8_t, n);
    w.row_degree = arena_array(l->scratch, uint8_t, n);
    w.degree = arena_array(l->scratch, uint8_t, w.t->n_ins + 1);
    out->at = arena_array(l->a, code_layer, LAYERS_MAX);
    bool mixed = false;
    int layers = 0;
    for (; layers < LAYERS_MAX && found < n; layers++) {
        next_layer(&w, &out->at[layers], &mixed);
        found += out->at[layers].n;
    }
    if (found < n) return;
    // What is looked for among several solutions is left to those who look further (run/dependents.c).
    for (int k = 0; k < layers; k++)
        if (!out->at[k].linear && !out->at[k].tied) return;
    for (int u = 0; u < n; u++) w.state[u] = LATER;
    for (int k = 0; k < layers; k++) {
        mark_layer(&w, &out->at[k], HERE);
        if (!write_layer(&w, &out->at[k])) return;
        mark_layer(&w, &out->at[k], KNOWN);
        out->linear = (k == 0 || out->linear) && (out->at[k].linear || out->at[k].tied);
    }
    out->n = layers;
    out->loose = !mixed;
}
