/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(options, field)
#define MODEL                                                                                      \
    (CMD_CHECK | CMD_RUN | CMD_FLATTEN | CMD_PENCIL | CMD_COMPARE | CMD_LINEARIZE | CMD_PASSIVITY)
#define TINY 1e-300

// clang-format off
const option option_table[] = {
    {"-L", OPTION_PATH, "DIR", MODEL | CMD_PARSE, 0, 0, AT(paths), AT(n_paths), "look for classes in DIR (repeatable)"},
    {"-p", OPTION_SETTING, "NAME=VALUE", MODEL, 0, 0, AT(settings), AT(n_settings), "set a parameter, or the start value of a variable (repeatable)"},
    {"--start", OPTION_REAL, "T", CMD_RUN | CMD_COMPARE | CMD_LINEARIZE | CMD_PASSIVITY, -INFINITY, INFINITY, AT(start), AT(has_start), "start time (default 0)"},
    {"--stop", OPTION_REAL, "T", CMD_RUN | CMD_COMPARE | CMD_PENCIL | CMD_LINEARIZE | CMD_PASSIVITY, -INFINITY, INFINITY, AT(stop), AT(has_stop), "stop time (default 1)"},
    {"--tol", OPTION_REAL, "R", CMD_RUN | CMD_COMPARE | CMD_LINEARIZE | CMD_PASSIVITY, TINY, 1, AT(tol), AT(has_tol), "relative tolerance (default 1e-6)"},
    {"--abs-tol", OPTION_REAL, "A", CMD_RUN | CMD_COMPARE | CMD_LINEARIZE | CMD_PASSIVITY, TINY, INFINITY, AT(abs_tol), AT(has_abs_tol), "absolute tolerance (default: tol times nominal)"},
    {"--method", OPTION_TEXT, "NAME", CMD_RUN | CMD_LINEARIZE | CMD_PASSIVITY, 0, 0, AT(method), 0, "integration method, parameters after a colon: ms2:rho=0.6"},
    {"--formulation", OPTION_TEXT, "NAME", CMD_RUN, 0, 0, AT(formulation), 0, "what the integrator is given: dummy, direct, project, ggl, partition, maggi, index1, baumgarte:zeta=1,omega=10, kkt, udwadia, nullspace-qr, nullspace-svd, finzi"},
    {"--formulations", OPTION_TEXT, "A,B", CMD_COMPARE, 0, 0, AT(formulations), 0, "formulations to compare (default: all)"},
    {"--methods", OPTION_TEXT, "A,B", CMD_COMPARE, 0, 0, AT(methods), 0, "methods to compare (default: radau5,bdf,dopri5)"},
    {"--init", OPTION_TEXT, "consistent|as-given", CMD_RUN | CMD_CHECK | CMD_LINEARIZE | CMD_PASSIVITY, 0, 0, AT(init), 0, "start values made consistent (default), or taken as they stand"},
    {"--input", OPTION_TEXT, "FILE.csv", CMD_RUN | CMD_LINEARIZE | CMD_PASSIVITY, 0, 0, AT(input), 0, "drive the top-level inputs from a table"},
    {"--intervals", OPTION_COUNT, "N", CMD_RUN | CMD_COMPARE | CMD_PENCIL, 1, 1e9, AT(intervals), AT(has_intervals), "output points (default 500)"},
    {"--step", OPTION_REAL, "H", CMD_RUN | CMD_COMPARE, TINY, INFINITY, AT(step), AT(has_step), "fixed steps of size H, no error control"},
    {"--max-steps", OPTION_COUNT, "N", CMD_RUN | CMD_COMPARE, 1, 1e15, AT(max_steps), AT(has_max_steps), "give up after N steps"},
    {"--out", OPTION_TEXT, "FILE.csv|.mat", CMD_RUN | CMD_COMPARE | CMD_LINEARIZE, 0, 0, AT(out), 0, "write the result (linearize: the matrices, to FILE.A.csv and so on)"},
    {"--plot", OPTION_TEXT, "FILE.svg|.png|.pdf|.html|-", CMD_RUN | CMD_CHECK | CMD_PLOT | CMD_METHOD | CMD_COMPARE | CMD_LINEARIZE, 0, 0, AT(plot), 0, "draw a figure; .html (run, plot): a report with curves and animation; -: in the terminal; check: the structure"},
    {"--vars", OPTION_TEXT, "'x,y;lambda'", CMD_RUN | CMD_PLOT | CMD_LINEARIZE | CMD_PASSIVITY, 0, 0, AT(vars), 0, "what is written and drawn: commas separate curves, semicolons panels, x:y is a phase plot"},
    {"--title", OPTION_TEXT, "TEXT", CMD_RUN | CMD_CHECK | CMD_PLOT | CMD_COMPARE, 0, 0, AT(title), 0, "title of the figure"},
    {"--dark", OPTION_FLAG, NULL, CMD_RUN | CMD_CHECK | CMD_PLOT | CMD_COMPARE, 0, 0, AT(dark), 0, "a figure on a dark ground"},
    {"--log-x", OPTION_FLAG, NULL, CMD_RUN | CMD_PLOT, 0, 0, AT(log_x), 0, "logarithmic abscissa"},
    {"--log-y", OPTION_FLAG, NULL, CMD_RUN | CMD_PLOT, 0, 0, AT(log_y), 0, "logarithmic ordinates"},
    {"--verify", OPTION_FLAG, NULL, CMD_RUN, 0, 0, AT(verify), 0, "run again at a tenth of the tolerance and report the difference"},
    {"--convergence", OPTION_FLAG, NULL, CMD_RUN, 0, 0, AT(convergence), 0, "errors for steps H, H/2, H/4 ... and the observed order of --method"},
    {"--contractivity", OPTION_FLAG, NULL, CMD_RUN, 0, 0, AT(contractivity), 0, "distances of neighbouring solutions along the run"},
    {"--log", OPTION_TEXT, "TOPICS", CMD_RUN, 0, 0, AT(log), 0, "step,newton,init,event: lines on standard error"},
    {"--equilibrium", OPTION_FLAG, NULL, CMD_RUN | CMD_LINEARIZE, 0, 0, AT(equilibrium), 0, "the point of rest that is reached from the start values: positions, reactions (linearize: there)"},
    {"--form", OPTION_TEXT, "semi-explicit", CMD_CHECK, 0, 0, AT(form), 0, "print the model converted to that form"},
    {"--all", OPTION_FLAG, NULL, CMD_CHECK, 0, 0, AT(all), 0, "every equation of the constraints of components"},
    {"--dump", OPTION_TEXT, "ast|flat|blt|tape", CMD_CHECK | CMD_RUN | CMD_FLATTEN, 0, 0, AT(dump), 0, "print an intermediate result of the compiler"},
    {"--show", OPTION_TEXT, "all|region,radius,damping,period,convergence,star", CMD_METHOD, 0, 0, AT(show), 0, "what --plot draws of the methods"},
    {"--design", OPTION_TEXT, "collocation:0,1/2,1", CMD_METHOD, 0, 0, AT(design), 0, "a method by synthesis: collocation:NODES, gauss:S, radau:S, lobatto:S, galerkin:K, dg:K, 'multistep:VALUES;SLOPES'"},
    {"--num", OPTION_TEXT, "1,2", CMD_PASSIVITY, 0, 0, AT(num), 0, "numerator of the transfer function, highest power first"},
    {"--den", OPTION_TEXT, "1,1,1", CMD_PASSIVITY, 0, 0, AT(den), 0, "its denominator"},
    {"--storage", OPTION_TEXT, "V", CMD_PASSIVITY, 0, 0, AT(storage), 0, "variable of the model that holds the energy stored: V' <= u^T y is checked"},
    {"--rhs", OPTION_TEXT, "'sin(t); 0'", CMD_PENCIL, 0, 0, AT(rhs), 0, "h of F x' + G x = h, one expression per row: print the exact solution"},
    {"--x0", OPTION_TEXT, "'1,0'", CMD_PENCIL, 0, 0, AT(x0), 0, "initial values of that solution"},
    {"--json", OPTION_FLAG, NULL, CMD_CHECK | CMD_RUN | CMD_COMPARE | CMD_METHOD | CMD_PENCIL | CMD_PASSIVITY | CMD_LINEARIZE, 0, 0, AT(json), 0, "one JSON object on standard output, nothing else there"},
    {"--quiet", OPTION_FLAG, NULL, CMD_ALL, 0, 0, AT(quiet), 0, "no report, only errors"},
    {"--help", OPTION_FLAG, NULL, CMD_ALL, 0, 0, AT(help), 0, "this help"},
    {"--version", OPTION_FLAG, NULL, CMD_ALL, 0, 0, AT(version), 0, "the version"},
    {NULL, 0, NULL, 0, 0, 0, 0, 0, NULL},
};
// clang-format on

/* ---- reading --------------------------------------------------------------------------------- */

static const option *find(const char *name, size_t n)
{
    for (const option *o = option_table; o->name; o++)
        if (strlen(o->name) == n && strncmp(o->name, name, n) == 0) return o;
    return NULL;
}

static void see_help(unsigned bit)
{
    for (const command *c = command_table; c->name; c++)
        if (c->bit == bit) fprintf(stderr, "'vincolo help %s' lists its options.\n", c->name);
    if (bit == CMD_ALL) fprintf(stderr, "'vincolo help' lists the commands.\n");
}

static bool unknown(const char *name, unsigned bit)
{
    const char *names[64], *near = NULL; // without the dashes, which are always right
    int n = 0;
    for (const option *o = option_table; o->name; o++)
        if (o->commands & bit && o->name[1] == '-') names[n++] = o->name + 2;
    if (name[1] == '-') near = vinc_nearest(name + 2, names, n);
    fprintf(stderr, "vincolo: unknown option '%s'", name);
    if (near) fprintf(stderr, "; did you mean '--%s'?", near);
    fputc('\n', stderr);
    see_help(bit);
    return false;
}

static bool read_number(const option *o, const char *value, options *out)
{
    char *end;
    double x = strtod(value, &end);
    while (isspace((unsigned char)*end)) end++;
    if (end == value || *end || isnan(x)) {
        fprintf(stderr, "vincolo: %s needs a number, not '%s'\n", o->name, value);
        return false;
    }
    if (o->kind == OPTION_COUNT && x != floor(x)) {
        fprintf(stderr, "vincolo: %s needs a whole number, not '%s'\n", o->name, value);
        return false;
    }
    if (!(x >= o->min && x <= o->max) || isinf(x)) {
        if (o->min == TINY)
            fprintf(stderr, "vincolo: %s must be positive%s, not '%s'\n", o->name,
                    o->max == 1 ? " and at most 1" : "", value);
        else
            fprintf(stderr, "vincolo: %s is out of range: '%s' (from %g to %g)\n", o->name, value,
                    o->min, o->max);
        return false;
    }
    memcpy((char *)out + o->place, &x, sizeof x);
    memcpy((char *)out + o->has, &(bool){true}, sizeof(bool));
    return true;
}

static bool read_setting(const option *o, char *value, options *out)
{
    char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        fprintf(stderr, "vincolo: %s needs NAME=VALUE, not '%s'\n", o->name, value);
        return false;
    }
    if (out->n_settings == MAX_SETTINGS) {
        fprintf(stderr, "vincolo: at most %d settings -p\n", MAX_SETTINGS);
        return false;
    }
    *equals = 0;
    out->settings[out->n_settings++] = (vinc_setting){value, equals + 1};
    return true;
}

static bool read_value(const option *o, char *value, options *out)
{
    switch (o->kind) {
    case OPTION_REAL:
    case OPTION_COUNT: return read_number(o, value, out);
    case OPTION_SETTING: return read_setting(o, value, out);
    case OPTION_PATH:
        if (out->n_paths == MAX_PATHS) {
            fprintf(stderr, "vincolo: at most %d directories -L\n", MAX_PATHS);
            return false;
        }
        out->paths[out->n_paths++] = value;
        return true;
    case OPTION_TEXT: memcpy((char *)out + o->place, &value, sizeof value); return true;
    case OPTION_FLAG: break;
    }
    return true;
}

// One option: "--name value", "--name=value", "-Lvalue" or a flag. Returns how many words it took,
// 0 after a mistake.
static int read_option(char **argv, int left, unsigned bit, options *out)
{
    char *word = argv[0], *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    size_t n = equals ? (size_t)(equals - word) : word[1] == '-' ? strlen(word) : 2;
    const option *o = find(word, n);
    if (!o) return unknown(word, bit), 0;
    if (!(o->commands & bit)) {
        fprintf(stderr, "vincolo: %s does not belong to this command\n", o->name);
        see_help(bit);
        return 0;
    }
    if (o->kind == OPTION_FLAG) {
        if (equals) return fprintf(stderr, "vincolo: %s takes no value\n", o->name), 0;
        memcpy((char *)out + o->place, &(bool){true}, sizeof(bool));
        return 1;
    }
    char *value = equals ? equals + 1 : word[n] ? word + n : NULL;
    if (value) return read_value(o, value, out) ? 1 : 0;
    if (left < 2)
        return fprintf(stderr, "vincolo: %s needs a value: %s %s\n", o->name, o->name, o->value), 0;
    return read_value(o, argv[1], out) ? 2 : 0;
}

bool options_read(int argc, char **argv, unsigned bit, options *o)
{
    *o = (options){.words = argv + 1};
    for (int i = 1; i < argc;) {
        if (argv[i][0] == '-' && argv[i][1]) {
            int took = read_option(argv + i, argc - i, bit, o);
            if (!took) return false;
            i += took;
        } else {
            o->words[o->n_words++] = argv[i++]; // never ahead of i
        }
    }
    return true;
}
