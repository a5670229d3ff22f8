/* FMI 3: clocks.
 *
 * Clocks of a model tick inside, at times that it knows itself, so that every importer can run it. To the standard
 * they are triggered clocks, local or outputs (3.0.2, section 2.2.8): asked for in event mode, they have no interval
 * or shift that an importer would have to keep.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/runtime/instance.h"

#define FMI3 FMU_SHOWN
typedef uint32_t reference;

FMI3 int fmi3GetClock(fmu_instance *x, const reference *refs, size_t n, bool *values)
{
    if (!fmu_allowed(x, 1 << FMU_EVENT, __func__) || !fmu_given(x, __func__, n, refs, values))
        return FMU_ERROR;
    return (int)fmu_clocks(x, refs, n, values);
}

static int fmi3_no_input_clock(fmu_instance *x, size_t n, const char *what)
{
    if (x && !n) return FMU_OK;
    fmu_say(x, FMU_ERROR, "%s: the clocks of this FMU tick by themselves (triggered): %s", what,
            "fmi3GetClock tells when, in event mode");
    return FMU_ERROR;
}

FMI3 int fmi3SetClock(fmu_instance *x, const reference *refs, size_t n, const bool *values)
{
    (void)refs, (void)values;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3GetIntervalDecimal(fmu_instance *x, const reference *refs, size_t n, double *intervals,
                                int *qualifiers)
{
    (void)refs, (void)intervals, (void)qualifiers;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3GetIntervalFraction(fmu_instance *x, const reference *refs, size_t n,
                                 uint64_t *counters, uint64_t *resolutions, int *qualifiers)
{
    (void)refs, (void)counters, (void)resolutions, (void)qualifiers;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3GetShiftDecimal(fmu_instance *x, const reference *refs, size_t n, double *shifts)
{
    (void)refs, (void)shifts;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3GetShiftFraction(fmu_instance *x, const reference *refs, size_t n, uint64_t *counters,
                              uint64_t *resolutions)
{
    (void)refs, (void)counters, (void)resolutions;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3SetIntervalDecimal(fmu_instance *x, const reference *refs, size_t n,
                                const double *intervals)
{
    (void)refs, (void)intervals;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3SetIntervalFraction(fmu_instance *x, const reference *refs, size_t n,
                                 const uint64_t *counters, const uint64_t *resolutions)
{
    (void)refs, (void)counters, (void)resolutions;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3SetShiftDecimal(fmu_instance *x, const reference *refs, size_t n, const double *shifts)
{
    (void)refs, (void)shifts;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3SetShiftFraction(fmu_instance *x, const reference *refs, size_t n,
                              const uint64_t *counters, const uint64_t *resolutions)
{
    (void)refs, (void)counters, (void)resolutions;
    return fmi3_no_input_clock(x, n, __func__);
}

FMI3 int fmi3ActivateModelPartition(fmu_instance *x, reference clock, double t)
{
    (void)clock, (void)t;
    return fmi3_no_input_clock(x, 1, __func__);
}
