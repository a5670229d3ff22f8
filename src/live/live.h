/* A page that answers while its user types and drags (inside live only).
 *
 * A session holds a model's text, the model made of it and its last run. A request brings the text and
 * the values as they are on the page; the answer is one JSON object with messages, sliders and all that
 * the page of a report shows. The session knows nothing of HTTP, and the server (a plug-in) nothing of
 * models.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "api/run.h"
#include "live/server.h"

typedef struct live_session {
    vinc_ctx *ctx;
    const vinc_live_options *o;
    const char *name; // of the text, in messages
    char *file;       // where the text lies, links followed; NULL: in a library
    char *words;      // the text that was loaded last
    size_t n_words;
    vinc_model *model; // made of it; NULL: it is no model
    mem m;             // of the texts
    text checked;      // what the page says of its structure, as JSON
    text kept;         // warnings of the model, as JSON: they come once, and hold for all its runs
    int n_before;      // messages of the context that came before the run
    const char *gone;  // a name in the request that the model does not have; NULL: none
    vinc_sim *sim;     // the last run of that
    pthread_mutex_t lock; // one request at a time
    atomic_long newest;   // the number of the last request that came in: older ones are given up
} live_session;

/* A session of what the options name, its text read. VINC_E_OPTION after a diagnostic. */
int live_begin(live_session *s, vinc_ctx *ctx, const vinc_live_options *o);
void live_end(live_session *s);

/* A request has a line for every setting, `set NAME VALUE`, `method NAME`, `formulation NAME`, `vars
 * SELECTION`, `stop T`, `tol T`, then a line `text N` and the N bytes of the model's text; it is cut into
 * its words in place. Any thread; a newer request interrupts one that is being answered. */
enum { LIVE_ANSWERED, LIVE_GIVEN_UP, LIVE_NO_REQUEST };
int live_answer(live_session *s, char *request, size_t n, text *out);
/* The text goes back to the file that it came from. */
int live_save(live_session *s, const char *words, size_t n, text *out);
/* The report of the last run, one page. */
int live_share(live_session *s, text *out);
/* The text with which the page begins, and what it is called, as JSON. */
void live_given(live_session *s, text *out);
int live_first_words(live_session *s);

/* The page itself, its scripts and its styles, put together from the parts of the report, those of the
 * editor and its own. */
void live_page(text *out);
void live_scripts(const live_server *server, text *out);
void live_styles(const live_server *server, text *out);

#endif
