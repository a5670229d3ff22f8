/* Writing programs; routine/program.h says what they are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_program.h"

#include <math.h>
#include <string.h>

/* ---- references ------------------------------------------------------------------------------ */

enum { REF_ARG = 0, REF_SLOT = 1, REF_CONST = 2, REF_TEMP = 3, REF_KIND_SHIFT = 28 };

static int ref(int kind, int index)
{
    return kind << REF_KIND_SHIFT | index;
}

int program_slot(program_builder *p, int slot)
{
    (void)p;
    return ref(REF_SLOT, slot);
}

/* ---- writing --------------------------------------------------------------------------------- */

void program_begin(program_builder *p, flat_builder *b, flat_function *g)
{
    *p = (program_builder){.b = b, .g = g, .n_args = g->n_args};
    map_init(&p->const_at, b->env.a);
    map_init(&p->calling, b->env.a);
    program_statement(p);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* While a statement is written every intermediate value has a register of its own. Then values that
 * are not needed at the same time share one: inside a statement jumps lead forward only, so that a
 * value lives from the first instruction that names it to the last. */
typedef struct lives {
    int *first, *last; // by intermediate value, instructions
    int *place;        // its register
    int_array free;
    int n; // registers so far
} lives;

typedef void register_visit(lives *l, int *reference, int at);

static int temp_of(int reference)
{
    return reference >> REF_KIND_SHIFT == REF_TEMP ? reference & ((1 << REF_KIND_SHIFT) - 1) : -1;
}

static void visit_references(program_builder *p, int i, lives *l, register_visit *visit)
{
    routine_ins *t = &p->ins.at[i];
    if (t->op == PROGRAM_JUMP || t->op == PROGRAM_FAIL) return;
    if (t->op == PROGRAM_CALL) {
        int *list = p->lists.at + t->dst, n_in = list[0], n_out = list[n_in + 1];
        for (int k = 0; k < n_in; k++) visit(l, &list[1 + k], i);
        for (int k = 0; k < n_out; k++) visit(l, &list[n_in + 2 + k], i);
        return;
    }
    visit(l, &t->a, i);
    if (t->op == PROGRAM_PICK) {
        int *list = p->lists.at + t->b;
        for (int k = 0; k < list[0]; k++) visit(l, &list[1 + k], i);
    } else if (t->op != PROGRAM_TABLE) {
        visit(l, &t->b, i);
        visit(l, &t->c, i);
    }
    if (t->op != PROGRAM_UNLESS && t->op != PROGRAM_CHECK) visit(l, &t->dst, i);
}

static void register_note(lives *l, int *reference, int at)
{
    int k = temp_of(*reference);
    if (k < 0) return;
    if (l->first[k] < 0) l->first[k] = at;
    l->last[k] = at;
}

static void register_take(lives *l, int *reference, int at)
{
    int k = temp_of(*reference);
    if (k < 0) return;
    if (l->first[k] == at && l->place[k] < 0) {
        l->place[k] = l->free.n ? array_last(&l->free) : l->n++;
        if (l->free.n) l->free.n--;
    }
    *reference = ref(REF_TEMP, l->place[k]);
}

/* The statement is written, but for `results` that are still to be read. */
static void share_registers(program_builder *p, int *results, int n)
{
    arena *a = p->b->env.a;
    int count = p->n_temps + 1;
    lives l = {.first = arena_array(a, int, count),
               .last = arena_array(a, int, count),
               .place = arena_array(a, int, count)};
    int_array *ending = arena_array(a, int_array, p->ins.n - p->segment + 1);
    memset(l.first, -1, sizeof *l.first * (size_t)count);
    memset(l.place, -1, sizeof *l.place * (size_t)count);
    for (int i = p->segment; i < p->ins.n; i++) visit_references(p, i, &l, register_note);
    for (int i = 0; i < n; i++) register_note(&l, &results[i], p->ins.n);
    for (int k = 0; k < p->n_temps; k++)
        if (l.first[k] >= 0) array_push(a, &ending[l.last[k] - p->segment], k);
    for (int i = p->segment; i < p->ins.n; i++) {
        visit_references(p, i, &l, register_take);
        const int_array *over = &ending[i - p->segment];
        for (int k = 0; k < over->n; k++) array_push(a, &l.free, l.place[over->at[k]]);
    }
    for (int i = 0; i < n; i++) register_take(&l, &results[i], p->ins.n);
    if (l.n > p->max_temps) p->max_temps = l.n;
    p->segment = p->ins.n;
    p->n_temps = 0;
}

/* Values computed so far are forgotten. */
static void program_forget(program_builder *p)
{
    map_init(&p->done, p->b->env.a);
    p->added = p->calls = (int_array){0};
}

void program_statement(program_builder *p)
{
    program_forget(p);
    if (p->n_temps) share_registers(p, NULL, 0);
    p->segment = p->ins.n;
}

int program_emit(program_builder *p, int op, int dst, int a, int b, int c)
{
    routine_ins i = {(uint16_t)op, dst, a, b, c};
    array_push(p->b->env.a, &p->ins, i);
    if (p->ins.n > PROGRAM_INSTRUCTIONS) p->why = "its program would be too long";
    return p->ins.n - 1;
}

static int temporary(program_builder *p)
{
    return ref(REF_TEMP, p->n_temps++);
}

static int constant(program_builder *p, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t *slot = map_put(&p->const_at, bits);
    if (!*slot) {
        array_push(p->b->env.a, &p->consts, x);
        *slot = (uint64_t)p->consts.n;
    }
    return ref(REF_CONST, (int)*slot - 1);
}

static int give_up(program_builder *p, const char *why)
{
    if (!p->why) p->why = why;
    return 0;
}

/* Found for all nodes below at once, arguments first: choices within choices ask for each of them. */
static bool has_call(program_builder *p, expr e)
{
    const expr_pool *pool = p->b->pool;
    uint64_t *known = map_find(&p->calling, (uint64_t)e);
    if (known) return *known - 1;
    int_array nodes = expr_reach(pool, &e, 1, p->b->env.a);
    bool calls = false;
    for (int i = 0; i < nodes.n; i++) {
        expr x = nodes.at[i];
        calls = expr_at(pool, x)->op == EXPR_CALL;
        for (int k = 0; k < expr_arity(pool, x) && !calls; k++)
            calls = *map_find(&p->calling, (uint64_t)expr_args(pool, x)[k]) - 1;
        *map_put(&p->calling, (uint64_t)x) = 1 + (uint64_t)calls;
    }
    return calls;
}

static const routine_program *program_of(flat_builder *b, int function,
                                         const flat_function *caller);

/* One call gives all results; other outputs of the same call find it again. */
static int program_call_value(program_builder *p, expr e)
{
    arena *a = p->b->env.a;
    const expr_node n = *expr_at(p->b->pool, e);
    int n_in = n.u.call.n, *args = arena_array(a, int, n_in + 1);
    for (int i = 0; i < n_in; i++) args[i] = program_value(p, expr_args(p->b->pool, e)[i]);
    for (int i = 0; i + 1 < p->calls.n; i += 2) {
        const int *list = p->lists.at + p->calls.at[i];
        if (p->calls.at[i + 1] == n.u.call.function && list[0] == n_in &&
            !memcmp(list + 1, args, sizeof *args * (size_t)n_in))
            return list[n_in + 2 + n.u.call.output];
    }
    const flat_function *called = p->b->m->functions.at[n.u.call.function];
    bool foreign = called->routine && !called->constructs && !called->program;
    if (called != p->g && !foreign && !program_of(p->b, n.u.call.function, p->g)) {
        mem m = value_arena_mem(p->b->model);
        text t;
        text_init(&t, &m);
        text_printf(&t, "it calls %s, which cannot be executed: %s", called->name,
                    called->why ? called->why : "there is no program for it");
        return give_up(p, text_str(&t));
    }
    int at = p->lists.n, n_out = called->n_results;
    array_push(a, &p->lists, n_in);
    for (int i = 0; i < n_in; i++) array_push(a, &p->lists, args[i]);
    array_push(a, &p->lists, n_out);
    for (int i = 0; i < n_out; i++) {
        int out = temporary(p);
        array_push(a, &p->lists, out);
    }
    program_emit(p, PROGRAM_CALL, at, n.u.call.function, 0, 0);
    array_push(a, &p->calls, at);
    array_push(a, &p->calls, n.u.call.function);
    return n_out ? p->lists.at[at + n_in + 2 + n.u.call.output] : 0;
}

/* What a branch computes is known in that branch only; what was known before it, in it as well. */
static void program_branch(program_builder *p, int result, expr e)
{
    int added = p->added.n, calls = p->calls.n;
    program_emit(p, PROGRAM_COPY, result, program_value(p, e), 0, 0);
    while (p->added.n > added) *map_find(&p->done, (uint64_t)p->added.at[--p->added.n]) = 0;
    p->calls.n = calls;
}

/* Only one branch is executed when there is a call in them: it may be the function itself. */
static int lazy_choice(program_builder *p, const expr_node *n)
{
    expr arg[3];
    memcpy(arg, n->u.arg, sizeof arg);
    int result = temporary(p), c = program_value(p, arg[0]);
    int unless = program_emit(p, PROGRAM_UNLESS, 0, c, 0, 0);
    program_branch(p, result, arg[1]);
    int jump = program_emit(p, PROGRAM_JUMP, 0, 0, 0, 0);
    p->ins.at[unless].dst = p->ins.n;
    program_branch(p, result, arg[2]);
    p->ins.at[jump].dst = p->ins.n;
    return result;
}

/* ---- choices by a subscript ------------------------------------------------------------------ */

/* A subscript that moves makes a choice of every element. */
static int program_pick(program_builder *p, const expr_cases *x)
{
    arena *a = p->b->env.a;
    int dst, by = program_value(p, x->by), at, n = x->n;
    if (x->literal) {
        at = p->tables.n;
        for (int k = 0; k <= n; k++) {
            double number = 0;
            expr_number(p->b->pool, k < n ? x->of[k] : x->other, &number);
            array_push(a, &p->tables, number);
        }
    } else {
        int *of = arena_array(a, int, n + 1);
        for (int k = 0; k <= n; k++) of[k] = program_value(p, k < n ? x->of[k] : x->other);
        at = p->lists.n;
        array_push(a, &p->lists, n + 1);
        for (int k = 0; k <= n; k++) array_push(a, &p->lists, of[k]);
        array_push(a, &p->lists, 0);
    }
    dst = temporary(p);
    program_emit(p, x->literal ? PROGRAM_TABLE : PROGRAM_PICK, dst, by, at, n);
    return dst;
}

static bool cases_call(program_builder *p, const expr_cases *x)
{
    bool calls = !x->literal && has_call(p, x->other);
    for (int k = 0; k < x->n && !calls && !x->literal; k++) calls = has_call(p, x->of[k]);
    return calls;
}

static int program_compute(program_builder *p, expr e)
{
    const expr_pool *pool = p->b->pool;
    const expr_node n = *expr_at(pool, e);
    double x;
    if (n.type == TYPE_STRING) return give_up(p, "it works on Strings");
    if (expr_number(pool, e, &x)) return constant(p, x);
    switch (n.op) {
    case EXPR_VAR: {
        int k = n.u.var.index - FLAT_FORMAL;
        if (k < 0) return give_up(p, "it depends on a variable of the model");
        return k < p->n_args ? ref(REF_ARG, k) : ref(REF_SLOT, k - p->n_args);
    }
    case EXPR_NOEVENT: return program_value(p, n.u.arg[0]);
    case EXPR_SMOOTH: return program_value(p, n.u.arg[1]);
    case EXPR_HOMOTOPY: return program_value(p, n.u.arg[0]);
    case EXPR_CALL: return program_call_value(p, e);
    case EXPR_IF: {
        enum { CASES_MIN = 3 }; // fewer are decided as fast one by one
        expr_cases cases;
        if (expr_find_cases(pool, e, CASES_MIN, p->b->env.a, &cases) && !cases_call(p, &cases))
            return program_pick(p, &cases);
        if (has_call(p, n.u.arg[1]) || has_call(p, n.u.arg[2])) return lazy_choice(p, &n);
        break;
    }
    default: break;
    }
    if (operator_class((expr_op)n.op) == CLASS_HYBRID || operator_arity((expr_op)n.op) < 1)
        return give_up(p, "it contains an operator that has no value in a function");
    int r[3] = {0}, arity = expr_arity(pool, e);
    for (int i = 0; i < arity; i++) r[i] = program_value(p, expr_args(pool, e)[i]);
    int dst = temporary(p);
    program_emit(p, n.op, dst, r[0], r[1], r[2]);
    return dst;
}

int program_value(program_builder *p, expr e)
{
    uint64_t *known = map_find(&p->done, (uint64_t)e);
    if (known && *known) return (int)*known - 1;
    if (p->why) return 0;
    if (p->b->nesting >= EVAL_NESTING) return give_up(p, "an expression in it is nested too deep");
    p->b->nesting++;
    int r = program_compute(p, e);
    p->b->nesting--;
    *map_put(&p->done, (uint64_t)e) = (uint64_t)r + 1;
    array_push(p->b->env.a, &p->added, (int)e);
    return r;
}

void program_again(program_builder *p, int first, span at)
{
    routine_loop l = {first, program_emit(p, PROGRAM_JUMP, first, 0, 0, 0), at};
    array_push(p->b->env.a, &p->loops, l);
}

void program_require(program_builder *p, expr condition, const char *said)
{
    int unless = program_emit(p, PROGRAM_UNLESS, 0, program_value(p, condition), 0, 0);
    int jump = program_emit(p, PROGRAM_JUMP, 0, 0, 0, 0);
    p->ins.at[unless].dst = p->ins.n;
    program_fail(p, said);
    p->ins.at[jump].dst = p->ins.n;
}

void program_fail(program_builder *p, const char *said)
{
    if (said) array_push(p->b->env.a, &p->fails, said);
    program_emit(p, PROGRAM_FAIL, said ? p->fails.n - 1 : -1, 0, 0, 0);
}

/* What is text in a message, and dots for the rest: "p is " + String(p) + ", which is too low". */
static void add_words(const expr_pool *pool, expr e, text *to, bool *any)
{
    const expr_node *n = expr_at(pool, e);
    if (n->op == EXPR_ADD) {
        add_words(pool, n->u.arg[0], to, any);
        add_words(pool, n->u.arg[1], to, any);
        return;
    }
    if (n->op != EXPR_STRING) {
        text_add(to, "...");
        return;
    }
    *any = true;
    for (const char *s = n->u.string; *s; s++) { // on one line
        bool blank = *s == ' ' || *s == '\n';
        if (!blank || (to->n && text_str(to)[to->n - 1] != ' ')) text_add_n(to, blank ? " " : s, 1);
    }
}

const char *program_words(program_builder *p, expr message)
{
    bool any = false;
    text t;
    text_init(&t, p->b->model->m);
    add_words(p->b->pool, message, &t, &any);
    const char *said = any ? arena_strndup(p->b->model, text_str(&t), t.n) : NULL;
    text_done(&t);
    return said;
}

void program_check(program_builder *p, const scope_check *c)
{
    expr_pool *pool = p->b->pool;
    if (c->warning) return; // a program has a value or has none
    if (!c->array) {
        expr holds = c->guard ? expr_3(pool, EXPR_IF, c->guard, c->sub, pool->yes) : c->sub;
        program_require(p, holds, program_words(p, c->message));
        return;
    }
    int where = program_value(p, c->guard ? c->guard : p->b->pool->yes);
    int sub = program_value(p, c->sub);
    routine_subscript s = {arena_strndup(p->b->model, c->array, strlen(c->array)), c->size, c->at};
    array_push(p->b->env.a, &p->checks, s);
    program_emit(p, PROGRAM_CHECK, p->checks.n - 1, where, sub, 0);
}

int program_held(program_builder *p, int r)
{
    if (r >> REF_KIND_SHIFT != REF_SLOT) return r;
    int t = temporary(p);
    program_emit(p, PROGRAM_COPY, t, r, 0, 0);
    return t;
}

/* ---- finishing ------------------------------------------------------------------------------- */

static int final(const program_builder *p, int r)
{
    int kind = r >> REF_KIND_SHIFT, index = r & ((1 << REF_KIND_SHIFT) - 1);
    int base[] = {0, p->n_args, p->n_args + p->n_slots, p->n_args + p->n_slots + p->consts.n};
    return base[kind] + index;
}

static void finish_lists(program_builder *p, int *lists)
{
    for (int i = 0; i < p->lists.n;) {
        int n_in = lists[i];
        for (int k = 1; k <= n_in; k++) lists[i + k] = final(p, lists[i + k]);
        int n_out = lists[i + n_in + 1];
        for (int k = 0; k < n_out; k++) lists[i + n_in + 2 + k] = final(p, lists[i + n_in + 2 + k]);
        i += n_in + 2 + n_out;
    }
}

/* ---- arguments that have a register ---------------------------------------------------------- */

static void place_argument(const routine_program *out, uint8_t *placed, int reg)
{
    if (reg >= 0 && reg < out->n_args) placed[reg] = 1;
}

/* Those that are read by more than a choice. Where one is assigned to, all have one. */
static void place_arguments(routine_program *out, arena *scratch, arena *a)
{
    uint8_t *placed = arena_array(scratch, uint8_t, out->n_args + 1);
    for (int i = 0; i < out->n_ins; i++) {
        const routine_ins *t = &out->ins[i];
        bool chooses = t->op == PROGRAM_PICK || t->op == PROGRAM_TABLE;
        if (t->op == PROGRAM_JUMP || t->op == PROGRAM_FAIL) continue;
        if (t->op == PROGRAM_CALL) {
            const int *list = out->lists + t->dst;
            for (int k = 0; k < list[0]; k++) place_argument(out, placed, list[1 + k]);
            continue;
        }
        place_argument(out, placed, t->a);
        if (!chooses) place_argument(out, placed, t->b);
        if (!chooses) place_argument(out, placed, t->c);
        bool stores = t->op != PROGRAM_UNLESS && t->op != PROGRAM_CHECK;
        if (stores && t->dst < out->n_args) return;
    }
    for (int k = 0; k < out->n_results; k++) place_argument(out, placed, out->results[k]);
    int n = 0;
    for (int k = 0; k < out->n_args; k++) n += placed[k];
    int *list = arena_array(a, int, n + 1);
    for (int k = 0; k < out->n_args; k++)
        if (placed[k]) list[out->n_placed++] = k;
    out->placed = list;
}

routine_program *program_end(program_builder *p, int *results, int n)
{
    arena *a = p->b->model;
    share_registers(p, results, n);
    int registers = p->n_args + p->n_slots + p->consts.n + p->max_temps;
    if (registers > PROGRAM_REGISTERS) give_up(p, "its program would need too many registers");
    if (p->why) return NULL;
    routine_program *out = arena_new(a, routine_program);
    routine_ins *ins = arena_array(a, routine_ins, p->ins.n + 1);
    double *consts = arena_array(a, double, p->consts.n + 1);
    int *lists = arena_array(a, int, p->lists.n + 1), *list = arena_array(a, int, n + 1);
    if (p->consts.n) memcpy(consts, p->consts.at, sizeof *consts * (size_t)p->consts.n);
    if (p->lists.n) memcpy(lists, p->lists.at, sizeof *lists * (size_t)p->lists.n);
    finish_lists(p, lists);
    routine_subscript *checks = arena_array(a, routine_subscript, p->checks.n + 1);
    if (p->checks.n) memcpy(checks, p->checks.at, sizeof *checks * (size_t)p->checks.n);
    const char **fails = arena_array(a, const char *, p->fails.n + 1);
    for (int i = 0; i < p->fails.n; i++) fails[i] = p->fails.at[i];
    routine_loop *loops = arena_array(a, routine_loop, p->loops.n + 1);
    if (p->loops.n) memcpy(loops, p->loops.at, sizeof *loops * (size_t)p->loops.n);
    for (int i = 0; i < p->ins.n; i++) {
        routine_ins t = p->ins.at[i];
        bool jumps = t.op == PROGRAM_JUMP || t.op == PROGRAM_UNLESS;
        if (!jumps && t.op != PROGRAM_CALL && t.op != PROGRAM_CHECK && t.op != PROGRAM_FAIL)
            t.dst = final(p, t.dst);
        bool chooses = t.op == PROGRAM_PICK || t.op == PROGRAM_TABLE;
        if (t.op != PROGRAM_CALL) t.a = final(p, t.a);
        if (!chooses) t.b = final(p, t.b);
        if (!chooses) t.c = final(p, t.c);
        ins[i] = t;
    }
    double *tables = arena_array(a, double, p->tables.n + 1);
    if (p->tables.n) memcpy(tables, p->tables.at, sizeof *tables * (size_t)p->tables.n);
    for (int i = 0; i < n; i++) list[i] = final(p, results[i]);
    *out = (routine_program){.name = p->g->name ? p->g->name : "",
                             .n_ins = p->ins.n,
                             .n_args = p->n_args,
                             .n_slots = p->n_slots,
                             .n_consts = p->consts.n,
                             .n_tables = p->tables.n,
                             .n_lists = p->lists.n,
                             .n_checks = p->checks.n,
                             .n_fails = p->fails.n,
                             .n_registers = registers,
                             .n_results = n,
                             .ins = ins,
                             .consts = consts,
                             .tables = tables,
                             .results = list,
                             .lists = lists,
                             .checks = checks,
                             .fails = fails,
                             .n_loops = p->loops.n,
                             .loops = loops};
    place_arguments(out, p->b->env.a, a);
    return out;
}

routine_set *function_routines(flat_model *m)
{
    if (!m->routines) m->routines = routine_set_new(m->pool->a);
    return m->routines;
}

void program_keep(flat_model *m, int number, const routine_program *p)
{
    flat_function *g = m->functions.at[number];
    g->program = p;
    g->routine = routine_set_program(function_routines(m), number, p, g->impure);
}

/* The value of a coded node of a stored body, as the expression it is. */
static expr stored(const flat_function *g, int code)
{
    return code >= 0 ? g->nodes[code] : ~code;
}

/* A program for a body that is an expression; NULL when there is none. */
static const routine_program *program_of(flat_builder *b, int function, const flat_function *caller)
{
    flat_function *g = b->m->functions.at[function];
    if (g->program || g->why || g->busy || g == caller) return g->program;
    program_builder p;
    program_begin(&p, b, g);
    int *results = arena_array(b->env.a, int, g->n_results + 1);
    for (int i = 0; i < g->n_results; i++) results[i] = program_value(&p, stored(g, g->results[i]));
    const routine_program *made = program_end(&p, results, g->n_results);
    if (made) program_keep(b->m, function, made);
    return made;
}

const routine_program *program_for(flat_model *m, const expr *list, int n, int n_args, arena *a,
                                   arena *scratch, const char **why)
{
    flat_builder b = {.m = m, .pool = m->pool, .model = a, .env = {.p = m->pool, .a = scratch}};
    flat_function own = {.n_args = n_args};
    program_builder p;
    program_begin(&p, &b, &own);
    int *results = arena_array(scratch, int, n + 1);
    for (int i = 0; i < n; i++) results[i] = program_value(&p, list[i]);
    const routine_program *out = program_end(&p, results, n);
    *why = p.why;
    return out;
}
