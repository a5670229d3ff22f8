/* vincolo_report.h: what analyses find, as data.
 *
 * Every analysis fills an open struct with numbers, names and arrays of them. A struct named vinc_x
 * is filled by vinc_x_of, and two verbs serve all kinds:
 *
 *     vinc_linear *linear = NULL;
 *     int rc = vinc_linear_of(model, NULL, &linear);
 *     if (!rc) printf("%g %+gi\n", linear->modes[0].re, linear->modes[0].im);
 *     if (!rc) puts(vinc_report_text(linear, VINC_JSON));
 *     vinc_report_free(linear);
 *
 * The caller owns the struct; it and all that it points to go with vinc_report_free. It does not
 * point into the model, which may be freed before it; the allocator of the context must still be
 * there. On failure the pointer is NULL and the context's messages say why.
 *
 * Matrices are stored by columns. Where a number is not known it is NaN (in JSON null); an int that
 * may be unknown says which value means so. docs/reports.md lists the keys of the JSON texts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef VINCOLO_REPORT_H
#define VINCOLO_REPORT_H

#include "vincolo_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vinc_ctx vinc_ctx;
typedef struct vinc_model vinc_model;
typedef struct vinc_sim vinc_sim;
typedef struct vinc_fmu vinc_fmu;
struct vinc_sim_options; // vincolo.h, as all options
struct vinc_convergence_options;
struct vinc_contractivity_options;
struct vinc_linear_options;
struct vinc_passivity_options;
struct vinc_method_options;
struct vinc_pencil_options;
struct vinc_difference_options;
struct vinc_fit_options;
struct vinc_goal_options;
struct vinc_result;

/* Text or JSON, where a call makes a report.
 * VINC_TEXT_ALL: as VINC_TEXT, with every constraint of components (vinc_check). */
typedef enum vinc_format { VINC_TEXT, VINC_JSON, VINC_TEXT_ALL } vinc_format;

typedef struct vinc_report vinc_report; // owner of a struct's arrays and texts

/* told: any struct of this header that vinc_x_of made. The text is rendered once for each format and
 * lives as long as the struct; "" when there is no memory. NULL is accepted by both. */
VINC_API const char *vinc_report_text(const void *told, vinc_format format);
VINC_API void vinc_report_free(void *told);
/* The i-th kind of report: its name, the command that shows it and what it says; NULL after the
 * last. */
VINC_API const char *vinc_report_name(int i);
VINC_API const char *vinc_report_command(int i);
VINC_API const char *vinc_report_summary(int i);
/* The k-th key of its JSON text, "index.structural" for one inside another, "modes[].damping" for one
 * of each entry of an array, cut to room bytes. 0 after the last. */
VINC_API int vinc_report_key(int i, int k, char *key, size_t room);

/* ---- what a model is (vincolo check) --------------------------------------------------------- */

typedef struct vinc_constraint {
    int level;            // 0: as written; k: its k-th derivative, hidden in it
    const char *equation; // Modelica text
    const char *of;       // the component it belongs to; "": the model itself
    const char *file;     // NULL: nowhere
    int line;
} vinc_constraint;

typedef struct vinc_component { // of a model, with constraints of its own
    const char *name;
    int written, hidden, deepest; // constraints as written, derivatives of them, highest level
} vinc_component;

typedef struct vinc_check {
    vinc_report *report;
    const char *model, *class_name; // what was loaded; the class
    int index_structural;
    int index_numerical;      // at the initial point; -1: not computed
    const char *index_reason; // why not, or why it differs; NULL: nothing to say
    int dof;       // where constraints follow from others, by numbers near the initial point
    int n_surplus; // how many do
    int n_unknowns, n_equations, n_parameters, n_states;
    const char *const *states;
    const char *selection; // of states: "static", "dynamic" or "none"
    int chosen_anew;       // 1: it is dynamic, states are chosen anew while running
    int n_constraints;
    const vinc_constraint *constraints;
    int n_components;
    const vinc_component *components;
    const char *locked;   // constraints that depend on each other at the start; NULL: none
    const char *labile;   // what may move there without resistance; NULL: nothing
    int consistent;       // the start values given
    double inconsistency; // largest residual of them
    const char *form;     // ode, semi-explicit, hessenberg-2, hessenberg-3, quasi-linear, general
    const char *form_reason;
    double form_condition; // of the matrix that decides the form
    int n_blocks;
    const int *blocks;       // sizes of the blocks of the system for the highest derivatives
    const char *unconnected; // connectors that nothing is connected to; NULL: none
} vinc_check;

VINC_API int vinc_check_of(vinc_model *model, vinc_check **out);

/* ---- matrices of a mechanical model (vincolo check --matrices) -------------------------------- */

/* M a + B lambda = Q, Phi_q a = c, Phi_q T = 0 at the start; matrices by columns. Formulas likewise;
 * their number is 0 where they are too large or what elimination in numbers leaves. */
typedef struct vinc_mechanics {
    vinc_report *report;
    const char *model, *class_name;
    double time;
    int n, m, free; // coordinates, constraints, degrees of freedom
    const char *const *coordinates, *const *multipliers, *const *constraints;
    const int *independent; // by coordinate: 1 where it has a column of T
    const double *mass, *reaction, *phi_q, *q, *c, *t, *projected;
    int n_mass, n_phi_q, n_q, n_c, n_t, n_projected;
    const char *const *mass_formulas,
        *const *phi_q_formulas,
            *const *q_formulas, *const *c_formulas, *const *t_formulas, *const *projected_formulas;
} vinc_mechanics;

/* Refused, with the equation that prevents it, where the model is not mechanical. */
VINC_API int vinc_mechanics_of(vinc_model *model, vinc_mechanics **out);

/* ---- a region (vincolo region) --------------------------------------------------------------- */

/* Of a model that extends Vincolo.Balance.Region, at a time. Vectors have n = 3 entries, matrices are
 * 3 by 3. vc is the velocity of the boundary, v that of the particles. */
typedef struct vinc_region {
    vinc_report *report;
    const char *model, *class_name;
    double time;
    int n;
    int moves, flows, presses,
        has_energy; // whether there is a vc, a v, a pressure or force, an energy
    double volume, mass;
    const double *centre,
        *about_centre; // integral of r dm about the origin over m; about the centre
    const double *inertia, *inertia_origin; // about the centre, about the origin
    double field, field_rate;               // d/dt of its integral
    double field_change, field_carried;     // integral of its rate; surface integral of field vc n
    double material_rate;                   // the same for the volume that moves with the particles
    double material_flux, material_particle; // integrals of phi_t + div(phi v), Dphi/Dt + phi div v
    double divergence, outflow;              // integral of div v, surface integral of v n
    const double *gradient, *normal;         // integral of grad phi, surface integral of phi n
    double mass_rate, mass_inflow,
        mass_source; // d/dt; surface integral; integral of rho_t + div(rho v)
    const double *momentum_rate, *momentum_outflow, *acceleration; // d/dt; surface; rho Dv/Dt
    const double *body_force, *pressure_force,
        *momentum_missing; // what is missing: none for a fluid
    double internal, kinetic, potential;
    double energy_rate, energy_outflow, pressure_power, force_power;
    double missing_power; // of the force that is missing in the balance of momentum
    double heat;          // what must come in
} vinc_region;

/* time: NaN for that of the experiment, or 0. tol 0: 1e-10. */
VINC_API int vinc_region_of(vinc_model *model, double time, double tol, vinc_region **out);

/* ---- what a run did (vincolo run) ------------------------------------------------------------ */

typedef struct vinc_moved { // a start value that was changed to meet the constraints
    const char *name;
    double from, to;
} vinc_moved;

typedef struct vinc_value { // of a variable at rest
    const char *name, *unit, *comment;
    double value;
} vinc_value;

typedef struct vinc_method_use { // a method that the run chose
    const char *method, *why;
    double t;   // from there on
    long steps; // that it made
} vinc_method_use;

typedef struct vinc_slide { // along a surface where a condition switches back and forth
    const char *condition;
    double from, to;
} vinc_slide;

typedef struct vinc_invariant { // what the model says that the motion keeps
    const char *name;
    double start, end;
    double change, t_change; // largest |I - start| at the end of a step, and when
    double relative;         // ... over the size of what it is made of
    double rate, t_rate;     // dI/dt by the equations, where it is largest relative to its terms
    double t_jump;           // the first event that changed it; NaN: none
    const char *by;          // who changed it: round-off, method, model, event, unknown
} vinc_invariant;

typedef struct vinc_run {
    vinc_report *report;
    const char *model, *class_name;
    const char *method, *method_why; // the last in use, NULL: none yet; why it was chosen, or NULL
    int n_methods, n_methods_more;   // chosen on the way, one after another; not listed
    const vinc_method_use *methods;
    const char *formulation;         // "none" for a model without constraints
    const char *formulation_summary; // NULL then
    const char *formulation_why;     // why it was chosen; NULL: it was asked for, or there is none
    double t_start, t_end, tolerance;
    int code;           // the vinc_status of the run
    int done;           // 1: it reached its end
    const char *status; // "done", "failed", "interrupted", "terminated"
    const char *message;
    const char *terminated_by; // the words of terminate(); NULL: it was not called
    long steps, rejected, residual_evals, jacobian_evals, factorizations, newton_iterations, events;
    const char *linear; // how linear systems were solved: "direct", "krylov:precond=ilu"
    int dissected;      // 1: in an order of nested dissection, of METIS
    const char
        *linear_stores; // of krylov: what its preconditioner keeps of the matrix; NULL: direct
    long linear_iterations, products, preconditioners; // of krylov
    int index_structural, index_numerical; // the latter -1: that of vinc_check is not computed here
    int dof;
    int n_unknowns, n_integrated; // as written; given to the integrator
    int constrained;              // 1: the model has constraints; their largest violations
    double position_max, velocity_max, acceleration_max;
    int has_energy;
    double energy_initial, energy_final, energy_change; // the last: largest change
    int n_invariants;
    const vinc_invariant *invariants;
    double verified;               // largest difference to a run at a tenth of the tolerance
    const char *verified_variable; // where it was; NULL: not verified
    double verified_tolerance;     // of the second run
    int n_equations,
        n_equations_checked; // verified: of the model, with initial ones; those that the
                             // rows could be held against
    const char *unchecked;   // why others could not; NULL: all could
    int equations_hold;      // no residual is above ten times what the tolerance allows
    double residual;         // the largest, in units of what it allows; NaN: of a
                             // discrete equation, which must hold exactly
    const char *residual_equation, *residual_file; // where; NULL: there is none
    int residual_line;
    double t_residual;
    double wall_parse, wall_flatten, wall_structure, wall_compile, wall_init, wall_integrate,
        wall_total; // seconds
    int n_final;    // variables, with aliases and derivatives; their last values
    const char *const *final_names;
    const double *final_values;
    int n_moved,
        n_moved_more; // start values that were inconsistent, the most moved first; not listed
    const vinc_moved *moved;
    int n_singular; // positions crossed where constraints lose rank
    double t_singular;
    int n_slides, n_slides_more; // stretches of sliding; the first ones are listed
    const vinc_slide *slides;
    int equilibrium; // 1: no run, but a point of rest
    int n_rest;
    const vinc_value *rest;     // what could move, at rest
    const char *rest_stability; // of a point of rest: stable, neutral, unstable, unknown
    double rest_growth;         // largest real part of its eigenvalues
    const char *rest_moved;     // the state that moved most from its start value; NULL: none
    double rest_from, rest_to;
    const char *rest_words;
} vinc_run;

/* Of a run that was made; VINC_E_OPTION before vinc_sim_run. */
VINC_API int vinc_run_of(vinc_sim *sim, vinc_run **out);

/* ---- formulations times methods (vincolo compare) -------------------------------------------- */

typedef struct vinc_compared {
    const char *formulation, *method; // as asked for
    int ran;                          // 0: refused before the first step; there is no run
    vinc_run run;                     // its report is NULL
    const char *status;               // of the run; "failed" where there is none
    const char *why;                  // the first error; "": none
    double error;                     // at the end, relative to the size of the states
} vinc_compared;

typedef struct vinc_comparison {
    vinc_report *report;
    const char *model, *class_name;
    int n_formulations, n_methods, n_runs; // runs: formulation by formulation
    const char *const *formulations, *const *methods;
    const vinc_compared *runs;
    int n_done; // runs that reached their end
} vinc_comparison;

typedef struct vinc_compare_options {
    const struct vinc_sim_options *run; // times, tolerances, steps; NULL: defaults
    const char *formulations;           // separated by commas; NULL: all
    const char *methods;                // NULL: radau5,bdf,dopri5
    /* The text, line by line as runs end; may be NULL. It must not wait for another use of the
     * context. */
    void (*line)(void *user, const char *line);
    void *user;
} vinc_compare_options;

/* Every formulation with every method on one model. The error is measured against a run of the
 * default formulation at a hundredth of the tolerance: the largest difference of a differentiated
 * variable at the end, relative to its largest size on the way plus its nominal, as tolerances are.
 * A pair that is refused is a finding; a name that does not exist is VINC_E_OPTION. */
VINC_API int vinc_comparison_of(vinc_model *model, const vinc_compare_options *options,
                                vinc_comparison **out);

/* ---- studies of a method on a model (vincolo run --convergence, --contractivity) -------------- */

typedef struct vinc_halving {
    double h;
    long steps;
    int n;               // variables
    const double *error; // relative to the largest values
    const double *order; // log2(E(2h)/E(h)); NaN in the first, and where errors are rounding
} vinc_halving;

typedef struct vinc_convergence {
    vinc_report *report;
    const char *model, *class_name, *method;
    double t_end;
    int expected_order; // by the coefficients; -1: not known
    int n_variables;    // one, "all states", unless some were chosen
    const char *const *variables;
    const double *observed_order; // by variable: of the last pair above rounding
    int n_rows;
    const vinc_halving *rows;
    const char *chart; // where `plot` is "-"; otherwise NULL
} vinc_convergence;

VINC_API int vinc_convergence_of(vinc_model *model, const struct vinc_convergence_options *options,
                                 vinc_convergence **out);

typedef struct vinc_contractivity {
    vinc_report *report;
    const char *model, *class_name, *method;
    const char *norm; // in words
    double t_start, t_end;
    int n_directions;
    int contractive;                  // neighbouring solutions never moved apart
    double largest_factor, t_largest; // of one interval
    double total_factor;              // of the whole run
    double logarithmic_norm;          // of the Jacobian: the largest along the exact solution
    double t_norm;                    // when it is largest
    int problem_contractive;          // it is not positive
    const char *problem;              // what that rests on: proved, refuted, not refuted
    int n_judged;                     // points where the Jacobian was looked at
    const char *because, *blame;      // in words
    int n_points;
    const double *t, *distance; // largest distance over the directions, relative to the start
    const char *chart;
} vinc_contractivity;

VINC_API int vinc_contractivity_of(vinc_model *model,
                                   const struct vinc_contractivity_options *options,
                                   vinc_contractivity **out);

/* ---- stabilised constraints (vincolo run --baumgarte) ------------------------------------------ */

typedef struct vinc_stabilising { // by zeta
    double zeta;
    double omega_limit;   // beyond, violations grow; infinite: never
    double omega, factor; // by which they shrink most, and to which part in a step
} vinc_stabilising;

typedef struct vinc_stabilised {       // a run of the model
    const char *formulation, *status;  // "done" or "failed"
    double position_max, velocity_max; // largest violations
} vinc_stabilised;

typedef struct vinc_stabilisation {
    vinc_report *report;
    const char *model, *class_name, *method;
    int fixed; // 1: the step was given; 0: it is the mean of a run without stabilisation
    double step;
    int order;      // how often the constraints are differentiated
    double fastest; // modulus of the largest eigenvalue at the start, rad/s
    double zeta, omega, tau, factor, omega_limit; // the advice
    int n_rows, n_runs;
    const vinc_stabilising *rows;
    const vinc_stabilised *runs; // without, as by default, and those tried
} vinc_stabilisation;

/* Which omega (tau = 1/omega), with critical damping, leaves least of violations with this method and
 * step; limits of stability by zeta. Refused for a model without constraints and for methods that are
 * no single formula. */
VINC_API int vinc_stabilisation_of(vinc_model *model, const struct vinc_sim_options *options,
                                   vinc_stabilisation **out);

/* ---- linearization (vincolo linearize) ------------------------------------------------------- */

typedef struct vinc_mode {
    double re, im;             // eigenvalue
    double frequency, damping; // its modulus; damping ratio
    int fold;                  // length of its chain: above 1, A has fewer shapes than states
    int n;
    const double *shape_re, *shape_im; // n states; the largest component is 1
} vinc_mode;

typedef struct vinc_linear {
    vinc_report *report;
    const char *model, *class_name;
    double t;
    const char *point;   // "start", "stop" or "equilibrium"
    const char *rate_of; // the state that moves most, where the point is no equilibrium; NULL
    double rate;         // ... its derivative
    const char *held;    // discrete variables that are taken as constant; NULL: none
    int constant;        // linear with constant coefficients: the same at every point
    int n_states, n_inputs, n_outputs;
    const char *const *states, *const *inputs, *const *outputs;
    const double *x;             // values of the states
    const int *shifted;          // by state: 1: less its part by the inputs
    const double *a, *b, *c, *d; // x' = A x + B u, y = C x + D u
    double improper;             // > 0: the outputs need derivatives of the inputs, by so much
    int n_modes;                 // by distance from the origin; pairs together, im > 0 first
    const vinc_mode *modes;
    double modes_condition; // of the matrix of mode shapes; infinite for a defective A
    const char *chart;
} vinc_linear;

VINC_API int vinc_linear_of(vinc_model *model, const struct vinc_linear_options *options,
                            vinc_linear **out);

typedef struct vinc_mode_step { // a mode, by a method with a fixed step
    double re, im;              // eigenvalue, im >= 0
    const char *method;
    double exact;              // e^(h re): what is left of it after a step
    double modulus, frequency; // by the method: what is left, and the frequency it shows, rad/s
    const char *what; // followed, damped, rings with the period 2 h, aliased ..., lingers, grows
} vinc_mode_step;

typedef struct vinc_mode_steps {
    vinc_report *report;
    const char *model, *class_name;
    double t, step;
    int n_rows; // mode by mode
    const vinc_mode_step *rows;
} vinc_mode_steps;

/* What the methods of the options make of the modes at the point, in steps of run->step. */
VINC_API int vinc_mode_steps_of(vinc_model *model, const struct vinc_linear_options *options,
                                vinc_mode_steps **out);

typedef struct vinc_locus_point {
    double value; // of the parameter
    int n;
    const double *re, *im; // eigenvalues, as in vinc_linear
} vinc_locus_point;

typedef struct vinc_locus {
    vinc_report *report;
    const char *model, *class_name;
    const char *parameter, *point; // "time": along a run; the point in words
    int n_rows;
    const vinc_locus_point *rows;
    const char *chart;
} vinc_locus;

/* Eigenvalues for each value of options->sweep. */
VINC_API int vinc_locus_of(vinc_model *model, const struct vinc_linear_options *options,
                           vinc_locus **out);

/* ---- control (vincolo linearize --transfer) -------------------------------------------------- */

typedef struct vinc_channel { // from one input to one output, of a minimal realization
    const char *input, *output, *formula;
    double gain; // G = gain product (s - zero) / product (s - pole); 0: the output does not depend
    double steady; // G(0); infinite where a pole is there
    int n_zeros, n_poles, n_num, n_den;
    const double *zero_re, *zero_im, *pole_re, *pole_im;
    const double *num, *den; // polynomials, highest power first
    int closed_stable;       // the loop closed by u = r - y; -1: it is not defined
    double gain_margin,
        gain_margin_at; // the factor nearest to 1 with G(i w) = -1, and w; NaN: none
    double phase_margin,
        phase_margin_at; // degrees above -180 where |G| = 1, the least; NaN: nowhere
} vinc_channel;

typedef struct vinc_mode_reach {
    double re, im;
    int reached, seen; // by the inputs, in the outputs
} vinc_mode_reach;

typedef struct vinc_control {
    vinc_report *report;
    const char *model, *class_name;
    double t;
    const char *point; // "start", "stop" or "equilibrium"
    int n_states, n_inputs, n_outputs;
    const char *const *states, *const *inputs, *const *outputs;
    int n_channels; // output by output
    const vinc_channel *channels;
    int n_modes;
    const vinc_mode_reach *modes;
    const double *k, *l;                       // u = -K x; z' = A z + B u + L (y - C z - D u)
    int n_regulated, n_observed;               // 0: not asked for
    const double *regulated_re, *regulated_im; // eigenvalues of A - B K
    const double *observed_re, *observed_im;   // eigenvalues of A - L C
    const char *chart;
} vinc_control;

/* Transfer functions, margins, modes reached and seen and, where asked for, gains of least cost. */
VINC_API int vinc_control_of(vinc_model *model, const struct vinc_linear_options *options,
                             vinc_control **out);

/* ---- passivity (vincolo passivity) ----------------------------------------------------------- */

typedef struct vinc_passivity {
    vinc_report *report;
    const char *model, *class_name;
    int n_ports;
    const char *const *inputs, *const *outputs;
    int passive; // 1, 0; -1: not decided
    const char *kind, *how,
        *reason;         // kind: memoryless, lossless, storage-limited, active, undecided
    const char *basis;   // of `passive`: proved, refuted, not refuted (by the runs), undecided
    const char *verdict; // in words
    int n_runs;          // with inputs of several sizes and frequencies; what follows is of the one
                         // that decided, or of the first
    double amplitude;    // of its sines
    int linear;          // with constant coefficients: the same linearization everywhere
    double t_linear;     // the linearization at the start:
    int linear_passive, linear_strictly;
    int n_crossings;
    const double *crossings; // imaginary eigenvalues of the Hamiltonian pencil
    const char *linear_reason;
    double t_start, t_stop;            // the run
    int n_sines;                       // 0: the inputs came from a table
    const double *sines;               // rad/s
    double supplied, lowest, t_lowest; // energy through the ports
    const char *storage;               // the storage function; NULL: none
    double storage_start, storage_end, storage_lowest, dissipated;
    double violation;  // largest of V' <= u^T y
    int storage_holds; // it is none beyond round-off
} vinc_passivity;

VINC_API int vinc_passivity_of(vinc_model *model, const struct vinc_passivity_options *options,
                               vinc_passivity **out);

typedef struct vinc_positive_real { // of a transfer function
    vinc_report *report;
    const char *numerator, *denominator; // as given
    int passive, strictly;
    const char *kind, *reason;
    int n_common; // degree of the common factor, which was cancelled
    int n_crossings;
    const double *crossings;
} vinc_positive_real;

VINC_API int vinc_positive_real_of(vinc_ctx *ctx, const char *numerator, const char *denominator,
                                   vinc_positive_real **out);

/* ---- linear DAEs (vincolo pencil) ------------------------------------------------------------ */

typedef struct vinc_pencil_point {
    double t;
    int n;
    const double *differential, *nilpotent, *x; // by the exponential, by N, their sum
} vinc_pencil_point;

typedef struct vinc_pencil {
    vinc_report *report;
    int n, regular;
    int named, n_unknowns; // 1, n: the unknowns have names
    const char *const *unknowns;
    /* Regular pencils: U F V = diag(I, N), U G V = diag(C, I). */
    int index;                // -1: singular
    int n_finite, n_infinite; // -1: singular
    int n_eigenvalues;
    const double *eig_re, *eig_im; // lambda with det(lambda F + G) = 0
    int n_blocks;
    const int *blocks;   // sizes of nilpotent blocks, largest first
    int n_finite_blocks; // Jordan blocks of the finite part, 0: not found
    const int *finite_blocks;
    const double *block_re, *block_im; // lambda of each, im >= 0 for a pair
    int finite_jordan;                 // C is made of them
    double finite_condition;           // of the transformation to them
    const double *c, *nil, *u, *v;
    const double *w; // n_infinite by n: x(0) is consistent where W x(0) = v(0); NULL: V is singular
    double residual;
    double kept, dropped; // rank decisions: singular values, relative
    /* Singular ones. */
    int rank, degree, free_columns, void_rows;
    /* The form as given. */
    const char *form, *form_reason;
    double form_condition;
    int n_algebraic;
    int form_index;    // of a Hessenberg form
    int n_layers;      // n, or 0
    const int *layers; // by unknown: i of x_i, 0 for z
    /* The solution, where there is a right-hand side. */
    int solved;
    const double *x0;    // n: the consistent start used
    double inconsistent; // how much the x0 given differed from it
    int k_known, n_k;    // 0 at resonance; n_finite otherwise
    const double *k;     // u = e^(-C t) k + p(t)
    int n_u, n_v;        // n_finite, n_infinite
    const char *const *u_rhs, *const *p, *const *v_formula; // U1 h, p and v as formulas
    const double *u0;
    int by_quadrature; // h is of no closed form: u by its integral, with this estimate of the error
    double integral_error;
    int n_points;
    const vinc_pencil_point *points;
} vinc_pencil;

/* Matrices from two CSV files without header, or of a model that is linear. */
VINC_API int vinc_pencil_of(vinc_ctx *ctx, const char *f_csv, const char *g_csv,
                            const struct vinc_pencil_options *options, vinc_pencil **out);
VINC_API int vinc_pencil_of_model(vinc_model *model, const struct vinc_pencil_options *options,
                                  vinc_pencil **out);

/* ---- methods (vincolo method) ---------------------------------------------------------------- */

/* The undamped oscillator of period T in steps of h, z = 2 pi i h/T. */
typedef struct vinc_oscillation {
    double h_over_t;
    int n_roots;           // of the amplification polynomial; 1 for one-step methods
    const double *root_re; // by modulus, the largest first
    const double *root_im;
    double principal_re, principal_im; // the root that follows e^z
    double radius;                     // modulus of the largest root
    double damping, period;            // damping ratio; computed period / T - 1
    double phase;                      // angle of the principal root, followed from h = 0
} vinc_oscillation;

typedef struct vinc_method_facts {
    const char *spec, *name; // as named; without parameters
    const char *family;
    const char *summary, *cite; // NULL: of a file or a design
    int order, order_min, order_max;
    int varies;            // the order varies between the last two
    int known;             // the formula is fixed; what follows holds then
    int stages;            // or steps
    const char *kind;      // explicit, implicit, diagonally implicit ...
    const char *structure; // one-step, multistep ...
    int one_step, second_order, one_leg;
    int exact;       // every decision was made in rational arithmetic
    int stage_order; // of one-step methods
    double error_constant;
    const char *error_constant_exact; // as a fraction, where it is one
    int rational;                     // R(z) is numerator / denominator, lowest power first
    int n_numerator, n_denominator;
    const double *numerator, *denominator;
    const char *r_formula; // with fractions
    int n_rho, n_sigma;    // otherwise the polynomials of a multistep formula
    const double *rho, *sigma;
    int general;             // several steps and stages: the roots zeta of the sum of
    int n_factors, n_powers; // factors[i, j] z^j zeta^(n_factors - 1 - i)
    const double *factors;
    int is_explicit, zero_stable, a_stable, l_stable;
    double a_alpha_deg, rho_inf;         // rho_inf infinite: unbounded
    double growth, growth_re, growth_im; // implicit, not A-stable: the largest root at such a point
                                         // h lambda of the left half plane; NaN: none is given
    double real_limit, imag_limit;       // infinite: unconditional
    int stiffly_accurate, algebraically_stable, symmetric, symplectic;
    int for_daes; // 1: orders to expect on DAEs given as they stand; 0: no convergence
    int dae_index1;
    int dae_index2[2];                       // differential unknowns, multipliers
    int dae_index3[3];                       // positions, velocities, multipliers
    const char *formula_name, *formula_kind; // of files and designs; NULL: built in
    int n_stages, n_steps;                   // of that formula; one of them 0
    const double *a, *b, *c;                 // n_stages squared, n_stages, n_stages
    int n_past;                              // with both: Y = U y + h A f(Y), y = v y + h b f(Y)
    const double *u, *v;                     // n_stages by n_past, n_past
    int n_alpha;                             // n_steps + 1
    const double *alpha, *beta;
    int n_at; // where the options ask for the oscillator
    const vinc_oscillation *at;
} vinc_method_facts;

typedef struct vinc_method_set {
    vinc_report *report;
    int listed; // 1: the list of all methods
    int alone;  // 1: one method was named
    int n_methods;
    const vinc_method_facts *methods;
} vinc_method_set;

/* The list of methods (names NULL), or the analysis of those named, separated by commas. */
VINC_API int vinc_method_set_of(vinc_ctx *ctx, const char *names,
                                const struct vinc_method_options *options, vinc_method_set **out);

/* ---- what is in an FMU (vincolo check model.fmu) --------------------------------------------- */

typedef struct vinc_fmu_variable {
    const char *name, *type, *causality, *variability;
    const char *initial, *start; // NULL: none; start of an array: its first value
    const char *unit, *description;
    const char *derivative_of; // the state that it is the derivative of; NULL: of none
    int size;                  // elements; 1 of a scalar
} vinc_fmu_variable;

typedef struct vinc_fmu_contents {
    vinc_report *report;
    const char *file, *name, *description;
    const char *fmi; // "2.0", "3.0"
    const char *tool, *made;
    int exchange, steps, scheduled; // model exchange, co-simulation, scheduled execution
    const char *const *platforms;   // folders of its libraries
    int n_platforms;
    int sources;               // 1: it can be built from sources
    const char *const *offers; // "states that can be saved", "directional derivatives" ...
    int n_offers;
    double start, stop, tolerance, step; // of its experiment; NaN: it does not say
    int n_variables, n_states, n_inputs, n_outputs, n_parameters, n_indicators;
    const vinc_fmu_variable *variables;
    int n_errors, n_warnings; // against the standard: the messages of the context say which
} vinc_fmu_contents;

/* What an FMU of anybody says of itself, held against the rules of FMI 2 and 3. Nothing of it is run.
 * VINC_OK also where it breaks rules; VINC_E_MODEL where it cannot be read. */
VINC_API int vinc_fmu_contents_of(vinc_ctx *ctx, const char *path, vinc_fmu_contents **out);

/* ---- what a run of an FMU did (vincolo run model.fmu) ------------------------------------------ */

typedef struct vinc_fmu_run {
    vinc_report *report;
    const char *model, *name;        // the file; the model in it
    const char *fmi, *kind;          // "3.0"; "model exchange" or "co-simulation"
    const char *process;             // "its own" or "this one"
    const char *method, *method_why; // of model exchange; NULL: none, and by whom it was chosen
    double t_start, t_end, tolerance;
    const char *status; // "done", "failed", "interrupted", "terminated"
    long steps, rejected, rhs_evals, jacobian_evals, events;
    long calls; // requests to the FMU
    int n_states, n_indicators, n_recorded;
    double wall_open, wall_init, wall_integrate;
    const char *const *final_names;
    const double *final_values;
    int n_final;
    const char *message; // why it ended early; NULL: it did not
} vinc_fmu_run;

VINC_API int vinc_fmu_run_of(vinc_fmu *fmu, vinc_fmu_run **out);

/* ---- examples of a library ------------------------------------------------------------------- */

typedef struct vinc_example {
    const char *name;      // full name of the class
    const char *status;    // "simulated"; "failed", "limit", "crashed", "stopped"; "not run"
    double seconds;        // from the name of the class to the last row; NaN: it was not run
    int n_signals, inside; // of the reference, those in its tube; 0 of 0: there is no reference
    const char *code;      // of the message; NULL: none
    const char *reason;    // the message, or the signal that is not inside; NULL: none
} vinc_example;

typedef struct vinc_examples {
    vinc_report *report;
    const char *library;
    int n_examples, simulated;
    int compared, inside; // those with a reference that were simulated; all their signals inside
    double median, p90;   // seconds of those that were simulated; NaN: there are none
    const vinc_example *examples;
} vinc_examples;

/* The table of `vincolo examples`, from its rows: whoever runs them fills these. */
VINC_API int vinc_examples_of(vinc_ctx *ctx, const char *library, const vinc_example *examples,
                              int n, vinc_examples **out);

/* ---- a goal and its gradient (vincolo gradient, vincolo optimize) ----------------------------- */

typedef struct vinc_slope {
    const char *name;
    double value, slope;
    double share; // change of the goal, in parts of itself, for one percent more, times 100
} vinc_slope;

typedef struct vinc_gradient {
    vinc_report *report;
    const char *model, *goal;
    double value;
    int n_slopes;
    const vinc_slope *slopes;
    const char *way; // how: "forward", "adjoint"
} vinc_gradient;

/* The value of a goal and its exact derivatives, by those of the trajectory. */
VINC_API int vinc_gradient_of(vinc_model *model, const struct vinc_goal_options *options,
                              vinc_gradient **out);

typedef struct vinc_optimum_parameter {
    const char *name;
    double value, start, lower, upper, slope; // slope on its scale
    int log, at_bound;
} vinc_optimum_parameter;

typedef struct
    vinc_optimum_control { // constant on each piece of the run; or, n_times values, linear
    const char *name;
    double lower, upper;
    int n_values;
    const double *values;
} vinc_optimum_control;

typedef struct vinc_optimum {
    vinc_report *report;
    const char *model, *goal;
    double value, start;
    int n_parameters;
    const vinc_optimum_parameter *parameters;
    int converged, iterations, evaluations;
    const char *modification; // the model with these values, in Modelica
    /* Of a motion that was optimized piece by piece. */
    const char *way; // "collocation", "shooting", "single"; NULL: there are parameters alone
    int n_constraints;
    int n_controls;
    const vinc_optimum_control *controls;
    int n_times; // where pieces begin, and the end
    const double *times;
    double gap; // between the end of a piece that is run and the next, over the size of the state
    const char *why; // it did not converge, and what may help; NULL: it did
    const char *chart;
} vinc_optimum;

/* Parameters within bounds, controls and an end time for which a goal is least and constraints hold. */
VINC_API int vinc_optimum_of(vinc_model *model, const struct vinc_goal_options *options,
                             vinc_optimum **out);

/* ---- parameter estimation (vincolo fit) ------------------------------------------------------ */

typedef struct vinc_fit_parameter {
    const char *name;
    double value, start, lower, upper; // bounds may be infinite
    int log;                           // 1: fitted on a scale of log10
    double error;                      // standard error, on its scale; NaN: the data do not tell
    double low, high;                  // of an interval of 95 percent; NaN likewise
    double gradient;                   // of the negative log-likelihood, on its scale
    int at_bound;                      // 1: it stands at a bound
    /* Where its profile loses what an interval of 95 percent may; infinite: nowhere within its bounds; NaN:
     * not asked for. */
    double profile_low, profile_high;
} vinc_fit_parameter;

typedef struct vinc_fit {
    vinc_report *report;
    const char *model;
    int evaluated; // 1: nothing was fitted, these are the values that were given
    int n_parameters;
    const vinc_fit_parameter *parameters;
    int n_data, n_conditions;
    double log_likelihood, log_likelihood_at_start;
    double squares; // sum of squared residuals over their standard deviations
    int converged, iterations, evaluations;
    int n_starts, n_starts_same; // those that ended, and those that ended at this optimum
    int n_shared;                // n_parameters, or 0 where there is no correlation
    const double *correlation;   // by columns
    int n_unseen;                // combinations of parameters that the data do not show
    const char *const *unseen;   // ... in words
    const char *modification;    // the model with the fitted values, in Modelica
    const char *why;             // it did not converge; NULL: it did
    const char *chart;
    /* Seconds: until runs could begin (tables, the extended model, its derivatives), and of the search, or of the
     * one evaluation. */
    double wall_ready, wall_search;
} vinc_fit;

/* Estimate parameters of a model by the likelihood of data, with exact derivatives. */
VINC_API int vinc_fit_of(vinc_model *model, const struct vinc_fit_options *options, vinc_fit **out);

/* ---- two results (vincolo diff) -------------------------------------------------------------- */

typedef struct vinc_signal_difference {
    const char *name, *unit;
    const char
        *what; // "agrees", "second" or "first" (whose value leaves the tube around the other),
               // "only in the first", "only in the second"
    double largest, at; // the largest difference at an instant, and when; NaN where there is none
    double size;        // of the variable in the first result
    double t, value, lowest, highest; // where it leaves the tube, and the tube there
} vinc_signal_difference;

typedef struct vinc_difference {
    vinc_report *report;
    const char *first, *second;
    int equal; // all agree, and both end at the same time
    double tol, first_ends, second_ends;
    int same_times; // row by row
    int n_compared, n_agree, n_signals;
    const vinc_signal_difference *signals;
    const char *chart;
} vinc_difference;

/* Is the second the same as the first? A variable agrees where its points lie in the tube of half-width
 * tol (of the time, and of the size of the variable) around the other result, both ways. */
VINC_API int vinc_difference_of(struct vinc_result *first, struct vinc_result *second,
                                const struct vinc_difference_options *options,
                                vinc_difference **out);

/* ---- what went wrong ------------------------------------------------------------------------- */

typedef struct vinc_failure {
    vinc_report *report;
    const char *model;   // as named
    const char *status;  // "failed"
    const char *message; // the first error in the context's messages
} vinc_failure;

VINC_API int vinc_failure_of(vinc_ctx *ctx, const char *model, vinc_failure **out);

#ifdef __cplusplus
}
#endif
#endif
