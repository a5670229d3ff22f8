/* flat_dump [-c] [-t] [-s] [-L DIR] [-p NAME=VALUE] FILE|CLASS [CLASS]: the flat model, or the
 * messages about it. -c: counts of variables and equations instead; -t: also seconds and memory;
 * -s: flatten the output again and say whether it is the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat_ask.h"
#include "flatten/flatten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct session {
    mem m;
    arena front, model;
    sym_table syms;
    diag_sink diags;
    lang_library lib;
} session;

static void open_session(session *s)
{
    arena_init(&s->front, &s->m);
    arena_init(&s->model, &s->m);
    sym_init(&s->syms, &s->model);
    diag_init(&s->diags, &s->model);
    lang_library_init(&s->lib, &s->model, &s->front, &s->syms, &s->diags);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_messages(session *s)
{
    text t;
    text_init(&t, &s->m);
    diag_print_all(&s->diags, &s->lib.sources, false, &t);
    fputs(text_str(&t), stdout);
    text_done(&t);
}

static ast_class *find(session *s, const char *from, const char *name)
{
    size_t n = strlen(from);
    bool file = n > 3 && !strcmp(from + n - 3, ".mo");
    if (!file) return lang_find(&s->lib, from);
    if (lang_open(&s->lib, from)) return NULL;
    if (!name) return s->lib.last;
    return lang_find(&s->lib, name);
}

/* Flatten a text and compare the result with it. */
static void check_again(session *s, const char *words, size_t n)
{
    session again = {.m = s->m};
    text t;
    open_session(&again);
    text_init(&t, &again.m);
    flat_model *m = NULL;
    if (!lang_open_text(&again.lib, "again.mo", words, n))
        m = flat_build(&again.lib, again.lib.last, NULL, 0, &again.model, &again.front,
                       &again.diags);
    if (m) flat_print(flat_first_order(m, &again.model, &again.front), &t);
    else show_messages(&again);
    const char *a = words, *b = text_str(&t);
    int line = 1;
    while (*a && *a == *b) line += *a++ == '\n', b++;
    if (!m || *a != *b) printf("NOT THE SAME when flattened again, line %d\n", line);
    if (m && *a != *b) {
        while (a > words && a[-1] != '\n') a--, b--;
        printf("  %.*s\n  %.*s\n", (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
    }
    text_done(&t);
    arena_done(&again.front);
    arena_done(&again.model);
}

static void show_counts(session *s, const flat_model *m, const char *name)
{
    int unknowns = flat_count_unknowns(m), equations = flat_count_equations(m, &s->front);
    printf("%s: %d variables, %d unknowns, %d equations%s", name, m->vars.n, unknowns, equations,
           unknowns == equations ? "" : " UNBALANCED");
}

int main(int argc, char **argv)
{
    session s = {.m = mem_std()};
    jmp_buf no_memory;
    s.m.guard = &no_memory;
    if (setjmp(no_memory)) return 2;
    open_session(&s);
    bool counts = false, times = false, same = false;
    flat_override set[16];
    int n_set = 0, i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "-c")) counts = true;
        if (!strcmp(argv[i], "-t")) times = true;
        if (!strcmp(argv[i], "-s")) same = true;
        if (!strcmp(argv[i], "-L") && i + 1 < argc) lang_search_add(&s.lib, argv[++i]);
        if (!strcmp(argv[i], "-p") && i + 1 < argc && n_set < 16) {
            char *eq = strchr(argv[++i], '=');
            if (!eq) return 2;
            *eq = 0;
            set[n_set++] = (flat_override){argv[i], eq + 1, NULL};
        }
    }
    if (i >= argc) return 2;
    double begin = now();
    ast_class *c = find(&s, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
    double parsed = now();
    flat_model *m = c && !s.diags.n_errors
                        ? flat_build(&s.lib, c, set, n_set, &s.model, &s.front, &s.diags)
                        : NULL;
    double done = now();
    lang_forget(&s.lib); // the flat model points into no tree
    show_messages(&s);
    if (!c) printf("no class %s\n", argv[i]);
    if (m) {
        text t;
        text_init(&t, &s.m);
        if (!counts || same) flat_print(flat_first_order(m, &s.model, &s.front), &t);
        if (counts) {
            show_counts(&s, m, argv[i]);
            struct rusage use;
            getrusage(RUSAGE_SELF, &use);
            if (times)
                printf(", parse %.3f s, flatten %.3f s, %ld MB", parsed - begin, done - parsed,
                       use.ru_maxrss / 1024);
            printf("\n");
        } else {
            fputs(text_str(&t), stdout);
        }
        if (same) check_again(&s, text_str(&t), t.n);
        text_done(&t);
    }
    arena_done(&s.front);
    arena_done(&s.model);
    return m ? 0 : 1;
}
