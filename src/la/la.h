/* Linear systems with a fixed pattern: one interface, several factorisations behind it.
 *
 * Inside an integrator the matrix is always A + c M with A = dF/dy, M = dF/dy' and c real or
 * complex, both in one pattern. The pattern is analysed once; then la_factor and la_solve alternate
 * for the life of the solver. A backend refactors with the old pivots where it can, watches their
 * growth, and pivots anew when they degrade. Rows are equilibrated inside, so the caller need not
 * scale its equations.
 *
 * A complex vector of a complex solver is n real parts followed by n imaginary parts; of several blocks,
 * the real parts of all of them come first.
 *
 * Nothing is allocated after la_new, except by la_factor: inside SuiteSparse when pivots are chosen
 * anew, by backends that plan on real values (`plans`), and at deficient matrices of a forgiving
 * solver, at the first and where others leave other unknowns open.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_LA_H
#define LA_LA_H

#include "base/mem.h"
#include "vincolo_problem.h"

#include <stdbool.h>

enum {
    LA_OK = 0,
    LA_SINGULAR = 1, // an exactly zero or not finite pivot; la_defect names its column
    LA_E_MEMORY = -1,
    LA_E_BACKEND = -2, // no backend of that name, or it cannot do what is asked
    LA_E_DEAR = -3,    // factoring takes more than the work that is allowed; nothing is kept
};

typedef struct la_solver la_solver;

/* A backend is one constant; the conformance test loops over la_backends. */
typedef struct la_backend {
    const char *name, *summary;
    bool dense, is_complex; // wants a full array; can do complex matrices
    bool plans;             // allocates when it chooses pivots, at the first la_factor
    bool by_lists;          // its state is that of la/indexed.c
    int n_max;              // largest n it accepts; 0: any
    /* Analyse the pattern, allocate all workspace. */
    int (*open)(la_solver *s);
    void (*close)(la_solver *s);
    /* Factor A + (re + i im) M; m == NULL: A alone. Values in the order of the pattern. */
    int (*factor)(la_solver *s, const double *a, const double *m, double re, double im);
    /* b := inverse * b */
    void (*solve)(la_solver *s, double *b);
    /* The same of four vectors together, of several blocks; im: their imaginary parts. False: it is not
     * there, as for the moment; NULL: it never is. */
    bool (*solve_four)(la_solver *s, double *const re[4], double *const im[4]);
} la_backend;

extern const la_backend *const la_backends[]; // ends with NULL

typedef struct la_config {
    int n;
    const vinc_pattern *pattern; // n by n, outlives the solver; NULL: full, by columns
    bool is_complex;
    int blocks;          // vectors consist of so many parts, each solved for by itself; 0: as 1
    const char *backend; // NULL: chosen by n and density
    double work_max;     // multiplications of a factorisation, of fronts; 0: any
    bool forgiving;      // a deficient matrix is factored as far as it goes (la/deficient.h)
    double *work;        // operations are added here; NULL: they are not counted
    struct crew *crew;   // threads that share the work, of fronts; NULL: this one
    /* The rows of this process, n, of a matrix that several hold (la/shared.h): the pattern has the columns
     * of all that they need. NULL: the matrix is here. */
    const struct la_shared *shared;
    int solver; // team_solver
    int restart, iterations;
} la_config;

struct la_solver {
    const la_backend *backend;
    la_config config;
    mem *m;
    void *state;        // the backend's own
    int defect;         // column of the pivot that failed, or -1
    double pivot_ratio; // smallest over largest pivot after row equilibration: a cheap 1/condition
    double work;        // of a factorisation over that of a solve, for large matrices; 0: not known
    double work_factor,
        work_solve; // operations of one: guessed from the pattern until it is planned
    long n_factor, n_refactor, n_solve; // statistics; n_factor counts both kinds
    vinc_pattern full;                  // what a sparse backend is given where there is no pattern
    struct la_deficient *deficient;     // made at the first deficient matrix of a forgiving solver
    struct la_pins *pins;               // ... and what makes those like it regular
    double *part;                       // of a complex vector of several blocks, 2 n
    bool is_deficient, by_pins;         // the factors are its; of the pins
    bool dissected;                     // ordered by nested dissection
    bool unsolved;                      // of several processes: the last solve did not converge
    int iterations;                     // ... after so many
    struct la_abreast *abreast;         // factors of several solvers (la/abreast.h), of the first
    struct la_solver *by_abreast;       // ... with which this one has its factors; NULL: by itself
    int lane;                           // ... as number so many
};

/* NULL in *out on failure. */
int la_new(mem *m, const la_config *config, la_solver **out);
void la_free(la_solver *s);

int la_factor(la_solver *s, const double *a, const double *m, double re, double im);
/* The same A and M with several c, real or complex as the solvers are, until one of them fails: its status, and how
 * many were tried. */
typedef struct la_number {
    double re, im;
} la_number;
int la_factor_several(la_solver *const *s, int count, const double *a, const double *m,
                      const la_number *c, int *tried);
/* A vector of a real solver (im NULL), or of a complex one. */
typedef struct la_vector {
    double *re, *im;
} la_vector;
/* With each of them, one right-hand side, together. False: they are to be solved with one by one. */
bool la_solve_several(la_solver *const *s, int count, const la_vector *b);
void la_solve(la_solver *s, double *b);
void la_solve_blocks(la_solver *s, double *b, int first, int count); // of b, those alone

/* The factors as an explicit inverse: its columns, each padded to a multiple of LA_INVERSE_PAD numbers with
 * zeros, and their imaginary parts (NULL of a real one). NULL: they are not that. */
enum { LA_INVERSE_PAD = 4 };
const double *la_inverse(const la_solver *s, const double **im);
void la_count_solve(la_solver *s); // by whoever multiplies with it
/* Whoever computes the same inverse by the pivots of the last one: these, the row of each column, and where it belongs. */
const int *la_inverse_pivots(const la_solver *s);
double *la_inverse_room(la_solver *s);
/* They serve again while their entries are not below this part of the largest of their columns, rows being weighed
 * by their largest entries: pivots rarely change, and a branch that is always taken costs nothing. */
static const double LA_INVERSE_KEPT_MIN = 0.1;

/* Complex factors and solutions over real ones: a product of complex numbers has four, and in lanes beside a real matrix
 * (la/abreast.h) most of it is not waited for. By times of emep, fekete, beam, medakzo and crank. */
static const double LA_COMPLEX = 4, LA_COMPLEX_ABREAST_FACTOR = 1, LA_COMPLEX_ABREAST_SOLVE = 1.5;

/* Registers of four numbers that a loop over n of them is made of: what it counts. */
static inline double la_in_fours(int n)
{
    return (n + 3) / 4;
}

/* What it takes to factor and to solve: dense, or in proportion to the entries. */
void la_guess_work(int n, long nnz, double *factor, double *solve);
/* Of a backend that has planned and knows: operations of real numbers, whether or not it is complex. */
void la_set_work(la_solver *s, double factor, double solve);

/* The name of the backend that la_new picks for this size: a pure function of n and nnz. */
const char *la_choose(int n, long nnz, bool is_complex);

#endif
