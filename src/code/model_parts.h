/* The compiled model and the headers of the files that lower its parts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_MODEL_PARTS_H
#define CODE_MODEL_PARTS_H

#include "code/clock_lower.h"
#include "code/columns.h"
#include "code/event_lower.h"
#include "code/initial.h"
#include "code/invariants.h"
#include "code/layers.h"
#include "code/look_tables.h"
#include "code/manifold.h"
#include "code/model.h"
#include "code/model_words.h"
#include "code/rank_matrix.h"
#include "code/variable_tables.h"

#endif
