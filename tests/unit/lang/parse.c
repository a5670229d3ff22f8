/* The shape of syntax trees, and what the parser refuses.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"
#include "support/equal.h"

static const char *printed(fixture *f, const ast_expr *e)
{
    text t;
    text_init(&t, &f->m);
    lang_print_expr(e, &t);
    const char *s = arena_strndup(&f->a, text_str(&t), t.n);
    text_done(&t);
    return s;
}

static void operators_of_one_level_are_one_chain(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "a - b + c*d/e .- f");
    assert_int_equal(e->kind, AST_CHAIN);
    assert_int_equal(e->chain.n, 4);
    assert_int_equal(e->chain.ops[0], AST_SUB);
    assert_int_equal(e->chain.ops[1], AST_ADD);
    assert_int_equal(e->chain.ops[2], AST_SUB_EW);
    const ast_expr *product = e->chain.at[2];
    assert_int_equal(product->chain.n, 3);
    assert_int_equal(product->chain.ops[1], AST_DIV);
}

// The sign belongs to the first term: -a^2*b is -((a^2)*b).
static void signs_apply_to_terms(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "-a^2*b + c");
    assert_int_equal(e->kind, AST_CHAIN);
    assert_int_equal(e->chain.at[0]->kind, AST_UNARY);
    assert_int_equal(e->chain.at[0]->op, AST_SUB);
    assert_int_equal(e->chain.at[0]->arg->chain.ops[0], AST_MUL);
    assert_int_equal(e->chain.at[0]->arg->chain.at[0]->chain.ops[0], AST_POW);
}

static void logic_binds_weaker_than_relations(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "a or not b < c and d");
    assert_int_equal(e->chain.ops[0], AST_OR);
    const ast_expr *and = e->chain.at[1];
    assert_int_equal(and->chain.ops[0], AST_AND);
    assert_int_equal(and->chain.at[0]->kind, AST_UNARY);
    assert_int_equal(and->chain.at[0]->op, AST_NOT);
    assert_int_equal(and->chain.at[0]->arg->chain.ops[0], AST_LT);
}

static void ranges_and_subscripts(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "1:2:n + 1");
    assert_int_equal(e->kind, AST_RANGE);
    assert_int_equal(e->range.step->integer, 2);
    e = parse_expr(f, ".a.b[:, end - 1].c[1:end]");
    assert_int_equal(e->kind, AST_REF);
    assert_true(e->ref->global);
    assert_int_equal(e->ref->n, 3);
    assert_int_equal(e->ref->at[1].subs.n, 2);
    assert_int_equal(e->ref->at[1].subs.at[0]->kind, AST_COLON);
    assert_int_equal(e->ref->at[2].subs.at[0]->range.last->kind, AST_END);
}

static void else_if_is_elseif(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "if a then 1 else if b then 2 elseif c then 3 else 4");
    assert_int_equal(e->kind, AST_IF);
    assert_int_equal(e->cond.n, 3);
    assert_int_equal(e->cond.values[3]->integer, 4);
    e = parse_expr(f, "if a then 1 else (if b then 2 else 3)");
    assert_int_equal(e->cond.n, 1);
}

static void calls(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "f(a, function g(x = 1), b = 2, c = function h())");
    assert_int_equal(e->kind, AST_CALL);
    assert_int_equal(e->call->args.n, 2);
    assert_int_equal(e->call->args.at[1]->kind, AST_PARTIAL);
    assert_int_equal(e->call->n_named, 2);
    assert_string_equal(e->call->named[1].name, "c");
    e = parse_expr(f, "sum(a[i, j] for i in 1:n, j)");
    assert_int_equal(e->call->iters.n, 2);
    assert_null(e->call->iters.at[1].range);
    e = parse_expr(f, "der(x)");
    assert_string_equal(e->call->f.at[0].name, "der");
    e = parse_expr(f, "{x^2 for x in {1, 2}}");
    assert_int_equal(e->kind, AST_COMPREHENSION);
}

static void tuples_and_selections(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "(a, , b)");
    assert_int_equal(e->kind, AST_TUPLE);
    assert_int_equal(e->list.n, 3);
    assert_null(e->list.at[1]);
    assert_int_equal(parse_expr(f, "(a)")->kind, AST_REF);
    e = parse_expr(f, "(a + b)[2]");
    assert_int_equal(e->kind, AST_SELECT);
    assert_int_equal(e->select.subs.n, 1);
    assert_string_equal(parse_expr(f, "(f(x)).y")->select.field, "y");
}

static void spans_cover_what_was_written(void **state)
{
    fixture *f = *state;
    ast_expr *e = parse_expr(f, "  (a + b)*c ");
    const source *src = source_of(&f->sources, e->span.begin);
    assert_int_equal(e->span.begin - src->base, 2);
    assert_int_equal(e->span.end - src->base, 11);
    assert_int_equal(e->chain.at[0]->span.end - src->base, 9); // with its parentheses
}

static void component_clauses_are_split(void **state)
{
    fixture *f = *state;
    ast_class *c =
        parse_class(f, "model M\n"
                       "  flow parameter input Real[3] x[2](start = 1) = y if b \"x\", z;\n"
                       "protected\n"
                       "  replaceable A a constrainedby B(c = 1) \"why\";\n"
                       "end M;");
    assert_int_equal(c->n_elements, 3);
    const ast_component *x = c->elements[0]->component, *z = c->elements[1]->component;
    assert_string_equal(x->name, "x");
    assert_int_equal(x->dims.n, 2);
    assert_int_equal(x->dims.at[0]->integer, 2); // the declaration's first
    assert_int_equal(x->flow, AST_FLOW);
    assert_int_equal(x->variability, AST_PARAMETER);
    assert_int_equal(x->causality, AST_INPUT);
    assert_non_null(x->condition);
    assert_int_equal(z->dims.n, 1);
    assert_int_equal(z->variability, AST_PARAMETER);
    assert_null(z->mod);
    assert_int_equal(c->elements[2]->flags, AST_PROTECTED | AST_REPLACEABLE);
    assert_non_null(c->elements[2]->component->constraint->comment.at);
    assert_ptr_equal(lang_element(c, sym_of(&f->syms, "z")), c->elements[1]);
    assert_null(lang_element(c, sym_of(&f->syms, "nothing")));
}

static void elements_of_large_classes_are_found(void **state)
{
    fixture *f = *state;
    text t;
    text_init(&t, &f->m);
    text_add(&t, "package P\n");
    for (int i = 0; i < 500; i++) text_printf(&t, "constant Real c%d = %d;\n", i, i);
    text_add(&t, "constant Real c7; extends Q; end P;");
    ast_class *c = parse_class(f, text_str(&t));
    text_done(&t);
    for (int i = 0; i < 500; i++) {
        char name[8];
        snprintf(name, sizeof name, "c%d", i);
        assert_ptr_equal(lang_element(c, sym_of(&f->syms, name)), c->elements[i]); // first wins
    }
    assert_null(lang_element(c, sym_of(&f->syms, "Q")));
    assert_null(lang_element(c, NULL));
}

static void nested_classes_know_their_path(void **state)
{
    fixture *f = *state;
    ast_class *a = parse_class(f, "package A model B model C end C; end B; end A;");
    ast_class *c = a->elements[0]->class_->elements[0]->class_;
    assert_string_equal(lang_class_path(c, &f->a), "A.B.C");
    assert_ptr_equal(c->parent->parent, a);
    assert_null(a->parent);
}

static void annotation_values_are_found_by_path(void **state)
{
    fixture *f = *state;
    ast_class *c = parse_class(f, "model M annotation(experiment(StopTime = 10), a.b(c = 3),\n"
                                  "  uses(Modelica(version = \"4.0.0\"))); end M;");
    ast_expr *e =
        lang_annotation_value(c->annotation, (const char *[]){"experiment", "StopTime", NULL});
    assert_int_equal(e->integer, 10);
    e = lang_annotation_value(c->annotation, (const char *[]){"a", "b", "c", NULL});
    assert_int_equal(e->integer, 3);
    assert_null(lang_annotation_value(c->annotation, (const char *[]){"experiment", "x", NULL}));
    assert_null(lang_annotation_value(NULL, (const char *[]){"experiment", NULL}));
}

static void annotations_in_between_are_put_together(void **state)
{
    fixture *f = *state;
    ast_class *c = parse_class(f, "model M Real x; annotation(a = 1); Real y; annotation(b = 2);\n"
                                  "end M;");
    assert_int_equal(c->n_elements, 2);
    assert_int_equal(c->annotation->args.n, 2);
}

// The printer's parentheses: as few as the grammar allows.
static void expressions_print_as_they_were_written(void **state)
{
    fixture *f = *state;
    static const char *const cases[] = {
        "a + (b + c) - d",
        "(a + b) + c",
        "-a*b + c",
        "(-a)*b",
        "a*(-b)",
        "-(a + b)",
        "(a^b)^c",
        "a^(-2)",
        "(a*b)*c",
        "a/(b*c)",
        "not (a and b) or c",
        "not a < b",
        "(a < b) == (c < d)",
        "(if a then b else c) + 1",
        "if (if a then b else c) then 1 else (if d then 2 else 3)",
        "(1:2):3",
        "x[1:end, :]",
        "{{1, 2}, {3, 4}}",
        "[1, 2; 3, 4]",
        "1.0",
        "1e+100",
        "0.1",
        "(a, , b)",
        "(a).b",
        "(, a)",
        "f(function g(x = 1), y = 2)",
        "a .+ b .* c .^ d",
        "\"a\\\"b\" + \"c\"",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ast_expr *e = parse_expr(f, cases[i]);
        assert_non_null(e);
        const char *s = printed(f, e);
        assert_true(equal_expr(e, parse_expr(f, s)));
        assert_string_equal(s, cases[i]);
    }
}

static void equality_sees_every_difference(void **state)
{
    fixture *f = *state;
    static const char *const cases[] = {
        "a",
        "b",
        ".a",
        "a[1]",
        "a.b",
        "1",
        "1.0",
        "2",
        "\"1\"",
        "true",
        "false",
        "-a",
        "+a",
        "not a",
        "a + b",
        "a - b",
        "a + b + c",
        "a*b",
        "f()",
        "f(a)",
        "f(a = a)",
        "f(a for a)",
        "{a}",
        "{a for a}",
        "[a]",
        "[a, b]",
        "[a; b]",
        "(a, b)",
        "(a, )",
        "(a)[1]",
        "(a).b",
        "a:b",
        "a:b:c",
        "if a then b else c",
        "if a then b elseif c then d else e",
        "f(function g())",
    };
    int n = sizeof cases / sizeof *cases;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            assert_int_equal(equal_expr(parse_expr(f, cases[i]), parse_expr(f, cases[j])), i == j);
}

static void an_expression_alone(void **state)
{
    fixture *f = *state;
    assert_non_null(parse_expr(f, " 1 + 2 // comment"));
    static const char *const bad[] = {"", "1 +", "1 2", "a = b", "a;", "x[", "\"a"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        forget_errors(f);
        assert_null(parse_expr(f, bad[i]));
        assert_int_equal(f->diags.n_errors, 1);
    }
}

static void one_run_reports_several_errors(void **state)
{
    fixture *f = *state;
    ast_file *file = parse(f, "model M\n"
                              "  Real x = ;\n"
                              "  Real y\n"
                              "  Real z;\n"
                              "equation\n"
                              "  x == 1;\n"
                              "  y = (1 + ;\n"
                              "  z = 3;\n"
                              "end N;\n"
                              "model K\n"
                              "end K;\n");
    assert_int_equal(file->n_errors, 5);
    static const char *const want[] = {"L020", "L021", "L024", "L020", "L023"};
    const diag *d = f->diags.first;
    for (int i = 0; i < 5; i++, d = d->next) assert_string_equal(d->code, want[i]);
    assert_int_equal(file->n_classes, 2); // what follows is understood
}

static void refusals_have_codes(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *s, *code;
    } cases[] = {
        {"model M end;", "L022"},
        {"model M", "L022"},
        {"model M Real x; end N;", "L023"},
        {"package P model M Real x; end P;", "L022"},
        {"model M equation if a then x = 1; end M;", "L022"},
        {"model M equation for i in 1:3 loop x = 1; end if; end M;", "L022"},
        {"model M equation x := 1; end M;", "L024"},
        {"model M algorithm x = 1; end M;", "L024"},
        {"model M equation x == 1; end M;", "L024"},
        {"model M Real x == 1; end M;", "L024"},
        {"model M equation for i = 1:3 loop end for; end M;", "L024"},
        {"model M Real model; end M;", "L025"},
        {"model M equation x = a^b^c; end M;", "L026"},
        {"model M equation x = a*-b; end M;", "L026"},
        {"model M equation x = a < b < c; end M;", "L026"},
        {"model M equation x = 1 + if a then b else c; end M;", "L026"},
        {"model M equation Real y; end M;", "L027"},
        {"model M equation parameter Real y; end M;", "L027"},
        {"model M Real x; x = 1; end M;", "L027"},
        {"model M Real x; der(x) = 1; end M;", "L027"},
        {"model M equation while a loop end while; end M;", "L027"},
        {"model M Real x;; end M;", "L028"},
        {"model M equation x = 1;; end M;", "L028"},
        {"model M parameter flow Real x; end M;", "L029"},
        {"model M input output Real x; end M;", "L029"},
        {"pure model M end M;", "L029"},
        {"model M equation x = {}; end M;", "L020"},
        {"model M equation x = f(a = 1, 2); end M;", "L020"},
        {"model M equation connect(a, b, c); end M;", "L020"},
        {"model M equation der(x); end M;", "L020"},
        {"model M algorithm (a, b) := c; end M;", "L020"},
        {"model M algorithm f(x) := 1; end M;", "L020"},
        {"model M equation when a then x = 1; else y = 1; end when; end M;", "L020"},
        {"model M A a(b[1] = 2); end M;", "L020"},
        {"model M equation x = end; end M;", "L020"},
        {"Real x;", "L020"},
        {"end M;", "L022"},
        {"model M end M; within A;", "L027"},
        {"replaceable model M end M;", "L027"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forget_errors(f);
        parse(f, cases[i].s);
        if (strcmp(first_code(f), cases[i].code) != 0) print_error("case %s\n", cases[i].s);
        assert_string_equal(first_code(f), cases[i].code);
    }
}

// Each of these had one mistake: one message, no echo.
static void one_mistake_one_message(void **state)
{
    fixture *f = *state;
    static const char *const cases[] = {
        "model M Real x; equation x = 1\n end M;",
        "model M Real x; equation if a then x = 1; end M;",
        "model M Real x; equation if a x = 1; else x = 2; end if; end M;",
        "model M Real x; equation if a > then x = 1; else x = 2; end if; end M;",
        "model M Real x; equation for i in loop x = 1; end for; end M;",
        "model M Real x; equation x = (1; x = 2; end M;",
        "model M Real x; equation x = {1, 2; x = 2; end M;",
        "model M Real x; equation x = a[1; x = 2;\nend M;",
        "model M Real x(start = 1; Real y; end M;",
        "model M Real x; x = 1; end M;",
        "model M Real x; der(x) = 1; y = 2; z = 3; end M;",
        "package P model A Real x; end B; model C end C; end P;",
        "package P model A Real x; model C end C; end P;",
        "model 3 Real x; end N;",
        "model M \"no end\nReal x;\nend M;",
        "model M /* no end\nReal x;\nend M;",
        "model M Real 'x; equation\nend M;",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forget_errors(f);
        ast_file *file = parse(f, cases[i]);
        if (file->n_errors != 1) print_error("case %s\n", cases[i]);
        assert_int_equal(file->n_errors, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(operators_of_one_level_are_one_chain, setup, teardown),
        cmocka_unit_test_setup_teardown(signs_apply_to_terms, setup, teardown),
        cmocka_unit_test_setup_teardown(logic_binds_weaker_than_relations, setup, teardown),
        cmocka_unit_test_setup_teardown(ranges_and_subscripts, setup, teardown),
        cmocka_unit_test_setup_teardown(else_if_is_elseif, setup, teardown),
        cmocka_unit_test_setup_teardown(calls, setup, teardown),
        cmocka_unit_test_setup_teardown(tuples_and_selections, setup, teardown),
        cmocka_unit_test_setup_teardown(spans_cover_what_was_written, setup, teardown),
        cmocka_unit_test_setup_teardown(component_clauses_are_split, setup, teardown),
        cmocka_unit_test_setup_teardown(elements_of_large_classes_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(nested_classes_know_their_path, setup, teardown),
        cmocka_unit_test_setup_teardown(annotation_values_are_found_by_path, setup, teardown),
        cmocka_unit_test_setup_teardown(annotations_in_between_are_put_together, setup, teardown),
        cmocka_unit_test_setup_teardown(expressions_print_as_they_were_written, setup, teardown),
        cmocka_unit_test_setup_teardown(equality_sees_every_difference, setup, teardown),
        cmocka_unit_test_setup_teardown(an_expression_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(one_run_reports_several_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals_have_codes, setup, teardown),
        cmocka_unit_test_setup_teardown(one_mistake_one_message, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
