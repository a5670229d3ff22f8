/* Many mutants through the whole pipeline, counted.
 *
 *     mutants N SEED FOLDER FILE...       FILE: a text to begin with, or a folder of them
 *     mutants -1 FILE VARIANT             one text, as a found one is tried again
 *
 * Mutant k of a seed is always the same. What must not be is kept in FOLDER, up to KEPT of each
 * kind; the status is 1 then.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mutate.h"
#include "pipeline.h"
#include "trials.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    ROOM = 1 << 16, // bytes of a mutant
    KEPT = 100,     // files of one kind
    PROGRESS = 50000,
};

typedef struct model_text {
    char *text;
    size_t n;
} model_text;

static model_text *corpus;
static int n_corpus;

/* What the processes share. */
typedef struct board {
    trials at;
    uint32_t variant;
    size_t n;
    char text[ROOM + 1];
    long outcomes[PIPELINE_N_OUTCOMES], crashed, hung, left;
    pipeline_report last;
} board;

typedef struct work {
    board *b;
    uint64_t seed;
} work;

/* ---- texts ----------------------------------------------------------------------------------- */

static void read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return;
    model_text m = {malloc(ROOM + 1), 0};
    m.n = fread(m.text, 1, ROOM, f);
    m.text[m.n] = 0;
    fclose(f);
    if (m.n == ROOM || memchr(m.text, 0, m.n)) {
        free(m.text);
        return;
    }
    corpus = realloc(corpus, (size_t)(n_corpus + 1) * sizeof *corpus);
    corpus[n_corpus++] = m;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); // whatever the locale
}

static void read_all(const char *path)
{
    struct dirent **list;
    int n = scandir(path, &list, NULL, by_name);
    if (n < 0) read_file(path);
    for (int i = 0; i < n; i++) {
        char name[2000];
        snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
        size_t length = strlen(name);
        struct stat s;
        if (list[i]->d_name[0] == '.') {
        } else if (!stat(name, &s) && S_ISDIR(s.st_mode)) read_all(name);
        else if (length > 3 && !strcmp(name + length - 3, ".mo")) read_file(name);
        free(list[i]);
    }
    if (n >= 0) free(list);
}

/* ---- one mutant ------------------------------------------------------------------------------ */

static void make_mutant(board *b, uint64_t seed)
{
    dice d = dice_of(seed, (uint64_t)b->at.k);
    const model_text *from = &corpus[dice_below(&d, n_corpus)];
    const model_text *other = &corpus[dice_below(&d, n_corpus)];
    b->n = mutate(from->text, from->n, other->text, other->n, &d, b->text, ROOM);
    b->variant = dice_below(&d, 2) ? (uint32_t)dice_below(&d, 144) : 0;
}

static int one_mutant(void *user, long k)
{
    work *w = user;
    board *b = w->b;
    if (k && k % PROGRESS == 0) {
        printf("%ld mutants done\n", k);
        fflush(stdout);
    }
    make_mutant(b, w->seed);
    char *text = malloc(b->n + 1); // no longer than it is, for the sanitizer
    memcpy(text, b->text, b->n + 1);
    b->last = pipeline(text, b->n, b->variant);
    free(text);
    b->outcomes[b->last.outcome]++;
    return pipeline_is_fault(b->last.outcome);
}

/* ---- what is kept ----------------------------------------------------------------------------- */

static void keep(const board *b, const char *folder, const char *kind, const char *stage, long of)
{
    char path[2000];
    printf("mutant %ld: %s %s\n", b->at.k, stage, kind);
    if (of > KEPT) return;
    snprintf(path, sizeof path, "%s/%s-%s-%ld.%u.mo", folder, kind, stage, b->at.k, b->variant);
    for (char *c = path + strlen(folder); *c; c++)
        if (*c == ' ') *c = '-';
    FILE *f = fopen(path, "wb");
    if (!f) return;
    fwrite(b->text, 1, b->n, f);
    fclose(f);
}

static void note(board *b, trials_end end, const char *folder)
{
    pipeline_outcome o = b->last.outcome;
    switch (end) {
    case TRIALS_DONE: break;
    case TRIALS_FAULT: keep(b, folder, pipeline_words(o), b->last.stage, b->outcomes[o]); break;
    case TRIALS_CRASH: keep(b, folder, "crash", "any", ++b->crashed); break;
    case TRIALS_HANG: keep(b, folder, "hang", "any", ++b->hung); break;
    case TRIALS_LEFT:
        b->left++;
        printf("mutants up to %ld: memory left by another library\n", b->at.k);
        return; // all of them are done
    }
    b->at.k++;
}

static int try_one(const char *path, uint32_t variant)
{
    read_file(path);
    if (!n_corpus) return 2;
    trials_clocks();
    pipeline_report r = pipeline(corpus[0].text, corpus[0].n, variant);
    printf("%s: %s\n", r.stage, pipeline_words(r.outcome));
    free(corpus[0].text);
    free(corpus);
    return pipeline_is_fault(r.outcome);
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "-1")) return try_one(argv[2], (uint32_t)atol(argv[3]));
    if (argc < 5) return fprintf(stderr, "mutants N SEED FOLDER FILE...\n"), 2;
    long n = atol(argv[1]), faults = 0;
    uint64_t seed = (uint64_t)atoll(argv[2]);
    const char *folder = argv[3];
    mkdir(folder, 0777);
    for (int i = 4; i < argc; i++) read_all(argv[i]);
    if (!n_corpus) return fprintf(stderr, "no texts\n"), 2;
    board *b = trials_shared(sizeof *b);
    work w = {b, seed};
    time_t begin = time(NULL);
    while (b->at.k < n) {
        trials_end end = trials_run(&b->at, n, one_mutant, &w);
        note(b, end, folder);
        faults += end != TRIALS_DONE;
    }
    printf("%ld mutants of %d texts, seed %llu, %ld s\n", n, n_corpus, (unsigned long long)seed,
           (long)(time(NULL) - begin));
    for (int o = 0; o < PIPELINE_N_OUTCOMES; o++)
        printf("%9ld %s\n", b->outcomes[o], pipeline_words((pipeline_outcome)o));
    printf("%9ld crashed\n%9ld ran out of time\n%9ld times memory left by other libraries\n",
           b->crashed, b->hung, b->left);
    for (int i = 0; i < n_corpus; i++) free(corpus[i].text);
    free(corpus);
    return faults > 0;
}
