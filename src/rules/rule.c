/* SPDX-License-Identifier: BSD-3-Clause */
#include "rules/rule.h"

#include "rules/rules.h"

#include <stdio.h>

static const struct {
    const char *code, *name;
    rule_severity severity;
    const char *section, *sentence, *way_out;
} list[] = {
#define X(name, ...) [RULE_##name] = {__VA_ARGS__},
    RULES(X)
#undef X
};

struct rules *rules_of(flat_builder *b)
{
    if (b->rules) return b->rules;
    struct rules *s = arena_new(b->front, struct rules);
    map_init(&s->said, b->front);
    map_init(&s->texts, b->front);
    map_init(&s->operators, b->front);
    return b->rules = s;
}

bool rules_report(flat_builder *b, rule r, span at, const char *format, ...)
{
    uint64_t *said = map_put(&rules_of(b)->said, ((uint64_t)at.begin << 16) + (uint64_t)r + 1);
    if ((*said)++) return false;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *words = arena_alloc(b->front, (size_t)n + 1);
    vsnprintf(words, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    if (list[r].severity == RULE_ERROR)
        diag_error(b->diags, list[r].code, at, "%s; %s", words, list[r].way_out);
    else diag_warning(b->diags, list[r].code, at, "%s; %s", words, list[r].way_out);
    diag_note(b->diags, (span){0}, "rule %s, Modelica specification %s: %s", list[r].name,
              list[r].section, list[r].sentence);
    return true;
}

sym rules_import_name(const ast_import *im, int k)
{
    switch (im->kind) {
    case AST_IMPORT_ALIAS: return k ? NULL : im->alias.name;
    case AST_IMPORT_NAME: return k ? NULL : im->name.at[im->name.n - 1].name;
    case AST_IMPORT_LIST: return k < im->n_list ? im->list[k].name : NULL;
    default: return NULL;
    }
}

rule_kind rules_kind(const ast_class *c)
{
    switch (c->restriction) {
    case AST_R_MODEL: return KIND_MODEL;
    case AST_R_BLOCK: return KIND_BLOCK;
    case AST_R_RECORD: return c->flags & AST_OPERATOR ? KIND_OPERATOR_RECORD : KIND_RECORD;
    case AST_R_CONNECTOR: return c->flags & AST_EXPANDABLE ? KIND_EXPANDABLE : KIND_CONNECTOR;
    case AST_R_TYPE: return KIND_TYPE;
    case AST_R_PACKAGE: return KIND_PACKAGE;
    case AST_R_FUNCTION: return c->flags & AST_OPERATOR ? KIND_OPERATOR_FUNCTION : KIND_FUNCTION;
    case AST_R_OPERATOR: return KIND_OPERATOR;
    default: return KIND_CLASS;
    }
}

const char *rules_kind_text(const ast_class *c)
{
    if (c->restriction == AST_R_RECORD && (c->flags & AST_OPERATOR)) return "operator record";
    if (c->restriction == AST_R_FUNCTION && (c->flags & AST_OPERATOR)) return "operator function";
    if (c->flags & AST_EXPANDABLE) return "expandable connector";
    return lang_restriction_text((ast_restriction)c->restriction);
}
