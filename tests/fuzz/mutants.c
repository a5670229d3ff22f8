/* Many mutants through the whole pipeline, counted.
 *
 *     mutants N SEED FOLDER FILE...       FILE: a text to begin with, or a folder of them
 *     mutants -1 FILE VARIANT             one text, as a found one is tried again
 *
 * Mutant k of a seed is always the same. A process of its own works through them and is started
 * anew behind a mutant that ended it. Each has LIMIT seconds of the processor. What must not be is
 * kept in FOLDER, up to KEPT of each kind; the status is 1 then.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "mutate.h"
#include "pipeline.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROOM = 1 << 16, // bytes of a mutant
    LIMIT = 5,      // seconds of the processor
    PATIENCE = 120, // seconds of the clock
    KEPT = 100,     // files of one kind
    BATCH = 2000,   // mutants of one process: what other libraries leave behind is seen at its end
};

typedef struct model_text {
    char *text;
    size_t n;
} model_text;

static model_text *corpus;
static int n_corpus;

/* What the two processes share. */
typedef struct board {
    long k; // the mutant at work
    uint32_t variant;
    size_t n;
    char text[ROOM + 1];
    long outcomes[PIPELINE_N_OUTCOMES], crashed, hung, left;
    pipeline_report last;
} board;

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

/* ---- one process ----------------------------------------------------------------------------- */

static void make_mutant(board *b, uint64_t seed)
{
    dice d = dice_of(seed, (uint64_t)b->k);
    const model_text *from = &corpus[dice_below(&d, n_corpus)];
    const model_text *other = &corpus[dice_below(&d, n_corpus)];
    b->n = mutate(from->text, from->n, other->text, other->n, &d, b->text, ROOM);
    b->variant = dice_below(&d, 2) ? (uint32_t)dice_below(&d, 144) : 0;
}

static void set_clocks(void)
{
    struct itimerval limit = {.it_value.tv_sec = LIMIT};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(PATIENCE);
}

static int work(board *b, long end, uint64_t seed)
{
    for (; b->k < end; b->k++) {
        make_mutant(b, seed);
        set_clocks();
        char *text = malloc(b->n + 1);
        memcpy(text, b->text, b->n + 1);
        b->last = pipeline(text, b->n, b->variant);
        free(text);
        b->outcomes[b->last.outcome]++;
        if (pipeline_is_fault(b->last.outcome)) return 100; // to be kept
    }
    return 0;
}

/* ---- the other ------------------------------------------------------------------------------- */

static void keep(const board *b, const char *folder, const char *kind, const char *stage, long of)
{
    char path[2000];
    printf("mutant %ld: %s %s\n", b->k, stage, kind);
    if (of > KEPT) return;
    snprintf(path, sizeof path, "%s/%s-%s-%ld.%u.mo", folder, kind, stage, b->k, b->variant);
    for (char *c = path + strlen(folder); *c; c++)
        if (*c == ' ') *c = '-';
    FILE *f = fopen(path, "wb");
    if (!f) return;
    fwrite(b->text, 1, b->n, f);
    fclose(f);
}

/* One process until it ends; the next mutant is b->k. False: it ended at a fault. */
static int one_process(board *b, long end, uint64_t seed, const char *folder)
{
    long stop = b->k + BATCH < end ? b->k + BATCH : end;
    fflush(stdout);
    pid_t child = fork();
    if (!child) exit(work(b, stop, seed));
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 100) {
        pipeline_outcome o = b->last.outcome;
        keep(b, folder, pipeline_words(o), b->last.stage, b->outcomes[o]);
    } else if (b->k >= stop) { // the sanitizer's word at the end
        b->left++;
        printf("mutants up to %ld: memory left by another library\n", stop);
        return 0;
    } else if (WIFSIGNALED(status) &&
               (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM)) {
        keep(b, folder, "hang", "any", ++b->hung);
    } else {
        keep(b, folder, "crash", "any", ++b->crashed);
    }
    b->k++;
    return 0;
}

static int try_one(const char *path, uint32_t variant)
{
    read_file(path);
    if (!n_corpus) return 2;
    set_clocks();
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
    board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) return 2;

    time_t begin = time(NULL);
    while (b->k < n)
        if (!one_process(b, n, seed, folder)) faults++;
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
