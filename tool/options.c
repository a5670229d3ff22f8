/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_POSITIVE 1e-300

// clang-format off
#define AT(f)                         .place = offsetof(options, f)
#define COMMON(n, f, h)               {.name = n, .kind = OPTION_FLAG, AT(f), .help = h, .common = true}
#define FLAG(n, f, h)                 {.name = n, .kind = OPTION_FLAG, AT(f), .help = h}
#define TEXT(n, v, f, h)              {.name = n, .kind = OPTION_TEXT, .value = v, AT(f), .help = h}
#define WORDS(n, v, w, f, h)          {.name = n, .kind = OPTION_TEXT, .value = v, .word = w, AT(f), .help = h}
#define FILES(n, l, f, h)             {.name = n, .kind = OPTION_TEXT, .format = l, AT(f), .help = h}
#define NUMBER(n, k, v, lo, hi, f, h) {.name = n, .kind = k, .value = v, .min = lo, .max = hi, AT(f), \
                                       .has = offsetof(options, has_##f), .help = h}

const option option_table[] = {
    {.name = "-L", .kind = OPTION_PATH, .value = "DIR", .help = "look for classes in DIR (repeatable)"},
    {.name = "-p", .kind = OPTION_SETTING, .value = "NAME=VALUE", .help = "set a parameter, or the start value of a variable (repeatable)"},
    TEXT("--params", "FILE", params, "the same from a file: a line NAME = VALUE for each; fit: what is estimated, 'k=1[0.1,10]log, c' or a table FILE.csv"),
    TEXT("-o", "FILE.fmu", target, "the file to write"),
    NUMBER("--fmi", OPTION_COUNT, "2|3", 2, 3, fmi, "version of the standard (default 3)"),
    TEXT("--type", "me|cs|both", kinds, "model exchange, co-simulation, or both (default); run: which of them the FMU is used for"),
    FLAG("--source", source, "sources in C go into the FMU, too: for other platforms"),
    FLAG("--in-process", in_process, "run the code of an FMU in this process: faster, but a crash of it is the end of the command"),
    NUMBER("--start", OPTION_REAL, "T", -INFINITY, INFINITY, start, "start time (default 0)"),
    NUMBER("--stop", OPTION_REAL, "T", -INFINITY, INFINITY, stop, "stop time (default 1)"),
    NUMBER("--tol", OPTION_REAL, "R", LEAST_POSITIVE, 1, tol, "relative tolerance (default 1e-6)"),
    NUMBER("--abs-tol", OPTION_REAL, "A", LEAST_POSITIVE, INFINITY, abs_tol, "absolute tolerance (default: tol times nominal)"),
    WORDS("--method", "NAME", vinc_method_name, method, "integration method, parameters after a colon: ms2:rho=0.6"),
    WORDS("--formulation", "NAME", vinc_formulation, formulation, "what the integrator is given: %s"),
    TEXT("--linear", "direct|krylov", linear, "how linear systems are solved: with a stored matrix, or without one: krylov:precond=ilu ('vincolo help linear')"),
    WORDS("--formulations", "A,B", vinc_formulation, formulations, "formulations to compare (default: all)"),
    WORDS("--methods", "A,B", vinc_method_name, methods, "methods to compare (default: radau5,bdf,dopri5); linearize: what they make of the modes in steps of --step"),
    TEXT("--init", "consistent|as-given", init, "start values made consistent (default), or taken as they stand"),
    TEXT("--input", "FILE.csv", input, "drive the top-level inputs from a table"),
    TEXT("--from", "FILE.mat", from, "go on from the end of this result of the same model: its --stop was earlier, or it was interrupted"),
    NUMBER("--intervals", OPTION_COUNT, "N", 1, 1e9, intervals, "output points (default 500)"),
    TEXT("--times", "0,0.5,3|FILE", times, "output at these times only: a list, a file of numbers, or a table whose first column they are"),
    NUMBER("--step", OPTION_REAL, "H", LEAST_POSITIVE, INFINITY, step, "fixed steps of size H, no error control"),
    NUMBER("--max-steps", OPTION_COUNT, "N", 1, 1e15, max_steps, "give up after N steps"),
    FILES("--out", vinc_result_format, out, "write the result (linearize: the matrices, to FILE.A.csv and so on)"),
    FILES("--plot", vinc_figure_format, plot, "draw a figure; .html (run, plot): a report with curves and animation; -: in the terminal; check: the structure"),
    TEXT("--sens", "'L,g'", sens, "derivatives by these parameters and start values: columns d(x)/d(L)"),
    FLAG("--no-sens-control", no_sens_control, "with --sens: errors of derivatives are not tested, and steps are those of the run without them"),
    TEXT("--conditions", "FILE.csv", conditions, "what each experiment sets, and which state of rest it begins from"),
    TEXT("--observables", "FILE.csv", observables, "formulas, transformations and noise of what was observed"),
    TEXT("--noise", "EXPRESSION", noise, "the standard deviation of data that are variables of the model (default 1)"),
    TEXT("--distribution", "normal|lognormal|laplace", distribution, "of the noise of such data"),
    NUMBER("--starts", OPTION_COUNT, "N", 1, 100000, starts, "the search begins at N places within the bounds"),
    FLAG("--evaluate", evaluate, "the likelihood and its gradient at the values given: nothing is fitted"),
    FLAG("--profile", profile, "intervals by profiles of the likelihood: each parameter held, the others fitted anew"),
    TEXT("--report", "FILE.html", report, "a page: estimates with errors, correlation, data against curves, residuals"),
    TEXT("--goal", "'integral((x-1)^2)'", goal, "an expression at the end of the run; integral(E) and mean(E) in it are those over the run"),
    TEXT("--of", "'k,c'", of, "parameters and start values that the gradient is taken by"),
    TEXT("--over", "'k=1[0.1,10]log, u=0[-1,1]'", over, "what is varied: parameters; controls, which are inputs of the model; time, the end of the run: values to begin with, bounds, scale"),
    TEXT("--subject", "'final(x)=1; v<=2'", subject, "constraints, separated by semicolons: at the end (final, integral), else all along"),
    NUMBER("--pieces", OPTION_COUNT, "N", 1, 100000, pieces, "equal parts of the run on which controls are given (default 50)"),
    NUMBER("--iterations", OPTION_COUNT, "N", 1, 1000000, iterations, "after which a search gives up (default: fit and parameters 200, shooting 1000, collocation 3000)"),
    TEXT("--controls", "constant|linear", controls, "how they are given on them: constant, or linear without jumps (default constant)"),
    TEXT("--way", "collocation|shooting|single", way, "how a motion is optimized; single, controls alone, is for problems without constraints"),
    FLAG("--adjoint", adjoint, "from the end of the run to its start: a cost that does not grow with the parameters (chosen for 10 and more)"),
    NUMBER("--adjoint-memory", OPTION_SIZE, "SIZE", 1e4, 1e15, adjoint_memory, "in which the run is kept for it (default 256M): of longer runs stretches are run again"),
    FLAG("--maximize", maximize, "the largest value of the goal instead of the least"),
    TEXT("--vars", "'x,y;lambda'", vars, "what is written and drawn: commas separate curves, semicolons panels, x:y is a phase plot"),
    NUMBER("--checkpoint", OPTION_REAL, "S", LEAST_POSITIVE, 1e9, checkpoint, "write --out FILE.mat every S seconds of the run, whole each time: after a crash --from goes on there"),
    FLAG("--distributed", distributed, "one model over the processes of mpirun: mpirun -n N vincolo run MODEL --distributed"),
    TEXT("--title", "TEXT", title, "title of the figure"),
    FLAG("--dark", dark, "a figure on a dark ground"),
    FLAG("--log-x", log_x, "logarithmic abscissa"),
    FLAG("--log-y", log_y, "logarithmic ordinates"),
    FLAG("--verify", verify, "run again at a tenth of the tolerance and report the difference; hold the rows against the equations"),
    FLAG("--convergence", convergence, "errors for steps H, H/2, H/4 ... and the observed order of --method"),
    FLAG("--contractivity", contractivity, "distances of neighbouring solutions along the run"),
    FLAG("--baumgarte", baumgarte, "advice: zeta, omega and tau of --formulation baumgarte for this model, --method and --step"),
    TEXT("--norm", "1|2|inf|'x=2,v=0.1'|modes|P.csv", norm, "of --contractivity: a norm with weights of states ('inf:x=2'), of modal amplitudes, or sqrt(x' P x)"),
    FLAG("--drift", drift, "--plot draws how far the invariants of the model drift: annotation(__Vincolo(invariant = {E, L}))"),
    FLAG("--no-chart", no_chart, "no curves on the terminal while a long run is made"),
    TEXT("--log", "TOPICS", log, "step,newton,init,event: lines on standard error"),
    FLAG("--equilibrium", equilibrium, "the point of rest that is reached from the start values: positions, reactions (linearize: there)"),
    TEXT("--form", "semi-explicit|ode", form, "print the model converted to that form"),
    FLAG("--all", all, "every equation of the constraints of components"),
    FLAG("--matrices", matrices, "M, Phi_q, c, Q, T and T'MT of a mechanical model, as formulas and in numbers"),
    WORDS("--dump", NULL, vinc_dump_stage, dump, "print an intermediate result of the compiler"),
    TEXT("--show", "all|region,radius,damping,period,convergence,star", show, "what --plot draws of the methods; sweep: curves, response, histogram or scatter"),
    TEXT("--at", "0.1,1/4", at, "numbers of the undamped oscillator at these steps h/T: roots, damping, period error, spectral radius"),
    TEXT("--design", "collocation:0,1/2,1", design, "a method by synthesis: collocation:NODES, gauss:S, radau:S, lobatto:S, galerkin:K, dg:K, 'multistep:VALUES;SLOPES'; sweep: how samples fill the space, random, lhs or sobol"),
    TEXT("--num", "1,2", num, "numerator of the transfer function, highest power first"),
    TEXT("--den", "1,1,1", den, "its denominator"),
    TEXT("--storage", "V", storage, "variable of the model that holds the energy stored: V' <= u^T y is checked"),
    TEXT("--sweep", "k=1,10,100", sweep, "eigenvalues for these values of a parameter, or along a run: time=0,1,2"),
    FLAG("--transfer", transfer, "transfer functions from the inputs to the outputs: zeros, poles, margins; which modes are reached and seen"),
    FLAG("--bode", bode, "the same, with the Bode diagram (--plot FILE, or in the terminal)"),
    FLAG("--nyquist", nyquist, "the same, with the Nyquist diagram"),
    FLAG("--root-locus", root_locus, "the same, with the poles of the loop closed by u = -k y as k grows"),
    FLAG("--response", response, "the same, with the response to a unit step"),
    TEXT("--lqr", "'x=1,v=0.1;F=0.01'", lqr, "gain of least cost u = -K x: weights of states, then of inputs; '': all 1"),
    TEXT("--observer", "'x=1;y=0.01'", observer, "gain of an observer: intensities of the noise on states, then on outputs; '': all 1"),
    FLAG("--exchange", exchange, "inputs and outputs exchanged: y is given and u asked for"),
    TEXT("--rhs", "'sin(t); 0'", rhs, "h of F x' + G x = h, one expression per row: print the exact solution"),
    TEXT("--x0", "'1,0'", x0, "initial values of that solution"),
    FLAG("--list", list, "only the names of the examples, a line each"),
    TEXT("--only", "REGEX", only, "those whose full names match this extended regular expression"),
    NUMBER("--jobs", OPTION_COUNT, "N", 1, 1024, jobs, "this many at a time (default: one for each processor); run: threads that share a large system (default: up to 8), for the same bits"),
    NUMBER("--port", OPTION_COUNT, "N", 1024, 65535, port, "of the address of the page (default: any that is free)"),
    NUMBER("--timeout", OPTION_REAL, "S", LEAST_POSITIVE, 1e9, timeout, "seconds for each example (default 60)"),
    TEXT("--reference", "DIR", reference, "references: the result of A.B.C is held against DIR/A/B/C/C.csv"),
    {.name = "--vary", .kind = OPTION_VARIED, .value = "'L=0.5:2:0.01'", .help = "what is varied (repeatable): from:to:step, a list L=1,2,5, a distribution 'g~normal(9.81,0.1)', or a file of rows with a header"},
    TEXT("--collect", "'max(x); final(E)'", collect, "what is kept of each run ('vincolo help collect')"),
    NUMBER("--samples", OPTION_COUNT, "N", 1, 1e10, samples, "samples of what is random"),
    NUMBER("--seed", OPTION_COUNT, "S", 0, 9e15, seed, "of the samples (default 0)"),
    FLAG("--indices", indices, "Sobol' indices of random parameters: N (parameters + 2) runs"),
    TEXT("--device", "cpu|vector|gpu", device, "who computes: the processor run by run (default), several runs in each vector register, or one in each thread of an NVIDIA GPU"),
    TEXT("--part", "k/n", part, "only the k-th of n parts of the runs, for array jobs; sweep --merge joins them"),
    FLAG("--merge", merge, "join the files of parts, which are named in place of the model"),
    FLAG("--resume", resume, "go on with a sweep that was interrupted, with the same --out"),
    TEXT("--trajectories", "DIR", trajectories, "the curves of every run, of --vars at --intervals points, as files in DIR"),
    FLAG("--json", json, "one JSON object on standard output, nothing else there"),
    {.name = "--max-time", .kind = OPTION_REAL, .value = "S", .min = LEAST_POSITIVE, .max = 1e9, AT(max_time),
     .has = offsetof(options, has_max_time), .help = "stop after S seconds", .common = true},
    {.name = "--max-memory", .kind = OPTION_SIZE, .value = "SIZE", .min = 1e6, .max = 1e18, AT(max_memory),
     .has = offsetof(options, has_max_memory), .help = "stop where more memory would be needed: 500M, 2G (default: that of the machine)", .common = true},
    COMMON("--sandbox", sandbox, "read only the files that are named, write only the outputs, no network, no other program (Linux)"),
    COMMON("--allow-external", allow_external, "load libraries that external functions name, compile C code in the model, and run it"),
    COMMON("--quiet", quiet, "no report, only errors"),
    COMMON("--help", help, "this help"),
    COMMON("--version", version, "the version, what is built in, and which plug-ins are found"),
    {.name = NULL},
};
// clang-format on

bool option_belongs(const option *o, const command *c)
{
    if (!c || o->common) return true;
    size_t n = strlen(o->name);
    for (const char *p = c->options; p && *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == n && strncmp(p, o->name, n) == 0) return true;
    return false;
}

const char *option_value(const option *o, char room[OPTION_TEXT_BYTES])
{
    vinc_file_format f;
    int used = 0;
    if (o->value || o->kind == OPTION_FLAG) return o->value;
    if (o->format) used = snprintf(room, OPTION_TEXT_BYTES, "FILE");
    for (int i = 0; o->format ? !o->format(i, &f) : o->word(i) != NULL; i++)
        used += snprintf(room + used, (size_t)(OPTION_TEXT_BYTES - used), "%s%s", i ? "|" : "",
                         o->format ? f.ending : o->word(i));
    return room;
}

const char *option_help(const option *o, char room[OPTION_TEXT_BYTES])
{
    const char *gap = strstr(o->help, "%s");
    if (!gap) return o->help;
    int used = snprintf(room, OPTION_TEXT_BYTES, "%.*s", (int)(gap - o->help), o->help);
    for (int i = 0; o->word(i); i++)
        used += snprintf(room + used, (size_t)(OPTION_TEXT_BYTES - used), "%s%s", i ? ", " : "",
                         o->word(i));
    return room;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const option *find_option(const char *name, size_t n)
{
    for (const option *o = option_table; o->name; o++)
        if (strlen(o->name) == n && strncmp(o->name, name, n) == 0) return o;
    return NULL;
}

static void see_help(const command *c)
{
    if (c) tool_error("'vincolo help %s' lists its options.\n", c->name);
    else tool_error("'vincolo help' lists the commands.\n");
}

static void unknown_option(const char *name, const command *c)
{
    enum { OPTIONS = sizeof option_table / sizeof *option_table };
    const char *names[OPTIONS], *near = NULL; // without the dashes, which are always right
    int n = 0;
    for (const option *o = option_table; o->name; o++)
        if (option_belongs(o, c) && o->name[1] == '-') names[n++] = o->name + 2;
    if (name[1] == '-') near = vinc_nearest(name + 2, names, n);
    tool_error("vincolo: unknown option '%s'", name);
    if (near) tool_error("; did you mean '--%s'?", near);
    tool_error("\n");
    see_help(c);
}

/* k, M, G, T after a number, as powers of 1000; a B may follow. */
static double unit_of(char **end)
{
    static const char units[] = "kMGT";
    const char *u = **end ? strchr(units, **end == 'K' ? 'k' : **end) : NULL;
    double factor = u ? pow(1000, (double)(u - units + 1)) : 1;
    *end += u != NULL;
    *end += **end == 'B';
    return factor;
}

static bool read_number(const option *o, const char *value, options *out)
{
    char *end;
    double x = strtod(value, &end);
    if (o->kind == OPTION_SIZE && end > value) x *= unit_of(&end);
    while (isspace((unsigned char)*end)) end++;
    if (end == value || *end || isnan(x)) {
        tool_error("vincolo: %s needs a number, not '%s'\n", o->name, value);
        return false;
    }
    if (o->kind == OPTION_COUNT && x != floor(x)) {
        tool_error("vincolo: %s needs a whole number, not '%s'\n", o->name, value);
        return false;
    }
    if (!(x >= o->min && x <= o->max) || isinf(x)) {
        if (o->min == LEAST_POSITIVE)
            tool_error("vincolo: %s must be positive%s, not '%s'\n", o->name,
                       o->max == 1 ? " and at most 1" : "", value);
        else
            tool_error("vincolo: %s is out of range: '%s' (from %g to %g)\n", o->name, value,
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
        tool_error("vincolo: %s needs NAME=VALUE, not '%s'\n", o->name, value);
        return false;
    }
    if (out->n_settings == MAX_SETTINGS) {
        tool_error("vincolo: at most %d settings -p\n", MAX_SETTINGS);
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
    case OPTION_SIZE:
    case OPTION_COUNT: return read_number(o, value, out);
    case OPTION_SETTING: return read_setting(o, value, out);
    case OPTION_PATH:
        if (out->n_paths == MAX_PATHS) {
            tool_error("vincolo: at most %d directories -L\n", MAX_PATHS);
            return false;
        }
        out->paths[out->n_paths++] = value;
        return true;
    case OPTION_VARIED:
        if (out->n_varied == MAX_VARIED) {
            tool_error("vincolo: at most %d times --vary\n", MAX_VARIED);
            return false;
        }
        out->varied[out->n_varied++] = value;
        return true;
    case OPTION_TEXT: memcpy((char *)out + o->place, &value, sizeof value); return true;
    case OPTION_FLAG: break;
    }
    return true;
}

// One option: "--name value", "--name=value", "-Lvalue" or a flag. Returns how many words it took,
// 0 after a mistake.
static int read_option(char **argv, int left, const command *c, options *out)
{
    char *word = argv[0], *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    size_t n = equals ? (size_t)(equals - word) : word[1] == '-' ? strlen(word) : 2;
    const option *o = find_option(word, n);
    if (!o) return unknown_option(word, c), 0;
    if (!option_belongs(o, c)) {
        tool_error("vincolo: %s does not belong to this command\n", o->name);
        see_help(c);
        return 0;
    }
    if (o->kind == OPTION_FLAG) {
        if (equals) return tool_error("vincolo: %s takes no value\n", o->name), 0;
        memcpy((char *)out + o->place, &(bool){true}, sizeof(bool));
        return 1;
    }
    char *value = equals ? equals + 1 : word[n] ? word + n : NULL;
    if (value) return read_value(o, value, out) ? 1 : 0;
    if (left >= 2) return read_value(o, argv[1], out) ? 2 : 0;
    char room[OPTION_TEXT_BYTES];
    tool_error("vincolo: %s needs a value: %s %s\n", o->name, o->name, option_value(o, room));
    return 0;
}

bool options_read(int argc, char **argv, const command *c, options *o)
{
    *o = (options){.words = argv + 1};
    for (int i = 1; i < argc;) {
        if (argv[i][0] == '-' && argv[i][1]) {
            int took = read_option(argv + i, argc - i, c, o);
            if (!took) return false;
            i += took;
        } else {
            o->words[o->n_words++] = argv[i++]; // never ahead of i
        }
    }
    return true;
}
