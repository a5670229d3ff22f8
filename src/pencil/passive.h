/* Is a transfer function H(s) = N(s)/D(s) positive real, that is, the system passive?
 *
 * A linear time-invariant system (minimal, one input and output) is passive if and only if H has no
 * pole with positive real part, its poles on the imaginary axis (infinity included) are simple with
 * residues >= 0, and Re H(i w) >= 0 elsewhere. After the lossless part of the imaginary poles is
 * taken off, Re H can change its sign only at the frequencies that are imaginary eigenvalues of the
 * Hamiltonian pencil
 *
 *     [ A  0    B   ]           [ I       ]
 *     [ 0 -A^T -C^T ]  - lambda [    I    ]
 *     [ C  B^T  2d  ]           [       0 ]
 *
 * which serves d = 0 as well; a singular pencil means Re H = 0 everywhere. S. Boyd, V. Balakrishnan
 * & P. Kabamba, Math. Control Signals Systems 2 (1989) 207-219.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PENCIL_PASSIVE_H
#define PENCIL_PASSIVE_H

#include "pencil/state_space.h"

enum { PASSIVE_DEGREE = 20, PASSIVE_WHY = 300 };

typedef enum passive_kind {
    PASSIVE_MEMORYLESS, // H constant and >= 0: power is dissipated at once
    PASSIVE_LOSSLESS,   // energy is stored and given back entirely
    PASSIVE_STORAGE,    // no more energy comes out than was stored
    PASSIVE_ACTIVE      // delivers energy
} passive_kind;

typedef struct passive_report {
    passive_kind kind;
    bool strictly;     // Re H(i w) > 0 for every finite w
    double lowest, at; // lowest Re H found and its frequency (without imaginary poles)
    int n_crossings;   // imaginary eigenvalues of the Hamiltonian pencil, w >= 0
    double *crossings;
    char reason[PASSIVE_WHY]; // in words
} passive_report;

/* Coefficients by descending powers, degrees up to PASSIVE_DEGREE. -1 and the reason where the
 * denominator is zero or numbers are not finite. */
int passive_analyse(arena *a, int n_num, const double *num, int n_den, const double *den,
                    passive_report *out);

/* The same of x' = A x + B u, y = C x + D u + D1 u' with as many outputs as inputs, brought to a
 * minimal realization first: H + H^* is tested instead of Re H, residues and D1 must be Hermitian
 * and not negative. Residues are limits of (s - i w) H(s). -1 only where numbers are not finite. */
int passive_system(arena *a, const linear_system *s, passive_report *out);

#endif
