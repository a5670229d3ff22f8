/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_ADOPT_H
#define CODE_ADOPT_H

#include "code/model.h"

/* A model that image_load gave, made ready to run. VINC_OK, VINC_E_MEMORY; then code_model_free gives back what was
 * compiled. */
int code_adopt(code_model *m, mem *memory, arena *a, arena *scratch);

#endif
