/* vincolo tour: six examples in the terminal, each with a question, a command and a figure.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 12, COMMANDS = 2 };

typedef struct stop {
    const char *title, *words; // what it is about
    const char *model;         // below examples/
    const char *commands[COMMANDS][WORDS];
} stop;

// MODEL stands for the model's file.
static const stop stops[] = {
    {"What does a rigid rod do to the equations?",
     "A pendulum in x and y. The force in the rod is in no equation from which it could be\n"
     "computed: the constraint must be differentiated twice. That is what 'index 3' means.",
     "pendulum/model.mo",
     {{"check", "MODEL"}, {"run", "MODEL", "--stop", "5", "--vars", "x,y", "--plot", "-"}}},
    {"Can a mechanism be given by its energies?",
     "A slider-crank from T, V and two loop equations; everything else is derived.",
     "slider-crank/model.mo",
     {{"run", "MODEL", "--vars", "x;w", "--plot", "-"}}},
    {"Which road is best?",
     "The double pendulum by four formulations: error, violation of the constraints, energy,\n"
     "cost. Without stabilisation (index1) the constraints drift. Then the path of its tip.",
     "double-pendulum/model.mo",
     {{"compare", "MODEL", "--formulations", "dummy,ggl,project,index1", "--methods", "radau5"},
      {"run", "MODEL", "--vars", "q[3]:q[4]", "--plot", "-"}}},
    {"When exactly does something happen?",
     "A bouncing ball: impacts are located, not stepped over.",
     "hybrid/bouncing-ball/model.mo",
     {{"run", "MODEL", "--vars", "h", "--plot", "-"}}},
    {"What if one thing is a billion times faster than another?",
     "Robertson's reactions, the classical stiff problem: what reacts first is gone in\n"
     "microseconds, what remains takes hours.",
     "ivp/rober.mo",
     {{"run", "MODEL", "--vars", "y[1],y[3]", "--stop", "40", "--plot", "-"}}},
    {"And in space?",
     "A heavy top with a quaternion: its mass centre seen from above, precession and nutation.",
     "heavy-top/model.mo",
     {{"run", "MODEL", "--vars", "r[1]:r[2]", "--plot", "-"}}},
};
enum { STOPS = sizeof stops / sizeof *stops };

/* ---- where the examples are ------------------------------------------------------------------ */

// The folder that holds them, as a path without detours; the caller frees it.
static char *find_examples(void)
{
    static const char *const places[] = {"../examples", "../share/vincolo/examples"};
    char dir[4300];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *found = tool_beside(places[i], dir, sizeof dir) ? realpath(dir, NULL) : NULL;
        if (found) return *strrchr(found, '/') = 0, found;
    }
    return NULL;
}

/* ---- one stop -------------------------------------------------------------------------------- */

static bool needs_quotes(const char *s)
{
    return strpbrk(s, ";[]*?| ") != NULL;
}

static int run_command(const stop *s, int k)
{
    char model[100], copy[WORDS][64], *argv[WORDS + 2] = {"vincolo"};
    snprintf(model, sizeof model, "examples/%s", s->model);
    int argc = 1;
    printf("%s$ vincolo", k ? "\n" : "");
    for (int i = 0; i < WORDS && s->commands[k][i]; i++) {
        const char *word = s->commands[k][i];
        bool is_model = strcmp(word, "MODEL") == 0;
        snprintf(copy[i], sizeof copy[i], "%s", word);
        argv[argc++] = is_model ? model : copy[i];
        const char *quote = needs_quotes(word) ? "'" : "";
        if (is_model) printf(" %s", model);
        else printf(" %s%s%s", quote, word, quote);
    }
    puts("\n");
    fflush(stdout);
    return tool_run(argc, argv);
}

// On a terminal: wait for the reader. False: enough.
static bool go_on(void)
{
    if (!isatty(0) || !isatty(1)) return true;
    printf("\nEnter goes on, q ends. ");
    fflush(stdout);
    int c = getchar(), first = c;
    while (c != '\n' && c != EOF) c = getchar();
    return first != 'q' && first != EOF;
}

static int tour_run(const options *o)
{
    (void)o;
    char *dir = find_examples();
    if (!dir || chdir(dir)) { // so that paths are those of the commands shown
        tool_error("vincolo tour: the examples are not beside the command; run it from the "
                   "build folder of the source, or install with 'make install'\n");
        free(dir);
        return EXIT_USAGE;
    }
    bool bold = tool_colour(1);
    int rc = EXIT_DONE;
    for (int i = 0; i < STOPS && !rc; i++) {
        printf("%s%s%d. %s%s\n\n%s\n\n", i ? "\n" : "", bold ? "\x1b[1m" : "", i + 1,
               stops[i].title, bold ? "\x1b[0m" : "", stops[i].words);
        for (int k = 0; k < COMMANDS && stops[i].commands[k][0] && !rc; k++)
            rc = run_command(&stops[i], k);
        if (i + 1 < STOPS && !rc && !go_on()) break;
    }
    if (!rc)
        printf("\nThe examples are in %s/examples.\n'vincolo new NAME' writes a model to start "
               "from; --plot "
               "FILE.html makes a report that moves.\n",
               dir);
    free(dir);
    return rc;
}

const command command_tour = {
    .name = "tour",
    .arguments = "",
    .summary = "six examples in the terminal",
    .run = tour_run,
};
