/* Rules over operator records: what their operators take and give.
 *
 * Modelica Language Specification, sections 14.2 to 14.5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"
#include "rules/rules.h"
#include "rules/tree_rules.h"

#include <string.h>

enum { FUNCTIONS_MAX = 64 }; // of one operator that are compared with each other

typedef struct signature {
    inst_class *cls;
    const inst_component *inputs[FUNCTIONS_MAX];
    const inst_component *output;
    int n_inputs, n_needed, n_outputs; // needed: without default
} signature;

static bool read_signature(flat_builder *b, inst_class *f, signature *s)
{
    inst_components list = inst_components_of(b, f);
    *s = (signature){.cls = f};
    for (int i = 0; i < list.n; i++) {
        const inst_component *c = &list.at[i];
        if (c->causality == AST_OUTPUT) s->output = c, s->n_outputs++;
        if (c->causality != AST_INPUT || s->n_inputs == FUNCTIONS_MAX) continue;
        s->inputs[s->n_inputs++] = c;
        s->n_needed += !c->binding;
    }
    return list.n >= 0;
}

/* The functions of an operator, or the one that it is. */
static int operator_functions(flat_builder *b, inst_class *op, signature *out)
{
    int n = 0;
    if (!inst_expand(b, op)) return 0;
    if (op->ast->restriction == AST_R_FUNCTION) return read_signature(b, op, out);
    for (int i = 0; i < op->ast->n_elements && n < FUNCTIONS_MAX; i++) {
        const ast_element *e = op->ast->elements[i];
        if (e->kind != AST_CLASS || e->class_->restriction != AST_R_FUNCTION) continue;
        inst_element *el = inst_find(b, op, e->class_->name);
        inst_class *f = el && el->class_ ? inst_element_class(b, el) : NULL;
        if (f && read_signature(b, f, &out[n])) n++;
    }
    return n;
}

static int component_dims(const inst_component *c)
{
    int n = 0;
    for (int i = 0; i < c->n_dims_lists; i++) n += c->dims[i]->n;
    return n;
}

static bool same_type(const inst_component *x, const inst_component *y)
{
    if (x->type.kind != y->type.kind || component_dims(x) != component_dims(y)) return false;
    if (x->type.kind == INST_PREDEFINED)
        return x->type.type == y->type.type && x->type.enum_id == y->type.enum_id;
    return x->type.cls && y->type.cls && x->type.cls->ast == y->type.cls->ast;
}

/* A call with the arguments that both need could mean either. */
static bool ambiguous(const signature *x, const signature *y)
{
    int least = x->n_needed > y->n_needed ? x->n_needed : y->n_needed;
    if (least > x->n_inputs || least > y->n_inputs) return false;
    for (int i = 0; i < least; i++)
        if (!same_type(x->inputs[i], y->inputs[i])) return false;
    return true;
}

static void check_ambiguous(flat_builder *b, const char *name, const signature *list, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (ambiguous(&list[i], &list[k]) &&
                rules_report(b, RULE_OPERATOR_AMBIGUOUS, list[i].cls->ast->at,
                             "'%s' and '%s' of %s take the same arguments", list[i].cls->ast->name,
                             list[k].cls->ast->name, name))
                diag_note(b->diags, list[k].cls->ast->at, "the other one is here");
}

static bool is_record(const inst_component *c, const inst_class *record)
{
    return c->type.kind == INST_RECORD && c->type.cls->ast == record->ast && !component_dims(c);
}

static void check_result(flat_builder *b, const char *name, const signature *f,
                         const inst_class *record)
{
    bool constructor = !strcmp(name, "'constructor'"), string = !strcmp(name, "'String'");
    bool fits = f->n_outputs == 1;
    if (fits && constructor) fits = is_record(f->output, record);
    if (fits && string)
        fits = f->output->type.kind == INST_PREDEFINED && f->output->type.type == TYPE_STRING &&
               !component_dims(f->output);
    if (!fits)
        rules_report(b, RULE_OPERATOR_RESULT, f->cls->ast->at, "'%s' for %s has %s",
                     f->cls->ast->name, name,
                     f->n_outputs == 1 ? "an output of another type" : "not one output");
}

/* ---- the list of operators ------------------------------------------------------------------- */

static const struct {
    const char *name;
    int least, most; // inputs that are needed; most < 0: any number
} operators[] = {
    {"'constructor'", 0, -1},
    {"'String'", 1, -1},
    {"'0'", 0, 0},
    {"'-'", 1, 2},
    {"'+'", 2, 2},
    {"'*'", 2, 2},
    {"'/'", 2, 2},
    {"'^'", 2, 2},
    {"'=='", 2, 2},
    {"'<>'", 2, 2},
    {"'<'", 2, 2},
    {"'<='", 2, 2},
    {"'>'", 2, 2},
    {"'>='", 2, 2},
    {"'and'", 2, 2},
    {"'or'", 2, 2},
    {"'not'", 1, 1},
};

static void check_operator(flat_builder *b, inst_class *record, size_t k)
{
    inst_element *el = inst_find(b, record, sym_of(b->lib->syms, operators[k].name));
    inst_class *op = el && el->class_ ? inst_element_class(b, el) : NULL;
    if (!op) return;
    signature *list = arena_array(b->front, signature, FUNCTIONS_MAX);
    int n = operator_functions(b, op, list);
    for (int i = 0; i < n; i++) {
        const signature *f = &list[i];
        check_result(b, operators[k].name, f, record);
        bool few = f->n_inputs < operators[k].least;
        bool many = operators[k].most >= 0 && f->n_needed > operators[k].most;
        if (few || many)
            rules_report(b, RULE_OPERATOR_ARGUMENTS, f->cls->ast->at,
                         "'%s' for %s takes %d argument%s", f->cls->ast->name, operators[k].name,
                         few ? f->n_inputs : f->n_needed,
                         (few ? f->n_inputs : f->n_needed) == 1 ? "" : "s");
    }
    check_ambiguous(b, operators[k].name, list, n);
}

void rules_operators(flat_builder *b, inst_node *n)
{
    if (n->kind != NODE_COMPOSITE || !n->is_record) return;
    inst_class *c = n->type;
    for (int i = 0; c->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        if (!inst_expand(b, c) || !c->bases[0]) return;
        c = c->bases[0];
    }
    if (!(c->ast->flags & AST_OPERATOR) || !c->ast->file) return;
    uint64_t *seen = map_put(&rules_of(b)->operators, map_key(c->ast));
    if ((*seen)++) return;
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) check_operator(b, c, k);
}
