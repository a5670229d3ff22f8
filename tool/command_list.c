/* The commands, in the order of 'vincolo help'. Help, the manual page, completion and the refusal of
 * options that do not belong follow from their entries.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

const command *const command_list[] = {
    &command_check,     &command_run,
    &command_compare,   &command_flatten,
    &command_parse,     &command_method,
    &command_pencil,    &command_linearize,
    &command_passivity, &command_plot,
    &command_new,       &command_tour,
    &command_help,      NULL,
};
