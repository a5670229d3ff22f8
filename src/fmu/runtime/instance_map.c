/* What the model of an instance has: the numbers and types of its variables.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#include <stdlib.h>
#include <string.h>

/* Fowler, Noll, Vo: 64 bits, 1a. */
static void mix_words(uint64_t *h, const char *words)
{
    do *h = (*h ^ (unsigned char)*words) * 0x100000001b3u;
    while (*words++);
}

/* What a run that is lent has: the numbers of variables are those of it. */
static int map_lent(fmu_instance *x, vinc_sim *s)
{
    x->n_variables = vinc_sim_n_values(s);
    x->n_states = vinc_sim_n_states(s);
    x->duration = vinc_sim_end(s) - vinc_sim_time(s);
    if (!(x->duration > 0)) x->duration = 1;
    x->n_indicators = vinc_sim_n_indicators(s);
    x->n_texts = vinc_sim_n_texts(s);
    x->n_clocks = vinc_sim_n_clocks(s);
    free(x->types);
    free(x->text_place);
    x->types = malloc((size_t)x->n_variables + 1);
    x->text_place = malloc(((size_t)x->n_texts + 1) * sizeof *x->text_place);
    if (!x->types || !x->text_place) return VINC_E_MEMORY;
    x->shape = 0xcbf29ce484222325u + (uint64_t)x->n_states * 65537 + (uint64_t)x->n_clocks * 257 +
               (uint64_t)x->n_indicators;
    for (int i = 0; i < x->n_variables; i++) {
        x->types[i] = (uint8_t)vinc_sim_value_type(s, i);
        mix_words(&x->shape, vinc_sim_value_name(s, i));
        x->shape += x->types[i];
    }
    for (int i = 0; i < x->n_texts; i++) {
        x->text_place[i] = i;
        mix_words(&x->shape, vinc_sim_text_name(s, i));
    }
    return VINC_OK;
}

static int text_named(const vinc_sim *s, const char *name)
{
    for (int i = 0; i < vinc_sim_n_texts(s); i++)
        if (!strcmp(vinc_sim_text_name(s, i), name)) return i;
    return -1;
}

/* A formulation that the model names may have others. */
static int map_stepped(fmu_instance *x, vinc_sim *standard, vinc_sim *stepped)
{
    bool differ = vinc_sim_n_values(stepped) != x->n_variables;
    for (int i = 0; !differ && i < x->n_variables; i++)
        differ = strcmp(vinc_sim_value_name(standard, i), vinc_sim_value_name(stepped, i)) != 0;
    free(x->column);
    x->column = NULL;
    for (int i = 0; i < x->n_texts; i++)
        x->text_place[i] = text_named(stepped, vinc_sim_text_name(standard, i));
    if (!differ) return VINC_OK;
    x->column = malloc(((size_t)x->n_variables + 1) * sizeof *x->column);
    for (int i = 0; x->column && i < x->n_variables; i++)
        x->column[i] = vinc_sim_find(stepped, vinc_sim_value_name(standard, i));
    return x->column ? VINC_OK : VINC_E_MEMORY;
}

fmu_status fmu_map(fmu_instance *x)
{
    vinc_sim_options lent = {.lend = 1}, own = {0};
    vinc_sim *standard = NULL, *stepped = NULL;
    int rc = vinc_sim_new(x->model, &lent, &standard);
    if (!rc) rc = map_lent(x, standard);
    if (!rc && x->steps) rc = vinc_sim_new(x->model, &own, &stepped);
    if (!rc && x->steps) rc = map_stepped(x, standard, stepped);
    vinc_sim_free(standard);
    vinc_sim_free(stepped);
    return fmu_told(x, rc);
}
