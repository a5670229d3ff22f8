/* Classes, elements, equations and statements as Modelica text.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lang_print.h"

enum { INDENT_STEP = 2 }; // columns of indentation per level

/* ---- equations and statements ---------------------------------------------------------------- */

static void print_stmts(ast_stmts list, int indent, text *out)
{
    for (int i = 0; i < list.n; i++) {
        lang_print_stmt(list.at[i], indent, out);
        text_add(out, ";\n");
    }
}

static void print_pair(const ast_stmt *s, text *out)
{
    print_simple_expr(s->pair.left, out);
    text_add(out, s->kind == AST_ASSIGN ? " := " : " = ");
    lang_print_expr(s->pair.right, out);
}

static void print_ast_branches(const ast_stmt *s, int indent, text *out)
{
    const char *word = s->kind == AST_WHEN ? "when" : s->kind == AST_WHILE ? "while" : "if";
    for (int i = 0; i < s->branches.n; i++) {
        const ast_branch *b = &s->branches.at[i];
        if (i) text_pad(out, ' ', indent);
        text_printf(out, "%s%s", i ? "else" : "", b->test ? word : "");
        if (b->test) {
            text_char(out, ' ');
            lang_print_expr(b->test, out);
            text_add(out, s->kind == AST_WHILE ? " loop" : " then");
        }
        text_char(out, '\n');
        print_stmts(b->body, indent + INDENT_STEP, out);
    }
    text_pad(out, ' ', indent);
    text_printf(out, "end %s", word);
}

void lang_print_stmt(const ast_stmt *s, int indent, text *out)
{
    text_pad(out, ' ', indent);
    switch ((ast_stmt_kind)s->kind) {
    case AST_EQUATION:
    case AST_ASSIGN: print_pair(s, out); break;
    case AST_CONNECT:
        text_add(out, "connect(");
        lang_print_expr(s->pair.left, out);
        text_add(out, ", ");
        lang_print_expr(s->pair.right, out);
        text_char(out, ')');
        break;
    case AST_CALL_STMT: lang_print_expr(s->call, out); break;
    case AST_IF_STMT:
    case AST_WHEN:
    case AST_WHILE: print_ast_branches(s, indent, out); break;
    case AST_FOR:
        text_add(out, "for ");
        print_iterators(s->loop.iters, out);
        text_add(out, " loop\n");
        print_stmts(s->loop.body, indent + INDENT_STEP, out);
        text_pad(out, ' ', indent);
        text_add(out, "end for");
        break;
    case AST_BREAK: text_add(out, "break"); break;
    case AST_RETURN: text_add(out, "return"); break;
    }
    print_comment(s->comment, out);
    print_annotation(s->annotation, out);
}

/* ---- elements -------------------------------------------------------------------------------- */

void print_flags(uint16_t flags, text *out)
{
    static const struct {
        uint16_t flag;
        const char *word;
    } words[] = {
        {AST_REDECLARE, "redeclare "},
        {AST_FINAL, "final "},
        {AST_INNER, "inner "},
        {AST_OUTER, "outer "},
        {AST_REPLACEABLE, "replaceable "},
        {AST_ENCAPSULATED, "encapsulated "},
        {AST_IS_PARTIAL, "partial "},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (flags & words[i].flag) text_add(out, words[i].word);
}

static void print_constraint(const ast_constraint *c, text *out)
{
    if (!c) return;
    text_add(out, " constrainedby ");
    lang_print_ref(&c->type, out);
    if (c->mod) lang_print_mod(c->mod, out);
    print_comment(c->comment, out);
    print_annotation(c->annotation, out);
}

void print_component(const ast_component *c, text *out)
{
    static const char *const flow[] = {"", "flow ", "stream "};
    static const char *const variability[] = {"", "discrete ", "parameter ", "constant "};
    static const char *const causality[] = {"", "input ", "output "};
    text_printf(out, "%s%s%s", flow[c->flow], variability[c->variability], causality[c->causality]);
    lang_print_ref(&c->type, out);
    text_printf(out, " %s", c->name);
    print_subscripts(c->dims, out);
    if (c->mod) lang_print_mod(c->mod, out);
    if (c->condition) {
        text_add(out, " if ");
        lang_print_expr(c->condition, out);
    }
    print_comment(c->comment, out);
    print_annotation(c->annotation, out);
    print_constraint(c->constraint, out);
}

static void print_import(const ast_import *i, text *out)
{
    text_add(out, "import ");
    if (i->kind == AST_IMPORT_ALIAS) text_printf(out, "%s = ", i->alias.name);
    lang_print_ref(&i->name, out);
    if (i->kind == AST_IMPORT_ALL) text_add(out, ".*");
    if (i->kind == AST_IMPORT_LIST) {
        for (int k = 0; k < i->n_list; k++)
            text_printf(out, "%s%s", k ? ", " : ".{", i->list[k].name);
        text_char(out, '}');
    }
    print_comment(i->comment, out);
    print_annotation(i->annotation, out);
}

static void print_element(const ast_element *e, int indent, text *out)
{
    text_pad(out, ' ', indent);
    print_flags(e->flags, out);
    switch ((ast_element_kind)e->kind) {
    case AST_IMPORT: print_import(e->import, out); break;
    case AST_EXTENDS:
        text_add(out, "extends ");
        lang_print_ref(&e->extends->type, out);
        if (e->extends->mod) lang_print_mod(e->extends->mod, out);
        print_annotation(e->extends->annotation, out);
        break;
    case AST_COMPONENT: print_component(e->component, out); break;
    case AST_CLASS: print_class(e->class_, indent, out); break;
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

static void print_elements(const ast_class *c, int indent, text *out)
{
    uint16_t visibility = 0;
    for (int i = 0; i < c->n_elements; i++) {
        const ast_element *e = c->elements[i];
        if ((e->flags & AST_PROTECTED) != visibility) {
            visibility = e->flags & AST_PROTECTED;
            text_pad(out, ' ', indent);
            text_add(out, visibility ? "protected\n" : "public\n");
        }
        print_element(e, indent + INDENT_STEP, out);
        text_add(out, ";\n");
    }
}

static void print_sections(const ast_class *c, int indent, text *out)
{
    for (int i = 0; i < c->n_sections; i++) {
        const ast_section *s = &c->sections[i];
        text_pad(out, ' ', indent);
        text_printf(out, "%s%s\n", s->initial ? "initial " : "",
                    s->algorithm ? "algorithm" : "equation");
        print_stmts(s->body, indent + INDENT_STEP, out);
    }
}

static void print_external(const ast_external *x, int indent, text *out)
{
    text_pad(out, ' ', indent);
    text_add(out, "external");
    print_comment(x->language, out);
    if (x->has_call) {
        text_char(out, ' ');
        if (x->result) {
            lang_print_expr(x->result, out);
            text_add(out, " = ");
        }
        text_printf(out, "%s(", x->function);
        print_exprs(x->args, out);
        text_char(out, ')');
    }
    print_annotation(x->annotation, out);
    text_add(out, ";\n");
}

static void print_long(const ast_class *c, int indent, text *out)
{
    if (c->body == AST_CLASS_EXTENDS) text_add(out, "extends ");
    text_add(out, c->name);
    if (c->mod) lang_print_mod(c->mod, out);
    print_comment(c->comment, out);
    text_char(out, '\n');
    print_elements(c, indent, out);
    print_sections(c, indent, out);
    if (c->external) print_external(c->external, indent + INDENT_STEP, out);
    if (c->annotation) {
        text_pad(out, ' ', indent + INDENT_STEP - 1);
        print_annotation(c->annotation, out);
        text_add(out, ";\n");
    }
    text_pad(out, ' ', indent);
    text_printf(out, "end %s", c->name);
}

static void print_ast_enum(const ast_class *c, text *out)
{
    text_add(out, "enumeration(");
    if (c->open_enum) text_char(out, ':');
    for (int i = 0; i < c->n_literals; i++) {
        text_printf(out, "%s%s", i ? ", " : "", c->literals[i].name);
        print_comment(c->literals[i].comment, out);
        print_annotation(c->literals[i].annotation, out);
    }
    text_char(out, ')');
}

static void print_short(const ast_class *c, text *out)
{
    text_printf(out, "%s = ", c->name);
    if (c->body == AST_ENUM) {
        print_ast_enum(c, out);
    } else if (c->body == AST_DER) {
        text_add(out, "der(");
        lang_print_ref(&c->base, out);
        for (int i = 0; i < c->n_der_by; i++) text_printf(out, ", %s", c->der_by[i].name);
        text_char(out, ')');
    } else {
        text_add(out, c->causality == AST_INPUT    ? "input "
                      : c->causality == AST_OUTPUT ? "output "
                                                   : "");
        lang_print_ref(&c->base, out);
        print_subscripts(c->dims, out);
        if (c->mod) lang_print_mod(c->mod, out);
    }
    print_comment(c->comment, out);
    print_annotation(c->annotation, out);
}

void print_class(const ast_class *c, int indent, text *out)
{
    text_add(out, c->flags & AST_EXPANDABLE ? "expandable " : "");
    text_add(out, c->flags & AST_PURE ? "pure " : c->flags & AST_IMPURE ? "impure " : "");
    text_add(out, c->flags & AST_OPERATOR ? "operator " : "");
    text_printf(out, "%s ", lang_restriction_text((ast_restriction)c->restriction));
    if (c->body == AST_LONG || c->body == AST_CLASS_EXTENDS) print_long(c, indent, out);
    else print_short(c, out);
    print_constraint(c->constraint, out);
}

void lang_print_class(const ast_class *c, int indent, text *out)
{
    text_pad(out, ' ', indent);
    print_flags(c->flags, out);
    print_class(c, indent, out);
}

void lang_print_file(const ast_file *f, text *out)
{
    if (f->has_within) {
        text_add(out, f->within.n ? "within " : "within");
        lang_print_ref(&f->within, out);
        text_add(out, ";\n");
    }
    for (int i = 0; i < f->n_classes; i++) {
        lang_print_class(f->classes[i], 0, out);
        text_add(out, ";\n");
    }
}
