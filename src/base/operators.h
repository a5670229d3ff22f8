/* The operators of expressions and programs: one list, expanded where names, arities and printers must agree.
 *
 * X(OP, arity, spelling, class): arity -1 is variable. Classes: LEAF; ARITH (+ - * / ^ and
 * negation); REL (relations, which generate events outside noEvent); LOGIC; MATH (smooth functions
 * of Modelica with the same name); EVENT (functions that jump: they generate events outside
 * noEvent); HYBRID (meaning depends on the event iteration); OTHER.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_OPERATORS_H
#define BASE_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>

// clang-format off
#define EXPR_OPS(X)                                                                               \
    X(NONE, 0, "", LEAF)              /* number 0: no expression */                               \
    X(REAL, 0, "", LEAF)              /* literal, u.real */                                       \
    X(INTEGER, 0, "", LEAF)           /* literal, u.integer */                                    \
    X(BOOLEAN, 0, "", LEAF)           /* literal, u.integer 0 or 1 */                             \
    X(STRING, 0, "", LEAF)            /* literal, u.string */                                     \
    X(ENUM, 0, "", LEAF)              /* literal, u.integer from 1, of enumeration enum_id */     \
    X(VAR, 0, "", LEAF)               /* u.var.index differentiated u.var.order times */          \
    X(TIME, 0, "time", LEAF)                                                                      \
    X(NEG, 1, "-", ARITH)                                                                         \
    X(ADD, 2, "+", ARITH)             /* also String concatenation */                             \
    X(SUB, 2, "-", ARITH)                                                                         \
    X(MUL, 2, "*", ARITH)                                                                         \
    X(DIV, 2, "/", ARITH)                                                                         \
    X(POW, 2, "^", ARITH)             /* Real; x^2 means x*x, to the last bit */                  \
    X(LT, 2, "<", REL)                                                                            \
    X(LE, 2, "<=", REL)                                                                           \
    X(GT, 2, ">", REL)                                                                            \
    X(GE, 2, ">=", REL)                                                                           \
    X(EQ, 2, "==", REL)                                                                           \
    X(NE, 2, "<>", REL)                                                                           \
    X(NOT, 1, "not", LOGIC)                                                                       \
    X(AND, 2, "and", LOGIC)                                                                       \
    X(OR, 2, "or", LOGIC)                                                                         \
    X(IF, 3, "if", OTHER)             /* condition, then, else */                                 \
    X(SIN, 1, "sin", MATH)                                                                        \
    X(COS, 1, "cos", MATH)                                                                        \
    X(TAN, 1, "tan", MATH)                                                                        \
    X(ASIN, 1, "asin", MATH)                                                                      \
    X(ACOS, 1, "acos", MATH)                                                                      \
    X(ATAN, 1, "atan", MATH)                                                                      \
    X(ATAN2, 2, "atan2", MATH)                                                                    \
    X(SINH, 1, "sinh", MATH)                                                                      \
    X(COSH, 1, "cosh", MATH)                                                                      \
    X(TANH, 1, "tanh", MATH)                                                                      \
    X(EXP, 1, "exp", MATH)                                                                        \
    X(LOG, 1, "log", MATH)                                                                        \
    X(LOG10, 1, "log10", MATH)                                                                    \
    X(SQRT, 1, "sqrt", MATH)                                                                      \
    X(ABS, 1, "abs", MATH)                                                                        \
    X(SIGN, 1, "sign", EVENT)                                                                     \
    X(MIN, 2, "min", MATH)                                                                        \
    X(MAX, 2, "max", MATH)                                                                        \
    X(IDIV, 2, "div", EVENT)                                                                      \
    X(MOD, 2, "mod", EVENT)                                                                       \
    X(REM, 2, "rem", EVENT)                                                                       \
    X(CEIL, 1, "ceil", EVENT)                                                                     \
    X(FLOOR, 1, "floor", EVENT)                                                                   \
    X(INT, 1, "integer", EVENT)                                                                   \
    X(DER, 1, "der", OTHER)           /* of an expression; of a VAR: a VAR of higher order */     \
    X(PRE, 1, "pre", HYBRID)                                                                      \
    X(EDGE, 1, "edge", HYBRID)                                                                    \
    X(CHANGE, 1, "change", HYBRID)                                                                \
    X(INITIAL, 0, "initial", HYBRID)                                                              \
    X(TERMINAL, 0, "terminal", HYBRID)                                                            \
    X(SAMPLE, 2, "sample", HYBRID)    /* start, interval */                                       \
    X(NOEVENT, 1, "noEvent", OTHER)                                                               \
    X(SMOOTH, 2, "smooth", OTHER)     /* order, value */                                          \
    X(HOMOTOPY, 2, "homotopy", OTHER) /* actual, simplified */                                    \
    X(SEMILINEAR, 3, "semiLinear", OTHER)                                                         \
    X(DELAY, -1, "delay", HYBRID)     /* value, delay [, longest delay] */                        \
    X(TRANSPORT, -1, "spatialDistribution", HYBRID) /* 0 or 1: of which end; in0, in1, x, */      \
                                      /* initial points, as many initial values */                \
    X(CLOCK, -1, "Clock", HYBRID)     /* by the type of its first argument, if any: */            \
                                      /* Integer n, d: every n/d seconds; Real: interval; */      \
                                      /* Boolean, first interval; Clock, String: its solver */    \
    X(SAMPLED, -1, "sample", HYBRID)  /* value [, clock] */                                       \
    X(HOLD, 1, "hold", HYBRID)                                                                    \
    X(PREVIOUS, 1, "previous", HYBRID)                                                            \
    X(INTERVAL, -1, "interval", HYBRID)  /* [of the clock of a value] */                          \
    X(FIRSTTICK, -1, "firstTick", HYBRID)                                                         \
    X(SUBSAMPLE, 2, "subSample", HYBRID) /* of a value or clock; factor, 0: inferred */           \
    X(SUPERSAMPLE, 2, "superSample", HYBRID)                                                      \
    X(SHIFTSAMPLE, 3, "shiftSample", HYBRID) /* counter, resolution */                            \
    X(BACKSAMPLE, 3, "backSample", HYBRID)                                                        \
    X(NOCLOCK, 1, "noClock", HYBRID)                                                              \
    X(ACTIVESTATE, 1, "activeState", HYBRID) /* of a state, by its name */                        \
    X(TICKSINSTATE, 0, "ticksInState", HYBRID)                                                    \
    X(TIMEINSTATE, 0, "timeInState", HYBRID)                                                      \
    X(TOSTRING, -1, "String", OTHER)  /* value [, further arguments of String()] */               \
    X(CALL, -1, "", OTHER)            /* u.call: function, output number, arguments */
// clang-format on

typedef enum expr_op {
#define X(op, arity, text, class) EXPR_##op,
    EXPR_OPS(X)
#undef X
        EXPR_N_OPS
} expr_op;

typedef enum expr_class {
    CLASS_LEAF,
    CLASS_ARITH,
    CLASS_REL,
    CLASS_LOGIC,
    CLASS_MATH,
    CLASS_EVENT,
    CLASS_HYBRID,
    CLASS_OTHER
} expr_class;

const char *operator_name(expr_op op);
expr_class operator_class(expr_op op);
int operator_arity(expr_op op);         // -1: variable
extern const int8_t operator_arities[]; // by expr_op; -1: variable

/* The operator's value for numbers (Boolean 0 and 1); false when it has none of its own (HYBRID
 * operators, String, calls, leaves). IEEE double arithmetic, not finite where that is not. */
bool operator_apply(expr_op op, const double *x, int n, double *result);

/* Its derivative along dx, f being its value; 0 for what jumps, one side where it has a kink. */
double operator_tangent(expr_op op, const double *x, const double *dx, double f);

#endif
