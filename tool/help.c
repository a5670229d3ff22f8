/* vincolo help: made from the tables of commands and options.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <string.h>

static void overview(void)
{
    printf("vincolo %s: models of equations and constraints, analysed and simulated\n\n",
           vinc_version());
    for (const command *c = command_table; c->name; c++)
        printf("  vincolo %-8s %-14s %s\n", c->name, c->arguments, c->summary);
    printf("\nMODEL is a file ending in .mo, a package directory, or a class name looked up in -L, "
           "MODELICAPATH and the\n"
           "library that comes along. 'vincolo help COMMAND' lists the options of a command.\n\n"
           "Exit status: 0 done; 1 the model is wrong; 2 the command line is wrong; 3 the run did "
           "not reach its end;\n"
           "130 interrupted.\n");
}

static void details(const command *c)
{
    printf("vincolo %s %s: %s\n\n", c->name, c->arguments, c->summary);
    for (const option *o = option_table; o->name; o++) {
        if (!(o->commands & c->bit)) continue;
        char left[64];
        snprintf(left, sizeof left, "%s %s", o->name, o->value ? o->value : "");
        printf("  %-32s %s\n", left, o->help);
    }
}

int command_help(const options *o)
{
    const char *topic = o->n_words == 0                    ? NULL
                        : strcmp(o->words[0], "help") != 0 ? o->words[0]
                        : o->n_words > 1                   ? o->words[1]
                                                           : NULL;
    if (!topic) return overview(), EXIT_DONE;
    for (const command *c = command_table; c->name; c++)
        if (strcmp(c->name, topic) == 0) return details(c), EXIT_DONE;
    fprintf(stderr, "vincolo: there is no help on '%s'; 'vincolo help' lists the commands\n",
            topic);
    return EXIT_USAGE;
}
