/* vincolo help: made from the lists of commands, options and topics.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"
#include "vincolo_sweep.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_COLUMN = 30, LEAST_COLUMNS = 72, PIPE_COLUMNS = 100 };

static int help_width(void)
{
    int columns = tool_columns();
    return columns == 0 ? PIPE_COLUMNS : columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
}

/* Words from column `at` on, continued below at column `left`. */
static void help_wrapped(const char *s, int at, int left)
{
    int right = help_width();
    while (*s) {
        int n = (int)strcspn(s, " ");
        if (at > left && at + 1 + n > right) {
            printf("\n%*s", left, "");
            at = left;
        } else if (at > left) {
            putchar(' ');
            at++;
        }
        printf("%.*s", n, s);
        at += n;
        s += n + (s[n] == ' ');
    }
    putchar('\n');
}

static void help_entry(const char *name, const char *value, const char *help)
{
    bool bold = tool_colour(1);
    int used = 2 + (int)strlen(name) + (value ? 1 + (int)strlen(value) : 0);
    printf("  %s%s%s%s%s", bold ? "\x1b[1m" : "", name, bold ? "\x1b[0m" : "", value ? " " : "",
           value ? value : "");
    if (used + 2 > TEXT_COLUMN) printf("\n%*s", TEXT_COLUMN, "");
    else printf("%*s", TEXT_COLUMN - used, "");
    help_wrapped(help, TEXT_COLUMN, TEXT_COLUMN);
}

static void help_overview(void)
{
    printf("vincolo %s: models of equations and constraints, analysed and simulated\n\n",
           vinc_version());
    for (const command *const *c = command_list; *c; c++)
        help_entry((*c)->name, (*c)->arguments, (*c)->summary);
    putchar('\n');
    help_wrapped(
        "MODEL is a file ending in .mo, a package directory, or a class name looked up in -L, "
        "MODELICAPATH and the library that comes along.",
        0, 0);
    char more[300] =
        "'vincolo help COMMAND' lists the options of a command; 'vincolo help TOPIC' has "
        "more:";
    for (const help_topic *t = help_topics; t->name; t++)
        snprintf(more + strlen(more), sizeof more - strlen(more), " %s%s", t->name,
                 t[1].name ? "," : ".");
    help_wrapped(more, 0, 0);
    help_wrapped(
        "Exit status: 0 done; 1 the model is wrong; 2 the command line is wrong; 3 the run did "
        "not reach its end, or a limit was reached; 130 interrupted.",
        0, 0);
}

static void help_command(const command *c)
{
    printf("vincolo %s %s: %s\n\n", c->name, c->arguments, c->summary);
    char value[OPTION_TEXT_BYTES], help[OPTION_TEXT_BYTES];
    for (const option *o = option_table; o->name; o++)
        if (option_belongs(o, c)) help_entry(o->name, option_value(o, value), option_help(o, help));
}

/* ---- topics ---------------------------------------------------------------------------------- */

static void help_vars(void)
{
    puts(
        "--vars selects what is written and drawn:\n\n"
        "  x,y          two curves in one panel\n"
        "  x,y;F        two panels\n"
        "  x|F          F on a second axis, at the right\n"
        "  x:y          a phase plot, y over x\n"
        "  arm.*        '*' matches any text, '?' one character\n"
        "  T[:]         an array: in figures a map over time; T[:]@0,T[:]@5 its profiles at times\n"
        "  T[3,:]       a row of a matrix, cell[:].T what all cells have of a name; T[:,:] all "
        "elements\n"
        "  T-273.15     an expression of variables: + - * / ^, sin, cos, tan, asin, acos, atan,\n"
        "               sinh, cosh, tanh, exp, log, log10, sqrt, abs, floor, ceil, min, max, mod,\n"
        "               atan2\n\n"
        "Commas and semicolons inside brackets do not separate: q[1,2] is one name.");
}

static void help_draw(void)
{
    puts("A model says how it is drawn in the report (--plot FILE.html):\n\n"
         "  annotation(__Vincolo(draw = {point(r), rod(r1, r2), trace(r), spring(r1, r2),\n"
         "                               body(r, R, shape, size)}));\n\n"
         "  r, r1, r2    places: vectors of 2 or 3 numbers, any expressions of the class\n"
         "  R            an angle, or a matrix whose columns are the axes of the body\n"
         "  shape        \"box\", \"cylinder\" or \"sphere\"\n"
         "  size         box: lengths along its axes; cylinder: length (along x), diameter;\n"
         "               sphere: diameter\n\n"
         "Classes of components and declarations may have such annotations too; a list may be a\n"
         "comprehension, {point(r[i]) for i in 1:n}. Visualisers of Modelica.Mechanics.MultiBody\n"
         "are drawn as they stand. Without any, points are drawn for variables x, y (and z), and\n"
         "for vectors r[2] or r[3].");
}

static void help_invariants(void)
{
    puts("A model says what its motion keeps; every run watches it:\n\n"
         "  annotation(__Vincolo(invariant = {E, L, m1*v1 + m2*v2}));\n\n"
         "The report of a run says how far each drifted and who changed it: the equations, an\n"
         "event, or the method.\n\n"
         "  vincolo run MODEL --drift --plot drift.svg            the drift, step by step\n"
         "  vincolo run MODEL --method energy-momentum --step H   held to round-off");
}

static void help_lagrange(void)
{
    puts("Equations of motion from energies, in an equation section (docs/energies.md):\n\n"
         "  Vincolo.lagrange(q = q, T = ..., V = ..., Q = ..., p = ..., F = ..., Phi = ..., A = "
         "..., "
         "b = ...,\n"
         "                   lambda = ...);\n\n"
         "  d/dt dL/dq' - dL/dq + Phi_q' lambda + A' lambda = Q + p_q' F,  L = T - V\n"
         "  Phi(q, t) = 0,  A(q, t) q' + b(q, t) = 0\n\n"
         "  q          coordinates, variables of the model; q and T are needed, the rest is not\n"
         "  T, V       kinetic energy of q and der(q); potential energy\n"
         "  Q          generalised forces, one for each coordinate\n"
         "  p, F       points as functions of q, and the forces that act there\n"
         "  Phi        constraints on positions\n"
         "  A, b       constraints on velocities, a row of A for each: A*der(q) + b = 0\n"
         "  lambda     names for the multipliers: those of Phi, then those of the rows of A\n\n"
         "The force of a constraint on q is -Phi_q' lambda: with Phi = x^2 + y^2 - r^2 a rod that "
         "pulls\n"
         "has lambda > 0, and its tension is 2*r*lambda. Start values: positions and velocities of "
         "as\n"
         "many coordinates as there are degrees of freedom, x(start = 1, fixed = true),\n"
         "der(x) by a variable v = der(x) with a start value; the others follow from Phi and A.\n"
         "'vincolo flatten' prints the equations, 'vincolo check --matrices' M, Phi_q, Q and c.");
}

static void help_regions(void)
{
    puts("Integrals over regions in models (docs/regions.md):\n\n"
         "  Vincolo.integral(f for x in a:b, y in c(x):d(x))      of scalars and arrays\n"
         "  Vincolo.solid({x, y, z, density} for x in a:b, ...)   mass m, centre c, inertia J\n\n"
         "Bounds may depend on the other coordinates; points may be functions of any coordinates:\n"
         "{r*cos(a), r*sin(a), z, rho} for z in 0:h, a in 0:2*pi, r in 0:R*z/h is a cone.\n\n"
         "'vincolo region MODEL' computes the balances of a model that extends "
         "Vincolo.Balance.Region:\n\n"
         "  from, to        bounds of u, v(u), w(u, v); they may move in time\n"
         "  place           the point that u, v, w mean; {u, v, w} unless stated\n"
         "  density, field, velocity, pressure, force, internal, potential\n"
         "                  fields, functions of x, y, z and time\n\n"
         "It prints mass, centre and inertia, Reynolds' theorem and the divergence theorems with "
         "both\n"
         "sides, and the balances of mass, momentum and energy with what is missing to them.");
}

/* From the library's own descriptions. */
static void help_library(void)
{
    vinc_ctx *ctx = tool_context(&(options){0});
    const char *list = "";
    vinc_library(ctx, "Vincolo", &list);
    puts("The library that comes along, to be used by full names or after an import:\n");
    tool_print(list);
    puts("\nIn equations and declarations also Vincolo.lagrange ('vincolo help lagrange'), "
         "Vincolo.integral\nand Vincolo.solid ('vincolo help regions').");
    tool_messages(ctx);
    tool_free(ctx);
}

static void help_formulations(void)
{
    puts("--formulation NAME: what the integrator is given of a model with constraints.\n");
    for (int i = 0; vinc_formulation(i); i++)
        help_entry(vinc_formulation(i), NULL, vinc_formulation_summary(i));
    puts("\nParameters ride on the name: baumgarte:zeta=1,omega=10 (also tau=0.1, or "
         "a=30,b=300,c=1000),\n"
         "partition:independent=x, dummy:tied=60 (coordinates that compete, from which on "
         "multipliers\n"
         "tie them in place of a choice). After those that drift, :project=1 moves every step onto "
         "the\n"
         "constraints. 'vincolo compare MODEL' runs them side by side; 'vincolo run MODEL "
         "--baumgarte'\n"
         "advises on zeta, omega and tau for a method and a step.");
}

static void help_linear(void)
{
    puts("--linear SOLVER: how implicit methods solve their linear systems.\n");
    help_entry(
        "direct", NULL,
        "store the matrix dF/dy + c dF/dy' and factor it (the standard; sparse where it is)");
    help_entry("krylov", NULL,
               "store no matrix: GMRES with exact products of the Jacobian with vectors");
    help_entry("petsc", NULL,
               "of several processes (--distributed): petsc:solver=mumps, hypre, block-jacobi or "
               "schwarz, restart=60, iterations=600 (docs/distributed.md)");
    puts("\nOf krylov, after a colon, with commas between: precond=NAME, one of\n");
    for (int i = 0; vinc_preconditioner(i); i++) {
        char words[200];
        snprintf(words, sizeof words, "%s; stores %s", vinc_preconditioner_summary(i),
                 vinc_preconditioner_stores(i));
        help_entry(vinc_preconditioner(i), NULL, words);
    }
    puts("\nthe first without it; restart=30, the vectors of GMRES, n numbers each; "
         "iterations=300, after\n"
         "which a system is given up and the step cut; block=8, unknowns in a block of "
         "block-jacobi, in\n"
         "the order of their declaration; relax=0.95, the part of what ilu drops that goes to the\n"
         "diagonal. As --linear krylov:precond=jacobi,restart=50, or in the model\n"
         "annotation(__Vincolo(linear = \"krylov\")).\n\n"
         "Worth it for large grids, most in three dimensions (docs/sparse.md). Methods: bdf "
         "(chosen where\n"
         "none is named), bdf1 to bdf6, mebdf, the diagonally implicit ones (sdirk4, trbdf2 ...),\n"
         "implicit-euler, trapezoid, newmark, hht, genalpha; radau, gauss, lobatto and "
         "rodas are\n"
         "refused. The report says how many iterations, products and preconditioners it took.");
}

static void help_reports(void)
{
    puts("--json prints what an analysis found as one JSON text; docs/reports.md explains the "
         "keys:\n");
    for (int i = 0; vinc_report_name(i); i++) {
        char key[80];
        help_entry(vinc_report_command(i), NULL, vinc_report_summary(i));
        printf("     ");
        for (int k = 0, column = 5; vinc_report_key(i, k, key, sizeof key); k++) {
            if (strpbrk(key, ".[")) continue;
            if (column + strlen(key) > 95) column = printf("\n     ") - 1;
            column += printf(" %s", key);
        }
        puts("");
    }
}

static void help_collect(void)
{
    puts("What is varied (--vary), all combinations of what is given:\n");
    help_entry("L=0.5:2:0.01", NULL, "a grid: from, to, step");
    help_entry("L=1,2,5", NULL, "a list");
    help_entry("rows.csv", NULL, "a file: names in its first line, then a row for each run");
    for (int i = 0; vinc_sweep_distribution(i); i++) {
        char name[40];
        snprintf(name, sizeof name, "g~%s(...)", vinc_sweep_distribution(i));
        help_entry(name, NULL, vinc_sweep_distribution_summary(i));
    }
    puts("\nWhat is kept of each run (--collect), separated by semicolons:\n");
    for (int i = 0; vinc_sweep_functional(i); i++)
        help_entry(vinc_sweep_functional(i), NULL, vinc_sweep_functional_summary(i));
    putchar('\n');
    help_wrapped("Arithmetic over these, with a name of its own if you like: 'overshoot = max(y) - "
                 "final(y)'. Inside "
                 "them, expressions of variables, der(x), time and sin, exp, sqrt, abs ...; "
                 "conditions with <, >, "
                 "and, or, not. docs/sweep.md has more.",
                 0, 0);
}

const help_topic help_topics[] = {
    {"lagrange", help_lagrange},
    {"regions", help_regions},
    {"library", help_library},
    {"vars", help_vars},
    {"draw", help_draw},
    {"invariants", help_invariants},
    {"formulations", help_formulations},
    {"linear", help_linear},
    {"collect", help_collect},
    {"reports", help_reports},
    {"man", generate_man},
    {"bash", generate_bash},
    {"zsh", generate_zsh},
    {"fish", generate_fish},
    {NULL, NULL},
};

static int help_run(const options *o)
{
    const char *topic = o->n_words == 0                    ? NULL
                        : strcmp(o->words[0], "help") != 0 ? o->words[0]
                        : o->n_words > 1                   ? o->words[1]
                                                           : NULL;
    if (!topic) return help_overview(), EXIT_DONE;
    const char *names[64];
    int n = 0;
    for (const command *const *c = command_list; *c; c++) {
        if (strcmp((*c)->name, topic) == 0) return help_command(*c), EXIT_DONE;
        names[n++] = (*c)->name;
    }
    for (const help_topic *t = help_topics; t->name; t++) {
        if (strcmp(t->name, topic) == 0) return t->print(), EXIT_DONE;
        names[n++] = t->name;
    }
    const char *near = vinc_nearest(topic, names, n);
    tool_error("vincolo: there is no help on '%s'", topic);
    if (near) tool_error("; did you mean '%s'?", near);
    tool_error("\n'vincolo help' lists the commands.\n");
    return EXIT_USAGE;
}

const command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "this list, or the options of a command",
    .run = help_run,
};
