/* The flat model as Modelica text.
 *
 * Names that are not identifiers are quoted: 'r[3].p.v'; flattening the text takes the quotes off
 * again (inst/name.c), so that the text flattens to itself. Enumerations and functions are declared
 * inside the model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_function.h"

#include <ctype.h>
#include <string.h>

typedef struct printer {
    const flat_model *m;
    expr_pool pool; // as the model's, with quoted names
    const char **names;
    bool *turns; // by variable: a flow whose direction is asked for
    map called;  // functions with their arguments, by hash, in what is printed
    bool calls_known;
    text *out;
} printer;

/* ---- names ----------------------------------------------------------------------------------- */

bool flat_is_identifier(const char *s, size_t n)
{
    if (!n || !(isalpha((unsigned char)s[0]) || s[0] == '_')) return false;
    for (size_t i = 1; i < n; i++)
        if (!(isalnum((unsigned char)s[i]) || s[i] == '_')) return false;
    return true;
}

static bool is_quoted_identifier(const char *s)
{
    size_t n = strlen(s);
    return n > 2 && s[0] == '\'' && s[n - 1] == '\'' && flat_is_identifier(s + 1, n - 2);
}

const char *flat_quoted(arena *a, const char *name)
{
    size_t n = strlen(name), k = 0;
    if (flat_is_identifier(name, n) || is_quoted_identifier(name)) return name;
    char *q = arena_array(a, char, 2 * n + 3);
    q[k++] = '\'';
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '\'' || name[i] == '\\') q[k++] = '\\';
        q[k++] = name[i];
    }
    q[k++] = '\'';
    return q;
}

static const char *print_var_name(void *user, int var, expr_label *label)
{
    (void)label; // they are quoted, and kept
    printer *p = user;
    if (var < 0 || var >= p->m->vars.n) return "?";
    if (!p->names[var]) p->names[var] = flat_quoted(p->pool.a, FLAT_NAME(p->m, var));
    return p->names[var];
}

static const char *print_enum_literal(void *user, int id, int64_t i)
{
    printer *p = user;
    if (id < 0 || id >= p->m->enums.n) return NULL;
    const flat_enumeration *e = &p->m->enums.at[id];
    if (i < 1 || i > e->n) return NULL;
    const char *type = flat_quoted(p->pool.a, e->name), *literal = e->literals[i - 1];
    char *t = arena_array(p->pool.a, char, strlen(type) + strlen(literal) + 2);
    strcpy(t, type);
    strcat(t, ".");
    return strcat(t, literal);
}

static const char *print_function_name(void *user, int function)
{
    const printer *p = user;
    const expr_context *c = &p->m->pool->context;
    return c->function_name ? c->function_name(c->user, function) : "?";
}

static const char *print_call_text(void *user, int function, int output, int k)
{
    const printer *p = user;
    return flat_call_text(p->m, function, output, k);
}

static void print_flat_expr(printer *p, expr e)
{
    expr_print(&p->pool, e, EXPR_MODELICA, 0, p->out);
}

/* ---- declarations ---------------------------------------------------------------------------- */

static bool is_predefined_enum(const char *name)
{
    return !strcmp(name, "StateSelect") || !strcmp(name, "AssertionLevel");
}

static void add_root(printer *p, int_array *roots, expr e)
{
    if (e) array_push(p->pool.a, roots, e);
}

/* A call by what it calls, whichever of its results is asked for. */
static uint64_t call_key(const printer *p, expr e)
{
    const expr_node *n = expr_at(p->m->pool, e);
    int count = expr_arity(p->m->pool, e);
    uint64_t of[2] = {(uint64_t)n->u.call.function, 0};
    if (count) of[1] = hash_bytes(expr_args(p->m->pool, e), (size_t)count * sizeof(expr));
    return hash_bytes(of, sizeof of);
}

/* An assertion in the body of a function is said with its declaration, where the model calls it as here. */
static bool follows_from_call(const printer *p, const flat_statement *s)
{
    return s->call && (!p->calls_known || map_find(&p->called, call_key(p, s->call)));
}

static void add_statements(printer *p, int_array *roots, const flat_statements *l)
{
    for (int i = 0; i < l->n; i++) {
        if (follows_from_call(p, &l->at[i])) continue;
        add_root(p, roots, l->at[i].value);
        add_root(p, roots, l->at[i].message);
        for (int k = 0; k < l->at[i].branches.n; k++) {
            const flat_branch *b = &l->at[i].branches.at[k];
            add_root(p, roots, b->condition);
            for (int j = 0; j < b->also.n; j++) add_root(p, roots, b->also.at[j]);
            add_statements(p, roots, &b->body);
        }
    }
}

static int_array all_roots(printer *p)
{
    const flat_model *m = p->m;
    int_array roots = {0};
    for (int i = 0; i < m->vars.n; i++) {
        const flat_attributes *a = flat_at(m, i)->attr;
        add_root(p, &roots, flat_at(m, i)->binding);
        if (!a) continue;
        add_root(p, &roots, a->start);
        add_root(p, &roots, a->min);
        add_root(p, &roots, a->max);
        add_root(p, &roots, a->nominal);
    }
    for (int k = 0; k < 2; k++) {
        const flat_equations *l = k ? &m->initial_equations : &m->equations;
        for (int i = 0; i < l->n; i++) {
            add_root(p, &roots, l->at[i].lhs);
            add_root(p, &roots, l->at[i].rhs);
        }
    }
    add_statements(p, &roots, &m->whens);
    add_statements(p, &roots, &m->asserts);
    add_statements(p, &roots, &m->initial_asserts);
    for (int i = 0; i < m->algorithms.n; i++) add_statements(p, &roots, &m->algorithms.at[i].body);
    return roots;
}

/* All expressions of the model, what they are made of included. */
static int_array all_nodes(printer *p)
{
    int_array roots = all_roots(p);
    return expr_reach(&p->pool, roots.at, roots.n, p->pool.a);
}

static void find_calls(printer *p)
{
    map_init(&p->called, p->pool.a);
    if (!p->m->functions.n) return;
    int_array nodes = all_nodes(p); // without any assertion of a function
    for (int i = 0; i < nodes.n; i++)
        if (expr_at(p->m->pool, nodes.at[i])->op == EXPR_CALL)
            *map_put(&p->called, call_key(p, nodes.at[i])) = 1;
    p->calls_known = true;
}

static void print_with_needs(const flat_text *t, map *done, text *out)
{
    uint64_t *slot = map_put(done, map_key(t));
    if (*slot) return;
    *slot = 1;
    for (int i = 0; i < t->needs.n; i++) print_with_needs(t->needs.at[i], done, out);
    if (t->operators) print_with_needs(t->operators, done, out);
    else if (t->declaration) text_add(out, t->declaration);
}

/* Declarations of all functions and record types that calls in the model need. */
static void print_declarations(printer *p)
{
    const flat_model *m = p->m;
    if (!m->functions.n) return;
    map done;
    map_init(&done, p->pool.a);
    int_array nodes = all_nodes(p);
    bool *used = arena_array(p->pool.a, bool, m->functions.n);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node *n = expr_at(m->pool, nodes.at[i]);
        if (n->op == EXPR_CALL) used[n->u.call.function] = true;
    }
    for (int i = 0; i < m->functions.n; i++) {
        const flat_pieces *t = m->functions.at[i]->text;
        if (!t || !used[i]) continue;
        print_with_needs(t->text, &done, p->out);
        for (int k = 0; k < t->further.n; k++) print_with_needs(t->further.at[k], &done, p->out);
    }
}

/* Enumerations that only decided the structure are not mentioned any more. */
static bool *used_enums(printer *p, const char *functions)
{
    const flat_model *m = p->m;
    bool *used = arena_array(p->pool.a, bool, m->enums.n + 1);
    for (int i = 0; i < m->vars.n; i++)
        if (flat_at(m, i)->type == TYPE_ENUM) used[flat_at(m, i)->decl->enum_id] = true;
    int_array nodes = all_nodes(p);
    for (int i = 0; i < nodes.n; i++) {
        const expr_node *n = expr_at(&p->pool, nodes.at[i]);
        if (n->type == TYPE_ENUM && n->enum_id < m->enums.n) used[n->enum_id] = true;
    }
    for (int i = 0; i < m->enums.n; i++)
        if (strstr(functions, flat_quoted(p->pool.a, m->enums.at[i].name))) used[i] = true;
    return used;
}

/* In the order of their names: they were found in the order in which the model was read. */
static void print_enums(printer *p, size_t functions)
{
    if (!p->m->enums.n) return;
    const bool *used = used_enums(p, text_str(p->out) + functions);
    int *order = arena_array(p->pool.a, int, p->m->enums.n), n = 0;
    for (int i = 0; i < p->m->enums.n; i++) {
        if (!used[i]) continue;
        int k = n++;
        for (; k && strcmp(p->m->enums.at[order[k - 1]].name, p->m->enums.at[i].name) > 0; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = 0; i < n; i++) {
        const flat_enumeration *e = &p->m->enums.at[order[i]];
        if (is_predefined_enum(e->name)) continue;
        text_printf(p->out, "  type %s = enumeration(", flat_quoted(p->pool.a, e->name));
        for (int k = 0; k < e->n; k++) text_printf(p->out, "%s%s", k ? ", " : "", e->literals[k]);
        text_add(p->out, ");\n");
    }
}

static const char *type_name(printer *p, const flat_var *v)
{
    static const char *const names[] = {[TYPE_REAL] = "Real",
                                        [TYPE_INTEGER] = "Integer",
                                        [TYPE_BOOLEAN] = "Boolean",
                                        [TYPE_STRING] = "String",
                                        [TYPE_CLOCK] = "Clock"};
    if (v->type == TYPE_ENUM) return flat_quoted(p->pool.a, p->m->enums.at[v->decl->enum_id].name);
    if (v->type == TYPE_OBJECT) return flat_quoted(p->pool.a, p->m->objects.at[v->decl->enum_id]);
    return names[v->type];
}

static void open_list(printer *p, int *n, const char *name)
{
    text_add(p->out, (*n)++ ? ", " : "(");
    text_printf(p->out, "%s = ", name);
}

static void print_string_attribute(printer *p, int *n, const char *name, sym s)
{
    if (!s) return;
    open_list(p, n, name);
    text_modelica(p->out, s);
}

static void print_expr_attribute(printer *p, int *n, const char *name, expr e)
{
    if (!e) return;
    open_list(p, n, name);
    print_flat_expr(p, e);
}

static void print_attributes(printer *p, const flat_attributes *a)
{
    static const char *const select[] = {"default", "never", "avoid", "prefer", "always"};
    int n = 0;
    if (!a) return;
    print_string_attribute(p, &n, "quantity", a->quantity);
    print_string_attribute(p, &n, "unit", a->unit);
    print_string_attribute(p, &n, "displayUnit", a->display_unit);
    print_expr_attribute(p, &n, "min", a->min);
    print_expr_attribute(p, &n, "max", a->max);
    print_expr_attribute(p, &n, "start", a->start);
    if (a->fixed >= 0) {
        open_list(p, &n, "fixed");
        text_add(p->out, a->fixed ? "true" : "false");
    }
    print_expr_attribute(p, &n, "nominal", a->nominal);
    if (a->state_select != FLAT_SELECT_DEFAULT) {
        open_list(p, &n, "stateSelect");
        text_printf(p->out, "StateSelect.%s", select[a->state_select]);
    }
    if (n) text_char(p->out, ')');
}

static void print_comment(printer *p, const char *comment)
{
    if (!comment || !*comment) return;
    text_char(p->out, ' ');
    text_modelica(p->out, comment);
}

/* Conditions m > 0 of flows, as actualStream has them, are no events where what they choose is continuous:
 * whoever reads the text must know that they are flows. */
static void find_turning_flows(printer *p)
{
    const expr_pool *q = p->m->pool;
    for (int e = 1; e < q->n; e++) {
        const expr_node *n = &q->node[e];
        if (n->op != EXPR_GT || n->u.arg[1] != q->zero) continue;
        const expr_node *m = expr_at(q, n->u.arg[0]);
        int v = m->op == EXPR_VAR ? (int)m->u.var.index : -1;
        if (v >= 0 && v < p->m->vars.n && flat_at(p->m, v)->flags & FLAT_FLOW) p->turns[v] = true;
    }
}

static void print_var(printer *p, int i)
{
    const flat_var *v = flat_at(p->m, i);
    text_add(p->out, "  ");
    if ((v->flags & FLAT_FINAL) && v->variability != FLAT_CONSTANT) text_add(p->out, "final ");
    if (v->variability == FLAT_CONSTANT) text_add(p->out, "constant ");
    if (v->variability == FLAT_PARAMETER) text_add(p->out, "parameter ");
    if (v->variability == FLAT_DISCRETE && v->type == TYPE_REAL) text_add(p->out, "discrete ");
    if (v->causality == FLAT_INPUT) text_add(p->out, "input ");
    if (v->causality == FLAT_OUTPUT) text_add(p->out, "output ");
    text_printf(p->out, "%s %s", type_name(p, v), print_var_name(p, i, NULL));
    print_attributes(p, v->attr);
    if (v->binding) {
        text_add(p->out, " = ");
        print_flat_expr(p, v->binding);
    }
    print_comment(p, v->decl->comment);
    bool of_type = v->attr && v->attr->start && v->attr->start_of_type;
    of_type = of_type && v->variability > FLAT_PARAMETER;
    if (of_type || p->turns[i])
        text_printf(p->out, " annotation(%s%s%s)", of_type ? FLAT_START_OF_TYPE " = true" : "",
                    of_type && p->turns[i] ? ", " : "", p->turns[i] ? FLAT_IS_FLOW " = true" : "");
    text_add(p->out, ";\n");
}

static void print_vars(printer *p)
{
    bool hidden = false;
    for (int i = 0; i < p->m->vars.n; i++) {
        bool h = (flat_at(p->m, i)->flags & FLAT_PROTECTED) != 0;
        if (h != hidden) text_add(p->out, h ? "protected\n" : "public\n");
        hidden = h;
        print_var(p, i);
    }
}

/* ---- equations and statements ---------------------------------------------------------------- */

/* Where one when-clause of a clock ends and another begins; 0: none. */
static void print_clock(printer *p, int before, int clock)
{
    if (before == clock) return;
    if (before) text_add(p->out, "  end when;\n");
    if (clock) text_printf(p->out, "  when %s then\n", print_var_name(p, clock - 1, NULL));
}

static void print_equations(printer *p, const flat_equations *l)
{
    for (int i = 0; i < l->n; i++) {
        bool wrap = expr_at(&p->pool, l->at[i].lhs)->op == EXPR_IF;
        print_clock(p, i ? l->at[i - 1].clock : 0, l->at[i].clock);
        text_add(p->out, l->at[i].clock ? "    " : "  ");
        if (wrap) text_char(p->out, '(');
        print_flat_expr(p, l->at[i].lhs);
        text_add(p->out, wrap ? ") = " : " = ");
        print_flat_expr(p, l->at[i].rhs);
        text_add(p->out, ";\n");
    }
    print_clock(p, l->n ? l->at[l->n - 1].clock : 0, 0);
}

static void print_statements(printer *p, const flat_statements *l, int indent, bool equations);

static void print_branches(printer *p, const flat_statement *s, int indent, bool equations)
{
    const char *word = s->kind == FLAT_IF ? "if" : "when";
    for (int i = 0; i < s->branches.n; i++) {
        const flat_branch *b = &s->branches.at[i];
        if (i) text_pad(p->out, ' ', indent);
        if (!b->condition) text_add(p->out, "else\n");
        else {
            text_printf(p->out, "%s%s ", i ? "else" : "", word);
            if (b->also.n) text_char(p->out, '{');
            print_flat_expr(p, b->condition);
            for (int k = 0; k < b->also.n; k++) {
                text_add(p->out, ", ");
                print_flat_expr(p, b->also.at[k]);
            }
            text_add(p->out, b->also.n ? "} then\n" : " then\n");
        }
        print_statements(p, &b->body, indent + 2, equations);
    }
    text_pad(p->out, ' ', indent);
    text_printf(p->out, "end %s;\n", word);
}

static void print_statement(printer *p, const flat_statement *s, int indent, bool equations)
{
    text_pad(p->out, ' ', indent);
    switch ((flat_statement_kind)s->kind) {
    case FLAT_ASSIGN:
        text_printf(p->out, "%s %s ", print_var_name(p, s->var, NULL), equations ? "=" : ":=");
        print_flat_expr(p, s->value);
        break;
    case FLAT_REINIT:
        text_printf(p->out, "reinit(%s, ", print_var_name(p, s->var, NULL));
        print_flat_expr(p, s->value);
        text_char(p->out, ')');
        break;
    case FLAT_ASSERT:
        text_add(p->out, "assert(");
        print_flat_expr(p, s->value);
        text_add(p->out, ", ");
        print_flat_expr(p, s->message);
        text_add(p->out, s->level ? ")" : ", AssertionLevel.warning)");
        break;
    case FLAT_TERMINATE:
        text_add(p->out, "terminate(");
        print_flat_expr(p, s->message);
        text_char(p->out, ')');
        break;
    case FLAT_CALL: print_flat_expr(p, s->value); break;
    case FLAT_IF:
    case FLAT_WHEN: print_branches(p, s, indent, equations); return;
    }
    text_add(p->out, ";\n");
}

static void print_statements(printer *p, const flat_statements *l, int indent, bool equations)
{
    for (int i = 0; i < l->n; i++) {
        int clock = l->at[i].clock;
        if (follows_from_call(p, &l->at[i])) continue;
        print_clock(p, 0, clock);
        print_statement(p, &l->at[i], clock ? indent + 2 : indent, equations);
        print_clock(p, clock, 0);
    }
}

static void print_algorithms(printer *p)
{
    for (int i = 0; i < p->m->algorithms.n; i++) {
        const flat_algorithm *a = &p->m->algorithms.at[i];
        text_add(p->out, a->initial ? "initial algorithm\n" : "algorithm\n");
        print_statements(p, &a->body, 2, false);
    }
}

static void print_setting(printer *p, int *n, const char *name, double x)
{
    if (x != x) return;
    text_printf(p->out, "%s%s = ", (*n)++ ? ", " : "", name);
    text_real(p->out, x);
}

static void print_own_annotation(printer *p)
{
    const flat_experiment *e = &p->m->experiment;
    int n = 0;
    if (e->method) n++, text_add(p->out, "method = "), text_modelica(p->out, e->method);
    if (e->formulation) {
        text_add(p->out, n++ ? ", formulation = " : "formulation = ");
        text_modelica(p->out, e->formulation);
    }
    if (e->linear) {
        text_add(p->out, n++ ? ", linear = " : "linear = ");
        text_modelica(p->out, e->linear);
    }
    if (e->storage) {
        text_add(p->out, n++ ? ", storage = " : "storage = ");
        text_modelica(p->out, e->storage);
    }
    for (int i = 0; i < p->m->drawings.n; i++) {
        text_add(p->out, i ? ", " : n ? ", draw = {" : "draw = {");
        flat_drawing_print(&p->pool, &p->m->drawings.at[i], p->out);
    }
    if (p->m->drawings.n) text_char(p->out, '}'), n++;
    for (int i = 0; i < p->m->invariants.n; i++) {
        text_add(p->out, i ? ", " : n ? ", invariant = {" : "invariant = {");
        expr_print(&p->pool, p->m->invariants.at[i].e, EXPR_MODELICA, 0, p->out);
    }
    if (p->m->invariants.n) text_char(p->out, '}');
}

static void print_annotation(printer *p)
{
    const flat_experiment *e = &p->m->experiment;
    int n = 0;
    bool vincolo = e->method || e->formulation || e->linear || e->storage || p->m->drawings.n ||
                   p->m->invariants.n;
    bool run = e->start == e->start || e->stop == e->stop || e->tolerance == e->tolerance ||
               e->interval == e->interval;
    if (!run && !vincolo) return;
    text_add(p->out, "  annotation(");
    if (run) {
        text_add(p->out, "experiment(");
        print_setting(p, &n, "StartTime", e->start);
        print_setting(p, &n, "StopTime", e->stop);
        print_setting(p, &n, "Tolerance", e->tolerance);
        print_setting(p, &n, "Interval", e->interval);
        text_char(p->out, ')');
    }
    if (vincolo) {
        text_add(p->out, run ? ", __Vincolo(" : "__Vincolo(");
        print_own_annotation(p);
        text_char(p->out, ')');
    }
    text_add(p->out, ");\n");
}

void flat_print(const flat_model *model, text *out)
{
    arena *copy = arena_inner(model->pool->a);
    const flat_model *m = flat_in_full(model, copy);
    arena *a = m->pool->a;
    arena_mark mark = arena_here(a);
    printer p = {.m = m, .pool = *m->pool, .out = out};
    p.pool.context = (expr_context){.user = &p,
                                    .var_name = print_var_name,
                                    .enum_literal = print_enum_literal,
                                    .function_name = print_function_name,
                                    .call_text = print_call_text};
    p.names = arena_array(a, const char *, m->vars.n + 1);
    p.turns = arena_array(a, bool, m->vars.n + 1);
    find_turning_flows(&p);
    find_calls(&p);
    const char *name = flat_quoted(a, m->name);
    text_printf(out, "model %s", name);
    print_comment(&p, m->comment);
    text_add(out, "\n");
    size_t functions = out->n;
    print_declarations(&p);
    print_enums(&p, functions);
    print_vars(&p);
    if (m->initial_equations.n || m->initial_asserts.n) text_add(out, "initial equation\n");
    print_equations(&p, &m->initial_equations);
    print_statements(&p, &m->initial_asserts, 2, true);
    if (m->equations.n || m->whens.n || m->asserts.n) text_add(out, "equation\n");
    print_equations(&p, &m->equations);
    print_statements(&p, &m->asserts, 2, true);
    print_statements(&p, &m->whens, 2, true);
    print_algorithms(&p);
    print_annotation(&p);
    text_printf(out, "end %s;\n", name);
    arena_release(a, mark);
    arena_done(copy);
}
