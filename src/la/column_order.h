/* An order of columns for elimination with row pivoting.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LA_COLUMN_ORDER_H
#define LA_COLUMN_ORDER_H

#include "base/mem.h"
#include "vincolo_problem.h"

/* order: n_cols numbers of columns, the first to be eliminated first. LA_OK, LA_E_MEMORY. T. A. Davis and
 * others, ACM Trans. Math. Softw. 30 (2004) 353-376 (COLAMD). */
int la_column_order(const vinc_pattern *a, mem *m, int *order);

#endif
