/* What a run tells beside numbers: its String variables, and when its clocks ticked.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/event.h"

#include <math.h>
#include <stdio.h>

int vinc_sim_n_texts(const vinc_sim *s)
{
    return s ? s->code->events.texts.n_strings : 0;
}

const char *vinc_sim_text_name(const vinc_sim *s, int i)
{
    if (i < 0 || i >= vinc_sim_n_texts(s)) return NULL;
    return names_at(&s->code->names, s->code->events.told[i], NULL); // names of texts are kept
}

typedef struct text_job {
    vinc_sim *s;
    int i;
} text_job;

static int write_text(void *job)
{
    const text_job *j = job;
    vinc_sim *s = j->s;
    text_clear(&s->word);
    event_string_text(s->state, j->i, vinc_sim_time(s), s->y, s->yp, &s->word);
    return VINC_OK;
}

int vinc_sim_text(vinc_sim *s, int i, const char **out)
{
    int rc = api_usable(s);
    if (out) *out = "";
    if (!rc && (!out || i < 0 || i >= vinc_sim_n_texts(s))) {
        char words[120];
        snprintf(words, sizeof words,
                 "a place for the text, and the number of a String below %d, are needed",
                 vinc_sim_n_texts(s));
        rc = api_refuse_call(s, "C118", words);
    }
    if (!rc) rc = api_point(s);
    if (!rc) rc = api_told(s, api_run_guarded(s, write_text, &(text_job){s, i}));
    if (!rc) *out = text_str(&s->word);
    return rc;
}

int vinc_sim_n_clocks(const vinc_sim *s)
{
    return s ? s->code->clocks.list.n_subs : 0;
}

double vinc_sim_clock_time(const vinc_sim *s, int i)
{
    return i >= 0 && i < vinc_sim_n_clocks(s) ? run_last_tick(s->state, i) : NAN;
}
