/* The commands, in the order of 'vincolo help', and how one is chosen. Help, the manual page,
 * completion and the refusal of options that do not belong follow from their entries.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <string.h>

const command *const command_list[] = {
    &command_check,  &command_run,      &command_compare,  &command_flatten,   &command_parse,
    &command_export, &command_method,   &command_pencil,   &command_linearize, &command_passivity,
    &command_region, &command_sweep,    &command_plot,     &command_diff,      &command_watch,
    &command_fit,    &command_gradient, &command_optimize, &command_examples,  &command_live,
    &command_lsp,    &command_new,      &command_tour,     &command_help,      NULL,
};

static const command *find_command(const char *name)
{
    const command *const *c = command_list;
    while (*c && strcmp((*c)->name, name) != 0) c++;
    return *c;
}

static int unknown_command(const char *name)
{
    const char *names[32];
    int n = 0;
    for (const command *const *c = command_list; *c; c++) names[n++] = (*c)->name;
    const char *near = vinc_nearest(name, names, n);
    tool_error("vincolo: there is no command '%s'", name);
    if (near) tool_error("; did you mean '%s'?", near);
    tool_error("\n'vincolo help' lists the commands.\n");
    return EXIT_USAGE;
}

/* The version, and what is built in or found. */
static void tell_version(void)
{
    vinc_part p;
    printf("vincolo %s\n", vinc_version());
    for (int i = 0; !vinc_part_at(i, &p); i++) {
        printf("  %-15s %s", p.name, p.does);
        if (p.package && p.found) printf(" (%s)", p.place);
        else if (p.package) printf(": %s (Debian: %s)", p.place, p.package);
        putchar('\n');
    }
}

int tool_run(int argc, char **argv)
{
    const command *c = NULL;
    for (int i = 1; i < argc && !c; i++) { // the first word; options may come before it
        if (argv[i][0] == '-') continue;
        c = find_command(argv[i]);
        if (!c) return unknown_command(argv[i]);
    }
    if (c && c->line && argc > 1 && !strcmp(argv[1], c->name) && argc > 2 &&
        strcmp(argv[2], "--help") != 0)
        return c->line(argc, argv);
    options o;
    if (!options_read(argc, argv, c, &o)) return EXIT_USAGE;
    if (o.version) return tell_version(), EXIT_DONE;
    if (!c || o.help) return command_help.run(&o);
    int status = EXIT_USAGE;
    if ((!o.params || c == &command_fit || tool_read_values(&o)) &&
        (!o.times || tool_read_times(&o)) && (!o.sandbox || c->confines_itself || tool_confine(&o)))
        status = c->run(&o);
    tool_forget_lists(&o);
    return status;
}
