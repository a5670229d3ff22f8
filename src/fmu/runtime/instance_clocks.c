/* Clocks of an instance: they tick inside, and the importer is told when.
 *
 * In event mode an importer asks which clocks tick, reads what they computed, perhaps gives it to others, sets
 * inputs and asks again; only then discrete states are updated. So an event is handled when it is first asked
 * for, and taken back when an input is set after that.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#include "fmu/fmu.h"

static fmu_status handle_event(fmu_instance *x)
{
    if (x->steps || !x->entered || x->evaluated) return FMU_OK;
    vinc_state_free(x->before);
    x->before = NULL;
    int rc = vinc_sim_save(x->sim, &x->before);
    if (!rc) rc = vinc_sim_event(x->sim, &x->report);
    x->evaluated = rc >= 0;
    return fmu_told(x, rc);
}

fmu_status fmu_take_back(fmu_instance *x)
{
    if (!x->evaluated) return FMU_OK;
    x->evaluated = false;
    int rc = vinc_sim_restore(x->sim, x->before);
    if (rc >= 0) rc = vinc_sim_before_event(x->sim);
    return fmu_told(x, rc);
}

fmu_status fmu_clocks(fmu_instance *x, const uint32_t *references, size_t n, bool *out)
{
    uint32_t first = FMU_FIRST_VARIABLE + (uint32_t)x->n_variables + 2 * (uint32_t)x->n_states +
                     (uint32_t)x->n_indicators + (uint32_t)x->n_texts;
    fmu_status status = n ? fmu_start(x) : FMU_OK;
    if (n && status == FMU_OK) status = handle_event(x);
    for (size_t i = 0; i < n && status == FMU_OK; i++) {
        uint32_t k = references[i] - first;
        if (references[i] < first || k >= (uint32_t)x->n_clocks) {
            fmu_say(x, FMU_ERROR, "value reference %u is not of type Clock",
                    (unsigned)references[i]);
            return FMU_ERROR;
        }
        out[i] = !x->updated && vinc_sim_clock_time(x->sim, (int)k) == vinc_sim_time(x->sim);
    }
    return status;
}
