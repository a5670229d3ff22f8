/* The automatic choice against the best of our methods, on problems that it was not tuned on.
 *
 *     sets      what is run: sets.txt, the families of bench/honest, and folders that are given
 *     measure   one run: digits at 100 output points, microseconds, counted work
 *     main      lines of work against precision, what is read off them, the table
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_AUTO_H
#define BENCH_AUTO_H

#include <stdbool.h>
#include <stddef.h>

enum { AUTO_SETTINGS = 6, AUTO_ROWS = 100, AUTO_NAME = 64 };

typedef struct auto_problem {
    char set[AUTO_NAME], name[AUTO_NAME], file[400], class_name[200];
    char formulation[AUTO_NAME]; // empty: the default, and with it what is asked for in `also`
    char also[AUTO_NAME];        // another formulation that the best may have; empty: none
    double stop, abs_tol;        // 0: the model's; the tolerance
    int n_settings;
    struct {
        char name[AUTO_NAME];
        double value;
    } setting[AUTO_SETTINGS];
    bool reported; // of the half that nothing is tuned on
    char *text;    // in place of a file
} auto_problem;

typedef struct auto_list {
    int n, room;
    auto_problem *at;
} auto_list;

/* Problems of sets.txt, of bench/honest and of the folder of ScalableTestSuite (NULL: none). Every
 * second one of a set, in the order in which they stand, is of the half that is reported. */
bool auto_read(auto_list *l, const char *sets, const char *honest, const char *scalable);

typedef struct auto_point {
    int status;
    double tol, digits, us, work;
    long steps, rejected, evals, jacobians, factorizations;
    char method[40];
} auto_point;

typedef struct auto_bench {
    const auto_problem *p;
    struct vinc_ctx *ctx;
    struct vinc_model *model;
    double t_start, t_stop;
    int n_states;
    char **states;
    double *nominal, *reference; // [row][state]
    double known;                // digits of the reference
} auto_bench;

/* library: a folder in which classes are looked for, or NULL. */
bool auto_open(auto_bench *b, const auto_problem *p, const char *library);
void auto_close(auto_bench *b);
/* max_steps 0: any number. runs: at least so many, the fastest counts. */
auto_point auto_measure(auto_bench *b, const char *method, const char *formulation, double tol,
                        long max_steps, int runs);

#endif
