/* NULL in place of an instance, of an array or of a place for a result: every function of FMI 2 and 3 returns the
 * status of an error.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // mkdtemp
#include "fmu_master.h"

typedef const reference *refs;
typedef size_t count;
enum { STATUS_OF_ERROR = 3, N = 3 };

/* Functions that need nothing but an instance: their parameters, and what they are called with. */
#define BY_INSTANCE(F)                                                                             \
    F(fmi2SetupExperiment, (instance, int, double, double, int, double), (x, 0, 0, 0, 0, 0))       \
    F(fmi2EnterInitializationMode, (instance), (x))                                                \
    F(fmi2ExitInitializationMode, (instance), (x))                                                 \
    F(fmi2Terminate, (instance), (x))                                                              \
    F(fmi2Reset, (instance), (x))                                                                  \
    F(fmi2EnterEventMode, (instance), (x))                                                         \
    F(fmi2EnterContinuousTimeMode, (instance), (x))                                                \
    F(fmi2SetTime, (instance, double), (x, 0))                                                     \
    F(fmi2DoStep, (instance, double, double, int), (x, 0, 1, 0))                                   \
    F(fmi2CancelStep, (instance), (x))                                                             \
    F(fmi2GetStatus, (instance, int, int *), (x, 0, NULL))                                         \
    F(fmi2GetIntegerStatus, (instance, int, int *), (x, 0, NULL))                                  \
    F(fmi2GetStringStatus, (instance, int, const char **), (x, 0, NULL))                           \
    F(fmi3EnterInitializationMode, (instance, bool, double, double, bool, double),                 \
      (x, false, 0, 0, false, 0))                                                                  \
    F(fmi3ExitInitializationMode, (instance), (x))                                                 \
    F(fmi3EnterConfigurationMode, (instance), (x))                                                 \
    F(fmi3ExitConfigurationMode, (instance), (x))                                                  \
    F(fmi3EnterEventMode, (instance), (x))                                                         \
    F(fmi3EvaluateDiscreteStates, (instance), (x))                                                 \
    F(fmi3EnterContinuousTimeMode, (instance), (x))                                                \
    F(fmi3EnterStepMode, (instance), (x))                                                          \
    F(fmi3Terminate, (instance), (x))                                                              \
    F(fmi3Reset, (instance), (x))                                                                  \
    F(fmi3SetTime, (instance, double), (x, 0))                                                     \
    F(fmi3ActivateModelPartition, (instance, reference, double), (x, 0, 0))

#define GET_AND_SET(F, name, type)                                                                 \
    F(fmi3Get##name, (instance, refs, count, type *, count), (x, NULL, N, NULL, N))                \
    F(fmi3Set##name, (instance, refs, count, const type *, count), (x, NULL, N, NULL, N))          \
    F(fmi3Get##name, (instance, refs, count, type *, count), (x, one, 1, NULL, 1))                 \
    F(fmi3Set##name, (instance, refs, count, const type *, count), (x, one, 1, NULL, 1))

/* Functions that need arrays or places for results beside an instance. */
#define BY_ARRAYS(F)                                                                               \
    F(fmi2SetDebugLogging, (instance, int, count, const char *const *), (x, 1, N, NULL))           \
    F(fmi2GetReal, (instance, refs, count, double *), (x, NULL, N, NULL))                          \
    F(fmi2GetReal, (instance, refs, count, double *), (x, one, 1, NULL))                           \
    F(fmi2GetInteger, (instance, refs, count, int *), (x, NULL, N, NULL))                          \
    F(fmi2GetBoolean, (instance, refs, count, int *), (x, NULL, N, NULL))                          \
    F(fmi2GetString, (instance, refs, count, const char **), (x, NULL, N, NULL))                   \
    F(fmi2SetReal, (instance, refs, count, const double *), (x, NULL, N, NULL))                    \
    F(fmi2SetReal, (instance, refs, count, const double *), (x, one, 1, NULL))                     \
    F(fmi2SetInteger, (instance, refs, count, const int *), (x, NULL, N, NULL))                    \
    F(fmi2SetBoolean, (instance, refs, count, const int *), (x, NULL, N, NULL))                    \
    F(fmi2SetString, (instance, refs, count, const char *const *), (x, NULL, N, NULL))             \
    F(fmi2GetFMUstate, (instance, void **), (x, NULL))                                             \
    F(fmi2SetFMUstate, (instance, void *), (x, NULL))                                              \
    F(fmi2SerializedFMUstateSize, (instance, void *, count *), (x, NULL, NULL))                    \
    F(fmi2SerializeFMUstate, (instance, void *, char *, count), (x, NULL, NULL, N))                \
    F(fmi2DeSerializeFMUstate, (instance, const char *, count, void **), (x, NULL, N, NULL))       \
    F(fmi2GetDirectionalDerivative,                                                                \
      (instance, refs, count, refs, count, const double *, double *),                              \
      (x, NULL, N, NULL, N, NULL, NULL))                                                           \
    F(fmi2NewDiscreteStates, (instance, event2 *), (x, NULL))                                      \
    F(fmi2CompletedIntegratorStep, (instance, int, int *, int *), (x, 0, NULL, NULL))              \
    F(fmi2SetContinuousStates, (instance, const double *, count), (x, NULL, N))                    \
    F(fmi2GetDerivatives, (instance, double *, count), (x, NULL, N))                               \
    F(fmi2GetEventIndicators, (instance, double *, count), (x, NULL, N))                           \
    F(fmi2GetContinuousStates, (instance, double *, count), (x, NULL, 1))                          \
    F(fmi2GetNominalsOfContinuousStates, (instance, double *, count), (x, NULL, 1))                \
    F(fmi2SetRealInputDerivatives, (instance, refs, count, const int *, const double *),           \
      (x, NULL, N, NULL, NULL))                                                                    \
    F(fmi2GetRealOutputDerivatives, (instance, refs, count, const int *, double *),                \
      (x, NULL, N, NULL, NULL))                                                                    \
    F(fmi2GetRealStatus, (instance, int, double *), (x, 2, NULL))                                  \
    F(fmi2GetBooleanStatus, (instance, int, int *), (x, 3, NULL))                                  \
    F(fmi3SetDebugLogging, (instance, bool, count, const char *const *), (x, true, N, NULL))       \
    F(fmi3UpdateDiscreteStates, (instance, bool *, bool *, bool *, bool *, bool *, double *),      \
      (x, NULL, NULL, NULL, NULL, NULL, NULL))                                                     \
    GET_AND_SET(F, Float32, float)                                                                 \
    GET_AND_SET(F, Float64, double)                                                                \
    GET_AND_SET(F, Int8, int8_t)                                                                   \
    GET_AND_SET(F, UInt8, uint8_t)                                                                 \
    GET_AND_SET(F, Int16, int16_t)                                                                 \
    GET_AND_SET(F, UInt16, uint16_t)                                                               \
    GET_AND_SET(F, Int32, int32_t)                                                                 \
    GET_AND_SET(F, UInt32, uint32_t)                                                               \
    GET_AND_SET(F, Int64, int64_t)                                                                 \
    GET_AND_SET(F, UInt64, uint64_t)                                                               \
    GET_AND_SET(F, Boolean, bool)                                                                  \
    F(fmi3GetString, (instance, refs, count, const char **, count), (x, NULL, N, NULL, N))         \
    F(fmi3SetString, (instance, refs, count, const char *const *, count), (x, NULL, N, NULL, N))   \
    F(fmi3GetBinary, (instance, refs, count, count *, const uint8_t **, count),                    \
      (x, NULL, N, NULL, NULL, N))                                                                 \
    F(fmi3SetBinary, (instance, refs, count, const count *, const uint8_t *const *, count),        \
      (x, NULL, N, NULL, NULL, N))                                                                 \
    F(fmi3GetNumberOfVariableDependencies, (instance, reference, count *), (x, 0, NULL))           \
    F(fmi3GetVariableDependencies,                                                                 \
      (instance, reference, count *, reference *, count *, int *, count),                          \
      (x, 0, NULL, NULL, NULL, NULL, N))                                                           \
    F(fmi3GetFMUState, (instance, void **), (x, NULL))                                             \
    F(fmi3SetFMUState, (instance, void *), (x, NULL))                                              \
    F(fmi3SerializedFMUStateSize, (instance, void *, count *), (x, NULL, NULL))                    \
    F(fmi3SerializeFMUState, (instance, void *, uint8_t *, count), (x, NULL, NULL, N))             \
    F(fmi3DeserializeFMUState, (instance, const uint8_t *, count, void **), (x, NULL, N, NULL))    \
    F(fmi3GetDirectionalDerivative,                                                                \
      (instance, refs, count, refs, count, const double *, count, double *, count),                \
      (x, NULL, N, NULL, N, NULL, N, NULL, N))                                                     \
    F(fmi3GetAdjointDerivative,                                                                    \
      (instance, refs, count, refs, count, const double *, count, double *, count),                \
      (x, one, 1, one, 1, NULL, 1, NULL, 1))                                                       \
    F(fmi3SetContinuousStates, (instance, const double *, count), (x, NULL, N))                    \
    F(fmi3GetContinuousStates, (instance, double *, count), (x, NULL, 1))                          \
    F(fmi3GetNominalsOfContinuousStates, (instance, double *, count), (x, NULL, 1))                \
    F(fmi3GetContinuousStateDerivatives, (instance, double *, count), (x, NULL, 1))                \
    F(fmi3GetEventIndicators, (instance, double *, count), (x, NULL, N))                           \
    F(fmi3GetNumberOfContinuousStates, (instance, count *), (x, NULL))                             \
    F(fmi3GetNumberOfEventIndicators, (instance, count *), (x, NULL))                              \
    F(fmi3CompletedIntegratorStep, (instance, bool, bool *, bool *), (x, false, NULL, NULL))       \
    F(fmi3DoStep, (instance, double, double, bool, bool *, bool *, bool *, double *),              \
      (x, 0, 0.1, false, NULL, NULL, NULL, NULL))                                                  \
    F(fmi3GetOutputDerivatives, (instance, refs, count, const int32_t *, double *, count),         \
      (x, NULL, N, NULL, NULL, N))                                                                 \
    F(fmi3GetClock, (instance, refs, count, bool *), (x, NULL, N, NULL))                           \
    F(fmi3SetClock, (instance, refs, count, const bool *), (x, NULL, N, NULL))                     \
    F(fmi3GetIntervalDecimal, (instance, refs, count, double *, int *), (x, NULL, N, NULL, NULL))  \
    F(fmi3GetIntervalFraction, (instance, refs, count, uint64_t *, uint64_t *, int *),             \
      (x, NULL, N, NULL, NULL, NULL))                                                              \
    F(fmi3GetShiftDecimal, (instance, refs, count, double *), (x, NULL, N, NULL))                  \
    F(fmi3GetShiftFraction, (instance, refs, count, uint64_t *, uint64_t *),                       \
      (x, NULL, N, NULL, NULL))                                                                    \
    F(fmi3SetIntervalDecimal, (instance, refs, count, const double *), (x, NULL, N, NULL))         \
    F(fmi3SetIntervalFraction, (instance, refs, count, const uint64_t *, const uint64_t *),        \
      (x, NULL, N, NULL, NULL))                                                                    \
    F(fmi3SetShiftDecimal, (instance, refs, count, const double *), (x, NULL, N, NULL))            \
    F(fmi3SetShiftFraction, (instance, refs, count, const uint64_t *, const uint64_t *),           \
      (x, NULL, N, NULL, NULL))

#define CALL(name, parameters, arguments)                                                          \
    {                                                                                              \
        int(*f) parameters;                                                                        \
        *(void **)&f = dlsym(library, #name);                                                      \
        if (!f) fail_msg("no %s", #name);                                                          \
        int status = f arguments;                                                                  \
        if (status != STATUS_OF_ERROR) fail_msg("%s gives %d", #name, status);                     \
    }

static void *library;

static void call_by_arrays(instance x)
{
    static const reference one[] = {1};
    BY_ARRAYS(CALL)
}

static void no_instance_is_an_error(void **state)
{
    instance x = NULL;
    (void)state;
    BY_INSTANCE(CALL)
    call_by_arrays(x);
    void *(*make2)(const char *, int, const char *, const char *, const callbacks2 *, int, int);
    *(void **)&make2 = dlsym(library, "fmi2Instantiate");
    assert_null(make2(NULL, 0, NULL, NULL, NULL, 0, 0));
    assert_null(make2("x", 1, "", "file:///nowhere", NULL, 0, 1));
    assert_null(fmi3InstantiateModelExchange(NULL, NULL, NULL, false, true, NULL, NULL));
    assert_null(fmi3InstantiateCoSimulation(NULL, NULL, NULL, false, true, true, true, NULL, N,
                                            NULL, NULL, NULL));
    fmi3FreeInstance(NULL);
    fmi2FreeInstance(NULL);
}

static const char decay[] =
    "model Decay\n  input Real u(start = 0);\n  Real x(start = 1, fixed = true);\n"
    "equation\n  der(x) = u - x;\nend Decay;\n";

static void no_array_is_an_error_in_every_mode(void **state)
{
    (void)state;
    fmu u = export(decay);
    instance x = exchange3(&u);
    call_by_arrays(x);
    assert_non_null(strstr(said, "fmi3GetFloat64: an argument is NULL"));
    begin3(x, 1e-6);
    call_by_arrays(x);
    assert_int_equal(fmi3EnterContinuousTimeMode(x), 0);
    call_by_arrays(x);
    assert_true(get3(x, variable(&u, "x")) == 1); // and it goes on
    fmi3FreeInstance(x);
    x = steps3(&u, false, false, NULL);
    begin3(x, 1e-6);
    call_by_arrays(x);
    step3(x, 0, 0.1);
    assert_true(fabs(get3(x, variable(&u, "x")) - exp(-0.1)) < 1e-5);
    fmi3FreeInstance(x);
    remove_fmu(&u);
}

static int open_again(void **state)
{
    int rc = open_library(state);
    library = rc ? NULL : dlopen(VINCOLO_FMU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return library ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_instance_is_an_error),
        cmocka_unit_test(no_array_is_an_error_in_every_mode),
    };
    return cmocka_run_group_tests(tests, open_again, NULL);
}
