/* SPDX-License-Identifier: BSD-3-Clause */
#include "random_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 4000, VARIABLES = 60, CROSSINGS = 64 };

/* ---- expressions ----------------------------------------------------------------------------- */

typedef enum node_op {
    NODE_CONST, // x
    NODE_TIME,
    NODE_VAR, // a: which
    NODE_ADD,
    NODE_SUB,
    NODE_MUL,
    NODE_SIN,
    NODE_COS,
    NODE_TANH,
    NODE_ATAN,
    NODE_EXP,
    NODE_ROOT,   // sqrt(1 + a^2)
    NODE_SQUARE, // a^2
    NODE_SERIES, // a function with a loop
    NODE_CLIP,   // a function with branches that meet smoothly
    NODE_HALVE,  // a function with an array and a while-loop of constant length
} node_op;

typedef struct node {
    node_op op;
    int a, b;
    double x;
} node;

typedef enum role {
    ROLE_STATE,      // of a differential equation of its own
    ROLE_CONTINUOUS, // any other smooth one
    ROLE_MULTIPLIER,
    ROLE_BRANCH,   // exact while source > level, other otherwise
    ROLE_COUNTER,  // how often source rose through level
    ROLE_INTEGRAL, // of up while source > level, of down otherwise
    ROLE_SAW,      // time, reset at level
    ROLE_HELD      // exact at the last of start + k interval
} role;

typedef struct variable {
    char name[24];
    role role;
    int exact, rate, other; // nodes
    int source, n_crossings;
    double level, up, down, start, interval;
    double crossing[CROSSINGS];
    bool begins_above;
    bool hidden;      // velocity or multiplier of index 3, or made of them
    bool is_position; // a constraint holds it
} variable;

struct random_model {
    dice *d;
    text declared, equations, statements, whole;
    node nodes[NODES];
    int n_nodes;
    variable vars[VARIABLES];
    int n_vars, index;
};

static int make(random_model *r, node_op op, int a, int b, double x)
{
    if (r->n_nodes >= NODES) return 0; // a constant, by construction
    r->nodes[r->n_nodes] = (node){op, a, b, x};
    return r->n_nodes++;
}

static double coefficient(random_model *r, double low, double high)
{
    return round(dice_real(r->d, low, high) * 1000) / 1000 + 0.0; // no -0, which has a sign
}

static int constant(random_model *r, double x)
{
    return make(r, NODE_CONST, 0, 0, x);
}

static double exact_value(const random_model *r, int var, double t);

static double series(double a, double b)
{
    double y = 0;
    for (int i = 1; i <= 3; i++) y = y + sin(i * a) / (i * i) + 0.1 * b;
    return y;
}

static double clip(double a, double b)
{
    // Value and slope agree at a = 0.
    return a > 0 ? a + 0.2 * b : tanh(a) + 0.2 * b;
}

static double halve(double a, double b)
{
    double v[3] = {a, b, 0.5 * (a - b)}, y = 0, w = 1;
    int k = 1;
    while (k <= 3) {
        y = y + w * v[k - 1];
        w = w / 2;
        k = k + 1;
    }
    return y;
}

static double value_of(const random_model *r, int at, double t)
{
    const node *n = &r->nodes[at];
    double a = n->op > NODE_VAR ? value_of(r, n->a, t) : 0;
    double b =
        n->op >= NODE_ADD && (n->op <= NODE_MUL || n->op >= NODE_SERIES) ? value_of(r, n->b, t) : 0;
    switch (n->op) {
    case NODE_CONST: return n->x;
    case NODE_TIME: return t;
    case NODE_VAR: return exact_value(r, n->a, t);
    case NODE_ADD: return a + b;
    case NODE_SUB: return a - b;
    case NODE_MUL: return a * b;
    case NODE_SIN: return sin(a);
    case NODE_COS: return cos(a);
    case NODE_TANH: return tanh(a);
    case NODE_ATAN: return atan(a);
    case NODE_EXP: return exp(a);
    case NODE_ROOT: return sqrt(1 + a * a);
    case NODE_SQUARE: return a * a;
    case NODE_SERIES: return series(a, b);
    case NODE_CLIP: return clip(a, b);
    case NODE_HALVE: return halve(a, b);
    }
    return 0;
}

/* As Modelica text; with the solution put in for the variables, if so wanted. */
static void print(const random_model *r, text *out, int at, bool solved)
{
    static const char *const before[] = {
        [NODE_SIN] = "sin(",    [NODE_COS] = "cos(",       [NODE_TANH] = "tanh(",
        [NODE_ATAN] = "atan(",  [NODE_EXP] = "exp(",       [NODE_ROOT] = "sqrt(1 + (",
        [NODE_SQUARE] = "(",    [NODE_SERIES] = "series(", [NODE_CLIP] = "clip(",
        [NODE_HALVE] = "halve("};
    static const char *const signs[] = {[NODE_ADD] = " + ", [NODE_SUB] = " - ", [NODE_MUL] = "*"};
    const node *n = &r->nodes[at];
    switch (n->op) {
    case NODE_CONST:
        if (n->x < 0) text_char(out, '(');
        text_real(out, n->x);
        if (n->x < 0) text_char(out, ')');
        return;
    case NODE_TIME: text_add(out, "time"); return;
    case NODE_VAR:
        if (solved) print(r, out, r->vars[n->a].exact, true);
        else text_add(out, r->vars[n->a].name);
        return;
    case NODE_ADD:
    case NODE_SUB:
    case NODE_MUL:
        text_char(out, '(');
        print(r, out, n->a, solved);
        text_add(out, signs[n->op]);
        print(r, out, n->b, solved);
        text_char(out, ')');
        return;
    default: break;
    }
    text_add(out, before[n->op]);
    print(r, out, n->a, solved);
    if (n->op >= NODE_SERIES) {
        text_add(out, ", ");
        print(r, out, n->b, solved);
    }
    text_add(out, n->op == NODE_ROOT ? ")^2)" : n->op == NODE_SQUARE ? ")^2" : ")");
}

/* `e - (e with the solution put in)`: zero along it. */
static void print_rest(const random_model *r, text *out, int e)
{
    print(r, out, e, false);
    text_add(out, " - ");
    print(r, out, e, true);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* A smooth function of time of size one, and its derivative. */
static void choose_solution(random_model *r, variable *v)
{
    double a = coefficient(r, 0.3, 1), b = coefficient(r, -1, 1);
    int t = make(r, NODE_TIME, 0, 0, 0);
    if (dice_below(r->d, 3)) {
        double w = coefficient(r, 0.5, 6), p = coefficient(r, 0, 6);
        int phase = make(r, NODE_ADD, make(r, NODE_MUL, constant(r, w), t, 0), constant(r, p), 0);
        v->exact =
            make(r, NODE_ADD, make(r, NODE_MUL, constant(r, a), make(r, NODE_SIN, phase, 0, 0), 0),
                 constant(r, b), 0);
        v->rate = make(r, NODE_MUL, constant(r, a * w), make(r, NODE_COS, phase, 0, 0), 0);
    } else {
        double c = coefficient(r, -4, -0.2);
        int e = make(r, NODE_EXP, make(r, NODE_MUL, constant(r, c), t, 0), 0, 0);
        v->exact = make(r, NODE_ADD, make(r, NODE_MUL, constant(r, a), e, 0), constant(r, b), 0);
        v->rate = make(r, NODE_MUL, constant(r, a * c), e, 0);
    }
}

static variable *add_variable(random_model *r, role as, const char *name)
{
    variable *v = &r->vars[r->n_vars < VARIABLES - 1 ? r->n_vars++ : r->n_vars];
    *v = (variable){.role = as};
    snprintf(v->name, sizeof v->name, "%s", name);
    if (as <= ROLE_MULTIPLIER) choose_solution(r, v);
    return v;
}

static int number_of(const random_model *r, const variable *v)
{
    return (int)(v - r->vars);
}

static double exact_value(const random_model *r, int var, double t)
{
    const variable *v = &r->vars[var];
    double since = 0, sum = 0;
    bool above = v->begins_above;
    int rises = 0, i = 0;
    switch (v->role) {
    case ROLE_STATE:
    case ROLE_CONTINUOUS:
    case ROLE_MULTIPLIER: return value_of(r, v->exact, t);
    case ROLE_SAW: return fmod(t, v->level);
    case ROLE_HELD:
        return t < v->start
                   ? 0
                   : value_of(r, v->exact,
                              v->start + v->interval * floor((t - v->start) / v->interval));
    case ROLE_BRANCH:
    case ROLE_COUNTER:
    case ROLE_INTEGRAL: break;
    }
    for (; i < v->n_crossings && v->crossing[i] < t; i++) {
        sum += (above ? v->up : v->down) * (v->crossing[i] - since);
        since = v->crossing[i];
        above = !above;
        rises += above;
    }
    if (v->role == ROLE_COUNTER) return rises;
    if (v->role == ROLE_INTEGRAL) return sum + (above ? v->up : v->down) * (t - since);
    return value_of(r, above ? v->exact : v->other, t);
}

/* A random expression of size about one in the variables of these roles; all of them smooth. */
static int expression(random_model *r, role most, int depth)
{
    static const node_op ops[] = {NODE_ADD,   NODE_SUB,  NODE_MUL,    NODE_SIN,    NODE_COS,
                                  NODE_TANH,  NODE_ATAN, NODE_ROOT,   NODE_SERIES, NODE_CLIP,
                                  NODE_HALVE, NODE_ADD,  NODE_SQUARE, NODE_MUL};
    if (!depth || dice_below(r->d, 5) == 0) {
        for (int tries = 0; tries < 8; tries++) {
            int k = dice_below(r->d, r->n_vars);
            if (r->n_vars && r->vars[k].role <= most) return make(r, NODE_VAR, k, 0, 0);
        }
        return dice_below(r->d, 3) ? constant(r, coefficient(r, -1.5, 1.5))
                                   : make(r, NODE_TIME, 0, 0, 0);
    }
    node_op op = ops[dice_below(r->d, (int)(sizeof ops / sizeof *ops))];
    int a = expression(r, most, depth - 1);
    int b = op <= NODE_MUL || op >= NODE_SERIES ? expression(r, most, depth - 1) : 0;
    int e = make(r, op, a, b, 0);
    // A product of sums may grow: bring it back.
    return op == NODE_MUL || op == NODE_SQUARE ? make(r, NODE_ATAN, e, 0, 0) : e;
}

static bool is_hidden(const random_model *r, int at)
{
    const node *n = &r->nodes[at];
    if (n->op == NODE_VAR) return r->vars[n->a].hidden;
    return n->op > NODE_VAR && (is_hidden(r, n->a) || is_hidden(r, n->b));
}

/* ---- where a smooth variable passes a level -------------------------------------------------- */

static bool near_row(double t)
{
    double k = t * RANDOM_ROWS / RANDOM_STOP;
    return fabs(k - round(k)) < 0.05;
}

/* False: it does so too near a row, or only touches it. */
static bool find_crossings(const random_model *r, variable *v)
{
    enum { SAMPLES = 2000 };
    const double CLEAR = 0.02; // no extremum, no end nearer to the level than this
    double before = 0, last = 0;
    v->n_crossings = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        double t = RANDOM_STOP * i / SAMPLES, x = exact_value(r, v->source, t) - v->level;
        if ((i == 0 || i == SAMPLES) && fabs(x) < CLEAR) return false;
        if (i == 0) v->begins_above = x > 0;
        if (i > 1 && (last - before) * (x - last) <= 0 && fabs(last) < CLEAR) return false;
        if (i && (last > 0) != (x > 0)) {
            double low = t - RANDOM_STOP / SAMPLES, high = t;
            for (int k = 0; k < 60; k++) {
                double mid = (low + high) / 2;
                if ((exact_value(r, v->source, mid) - v->level > 0) == (last > 0)) low = mid;
                else high = mid;
            }
            if (near_row(high) || v->n_crossings == CROSSINGS) return false;
            v->crossing[v->n_crossings++] = high;
        }
        before = last;
        last = x;
    }
    return true;
}

static bool choose_crossing(random_model *r, variable *v)
{
    for (int tries = 0; tries < 30; tries++) {
        v->source = dice_below(r->d, r->n_vars);
        if (r->vars[v->source].role > ROLE_CONTINUOUS || v->source == number_of(r, v)) continue;
        v->level = coefficient(r, -1, 1);
        if (!find_crossings(r, v)) continue;
        v->hidden = r->vars[v->source].hidden || is_hidden(r, v->exact) || is_hidden(r, v->other);
        return true;
    }
    return false;
}

/* ---- blocks of equations --------------------------------------------------------------------- */

static void declare(random_model *r, const variable *v, bool fixed)
{
    text_printf(&r->declared, "  Real %s(start = ", v->name);
    text_real(&r->declared, exact_value(r, number_of(r, v), 0));
    text_printf(&r->declared, "%s);\n", fixed ? ", fixed = true" : "");
}

static const char *name_of(random_model *r, const char *letter, char *room)
{
    snprintf(room, 24, "%s%d", letter, r->n_vars);
    return room;
}

/* x' = X' - k (x - X) + c (e - E) */
static void attracted(random_model *r, const variable *v, const char *name, const char *rate,
                      role most)
{
    text *q = &r->equations;
    text_printf(q, "  %s = ", rate);
    print(r, q, v->rate, true);
    text_printf(q, " - %g*(%s - ", coefficient(r, 0.5, 3), name);
    print(r, q, v->exact, true);
    text_printf(q, ") + (%g)*(", coefficient(r, -0.4, 0.4));
    print_rest(r, q, expression(r, most, 3));
    text_add(q, ")");
}

static void block_states(random_model *r)
{
    char name[24], rate[40];
    int first = r->n_vars, n = 1 + dice_below(r->d, 3);
    for (int i = 0; i < n; i++)
        declare(r, add_variable(r, ROLE_STATE, name_of(r, "x", name)), true);
    for (int i = first; i < r->n_vars; i++) {
        snprintf(rate, sizeof rate, "der(%s)", r->vars[i].name);
        attracted(r, &r->vars[i], r->vars[i].name, rate, ROLE_STATE);
        text_add(&r->equations, ";\n");
    }
}

/* An array of states, der(x) = f - A*(x - X). */
static void block_array(random_model *r)
{
    char name[24], array[20];
    int n = 2 + dice_below(r->d, 2), first = r->n_vars;
    text *q = &r->equations;
    snprintf(array, sizeof array, "a%d", r->n_vars);
    text_printf(&r->declared, "  Real %s[%d](start = {", array, n);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%.15s[%d]", array, i + 1);
        add_variable(r, ROLE_STATE, name);
        if (i) text_add(&r->declared, ", ");
        text_real(&r->declared, exact_value(r, first + i, 0));
    }
    text_add(&r->declared, "}, each fixed = true);\n");
    text_printf(&r->declared, "  parameter Real A_%s[%d, %d] = [", array, n, n);
    for (int i = 0; i < n * n; i++) {
        double x = i % (n + 1) ? coefficient(r, -0.3, 0.3) : coefficient(r, 1, 3);
        text_printf(&r->declared, "%s%g", !i ? "" : i % n ? ", " : "; ", x);
    }
    text_add(&r->declared, "];\n");
    text_printf(q, "  der(%s) = {", array);
    for (int i = 0; i < n; i++) {
        if (i) text_add(q, ", ");
        print(r, q, r->vars[first + i].rate, true);
    }
    text_printf(q, "} - A_%s*(%s - {", array, array);
    for (int i = 0; i < n; i++) {
        if (i) text_add(q, ", ");
        print(r, q, r->vars[first + i].exact, true);
    }
    text_add(q, "});\n");
}

/* A component y' = k (u - y) whose input makes the solution. */
static void block_component(random_model *r)
{
    char name[24];
    double k = coefficient(r, 0.5, 4);
    snprintf(name, sizeof name, "part%d.y", r->n_vars);
    variable *v = add_variable(r, ROLE_STATE, name);
    int at = number_of(r, v);
    text_printf(&r->declared, "  Part part%d(k = %g, y(start = ", at, k);
    text_real(&r->declared, exact_value(r, at, 0));
    text_add(&r->declared, "));\n");
    text_printf(&r->equations, "  part%d.u = ", at);
    print(r, &r->equations, v->exact, true);
    text_add(&r->equations, " + (");
    print(r, &r->equations, v->rate, true);
    text_printf(&r->equations, ")/%g;\n", k);
}

static void block_explicit(random_model *r)
{
    char name[24];
    int e = expression(r, ROLE_CONTINUOUS, 4);
    variable *v = add_variable(r, ROLE_CONTINUOUS, name_of(r, "y", name));
    v->exact = e;
    v->hidden = is_hidden(r, e);
    text_printf(&r->declared, "  Real %s;\n", v->name);
    bool backwards = dice_below(r->d, 3) == 0; // solved for, not assigned
    text_printf(&r->equations, "  %s%s = ", backwards ? "2 - 3*" : "", v->name);
    if (backwards) text_add(&r->equations, "2 - 3*");
    print(r, &r->equations, e, false);
    text_add(&r->equations, ";\n");
}

/* y + small f(z) and z + small g(y): a loop with one solution. */
static void block_loop(random_model *r)
{
    static const char *const shapes[] = {"sin", "tanh", "atan", "cos"};
    char name[24];
    int first = r->n_vars, n = 2 + dice_below(r->d, 2);
    text *q = &r->equations;
    for (int i = 0; i < n; i++)
        declare(r, add_variable(r, ROLE_CONTINUOUS, name_of(r, "z", name)), false);
    for (int i = 0; i < n; i++) {
        const variable *v = &r->vars[first + i], *w = &r->vars[first + (i + 1) % n];
        const char *f = shapes[dice_below(r->d, 4)];
        double c = coefficient(r, -0.6, 0.6);
        text_printf(q, "  %s + (%g)*%s(%s) + 0.3*(", v->name, c, f, w->name);
        print_rest(r, q, expression(r, ROLE_STATE, 2));
        text_add(q, ") = ");
        print(r, q, v->exact, true);
        text_printf(q, " + (%g)*%s(", c, f);
        print(r, q, w->exact, true);
        text_add(q, ");\n");
    }
}

/* x' = ... + b u, and x given: u is found by differentiating once. */
static void block_index_2(random_model *r)
{
    char name[24];
    text *q = &r->equations;
    variable *x = add_variable(r, ROLE_CONTINUOUS, name_of(r, "g", name));
    variable *u = add_variable(r, ROLE_MULTIPLIER, name_of(r, "u", name));
    double b = coefficient(r, 0.5, 2);
    x->is_position = true;
    declare(r, x, false);
    declare(r, u, false);
    char rate[40];
    snprintf(rate, sizeof rate, "der(%s)", x->name);
    attracted(r, x, x->name, rate, ROLE_STATE);
    text_printf(q, " + (%g)*(%s - ", b, u->name);
    print(r, q, u->exact, true);
    text_printf(q, ");\n  %s + (%g)*(", x->name, coefficient(r, -0.5, 0.5));
    print_rest(r, q, expression(r, ROLE_STATE, 2));
    text_add(q, ") = ");
    print(r, q, x->exact, true);
    text_add(q, ";\n");
    if (r->index < 2) r->index = 2;
}

/* A point on a moving circle, held by the multiplier: index 3. */
static void block_index_3(random_model *r)
{
    char name[24], rate[40];
    text *q = &r->equations;
    int first = r->n_vars;
    // About a centre far enough away that the radius never vanishes.
    for (int i = 0; i < 2; i++) {
        variable *p = add_variable(r, ROLE_CONTINUOUS, name_of(r, "q", name));
        p->exact = make(r, NODE_ADD, p->exact, constant(r, i ? 1.5 : 3), 0);
        p->is_position = true;
        declare(r, p, i == 0);
    }
    for (int i = 0; i < 2; i++) {
        const variable *p = &r->vars[first + i];
        variable *w = add_variable(r, ROLE_CONTINUOUS, name_of(r, "w", name));
        w->exact = p->rate;
        w->hidden = true;
        declare(r, w, i == 0);
        text_printf(q, "  der(%s) = %s;\n", p->name, w->name);
    }
    variable *m = add_variable(r, ROLE_MULTIPLIER, name_of(r, "lambda", name));
    m->hidden = true;
    declare(r, m, false);
    for (int i = 0; i < 2; i++) {
        variable *p = &r->vars[first + i], *w = &r->vars[first + 2 + i];
        // The second derivative of a sin(w t + p) or of a exp(c t), from the tree of the first.
        const node *n = &r->nodes[p->rate], *f = &r->nodes[n->b];
        int inner = r->nodes[f->a].op == NODE_MUL ? r->nodes[f->a].a : r->nodes[r->nodes[f->a].a].a;
        double c = r->nodes[n->a].x * r->nodes[inner].x;
        int e = f->op == NODE_EXP ? n->b : make(r, NODE_SIN, f->a, 0, 0);
        w->rate = make(r, NODE_MUL, constant(r, f->op == NODE_EXP ? c : -c), e, 0);
        snprintf(rate, sizeof rate, "der(%s)", w->name);
        attracted(r, w, w->name, rate, ROLE_STATE);
        text_printf(q, " - 2*(%s - ", p->name);
        print(r, q, p->exact, true);
        text_printf(q, ") + (%s*%s - ", m->name, p->name);
        print(r, q, m->exact, true);
        text_add(q, "*");
        print(r, q, p->exact, true);
        text_add(q, ");\n");
    }
    text_printf(q, "  %s^2 + %s^2 = ", r->vars[first].name, r->vars[first + 1].name);
    for (int i = 0; i < 2; i++) {
        text_char(q, '(');
        print(r, q, r->vars[first + i].exact, true);
        text_add(q, i ? ")^2;\n" : ")^2 + ");
    }
    r->index = 3;
}

static void block_branch(random_model *r)
{
    char name[24];
    int yes = expression(r, ROLE_CONTINUOUS, 3), no = expression(r, ROLE_CONTINUOUS, 3);
    variable *v = add_variable(r, ROLE_BRANCH, name_of(r, "b", name));
    v->exact = yes;
    v->other = no;
    if (!choose_crossing(r, v)) {
        r->n_vars--;
        return;
    }
    const char *source = r->vars[v->source].name;
    text_printf(&r->declared, "  Real %s;\n", v->name);
    if (dice_below(r->d, 2)) { // by an algorithm
        text_printf(&r->statements, "algorithm\n  %s := 1;\n  if %s > %g then\n    %s := ", v->name,
                    source, v->level, v->name);
        print(r, &r->statements, yes, false);
        text_printf(&r->statements, ";\n  else\n    %s := %s*", v->name, v->name);
        print(r, &r->statements, no, false);
        text_add(&r->statements, ";\n  end if;\n");
        return;
    }
    text_printf(&r->equations, "  %s = if %s > %g then ", v->name, source, v->level);
    print(r, &r->equations, yes, false);
    text_add(&r->equations, " else ");
    print(r, &r->equations, no, false);
    text_add(&r->equations, ";\n");
}

static void block_counter(random_model *r)
{
    char name[24];
    variable *v = add_variable(r, ROLE_COUNTER, name_of(r, "n", name));
    if (!choose_crossing(r, v)) {
        r->n_vars--;
        return;
    }
    text_printf(&r->declared, "  Integer %s(start = 0, fixed = true);\n", v->name);
    text_printf(&r->equations, "  when %s > %g then\n    %s = pre(%s) + 1;\n  end when;\n",
                r->vars[v->source].name, v->level, v->name, v->name);
}

static void block_integral(random_model *r)
{
    char name[24];
    variable *v = add_variable(r, ROLE_INTEGRAL, name_of(r, "s", name));
    v->up = coefficient(r, 0.5, 2);
    v->down = coefficient(r, -2, -0.5);
    if (!choose_crossing(r, v)) {
        r->n_vars--;
        return;
    }
    declare(r, v, true);
    text_printf(&r->equations, "  der(%s) = if %s > %g then %g else %g;\n", v->name,
                r->vars[v->source].name, v->level, v->up, v->down);
}

static void block_saw(random_model *r)
{
    char name[24];
    variable *v = add_variable(r, ROLE_SAW, name_of(r, "r", name));
    bool clear = false;
    for (int tries = 0; tries < 30 && !clear; tries++) {
        v->level = coefficient(r, 0.1, 0.6);
        clear = true;
        for (int k = 1; k * v->level <= RANDOM_STOP + v->level; k++)
            clear = clear && !near_row(k * v->level);
    }
    if (!clear) {
        r->n_vars--;
        return;
    }
    declare(r, v, true);
    text_printf(&r->equations,
                "  der(%s) = 1;\n  when %s > %g then\n    reinit(%s, 0);\n  end when;\n", v->name,
                v->name, v->level, v->name);
}

static void block_held(random_model *r)
{
    char name[24];
    int e = expression(r, ROLE_CONTINUOUS, 3);
    variable *v = add_variable(r, ROLE_HELD, name_of(r, "h", name));
    bool clear = false;
    v->exact = e;
    v->hidden = is_hidden(r, e);
    for (int tries = 0; tries < 50 && !clear; tries++) {
        v->start = coefficient(r, 0.01, 0.2);
        v->interval = coefficient(r, 0.05, 0.4);
        clear = true;
        for (double t = v->start; t <= RANDOM_STOP; t += v->interval) clear = clear && !near_row(t);
    }
    if (!clear) {
        r->n_vars--;
        return;
    }
    text_printf(&r->declared, "  discrete Real %s(start = 0, fixed = true);\n", v->name);
    text_printf(&r->equations, "  when sample(%g, %g) then\n    %s = ", v->start, v->interval,
                v->name);
    print(r, &r->equations, e, false);
    text_add(&r->equations, ";\n  end when;\n");
}

/* ---- a model --------------------------------------------------------------------------------- */

static const char FUNCTIONS[] =
    "function series\n  input Real a, b;\n  output Real y;\nalgorithm\n  y := 0;\n"
    "  for i in 1:3 loop\n    y := y + sin(i*a)/(i*i) + 0.1*b;\n  end for;\nend series;\n"
    "function clip\n  input Real a, b;\n  output Real y;\nalgorithm\n"
    "  if a > 0 then\n    y := a + 0.2*b;\n  else\n    y := tanh(a) + 0.2*b;\n  end if;\n"
    "  annotation(smoothOrder = 1);\nend clip;\n"
    "function halve\n  input Real a, b;\n  output Real y;\nprotected\n  Real v[3], w;\n"
    "  Integer k;\nalgorithm\n  v := {a, b, 0.5*(a - b)};\n  y := 0;\n  w := 1;\n  k := 1;\n"
    "  while k <= 3 loop\n    y := y + w*v[k];\n    w := w/2;\n    k := k + 1;\n  end while;\n"
    "end halve;\n"
    "model Part\n  parameter Real k = 1;\n  input Real u;\n  output Real y(fixed = true);\n"
    "equation\n  der(y) = k*(u - y);\nend Part;\n";

static void write_model(random_model *r)
{
    text_add(&r->whole, FUNCTIONS);
    text_add(&r->whole, "model Random\n");
    text_add(&r->whole, text_str(&r->declared));
    text_add(&r->whole, "equation\n");
    text_add(&r->whole, text_str(&r->equations));
    text_add(&r->whole, text_str(&r->statements));
    text_add(&r->whole, "end Random;\n");
}

random_model *random_model_new(mem *m, dice *d)
{
    /* First states alone, then what constrains them, then what follows from both. */
    static void (*const first[])(random_model *) = {block_states, block_states, block_array,
                                                    block_component};
    static void (*const second[])(random_model *) = {block_loop, block_index_2, block_index_3};
    static void (*const third[])(random_model *) = {block_explicit, block_explicit, block_branch,
                                                    block_counter,  block_integral, block_saw,
                                                    block_held,     block_branch};
    random_model *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->d = d;
    r->index = 1;
    constant(r, 0.5); // node 0: what there is when there is no room
    text_init(&r->declared, m);
    text_init(&r->equations, m);
    text_init(&r->statements, m);
    text_init(&r->whole, m);
    for (int i = 1 + dice_below(d, 2); i > 0; i--) first[dice_below(d, 4)](r);
    for (int i = dice_below(d, 3); i > 0; i--) second[dice_below(d, 3)](r);
    for (int i = dice_below(d, 5); i > 0; i--) third[dice_below(d, 8)](r);
    write_model(r);
    return r;
}

void random_model_free(random_model *r)
{
    if (!r) return;
    text_done(&r->declared);
    text_done(&r->equations);
    text_done(&r->statements);
    text_done(&r->whole);
    free(r);
}

const char *random_model_text(const random_model *r)
{
    return text_str(&r->whole);
}

int random_model_index(const random_model *r)
{
    return r->index;
}

int random_model_n(const random_model *r)
{
    return r->n_vars;
}

const char *random_model_name(const random_model *r, int i)
{
    return r->vars[i].name;
}

bool random_model_is_multiplier(const random_model *r, int i)
{
    return r->vars[i].role == ROLE_MULTIPLIER;
}

bool random_model_is_controlled(const random_model *r, int i)
{
    return r->vars[i].role == ROLE_STATE || r->vars[i].is_position;
}

bool random_model_switches_hidden(const random_model *r)
{
    for (int i = 0; i < r->n_vars; i++)
        if (r->vars[i].role >= ROLE_BRANCH && r->vars[i].hidden) return true;
    return false;
}

double random_model_value(const random_model *r, int i, double t)
{
    return exact_value(r, i, t);
}
