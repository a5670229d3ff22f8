/* Equations and statements: Modelica Language Specification 3.6, appendix A.2.6.
 *
 * Equations and statements have the same if-, for- and when-clauses; `algorithm` says which of the
 * two stands inside.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/parse.h"

static ast_stmt *parse_statement(parser *p, bool algorithm);

static ast_stmt *parse_make_stmt(parser *p, ast_stmt_kind kind)
{
    ast_stmt *s = arena_new(p->a, ast_stmt);
    s->kind = (uint8_t)kind;
    return s;
}

static bool ends_list(const parser *p)
{
    switch (p->tok.kind) {
    case TOK_EOF:
    case TOK_END:
    case TOK_ELSE:
    case TOK_ELSEIF:
    case TOK_ELSEWHEN:
    case TOK_EQUATION:
    case TOK_ALGORITHM:
    case TOK_PUBLIC:
    case TOK_PROTECTED:
    case TOK_EXTERNAL:
    case TOK_ANNOTATION: return true;
    default: return parse_forgot_end(p);
    }
}

// { statement ";" } up to a token that belongs to the clause around it.
static ast_stmts parse_body(parser *p, bool algorithm)
{
    ast_stmts list = {0};
    size_t mark = p->top;
    while (!ends_list(p) && !p->stuck) {
        if (p->tok.kind == TOK_INITIAL &&
            (parse_peek(p) == TOK_EQUATION || parse_peek(p) == TOK_ALGORITHM))
            break;
        uint32_t begin = p->tok.begin;
        ast_stmt *s = parse_statement(p, algorithm);
        parse_semicolon(p, algorithm ? "the statement" : "the equation");
        parse_recover(p);
        if (p->tok.begin == begin && !ends_list(p)) parse_next(p); // always forward
        parse_push(p, &s, sizeof s);
    }
    list.at = PARSE_TAKE(p, mark, ast_stmt *, &list.n);
    return list;
}

// The word between the head of a clause and its body. Whatever is wrong, the body comes next.
static void end_of_head(parser *p, token_kind kind, const char *where)
{
    parse_recover_at(p, kind);
    if (p->stuck) {
        parse_recover(p);
    } else if (!parse_accept(p, kind)) {
        uint32_t end = p->lx.base + p->prev.end;
        if (p->tok.first_on_line)
            parse_complain(p, "L020", (span){end, end + 1}, "expected '%s' %s", token_text(kind),
                           where);
        else
            parse_complain(p, "L020", parse_span(p, p->tok), "expected '%s' %s, found %s",
                           token_text(kind), where, parse_found(p));
    }
}

// "end if" and the like; when it is another end that comes, this one was forgotten. False when
// that was reported.
static bool end_clause(parser *p, token_kind kind, token opening)
{
    const char *word = token_text(kind);
    if (p->stuck) return true;
    if (p->tok.kind == TOK_END && parse_peek(p) == kind) {
        parse_next(p);
        parse_next(p);
        return true;
    }
    token_kind peek = p->tok.kind == TOK_END ? parse_peek(p) : TOK_NONE;
    bool other_end = peek == TOK_IDENT || peek == TOK_IF || peek == TOK_FOR || peek == TOK_WHEN ||
                     peek == TOK_WHILE;
    bool told;
    if (p->tok.kind == TOK_END && !other_end) { // end;
        told = parse_complain(p, "L022", parse_span(p, p->tok), "write 'end %s' here", word);
        parse_next(p);
    } else {
        told = parse_complain(p, "L022", parse_span(p, p->tok), "missing 'end %s;' before %s", word,
                              p->tok.kind == TOK_END ? "this 'end'" : parse_found(p));
        p->assume_semicolon = true;
    }
    if (told)
        diag_note(p->lx.diags, parse_span(p, opening), "the '%s' that it would end is here", word);
    return !told;
}

static bool is_branch(token_kind kind)
{
    return kind == TOK_IF || kind == TOK_WHEN || kind == TOK_ELSE || kind == TOK_ELSEIF ||
           kind == TOK_ELSEWHEN;
}

/* if-equation :
 *    if expression then { equation ";" }
 *    { elseif expression then { equation ";" } }
 *    [ else { equation ";" } ]
 *    end if
 * when-equation :
 *    when expression then { equation ";" }
 *    { elsewhen expression then { equation ";" } }
 *    end when
 * and the same with statements */
static ast_stmt *parse_branches(parser *p, bool algorithm, bool when)
{
    token opening = p->tok, else_if = {0};
    ast_stmt *s = parse_make_stmt(p, when ? AST_WHEN : AST_IF_STMT);
    size_t mark = p->top;
    bool last = false;
    for (token_kind word = (token_kind)p->tok.kind; is_branch(word);
         word = (token_kind)p->tok.kind) {
        ast_branch b = {0};
        if (last)
            parse_complain(p, "L020", parse_span(p, p->tok),
                           "'%s' after 'else': the 'else' branch is the last one",
                           token_text(word));
        else if (when && (word == TOK_ELSE || word == TOK_ELSEIF))
            parse_complain(p, "L020", parse_span(p, p->tok),
                           "a when-clause goes on with 'elsewhen' only");
        else if (!when && word == TOK_ELSEWHEN)
            parse_complain(p, "L020", parse_span(p, p->tok), "an if-clause goes on with 'elseif'");
        parse_next(p);
        if (word == TOK_ELSE) {
            last = true;
            if (p->tok.kind == TOK_IF && !p->tok.first_on_line) else_if = p->tok;
        } else {
            b.test = parse_expression(p);
            end_of_head(p, TOK_THEN, "after the condition");
        }
        b.body = parse_body(p, algorithm);
        parse_push(p, &b, sizeof b);
        if (p->tok.kind == TOK_IF || p->tok.kind == TOK_WHEN) break;
    }
    s->branches.at = PARSE_TAKE(p, mark, ast_branch, &s->branches.n);
    if (!end_clause(p, when ? TOK_WHEN : TOK_IF, opening) && else_if.kind)
        diag_note(p->lx.diags, parse_span(p, else_if),
                  "'else if' opens a second 'if', with an 'end if' of its own; 'elseif' does not");
    return s;
}

/* for-equation :
 *    for for-indices loop { equation ";" } end for
 * and the same with statements */
static ast_stmt *for_loop(parser *p, bool algorithm)
{
    token opening = p->tok;
    ast_stmt *s = parse_make_stmt(p, AST_FOR);
    parse_next(p); // for
    s->loop.iters = parse_for_indices(p);
    end_of_head(p, TOK_LOOP, "after the range of the loop");
    s->loop.body = parse_body(p, algorithm);
    end_clause(p, TOK_FOR, opening);
    return s;
}

/* while-statement :
 *    while expression loop { statement ";" } end while */
static ast_stmt *while_loop(parser *p)
{
    token opening = p->tok;
    ast_stmt *s = parse_make_stmt(p, AST_WHILE);
    ast_branch *b = arena_new(p->a, ast_branch);
    parse_next(p); // while
    b->test = parse_expression(p);
    end_of_head(p, TOK_LOOP, "after the condition");
    b->body = parse_body(p, true);
    s->branches.at = b;
    s->branches.n = 1;
    end_clause(p, TOK_WHILE, opening);
    return s;
}

static ast_expr *parse_connector(parser *p)
{
    uint32_t begin = p->tok.begin;
    ast_ref r = parse_reference(p);
    ast_expr *e = parse_make(p, AST_REF, begin);
    e->ref = arena_new(p->a, ast_ref);
    *e->ref = r;
    return e;
}

/* connect-equation :
 *    connect "(" component-reference "," component-reference ")" */
ast_stmt *parse_connect(parser *p)
{
    uint32_t begin = p->tok.begin;
    ast_stmt *s = parse_make_stmt(p, AST_CONNECT);
    parse_next(p); // connect
    parse_expect(p, TOK_LPAREN, "after 'connect'");
    s->pair.left = parse_connector(p);
    parse_expect(p, TOK_COMMA, "between the two connectors");
    s->pair.right = parse_connector(p);
    if (p->tok.kind == TOK_COMMA)
        parse_error(p, "L020", parse_span(p, p->tok),
                    "connect takes two connectors; connect the third one in a second equation");
    parse_expect(p, TOK_RPAREN, "after the connectors");
    s->span = parse_since(p, begin);
    return s;
}

// A declaration that begins where an equation or statement should.
static bool is_declaration(parser *p)
{
    switch (p->tok.kind) {
    case TOK_PARAMETER:
    case TOK_CONSTANT:
    case TOK_DISCRETE:
    case TOK_INPUT:
    case TOK_OUTPUT:
    case TOK_FLOW:
    case TOK_STREAM:
    case TOK_EXTENDS:
    case TOK_IMPORT:
    case TOK_REPLACEABLE:
    case TOK_REDECLARE:
    case TOK_INNER:
    case TOK_OUTER: return true;
    case TOK_PURE: return parse_peek(p) != TOK_LPAREN;
    default: return parse_starts_class(p);
    }
}

static void misplaced_declaration(parser *p, span at, bool algorithm)
{
    const char *section = algorithm ? "algorithm" : "equation";
    const char *message = "a declaration cannot stand in the '%s' section; move it before '%s', or "
                          "write 'public' or 'protected' first";
    if (parse_starts_class(p)) parse_complain(p, "L027", at, message, section, section);
    else parse_error(p, "L027", at, message, section, section);
}

// What is left of '=' or ':=' in a statement must be a reference, or a list of them and a call.
static void check_assignment(parser *p, const ast_stmt *s)
{
    const ast_expr *left = s->pair.left, *right = s->pair.right;
    if (p->stuck) return;
    bool listed = p->lx.text[left->span.begin - p->lx.base] == '(';
    if (left->kind != AST_REF && left->kind != AST_TUPLE)
        parse_error(p, "L020", left->span, "only a variable can be assigned to");
    else if (listed && right->kind != AST_CALL)
        parse_error(p, "L020", right->span,
                    "a list of variables is assigned the results of a function call");
}

/* equation :
 *    simple-expression "=" expression | component-reference function-call-args
 * statement :
 *    component-reference ( ":=" expression | function-call-args )
 *    | "(" output-expression-list ")" ":=" component-reference function-call-args */
static ast_stmt *parse_simple(parser *p, bool algorithm)
{
    token_kind own = algorithm ? TOK_ASSIGN : TOK_EQUALS;
    ast_stmt *s = parse_make_stmt(p, algorithm ? AST_ASSIGN : AST_EQUATION);
    token first = p->tok;
    ast_expr *left = parse_simple_expression(p);
    s->pair.left = left;
    if (p->tok.kind == TOK_EQUALS || p->tok.kind == TOK_ASSIGN) {
        if (p->tok.kind != own)
            parse_complain(p, "L024", parse_span(p, p->tok),
                           algorithm ? "an assignment in an algorithm is written ':='"
                                     : "':=' assigns in algorithms; an equation is written '='");
        parse_next(p);
        s->pair.right = parse_expression(p);
        if (algorithm) check_assignment(p, s);
    } else if (left->kind == AST_CALL && first.kind != TOK_DER && first.kind != TOK_PURE &&
               first.kind != TOK_INITIAL) {
        s->kind = AST_CALL_STMT;
        s->call = left;
    } else if (p->stuck) {
        return s;
    } else if (left->kind == AST_CHAIN && left->chain.ops[0] == AST_EQ) {
        parse_complain(p, "L024", left->span, "'==' compares two values; %s is written '%s'",
                       algorithm ? "an assignment" : "an equation", algorithm ? ":=" : "=");
        s->pair.left = left->chain.at[0];
        s->pair.right = left->chain.at[1];
    } else if (left->kind == AST_REF && p->tok.kind == TOK_IDENT && !p->tok.first_on_line) {
        misplaced_declaration(p, (span){left->span.begin, parse_span(p, p->tok).end}, algorithm);
    } else if (left->kind == AST_REF && left->ref->n == 1 && first.kind == TOK_IDENT &&
               p->tok.kind == TOK_SEMICOLON) {
        parse_error(p, "L020", left->span,
                    "this is not %s; a value is missing, as in '%s %s ...', or the arguments of a "
                    "call",
                    algorithm ? "a statement" : "an equation", first.name, token_text(own));
    } else {
        parse_error(p, "L020", parse_span(p, p->tok), "expected '%s' or an operator, found %s",
                    token_text(own), parse_found(p));
    }
    return s;
}

// The clause that begins with this keyword, or a simple equation or statement.
static ast_stmt *parse_clause(parser *p, bool algorithm)
{
    switch (p->tok.kind) {
    case TOK_IF: return parse_branches(p, algorithm, false);
    case TOK_WHEN: return parse_branches(p, algorithm, true);
    case TOK_FOR: return for_loop(p, algorithm);
    case TOK_WHILE:
        if (!algorithm)
            parse_complain(p, "L027", parse_span(p, p->tok),
                           "'while' stands in algorithms only; use 'for' in equations");
        return while_loop(p);
    case TOK_CONNECT:
        if (algorithm)
            parse_complain(p, "L027", parse_span(p, p->tok),
                           "'connect' stands in equation sections only");
        return parse_connect(p);
    case TOK_BREAK:
    case TOK_RETURN: {
        ast_stmt *s = parse_make_stmt(p, p->tok.kind == TOK_BREAK ? AST_BREAK : AST_RETURN);
        if (!algorithm)
            parse_complain(p, "L027", parse_span(p, p->tok), "'%s' stands in algorithms only",
                           token_text((token_kind)p->tok.kind));
        parse_next(p);
        return s;
    }
    case TOK_SEMICOLON:
        parse_complain(p, "L028", parse_span(p, p->tok),
                       "there is nothing before this ';'; "
                       "remove it");
        return parse_make_stmt(p, AST_RETURN);
    default: return parse_simple(p, algorithm);
    }
}

/* equation, statement :
 *    ( ... ) description */
static ast_stmt *parse_statement(parser *p, bool algorithm)
{
    uint32_t begin = p->tok.begin;
    ast_stmt *s;
    if (!parse_enter(p)) return parse_make_stmt(p, AST_RETURN);
    if (is_declaration(p)) {
        s = parse_make_stmt(p, AST_RETURN);
        misplaced_declaration(p, parse_span(p, p->tok), algorithm);
        if (parse_starts_class(p)) parse_class(p, parse_prefixes(p), begin, false); // to its end
    } else s = parse_clause(p, algorithm);
    parse_leave(p);
    parse_description(p, &s->comment, &s->annotation);
    s->span = parse_since(p, begin);
    return s;
}

/* equation-section :
 *    [ initial ] equation { equation ";" }
 * algorithm-section :
 *    [ initial ] algorithm { statement ";" } */
void parse_section_body(parser *p, ast_section *s)
{
    s->body = parse_body(p, s->algorithm);
    for (;;) { // what belongs to no open clause
        token_kind kind = (token_kind)p->tok.kind;
        if (kind == TOK_END) {
            kind = parse_peek(p);
            if (kind != TOK_IF && kind != TOK_FOR && kind != TOK_WHEN && kind != TOK_WHILE) return;
            parse_complain(p, "L022", parse_span(p, p->tok), "'end %s' without an open '%s'",
                           token_text(kind), token_text(kind));
            parse_next(p);
            parse_next(p);
            parse_accept(p, TOK_SEMICOLON);
        } else if (kind == TOK_ELSE || kind == TOK_ELSEIF || kind == TOK_ELSEWHEN) {
            parse_error(p, "L020", parse_span(p, p->tok), "'%s' belongs to no open clause",
                        token_text(kind));
            parse_recover(p);
        } else return;
        parse_body(p, s->algorithm);
    }
}
