/* The tables of all structs of a compiled model, expanded from their lists.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "image/image_schema.h"

#include "image/image_model.h"
#include "image/image_routines.h"
#include "image/image_tape.h"

#include <stdbool.h>

#define RECORD_SCALAR(type)                                                                        \
    _Generic((type)0, char                                                                         \
             : IMAGE_SCALAR_I8, int8_t                                                             \
             : IMAGE_SCALAR_I8, uint8_t                                                            \
             : IMAGE_SCALAR_U8, bool                                                               \
             : IMAGE_SCALAR_BOOL, int16_t                                                          \
             : IMAGE_SCALAR_I16, uint16_t                                                          \
             : IMAGE_SCALAR_U16, int                                                               \
             : IMAGE_SCALAR_I32, uint32_t                                                          \
             : IMAGE_SCALAR_U32, int64_t                                                           \
             : IMAGE_SCALAR_I64, double                                                            \
             : IMAGE_SCALAR_F64)

#define RECORD_MEMBER(kind, ...) RECORD_MEMBER_##kind(__VA_ARGS__)
#define RECORD_ENTRY(kind, name, what, scalar, bytes, record)                                      \
    {#name, what, IMAGE_KIND_##kind, scalar, offsetof(T, name), bytes, record},
#define RECORD_OF(type) &record_##type
#define RECORD_MEMBER_COUNT(name, what)                                                            \
    RECORD_ENTRY(COUNT, name, what, IMAGE_SCALAR_I32, sizeof(int), NULL)
#define RECORD_MEMBER_NUMBER(type, name, what)                                                     \
    RECORD_ENTRY(NUMBER, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_INDEX(type, name, low, end, what)                                            \
    RECORD_ENTRY(INDEX, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_FEW(type, name, length, what)                                                \
    RECORD_ENTRY(FEW, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_NUMBERS(type, name, length, what)                                            \
    RECORD_ENTRY(NUMBERS, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_PACKED(type, name, length, what)                                             \
    RECORD_ENTRY(PACKED, name, what, IMAGE_SCALAR_NONE, sizeof(type), NULL)
#define RECORD_MEMBER_INDICES(type, name, length, low, end, what)                                  \
    RECORD_ENTRY(INDICES, name, what, RECORD_SCALAR(type), sizeof(type), NULL)
#define RECORD_MEMBER_PART(type, name, what)                                                       \
    RECORD_ENTRY(PART, name, what, IMAGE_SCALAR_NONE, sizeof(type), RECORD_OF(type))
#define RECORD_MEMBER_PARTS(type, name, length, what)                                              \
    RECORD_ENTRY(PARTS, name, what, IMAGE_SCALAR_NONE, sizeof(type), RECORD_OF(type))
#define RECORD_MEMBER_VECTOR(type, name, what)                                                     \
    RECORD_ENTRY(COUNT, name.n, what, IMAGE_SCALAR_I32, sizeof(int), NULL)                         \
    RECORD_ENTRY(PARTS, name.at, what, IMAGE_SCALAR_NONE, sizeof(type), RECORD_OF(type))
#define RECORD_MEMBER_SHARED(type, name, what)                                                     \
    RECORD_ENTRY(SHARED, name, what, IMAGE_SCALAR_NONE, sizeof(void *), RECORD_OF(type))
#define RECORD_MEMBER_LINK(type, name, what) RECORD_MEMBER_SHARED(type, name, what)
#define RECORD_MEMBER_SHARES(type, name, length, what)                                             \
    RECORD_ENTRY(SHARES, name, what, IMAGE_SCALAR_NONE, sizeof(void *), RECORD_OF(type))
#define RECORD_MEMBER_TEXT(name, what)                                                             \
    RECORD_ENTRY(TEXT, name, what, IMAGE_SCALAR_NONE, sizeof(void *), NULL)
#define RECORD_MEMBER_TEXTS(name, length, what)                                                    \
    RECORD_ENTRY(TEXTS, name, what, IMAGE_SCALAR_NONE, sizeof(void *), NULL)
#define RECORD_MEMBER_ROUTINE(name, what)                                                          \
    RECORD_ENTRY(ROUTINE, name, what, IMAGE_SCALAR_NONE, sizeof(void *), NULL)
#define RECORD_MEMBER_LOCAL(type, name, what)                                                      \
    RECORD_ENTRY(LOCAL, name, what, IMAGE_SCALAR_NONE, sizeof(type), NULL)

#define RECORD_LIMITS(kind, ...) RECORD_LIMITS_##kind(__VA_ARGS__)
#define RECORD_SET(length_, low_, end_)                                                            \
    *out++ = (image_limits){.length = (length_), .low = (low_), .end = (end_)};
#define RECORD_LIMITS_COUNT(name, what)                           RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_NUMBER(type, name, what)                    RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_INDEX(type, name, low, end, what)           RECORD_SET(1, low, end)
#define RECORD_LIMITS_FEW(type, name, length, what)               RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_NUMBERS(type, name, length, what)           RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_PACKED(type, name, length, what)            RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_INDICES(type, name, length, low, end, what) RECORD_SET(length, low, end)
#define RECORD_LIMITS_PART(type, name, what)                      RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_PARTS(type, name, length, what)             RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_VECTOR(type, name, what)                    RECORD_SET(1, 0, 0) RECORD_SET(x->name.n, 0, 0)
#define RECORD_LIMITS_SHARED(type, name, what)                    RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_LINK(type, name, what)                      RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_SHARES(type, name, length, what)            RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_TEXT(name, what)                            RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_TEXTS(name, length, what)                   RECORD_SET(length, 0, 0)
#define RECORD_LIMITS_ROUTINE(name, what)                         RECORD_SET(1, 0, 0)
#define RECORD_LIMITS_LOCAL(type, name, what)                     RECORD_SET(1, 0, 0)

/* All structs, and their lists. */
#define IMAGE_RECORDS(R)                                                                           \
    R(code_cells, CODE_CELLS)                                                                      \
    R(code_choice, CODE_CHOICE)                                                                    \
    R(code_clocks, CODE_CLOCKS)                                                                    \
    R(code_column, CODE_COLUMN)                                                                    \
    R(code_column_run, CODE_COLUMN_RUN)                                                            \
    R(code_decider, CODE_DECIDER)                                                                  \
    R(code_deciders, CODE_DECIDERS)                                                                \
    R(code_entry, CODE_ENTRY)                                                                      \
    R(code_events, CODE_EVENTS)                                                                    \
    R(code_extra, CODE_EXTRA)                                                                      \
    R(code_family, CODE_FAMILY)                                                                    \
    R(code_fn, CODE_FN)                                                                            \
    R(code_guard, CODE_GUARD)                                                                      \
    R(code_initial, CODE_INITIAL)                                                                  \
    R(code_input, CODE_INPUT)                                                                      \
    R(code_inputs, CODE_INPUTS)                                                                    \
    R(code_invariant, CODE_INVARIANT)                                                              \
    R(code_invariants, CODE_INVARIANTS)                                                            \
    R(code_layer, CODE_LAYER)                                                                      \
    R(code_layers, CODE_LAYERS)                                                                    \
    R(code_level, CODE_LEVEL)                                                                      \
    R(code_manifold, CODE_MANIFOLD)                                                                \
    R(code_mask, CODE_MASK)                                                                        \
    R(code_mass, CODE_MASS)                                                                        \
    R(code_model, CODE_MODEL)                                                                      \
    R(code_outputs, CODE_OUTPUTS)                                                                  \
    R(code_parameters, CODE_PARAMETERS)                                                            \
    R(code_range, CODE_RANGE)                                                                      \
    R(code_rank, CODE_RANK)                                                                        \
    R(code_rates, CODE_RATES)                                                                      \
    R(code_run, CODE_RUN)                                                                          \
    R(code_system, CODE_SYSTEM)                                                                    \
    R(code_value, CODE_VALUE)                                                                      \
    R(code_work_start, CODE_WORK_START)                                                            \
    R(external_place, EXTERNAL_PLACE)                                                              \
    R(external_routine, EXTERNAL_ROUTINE)                                                          \
    R(external_scalar, EXTERNAL_SCALAR)                                                            \
    R(external_wish, EXTERNAL_WISH)                                                                \
    R(image_about, IMAGE_ABOUT)                                                                    \
    R(image_action, IMAGE_ACTION)                                                                  \
    R(image_base, IMAGE_BASE)                                                                      \
    R(image_bound, IMAGE_BOUND)                                                                    \
    R(image_bounds, IMAGE_BOUNDS)                                                                  \
    R(image_choice, IMAGE_CHOICE)                                                                  \
    R(image_claim, IMAGE_CLAIM)                                                                    \
    R(image_claims, IMAGE_CLAIMS)                                                                  \
    R(image_clocks, IMAGE_CLOCKS)                                                                  \
    R(image_column, IMAGE_COLUMN)                                                                  \
    R(image_column_run, IMAGE_COLUMN_RUN)                                                          \
    R(image_condition, IMAGE_CONDITION)                                                            \
    R(image_decay, IMAGE_DECAY)                                                                    \
    R(image_delay, IMAGE_DELAY)                                                                    \
    R(image_derived, IMAGE_DERIVED)                                                                \
    R(image_discrete, IMAGE_DISCRETE)                                                              \
    R(image_entries, IMAGE_ENTRIES)                                                                \
    R(image_enumeration, IMAGE_ENUMERATION)                                                        \
    R(image_equation, IMAGE_EQUATION)                                                              \
    R(image_equations, IMAGE_EQUATIONS)                                                            \
    R(image_events, IMAGE_EVENTS)                                                                  \
    R(image_first, IMAGE_FIRST)                                                                    \
    R(image_formulation, IMAGE_FORMULATION)                                                        \
    R(image_group, IMAGE_GROUP)                                                                    \
    R(image_look, IMAGE_LOOK)                                                                      \
    R(image_looks, IMAGE_LOOKS)                                                                    \
    R(image_loop, IMAGE_LOOP)                                                                      \
    R(image_mechanical, IMAGE_MECHANICAL)                                                          \
    R(image_object, IMAGE_OBJECT)                                                                  \
    R(image_own_name, IMAGE_OWN_NAME)                                                              \
    R(image_ratio, IMAGE_RATIO)                                                                    \
    R(image_relation, IMAGE_RELATION)                                                              \
    R(image_row, IMAGE_ROW)                                                                        \
    R(image_sample, IMAGE_SAMPLE)                                                                  \
    R(image_step, IMAGE_STEP)                                                                      \
    R(image_sub, IMAGE_SUB)                                                                        \
    R(image_summary, IMAGE_SUMMARY)                                                                \
    R(image_unknown, IMAGE_UNKNOWN)                                                                \
    R(image_variable, IMAGE_VARIABLE)                                                              \
    R(image_variable_run, IMAGE_VARIABLE_RUN)                                                      \
    R(image_variables, IMAGE_VARIABLES)                                                            \
    R(image_zero, IMAGE_ZERO)                                                                      \
    R(name_family, NAME_FAMILY)                                                                    \
    R(name_piece, NAME_PIECE)                                                                      \
    R(name_table, NAME_TABLE)                                                                      \
    R(routine_ins, ROUTINE_INS)                                                                    \
    R(routine_integral, ROUTINE_INTEGRAL)                                                          \
    R(routine_loop, ROUTINE_LOOP)                                                                  \
    R(routine_program, ROUTINE_PROGRAM)                                                            \
    R(routine_row, ROUTINE_ROW)                                                                    \
    R(routine_rows, ROUTINE_ROWS)                                                                  \
    R(routine_subscript, ROUTINE_SUBSCRIPT)                                                        \
    R(span, SPAN)                                                                                  \
    R(tape, TAPE)                                                                                  \
    R(tape_access, TAPE_ACCESS)                                                                    \
    R(tape_call, TAPE_CALL)                                                                        \
    R(tape_program, TAPE_PROGRAM)                                                                  \
    R(tape_region, TAPE_REGION)                                                                    \
    R(tape_step, TAPE_STEP)                                                                        \
    R(text_format, TEXT_FORMAT)                                                                    \
    R(text_list, TEXT_LIST)                                                                        \
    R(text_named, TEXT_NAMED)                                                                      \
    R(text_number, TEXT_NUMBER_LIST)                                                               \
    R(text_piece, TEXT_PIECE)                                                                      \
    R(text_table, TEXT_TABLE)                                                                      \
    R(vinc_pattern, VINC_PATTERN)                                                                  \
    R(word_element, WORD_ELEMENT)                                                                  \
    R(word_package, WORD_PACKAGE)                                                                  \
    R(word_places, WORD_PLACES)                                                                    \
    R(word_relation, WORD_RELATION)                                                                \
    R(word_solved, WORD_SOLVED)                                                                    \
    R(word_table, WORD_TABLE)

#define RECORD_DECLARED(type, LIST) static const image_record record_##type;
#define RECORD_DEFINED(type, LIST)                                                                 \
    static const image_member *members_##type(int *n)                                              \
    {                                                                                              \
        typedef type T;                                                                            \
        static const image_member all[] = {LIST(RECORD_MEMBER)};                                   \
        _Static_assert(sizeof all / sizeof *all <= IMAGE_MEMBERS_MAX, "too many members");         \
        *n = (int)(sizeof all / sizeof *all);                                                      \
        return all;                                                                                \
    }                                                                                              \
    static void limits_##type(const void *at, const void *up, const code_model *m,                 \
                              image_limits *out)                                                   \
    {                                                                                              \
        const type *x = at;                                                                        \
        (void)m, (void)x, (void)up;                                                                \
        LIST(RECORD_LIMITS)                                                                        \
    }                                                                                              \
    static const image_record record_##type = {#type, sizeof(type), members_##type, limits_##type};

IMAGE_RECORDS(RECORD_DECLARED)
IMAGE_RECORDS(RECORD_DEFINED)

const image_records image_record_of = {.model = &record_code_model,
                                       .pattern = &record_vinc_pattern,
                                       .program = &record_tape_program,
                                       .function = &record_code_fn,
                                       .cells = &record_code_cells,
                                       .formulation = &record_image_formulation,
                                       .column = &record_image_column,
                                       .routines = &record_routine_rows};
