/* Names and routines of a compiled model, as lists: their structs are declared where they are used (base/names.h,
 * routine/program.h, routine/routine_rows.h, external/external.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_ROUTINES_H
#define IMAGE_IMAGE_ROUTINES_H

#include "base/names.h"
#include "routine/routine_rows.h"

// clang-format off

#define NAME_PIECE(X)                                                                                                            \
    X(TEXT, name, "of a component")                                                                                              \
    X(COUNT, n_dims, "subscripts")                                                                                               \
    X(NUMBERS, int, dims, x->n_dims, "sizes")                                                                                    \
    X(NUMBER, int, size, "elements that are counted here")                                                                       \
    X(NUMBER, int, index, "all are of this one; -1: the element says which")

#define NAME_FAMILY(X)                                                                                                           \
    X(NUMBER, int, first, "the first name")                                                                                      \
    X(NUMBER, int, from, "its place in the list; of a path: its element")                                                        \
    X(COUNT, n_pieces, "0: the names are in the list")                                                                           \
    X(PARTS, name_piece, pieces, x->n_pieces, "the innermost first")

#define NAME_TABLE(X)                                                                                                            \
    X(COUNT, n, "names")                                                                                                         \
    X(COUNT, families.n, "families")                                                                                             \
    X(PARTS, name_family, families.at, x->families.n, "ascending")                                                               \
    X(COUNT, list.n, "names that are written out")                                                                               \
    X(TEXTS, list.at, x->list.n, "these names")

#define ROUTINE_INS(X)                                                                                                           \
    X(NUMBER, uint16_t, op, "operation")                                                                                         \
    X(NUMBER, int, dst, "register")                                                                                              \
    X(NUMBER, int, a, "operand")                                                                                                 \
    X(NUMBER, int, b, "operand")                                                                                                 \
    X(NUMBER, int, c, "operand")

#define ROUTINE_SUBSCRIPT(X)                                                                                                     \
    X(TEXT, array, "its name")                                                                                                   \
    X(NUMBER, int, size, "the largest subscript")                                                                                \
    X(PART, span, at, "where it stands")

#define ROUTINE_LOOP(X)                                                                                                          \
    X(NUMBER, int, first, "instruction")                                                                                         \
    X(NUMBER, int, last, "instruction")                                                                                          \
    X(PART, span, at, "where it stands")

#define ROUTINE_INTEGRAL(X)                                                                                                      \
    X(COUNT, dims, "coordinates")                                                                                                \
    X(COUNT, n, "functions")                                                                                                     \
    X(COUNT, watched, "functions that decide on the accuracy; 0: all")                                                           \
    X(NUMBER, bool, region, "it is over a region")                                                                               \
    X(TEXTS, name, x->dims, "of the coordinates")                                                                                \
    X(SHARED, routine_program, integrand, "functions, coordinates, bounds")                                                      \
    X(PART, span, at, "where it stands")

#define ROUTINE_PROGRAM(X)                                                                                                       \
    X(TEXT, name, "of the function")                                                                                             \
    X(SHARED, routine_integral, integral, "NULL: instructions")                                                                  \
    X(COUNT, n_ins, "instructions")                                                                                              \
    X(COUNT, n_args, "arguments")                                                                                                \
    X(COUNT, n_slots, "scalars of variables")                                                                                    \
    X(COUNT, n_consts, "constants")                                                                                              \
    X(COUNT, n_tables, "numbers of tables")                                                                                      \
    X(COUNT, n_lists, "lengths of lists")                                                                                        \
    X(COUNT, n_checks, "subscripts")                                                                                             \
    X(COUNT, n_fails, "texts")                                                                                                   \
    X(COUNT, n_loops, "loops")                                                                                                   \
    X(COUNT, n_registers, "registers")                                                                                           \
    X(COUNT, n_results, "results")                                                                                               \
    X(PARTS, routine_ins, ins, x->n_ins, "instructions")                                                                         \
    X(NUMBERS, double, consts, x->n_consts, "constants")                                                                         \
    X(NUMBERS, double, tables, x->n_tables, "numbers")                                                                           \
    X(NUMBERS, int, lists, x->n_lists, "registers and their counts")                                                             \
    X(INDICES, int, results, x->n_results, 0, x->n_registers, "registers; NULL: an integral")                                    \
    X(PARTS, routine_subscript, checks, x->n_checks, "subscripts")                                                               \
    X(TEXTS, fails, x->n_fails, "what is said")                                                                                  \
    X(PARTS, routine_loop, loops, x->n_loops, "inner ones first")                                                                \
    X(COUNT, n_placed, "arguments that have a register")                                                                         \
    X(INDICES, int, placed, x->n_placed, 0, x->n_args, "these arguments; NULL: all have one")

#define EXTERNAL_WISH(X)                                                                                                         \
    X(TEXT, name, "of the function in C")                                                                                        \
    X(TEXT, destructor, "NULL: it is no constructor")                                                                            \
    X(COUNT, n_files, "libraries")                                                                                               \
    X(TEXTS, files, x->n_files, "where to look, in order")                                                                       \
    X(NUMBER, bool, built, "its source was compiled with the model")                                                             \
    X(NUMBER, char, returns, "type")                                                                                             \
    X(NUMBER, bool, by_reference, "arguments are addresses")

/* Arguments of the routine of which something is a part: a constructor has one more, the number of its object. */
#define EXTERNAL_ARGUMENTS(up) (((const external_routine *)(up))->n_in + ((const external_routine *)(up))->constructs)
#define EXTERNAL_SCALAR(X)                                                                                                       \
    X(INDEX, int, from, INT32_MIN, EXTERNAL_ARGUMENTS(up), "argument, or less than 0: a number or a text")                       \
    X(NUMBER, double, number, "if it is one")                                                                                    \
    X(TEXT, text, "if it is one")

#define EXTERNAL_PLACE(X)                                                                                                        \
    X(NUMBER, uint8_t, kind, "of the argument")                                                                                  \
    X(NUMBER, uint8_t, n_dims, "dimensions")                                                                                     \
    X(NUMBER, bool, out, "it is a result")                                                                                       \
    X(INDEX, int, first, 0, ((const external_routine *)up)->n_scalars + 1, "its first scalar")                                   \
    X(INDEX, int, n, 0, ((const external_routine *)up)->n_scalars - x->first + 1, "its scalars")

#define EXTERNAL_ROUTINE(X)                                                                                                      \
    X(TEXT, name, "of the function in Modelica")                                                                                 \
    X(COUNT, n_in, "scalars of its arguments")                                                                                   \
    X(COUNT, n_out, "scalars of its results")                                                                                    \
    X(COUNT, n_args, "arguments in C")                                                                                           \
    X(PARTS, external_place, args, x->n_args, "arguments in C")                                                                  \
    X(COUNT, n_scalars, "of all arguments together")                                                                             \
    X(PARTS, external_scalar, scalars, x->n_scalars, "these scalars")                                                            \
    X(INDICES, int, results, x->n_out, EXTERNAL_RETURNED, x->n_scalars, "by result: its place among the scalars, or EXTERNAL_RETURNED") \
    X(NUMBER, bool, constructs, "it is a constructor")

#define ROUTINE_ROW(X)                                                                                                           \
    X(INDEX, uint8_t, kind, 0, TAPE_FN_GUARDED + 1, "tape_function_kind")                                                        \
    X(NUMBER, bool, impure, "every call is made")                                                                                \
    X(INDEX, int, of, -1, m->routines.all.n, "row of the routine itself, or -1")                                                 \
    X(INDEX, int, derivative, -1, m->routines.all.n, "row of its derivative, or -1")                                             \
    X(COUNT, n, "arguments, tests, or numbers but one")                                                                          \
    X(NUMBERS, int, der_at, x->n, "places among arguments of the derivative; -1: by differences; NULL: no annotation")           \
    X(NUMBERS, uint8_t, active, x->kind == TAPE_FN_GUARDED ? 2 * x->n : x->n, "by argument, or two by test; NULL: neither")      \
    X(NUMBERS, double, numbers, x->n + 1, "of a table; NULL: it is none")                                                        \
    X(TEXT, text, "itself, or the name of the function in C")                                                                    \
    X(SHARED, routine_program, program, "its calls name rows")                                                                   \
    X(SHARED, external_routine, external, "the call, but for the function")                                                      \
    X(SHARED, external_wish, wish, "where a function of the user is; NULL: it is one of ours")

#define ROUTINE_ROWS(X)                                                                                                          \
    X(COUNT, all.n, "rows")                                                                                                      \
    X(PARTS, routine_row, all.at, x->all.n, "rows")

// clang-format on

#endif
