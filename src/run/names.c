/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/names.h"

void run_add_name(const code_model *m, int entry, text *out)
{
    int times, v = image_called(&m->entries, entry, &times);
    for (int k = 0; k < times; k++) text_add(out, "der(");
    text_add(out, FLAT_NAME(m->s->flat, v));
    text_pad(out, ')', times);
}
