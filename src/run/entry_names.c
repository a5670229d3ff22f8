/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/entry_names.h"

void run_add_name(const code_model *m, int entry, text *out)
{
    int times, v = image_called(&m->entries, entry, &times);
    names_write(&m->names, v, times, out);
}
