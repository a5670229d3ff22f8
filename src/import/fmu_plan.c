/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/fmu_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements -------------------------------------------------------------------------------- */

static int64_t dimension_of(const fmi_description *d, const fmi_dimension *n)
{
    int by = n->has_reference ? fmi_variable_of(d, n->reference) : -1;
    if (by < 0) return n->start;
    return d->variables.at[by].n_starts ? strtoll(d->variables.at[by].starts[0], NULL, 10) : 0;
}

const char *import_element_name(const fmi_description *d, const fmi_variable *v, int64_t k,
                                char room[PLAN_NAME])
{
    char index[100] = "", one[40];
    if (!v->n_dimensions) return v->name;
    for (int i = v->n_dimensions - 1; i >= 0; i--) {
        int64_t n = dimension_of(d, &v->dimensions[i]);
        if (n < 1) n = 1;
        snprintf(one, sizeof one, "%lld%s", (long long)(k % n + 1), *index ? "," : "");
        k /= n;
        if (strlen(one) + strlen(index) >= sizeof index) continue;
        memmove(index + strlen(one), index, strlen(index) + 1);
        memcpy(index, one, strlen(one));
    }
    // Of der(x) and der(x,2): der(x[1]).
    size_t n = strlen(v->name), whole = n;
    if (n > 5 && !strncmp(v->name, "der(", 4) && v->name[n - 1] == ')') {
        const char *order = strrchr(v->name, ',');
        bool counts = order && strspn(order + 1, "0123456789") == strlen(order + 1) - 1;
        whole = counts ? (size_t)(order - v->name) : n - 1;
    }
    if (whole > 450) whole = 450;
    snprintf(room, PLAN_NAME, "%.*s[%s]%.30s", (int)whole, v->name, index, v->name + whole);
    return room;
}

const char *import_state_name(const import_plan *p, int i, char room[PLAN_NAME])
{
    const fmi_description *d = p->d;
    for (int k = 0; k < d->derivatives.n; k++) {
        int v = d->derivatives.at[k].variable;
        if (v < 0) continue;
        const fmi_variable *rate = &d->variables.at[v];
        if (i < rate->size)
            return import_element_name(
                d, rate->integral < 0 ? rate : &d->variables.at[rate->integral], i, room);
        i -= (int)rate->size;
    }
    return "a state";
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool is_numeric(const fmi_variable *v)
{
    return v->type != FMI_STRING && v->type != FMI_BINARY && v->type != FMI_CLOCK && v->size > 0;
}

static bool is_recorded(const fmi_variable *v)
{
    return is_numeric(v) && !v->is_alias && v->causality != FMI_INDEPENDENT;
}

bool import_is_port(const fmi_variable *v, fmi_causality causality)
{
    return v->causality == causality && is_recorded(v) &&
           (v->type == FMI_FLOAT64 || v->type == FMI_FLOAT32);
}

static bool varies(const fmi_variable *v)
{
    return v->variability == FMI_DISCRETE || v->variability == FMI_CONTINUOUS;
}

/* Is it a number that a variable of this type can be? */
static bool type_holds(fmi_type type, double x)
{
    static const struct {
        double least, most;
    } whole[FMI_TYPES] = {[FMI_INT8] = {INT8_MIN, INT8_MAX},
                          [FMI_UINT8] = {0, UINT8_MAX},
                          [FMI_INT16] = {INT16_MIN, INT16_MAX},
                          [FMI_UINT16] = {0, UINT16_MAX},
                          [FMI_INT32] = {INT32_MIN, INT32_MAX},
                          [FMI_UINT32] = {0, UINT32_MAX},
                          [FMI_INT64] = {-0x1p63, 0x1.fffffffffffffp62},
                          [FMI_UINT64] = {0, 0x1.fffffffffffffp63},
                          [FMI_BOOLEAN] = {0, 1},
                          [FMI_ENUMERATION] = {-0x1p63, 0x1.fffffffffffffp62}};
    if (type == FMI_FLOAT32 || type == FMI_FLOAT64) return true;
    return x == floor(x) && x >= whole[type].least && x <= whole[type].most;
}

/* Groups of the variables that have a slot (the first of their elements; -1: none). */
static void make_groups(arena *a, const fmi_description *d, const int *slot, box_groups *all)
{
    for (int t = 0; t < FMI_TYPES; t++) {
        box_group *g = &all->of[t];
        for (int i = 0; i < d->variables.n; i++) {
            const fmi_variable *v = &d->variables.at[i];
            if (slot[i] < 0 || v->type != (fmi_type)t) continue;
            g->n++;
            g->n_values += (size_t)v->size;
        }
        if (!g->n) continue;
        g->references = arena_array(a, uint32_t, g->n);
        g->slots = arena_array(a, int, g->n_values);
        size_t k = 0;
        for (int i = 0, n = 0; i < d->variables.n; i++) {
            const fmi_variable *v = &d->variables.at[i];
            if (slot[i] < 0 || v->type != (fmi_type)t) continue;
            g->references[n++] = v->reference;
            for (int e = 0; e < v->size; e++) g->slots[k++] = slot[i] + e;
        }
    }
}

static int *no_slots(arena *a, const fmi_description *d)
{
    int *slot = arena_array(a, int, d->variables.n + 1);
    for (int i = 0; i < d->variables.n; i++) slot[i] = -1;
    return slot;
}

static void group_recorded(import_plan *p, arena *a, bool outputs_only)
{
    const fmi_description *d = p->d;
    int *varying = no_slots(a, d), *fixed = no_slots(a, d);
    for (int i = 0; i < d->variables.n; i++) {
        const fmi_variable *v = &d->variables.at[i];
        if (outputs_only ? !import_is_port(v, FMI_OUTPUT) : !is_recorded(v)) continue;
        int *n = varies(v) ? &p->n_values : &p->n_fixed;
        (varies(v) ? varying : fixed)[i] = *n;
        *n += (int)v->size;
    }
    make_groups(a, d, varying, &p->values);
    make_groups(a, d, fixed, &p->fixed);
}

/* Rows for an input that is no Real hold what it can be. */
static int check_column(import_file *x, const plan_input *in, const fmi_variable *v, int column)
{
    const result *r = in->table->r;
    for (size_t k = 0; k < r->n_rows; k++) {
        double value = result_value(r, column, k);
        if (type_holds(v->type, value)) continue;
        diag_error(x->diags, "C129", (span){0},
                   "'%s', row %zu: '%s' cannot be %g, it is of type %s", in->table_name, k + 1,
                   r->columns[column].name, value, fmi_type_names[v->type]);
        return VINC_E_OPTION;
    }
    return VINC_OK;
}

/* Inputs that a column of the table drives. */
static int group_inputs(import_plan *p, import_file *x, const plan_input *in)
{
    const fmi_description *d = p->d;
    int *smooth = no_slots(&x->a, d), *other = no_slots(&x->a, d), most = 1;
    char room[PLAN_NAME];
    if (!in->table->r) return VINC_OK;
    for (int i = 0; i < d->variables.n; i++)
        if (d->variables.at[i].causality == FMI_INPUT && is_recorded(&d->variables.at[i]))
            most += (int)d->variables.at[i].size;
    in->table->columns = arena_array(&x->a, int, most);
    in->table->held = arena_array(&x->a, bool, most);
    for (int i = 0; i < d->variables.n; i++) {
        const fmi_variable *v = &d->variables.at[i];
        if (v->causality != FMI_INPUT || !is_recorded(v)) continue;
        bool driven = true;
        for (int e = 0; e < v->size; e++) {
            const char *name = import_element_name(d, v, e, room);
            int c = result_find(in->table->r, name);
            in->table->columns[p->n_inputs + e] = c;
            in->table->held[p->n_inputs + e] = v->variability != FMI_CONTINUOUS;
            if (c < 0 && driven)
                diag_warning(x->diags, "C121", (span){0},
                             "'%s' has no column '%s': that input keeps its start value",
                             in->table_name, name);
            driven &= c >= 0;
            int rc = c < 0 ? VINC_OK : check_column(x, in, v, c);
            if (rc) return rc;
        }
        if (!driven) continue;
        (v->variability == FMI_CONTINUOUS ? smooth : other)[i] = p->n_inputs;
        p->n_inputs += (int)v->size;
    }
    make_groups(&x->a, d, smooth, &p->inputs);
    make_groups(&x->a, d, other, &p->discrete_inputs);
    return VINC_OK;
}

static void group_ports(import_plan *p, arena *a)
{
    const fmi_description *d = p->d;
    int *smooth = no_slots(a, d), *other = no_slots(a, d);
    for (int i = 0; i < d->variables.n; i++) {
        const fmi_variable *v = &d->variables.at[i];
        if (!import_is_port(v, FMI_INPUT)) continue;
        (v->variability == FMI_CONTINUOUS ? smooth : other)[i] = p->n_inputs;
        p->n_inputs += (int)v->size;
    }
    make_groups(a, d, smooth, &p->inputs);
    make_groups(a, d, other, &p->discrete_inputs);
}

/* ---- states ---------------------------------------------------------------------------------- */

static void take_states(import_plan *p, arena *a)
{
    enum { STATES_WITH_SLOPES_MAX = 2000 }; // a full matrix of 32 MB
    const fmi_description *d = p->d;
    bool known = p->kind->directional;
    int n = d->derivatives.n;
    uint32_t *states = arena_array(a, uint32_t, n + 1), *rates = arena_array(a, uint32_t, n + 1);
    for (int i = 0; i < n; i++) {
        int v = d->derivatives.at[i].variable;
        const fmi_variable *rate = v < 0 ? NULL : &d->variables.at[v];
        p->n_states += rate && rate->size > 0 ? (int)rate->size : 0;
        known &= rate && rate->integral >= 0;
        rates[i] = rate ? rate->reference : 0;
        states[i] = rate && rate->integral >= 0 ? d->variables.at[rate->integral].reference : 0;
    }
    p->n_state_variables = n;
    p->n_indicators = d->n_indicators;
    if (!known || p->n_states > STATES_WITH_SLOPES_MAX || !p->n_states) return;
    p->states = states;
    p->derivatives = rates;
}

/* ---- settings -------------------------------------------------------------------------------- */

typedef struct setter {
    import_plan *p;
    import_file *x;
    int *slot; // of each variable in the values to be set; -1: none
    double *values;
    int n, room;
    box_text *texts;
} setter;

static int refuse(const setter *s, const char *name, const char *format, const char *more)
{
    char room[400];
    snprintf(room, sizeof room, format, more ? more : "");
    diag_error(s->x->diags, "F183", (span){0}, "-p %.200s: %s", name, room);
    return VINC_E_OPTION;
}

static int refuse_unknown(const setter *s, const char *name)
{
    const fmi_description *d = s->p->d;
    const char **names = arena_array(&s->x->a, const char *, d->variables.n + 1);
    for (int i = 0; i < d->variables.n; i++) names[i] = d->variables.at[i].name;
    const char *near = diag_nearest(name, names, d->variables.n);
    return near ? refuse(s, name, "the FMU has no such variable; did you mean '%.200s'?", near)
                : refuse(s, name, "the FMU has no such variable%s", "");
}

static bool can_be_set(const fmi_variable *v)
{
    if (v->causality == FMI_PARAMETER || v->causality == FMI_STRUCTURAL ||
        v->causality == FMI_INPUT)
        return true;
    return v->variability != FMI_CONSTANT && v->causality != FMI_INDEPENDENT &&
           (v->initial == FMI_EXACT || v->initial == FMI_APPROX);
}

static bool read_number(const char *words, size_t n, double *out)
{
    if (n == 4 && !strncmp(words, "true", n)) return *out = 1, true;
    if (n == 5 && !strncmp(words, "false", n)) return *out = 0, true;
    return fmi_real(words, n, out) && isfinite(*out);
}

static int refuse_type(const setter *s, const char *name, fmi_type type)
{
    return refuse(s, name, "that is no value of type %s", fmi_type_names[type]);
}

/* Slots of the variable, filled with its start values where it has none yet. */
static int claim(setter *s, int v)
{
    const fmi_variable *x = &s->p->d->variables.at[v];
    if (s->slot[v] >= 0) return s->slot[v];
    s->slot[v] = s->n;
    for (int e = 0; e < x->size; e++) {
        double value = 0;
        const char *words = x->n_starts ? x->starts[x->n_starts > e ? e : 0] : "0";
        read_number(words, strlen(words), &value);
        s->values[s->n++] = value;
    }
    return s->slot[v];
}

/* One number for all, or {1, 2, 3}: one for each. */
static int set_whole(setter *s, int v, const vinc_setting *given)
{
    const fmi_variable *x = &s->p->d->variables.at[v];
    const char *p = given->value + strspn(given->value, " ");
    bool list = *p == '{';
    int at = claim(s, v), count = 0;
    double value = 0;
    p += list;
    do {
        p += strspn(p, " ");
        size_t n = strcspn(p, ",} ");
        if (!read_number(p, n, &value))
            return refuse(s, given->name, "'%.100s' is no number", given->value);
        if (!type_holds(x->type, value)) return refuse_type(s, given->name, x->type);
        if (count < x->size) s->values[at + count] = value;
        count++;
        p += n;
        p += strspn(p, " ");
    } while (list && *p++ == ',');
    if (!list)
        for (int e = 1; e < x->size; e++) s->values[at + e] = value;
    return !list || count == x->size
               ? VINC_OK
               : refuse(s, given->name, "there are not as many numbers as elements%s", "");
}

static int set_variable(setter *s, int v, const vinc_setting *given, int element)
{
    const fmi_variable *x = &s->p->d->variables.at[v];
    double value;
    if (!can_be_set(x))
        return refuse(s, given->name, "it is calculated by the FMU (%s) and cannot be set",
                      fmi_causality_names[x->causality]);
    if (x->type == FMI_STRING) {
        s->texts[s->p->n_texts++] = (box_text){x->reference, given->value};
        return VINC_OK;
    }
    if (!is_numeric(x))
        return refuse(s, given->name, "a %s cannot be set here", fmi_type_names[x->type]);
    if (element < 0) return set_whole(s, v, given);
    if (!read_number(given->value, strlen(given->value), &value))
        return refuse(s, given->name, "'%.100s' is no number", given->value);
    if (!type_holds(x->type, value)) return refuse_type(s, given->name, x->type);
    s->values[claim(s, v) + element] = value;
    return VINC_OK;
}

static int apply_setting(setter *s, const vinc_setting *given)
{
    const fmi_description *d = s->p->d;
    int v = fmi_named_in(d, &d->by_name, given->name);
    char room[PLAN_NAME];
    if (v >= 0 && d->variables.at[v].is_alias) v = fmi_variable_of(d, d->variables.at[v].reference);
    if (v >= 0) return set_variable(s, v, given, -1);
    for (int i = 0; i < d->variables.n; i++) { // an element?
        const fmi_variable *x = &d->variables.at[i];
        size_t n = strlen(x->name);
        if (!x->n_dimensions || strncmp(x->name, given->name, n) || given->name[n] != '[') continue;
        for (int e = 0; e < x->size; e++)
            if (!strcmp(import_element_name(d, x, e, room), given->name))
                return set_variable(s, i, given, e);
    }
    return refuse_unknown(s, given->name);
}

/* Structural parameters decide on sizes: their start values become the new ones, before anything else. */
static int apply_structural(import_file *x, const plan_input *in)
{
    fmi_description *d = &x->f.d;
    for (int i = 0; i < in->n_settings; i++) {
        int v = fmi_named_in(d, &d->by_name, in->settings[i].name);
        fmi_variable *to = v < 0 ? NULL : &d->variables.at[v];
        const char *value = in->settings[i].value;
        if (!to || to->causality != FMI_STRUCTURAL || to->type != FMI_UINT64) continue;
        if (!fmi_is_value(value, "u32", 3)) {
            diag_error(x->diags, "F183", (span){0}, "-p %.200s: '%.100s' is no size", to->name,
                       value);
            return VINC_E_OPTION;
        }
        const char **starts = arena_array(&x->a, const char *, 1);
        starts[0] = arena_strndup(&x->a, value, strlen(value));
        to->starts = starts;
        to->n_starts = 1;
    }
    fmi_description_resize(d);
    return VINC_OK;
}

static int apply_settings(import_plan *p, import_file *x, const plan_input *in, double **values)
{
    const fmi_description *d = p->d;
    int *structural = no_slots(&x->a, d);
    setter s = {.p = p, .x = x, .slot = no_slots(&x->a, d)};
    int64_t room = 1;
    for (int i = 0; i < d->variables.n; i++)
        if (d->variables.at[i].size > 0) room += d->variables.at[i].size;
    s.values = arena_array(&x->a, double, in->n_settings ? room : 1);
    s.texts = arena_array(&x->a, box_text, in->n_settings + 1);
    for (int i = 0; i < in->n_settings; i++) {
        int rc = apply_setting(&s, &in->settings[i]);
        if (rc) return rc;
    }
    for (int i = 0; i < d->variables.n; i++)
        if (s.slot[i] >= 0 && d->variables.at[i].causality == FMI_STRUCTURAL)
            structural[i] = s.slot[i], s.slot[i] = -1;
    make_groups(&x->a, d, s.slot, &p->set);
    make_groups(&x->a, d, structural, &p->structural);
    p->n_set = s.n;
    p->texts = s.texts;
    *values = s.values;
    return VINC_OK;
}

int import_plan_make(import_plan *p, import_file *x, const plan_input *in, double **values)
{
    *p = (import_plan){
        .d = &x->f.d, .kind = in->steps ? &x->f.d.steps : &x->f.d.exchange, .steps = in->steps};
    int rc = apply_structural(x, in);
    if (rc) return rc;
    p->event_mode = in->steps && p->kind->event_mode;
    if (!in->steps) take_states(p, &x->a);
    group_recorded(p, &x->a, in->component);
    if (in->component) group_ports(p, &x->a);
    else rc = group_inputs(p, x, in);
    return rc ? rc : apply_settings(p, x, in, values);
}

/* ---- columns --------------------------------------------------------------------------------- */

static result_kind column_kind(const fmi_variable *v)
{
    if (v->type == FMI_FLOAT64 || v->type == FMI_FLOAT32) return RESULT_REAL;
    return v->type == FMI_BOOLEAN ? RESULT_BOOL : RESULT_INT;
}

int import_declare(const import_plan *p, const double *fixed, result *r)
{
    const fmi_description *d = p->d;
    char room[PLAN_NAME];
    int rc = 0, k = 0, of = 0; // of: the first column of the variable before, for its aliases
    for (int i = 0; i < d->variables.n && rc >= 0; i++) {
        const fmi_variable *v = &d->variables.at[i];
        bool alias = v->is_alias && is_numeric(v) && v->causality != FMI_INDEPENDENT;
        if (!alias && !is_recorded(v)) continue;
        if (!alias) of = r->n_columns;
        for (int e = 0; e < v->size && rc >= 0; e++) {
            const char *name = import_element_name(d, v, e, room);
            if (alias) rc = result_add_alias(r, name, v->unit, v->description, of + e, false);
            else if (varies(v)) rc = result_add(r, name, v->unit, v->description, column_kind(v));
            else
                rc = result_add_constant(r, name, v->unit, v->description, column_kind(v),
                                         fixed[k++]);
        }
    }
    return rc < 0 ? rc : 0;
}
