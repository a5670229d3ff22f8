/* The manual page and the completions of three shells, from the lists of commands and options:
 * they cannot disagree with what the command accepts.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tool.h"

#include <stdio.h>
#include <string.h>

/* ---- the manual page ------------------------------------------------------------------------- */

// Hyphens are to be typed, backslashes printed, and no line may begin with a request.
static void roff(const char *s)
{
    for (const char *p = s; *p; p++) {
        if (*p == '\\') fputs("\\e", stdout);
        else if (*p == '-') fputs("\\-", stdout);
        else if ((*p == '\'' || *p == '.') && p == s) printf("\\&%c", *p);
        else putchar(*p);
    }
}

static void roff_commands(const option *o)
{
    bool any = false;
    for (const command *const *c = command_list; *c; c++) {
        if (!option_belongs(o, *c)) continue;
        printf("%s%s", any ? ", " : "", (*c)->name);
        any = true;
    }
}

void generate_man(void)
{
    printf(".TH VINCOLO 1 \"\" \"vincolo %s\" \"User Commands\"\n", vinc_version());
    puts(".SH NAME\nvincolo \\- models of equations and constraints, analysed and simulated\n"
         ".SH SYNOPSIS\n.B vincolo\n.I command\n.RI [ options ]\n.SH COMMANDS");
    for (const command *const *c = command_list; *c; c++) {
        printf(".TP\n.BI \"vincolo %s \" \"", (*c)->name);
        roff((*c)->arguments);
        puts("\"");
        roff((*c)->summary);
        putchar('\n');
    }
    puts(".PP\nMODEL is a file ending in .mo, a package directory, or a class name looked up in "
         "\\-L,\n"
         "MODELICAPATH and the library that comes along.\n.SH OPTIONS");
    char room[OPTION_TEXT_BYTES];
    for (const option *o = option_table; o->name; o++) {
        printf(".TP\n.B \"");
        roff(o->name);
        if (option_value(o, room)) putchar(' '), roff(option_value(o, room));
        puts("\"");
        roff(option_help(o, room));
        if (!o->common) {
            fputs("\n(", stdout);
            roff_commands(o);
            putchar(')');
        }
        putchar('\n');
    }
    puts(
        ".SH EXIT STATUS\n0 done; 1 the model is wrong; 2 the command line is wrong; 3 the run did "
        "not reach its end, or a limit was reached; 130 interrupted.\n"
        ".SH ENVIRONMENT\n.TP\n.B MODELICAPATH\ndirectories in which classes are looked for, "
        "separated by colons\n.TP\n.B NO_COLOR\nno colours on terminals\n"
        ".SH SEE ALSO\nThe examples that come along, and \\fBvincolo tour\\fR.");
}

/* ---- what may follow an option --------------------------------------------------------------- */

typedef enum value_kind {
    VALUE_NONE,
    VALUE_FREE,
    VALUE_FILES,
    VALUE_FOLDERS,
    VALUE_WORDS
} value_kind;

static value_kind value_kind_of(const option *o)
{
    if (o->kind == OPTION_FLAG) return VALUE_NONE;
    if (o->word) return VALUE_WORDS;
    if (o->format || strncmp(o->value, "FILE", 4) == 0) return VALUE_FILES;
    if (o->kind == OPTION_PATH) return VALUE_FOLDERS;
    return strchr(o->value, '|') && !strchr(o->value, '\'') ? VALUE_WORDS : VALUE_FREE;
}

// The words of an option that takes one of them, separated by blanks.
static void value_words(const option *o)
{
    if (o->word)
        for (int i = 0; o->word(i); i++) printf("%s%s", i ? " " : "", o->word(i));
    else
        for (const char *p = o->value; *p; p++) putchar(*p == '|' || *p == ',' ? ' ' : *p);
}

static void option_names(const command *c)
{
    bool any = false;
    for (const option *o = option_table; o->name; o++) {
        if (!option_belongs(o, c)) continue;
        printf("%s%s", any ? " " : "", o->name);
        any = true;
    }
}

static void command_names(void)
{
    for (const command *const *c = command_list; *c; c++)
        printf("%s%s", c == command_list ? "" : " ", (*c)->name);
}

static void topic_names(void)
{
    for (const help_topic *t = help_topics; t->name; t++) printf(" %s", t->name);
}

/* ---- bash ------------------------------------------------------------------------------------ */

void generate_bash(void)
{
    puts("# Completion of vincolo for bash; made by 'vincolo help bash'.\n_vincolo() {\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= w\n"
         "    for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "        [[ $w != -* ]] && { command=$w; break; }\n    done\n"
         "    COMPREPLY=()\n    case $before in");
    for (const option *o = option_table; o->name; o++) {
        switch (value_kind_of(o)) {
        case VALUE_WORDS:
            printf("    %s) COMPREPLY=($(compgen -W '", o->name);
            value_words(o);
            puts("' -- \"$word\")); return ;;");
            break;
        case VALUE_FOLDERS:
            printf("    %s) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n", o->name);
            break;
        case VALUE_FILES:
            printf("    %s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", o->name);
            break;
        case VALUE_FREE: printf("    %s) return ;;\n", o->name); break;
        case VALUE_NONE: break;
        }
    }
    fputs("    esac\n    if [[ -z $command ]]; then\n        COMPREPLY=($(compgen -W '", stdout);
    command_names();
    puts(" --help --version' -- \"$word\"))\n        return\n    fi\n    if [[ $word == -* ]]; "
         "then\n"
         "        case $command in");
    for (const command *const *c = command_list; *c; c++) {
        printf("        %s) COMPREPLY=($(compgen -W '", (*c)->name);
        option_names(*c);
        puts("' -- \"$word\")) ;;");
    }
    fputs("        esac\n    elif [[ $command == help ]]; then\n        COMPREPLY=($(compgen -W '",
          stdout);
    command_names();
    topic_names();
    puts("' -- \"$word\"))\n    else\n"
         "        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
         "complete -o filenames -F _vincolo vincolo");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

// Text inside '...' of zsh's _arguments: quotes, brackets and colons have meanings there.
static void zsh_text(const char *s)
{
    for (; *s; s++) {
        if (*s == '\'') fputs("'\\''", stdout);
        else if (strchr("[]:\\", *s)) printf("\\%c", *s);
        else putchar(*s);
    }
}

void generate_zsh(void)
{
    char room[OPTION_TEXT_BYTES];
    puts("#compdef vincolo\n# Completion of vincolo for zsh; made by 'vincolo help zsh'.\n"
         "_vincolo() {\n  local -a commands\n  commands=(");
    for (const command *const *c = command_list; *c; c++) {
        printf("    '%s:", (*c)->name);
        zsh_text((*c)->summary);
        puts("'");
    }
    puts("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=${words[2]}\n  shift words\n  (( CURRENT-- ))\n  case $command in");
    for (const command *const *c = command_list; *c; c++) {
        printf("  %s)\n    _arguments \\\n", (*c)->name);
        for (const option *o = option_table; o->name; o++) {
            if (!option_belongs(o, *c)) continue;
            bool many =
                o->kind == OPTION_PATH || o->kind == OPTION_SETTING || o->kind == OPTION_VARIED;
            printf("      '%s%s[", many ? "*" : "", o->name);
            zsh_text(option_help(o, room));
            putchar(']');
            switch (value_kind_of(o)) {
            case VALUE_WORDS:
                fputs(":value:(", stdout);
                value_words(o);
                putchar(')');
                break;
            case VALUE_FOLDERS: fputs(":directory:_files -/", stdout); break;
            case VALUE_FILES: fputs(":file:_files", stdout); break;
            case VALUE_FREE: fputs(":value: ", stdout); break;
            case VALUE_NONE: break;
            }
            puts("' \\");
        }
        if (*c == &command_help) {
            fputs("      '*:command:(", stdout);
            command_names();
            topic_names();
            puts(")' ;;");
        } else {
            puts("      '*:file:_files' ;;");
        }
    }
    puts("  esac\n}\n_vincolo \"$@\"");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void fish_text(const char *s)
{
    putchar('\'');
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\') putchar('\\');
        putchar(*s);
    }
    putchar('\'');
}

static void fish_option(const command *c, const option *o)
{
    char room[OPTION_TEXT_BYTES];
    printf("complete -c vincolo -n '__fish_seen_subcommand_from %s' ", c->name);
    bool shorter = o->name[1] != '-';
    printf("-%c %s -d ", shorter ? 's' : 'l', o->name + (shorter ? 1 : 2));
    fish_text(option_help(o, room));
    switch (value_kind_of(o)) {
    case VALUE_WORDS:
        fputs(" -x -a '", stdout);
        value_words(o);
        putchar('\'');
        break;
    case VALUE_FILES:
    case VALUE_FOLDERS: fputs(" -r -F", stdout); break;
    case VALUE_FREE: fputs(" -x", stdout); break;
    case VALUE_NONE: break;
    }
    putchar('\n');
}

void generate_fish(void)
{
    puts("# Completion of vincolo for fish; made by 'vincolo help fish'.");
    for (const command *const *c = command_list; *c; c++) {
        printf("complete -c vincolo -n __fish_use_subcommand -f -a %s -d ", (*c)->name);
        fish_text((*c)->summary);
        putchar('\n');
        for (const option *o = option_table; o->name; o++)
            if (option_belongs(o, *c)) fish_option(*c, o);
    }
}
