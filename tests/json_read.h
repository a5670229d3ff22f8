/* JSON read back, for tests: a value by its path, "modes[0].eigenvalue[1]".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_JSON_READ_H
#define TESTS_JSON_READ_H

#include "cmocka_all.h"

static inline const char *json_space(const char *at)
{
    return at + strspn(at, " \t\n");
}

static inline const char *json_string_end(const char *at) // at the opening quote
{
    assert_int_equal(*at, '"');
    for (at++; *at != '"'; at++) {
        assert_true(*at);
        if (*at == '\\') at++;
    }
    return at + 1;
}

/* After the value that begins here; anything that is not JSON fails the test. */
static inline const char *json_skip(const char *at)
{
    at = json_space(at);
    if (*at == '"') return json_string_end(at);
    if (*at == '{' || *at == '[') {
        char open = *at, close = open == '{' ? '}' : ']';
        at = json_space(at + 1);
        while (*at != close) {
            if (open == '{') {
                at = json_space(json_string_end(at));
                assert_int_equal(*at, ':');
                at++;
            }
            at = json_space(json_skip(at));
            if (*at == close) break;
            assert_int_equal(*at, ',');
            at = json_space(at + 1);
            assert_true(*at != close);
        }
        return at + 1;
    }
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(at, words[i], strlen(words[i]))) return at + strlen(words[i]);
    char *end = NULL;
    strtod(at, &end);
    assert_true(end > at);
    return end;
}

/* One value and nothing else. */
static inline void json_is_whole(const char *doc)
{
    assert_int_equal(*json_space(json_skip(doc)), 0);
}

static inline const char *json_member(const char *at, const char *key, size_t n)
{
    at = json_space(at);
    if (*at != '{') return NULL;
    for (at = json_space(at + 1); *at == '"'; at = json_space(at + (*at == ','))) {
        const char *name = at + 1, *end = json_string_end(at);
        at = json_space(json_space(end) + 1);
        if ((size_t)(end - 1 - name) == n && !strncmp(name, key, n)) return at;
        at = json_space(json_skip(at));
    }
    return NULL;
}

static inline const char *json_entry(const char *at, long i)
{
    at = json_space(at);
    if (*at != '[') return NULL;
    for (at = json_space(at + 1); *at != ']'; at = json_space(at + (*at == ','))) {
        if (i-- == 0) return at;
        at = json_space(json_skip(at));
    }
    return NULL;
}

/* Where the value at a path begins; NULL: there is none. */
static inline const char *json_find(const char *doc, const char *path)
{
    while (doc && *path) {
        if (*path == '[') {
            char *end;
            doc = json_entry(doc, strtol(path + 1, &end, 10));
            path = end + 1;
        } else {
            size_t n = strcspn(path, ".[");
            doc = json_member(doc, path, n);
            path += n;
        }
        path += *path == '.';
    }
    return doc;
}

/* NaN for null. */
static inline double json_number(const char *doc, const char *path)
{
    const char *at = json_find(doc, path);
    if (!at) fail_msg("there is no %s in %.300s", path, doc);
    if (!strncmp(at, "null", 4)) return NAN;
    if (!strncmp(at, "true", 4)) return 1;
    if (!strncmp(at, "false", 5)) return 0;
    return strtod(at, NULL);
}

#endif
