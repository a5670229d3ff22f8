/* Attributes of variables: start, fixed, min, max, nominal, unit, stateSelect ...
 *
 * Attributes are modifications like any other, of elements that predefined types have. Their values
 * are evaluated per element of an array; structs that come out equal are shared, across variables
 * too.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

enum {
    ATTR_START,
    ATTR_MIN,
    ATTR_MAX,
    ATTR_NOMINAL, // expressions up to here
    ATTR_FIXED,
    ATTR_SELECT,
    ATTR_UNIT,
    ATTR_DISPLAY,
    ATTR_QUANTITY,
    N_ATTR
};

typedef struct attribute {
    const inst_layer *layer;
    inst_cache cache;
    const char *name;
} attribute;

/* In scratch memory. */
static void find_layers(flat_builder *b, inst_node *n, attribute *a)
{
    const struct inst *in = b->inst;
    const sym names[N_ATTR] = {in->s_start,   in->s_min,          in->s_max,
                               in->s_nominal, in->s_fixed,        in->s_state_select,
                               in->s_unit,    in->s_display_unit, in->s_quantity};
    memset(a, 0, N_ATTR * sizeof *a);
    for (int i = 0; i < N_ATTR; i++) {
        a[i].name = names[i];
        a[i].cache.key = -1;
        inst_env env = inst_sub_in(b->scratch, n->env, names[i], n);
        if (env.n) a[i].layer = inst_value_layer(b, env, names[i]);
    }
}

static bool attribute_check_type(flat_builder *b, const inst_node *n, int k, const attribute *a,
                                 value *v)
{
    value want = {.n = 1};
    if (k <= ATTR_NOMINAL)
        want = (value){.type = n->type_id, .enum_id = (uint16_t)n->enum_id, .n = 1};
    else if (k == ATTR_FIXED) want.type = VALUE_BOOLEAN;
    else if (k == ATTR_SELECT) want.type = VALUE_ENUM, want.enum_id = v->enum_id;
    else want.type = VALUE_STRING;
    value one = *v;
    one.n_dims = 0;
    one.n = 1;
    if (!value_accepts(&want, &one)) {
        diag_error(b->diags, "M114", a->layer->mod->value->span,
                   "the attribute '%s' of '%s' must be %s, but its value is %s", a->name, n->name,
                   value_type_name(&b->env, &want), value_type_name(&b->env, &one));
        return false;
    }
    *v = value_convert(&b->env, &want, one);
    return true;
}

/* Is it written in the type, not in a declaration? Flat text has no types, and says so by an annotation. */
static bool of_type(flat_builder *b, const inst_node *n, const inst_layer *layer)
{
    static const char *const path[] = {FLAT_START_OF_TYPE, NULL};
    const ast_mod *said = n->decl ? n->decl->annotation : NULL;
    const ast_expr *e = said ? lang_annotation_value(said, path) : NULL;
    if (e && e->kind == AST_BOOLEAN && e->boolean) return true;
    const inst_primitive *p = n->type ? inst_primitive_of(b, n->type) : NULL;
    for (int i = 0; p && i < p->env.n; i++)
        if (p->env.at[i].mod && p->env.at[i].mod == layer->origin) return true;
    return false;
}

static bool set_attribute(flat_builder *b, inst_node *n, int k, attribute *a, int e,
                          flat_attributes *out)
{
    int pos, mode = k == ATTR_FIXED || k >= ATTR_SELECT ? SCOPE_STRUCTURAL : SCOPE_SYMBOLIC;
    if (!inst_layer_value(b, &a->cache, a->layer, n, e, mode, a->name, &pos)) return false;
    value v = a->cache.whole;
    v.e = v.type <= VALUE_OBJECT ? value_at(&v)[v.n_dims ? pos : 0] : 0;
    if (!attribute_check_type(b, n, k, a, &v)) return false;
    const expr_node *node = expr_at(b->pool, v.e);
    bool literal = expr_is_literal(b->pool, v.e);
    switch (k) {
    case ATTR_START:
        out->start = v.e;
        out->start_of_type = of_type(b, n, a->layer);
        break;
    case ATTR_MIN: out->min = v.e; break;
    case ATTR_MAX: out->max = v.e; break;
    case ATTR_NOMINAL: out->nominal = v.e; break;
    case ATTR_FIXED:
        if (literal) out->fixed = node->u.integer != 0;
        break;
    case ATTR_SELECT: {
        static const uint8_t order[] = {FLAT_SELECT_DEFAULT, FLAT_SELECT_NEVER,
                                        FLAT_SELECT_AVOID,   FLAT_SELECT_DEFAULT,
                                        FLAT_SELECT_PREFER,  FLAT_SELECT_ALWAYS};
        if (literal && node->u.integer >= 1 && node->u.integer <= 5)
            out->state_select = order[node->u.integer];
        break;
    }
    case ATTR_UNIT: out->unit = literal ? node->u.string : NULL; break;
    case ATTR_DISPLAY: out->display_unit = literal ? node->u.string : NULL; break;
    default: out->quantity = literal ? node->u.string : NULL;
    }
    return true;
}

const flat_attributes *inst_share_attributes(flat_builder *b, const flat_attributes *a)
{
    uint64_t key = hash_bytes(a, sizeof *a);
    uint64_t *slot = map_put(&b->inst->attributes, key);
    const flat_attributes *known = (const flat_attributes *)(uintptr_t)*slot;
    if (known && !memcmp(known, a, sizeof *a)) return known;
    flat_attributes *made = arena_new(b->model, flat_attributes);
    memcpy(made, a, sizeof *a);
    slot = map_put(&b->inst->attributes, key);
    *slot = map_key(made);
    return made;
}

static void attributes_clear(flat_attributes *a)
{
    memset(a, 0, sizeof *a); // padding too: they are compared as bytes
    a->fixed = -1;
}

/* Does element e have what the last one had: one value for each attribute, given for all? */
static bool attributes_repeat(flat_builder *b, const inst_node *n, const attribute *a, int e)
{
    for (int k = 0; k < N_ATTR; k++) {
        const inst_cache *c = &a[k].cache;
        if (!a[k].layer) continue;
        if (c->key < 0 || c->layer != a[k].layer || c->of != inst_layer_expr(c->layer, n, e) ||
            c->whole.n_dims || c->key != inst_up(inst_self(b, c->layer->at), n, e))
            return false;
    }
    return true;
}

bool inst_attributes(flat_builder *b, inst_node *n, const flat_attributes **out)
{
    attribute a[N_ATTR];
    flat_attributes now, last;
    find_layers(b, n, a);
    attributes_clear(&last);
    const flat_attributes *shared = inst_share_attributes(b, &last);
    for (int e = 0; e < n->total; e++) {
        out[e] = shared;
        if (e && attributes_repeat(b, n, a, e)) continue;
        attributes_clear(&now);
        for (int k = 0; k < N_ATTR; k++)
            if (a[k].layer && !set_attribute(b, n, k, &a[k], e, &now)) return false;
        if (memcmp(&now, &last, sizeof now)) {
            shared = inst_share_attributes(b, &now);
            memcpy(&last, &now, sizeof last);
        }
        out[e] = shared;
    }
    return true;
}

/* A parameter with fixed = false is found by initialization. */
bool inst_is_unknown(flat_builder *b, inst_node *n)
{
    if (n->fixed_known) return n->not_fixed;
    n->fixed_known = true;
    inst_env env = inst_sub(b, n->env, b->inst->s_fixed, n);
    const inst_layer *l = env.n ? inst_value_layer(b, env, b->inst->s_fixed) : NULL;
    if (!l) return false;
    const ast_expr *e = l->mod->value;
    if (e->kind == AST_BOOLEAN) return n->not_fixed = !e->boolean;
    attribute a = {.layer = l, .cache = {.key = -1}, .name = b->inst->s_fixed};
    flat_attributes out;
    attributes_clear(&out);
    if (n->total > 0 && set_attribute(b, n, ATTR_FIXED, &a, 0, &out)) n->not_fixed = out.fixed == 0;
    for (int i = 1; n->family && i < n->total; i++) {
        attributes_clear(&out);
        if (set_attribute(b, n, ATTR_FIXED, &a, i, &out) && n->not_fixed != (out.fixed == 0))
            inst_apart(b, true);
    }
    return n->not_fixed;
}
