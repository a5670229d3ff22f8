/* Archives that are fine, and hostile ones.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"
#include "zip_make.h"

#include "fmi/unzip.h"

#include <zlib.h>

extern const fmi_unpacker vincolo_plugin;

typedef struct opening {
    mem m;
    arena a;
    fmi_archive z;
    result_fault fault;
    const void *bytes;
    size_t n;
    bool fine;
} opening;

static int open_inside(void *job)
{
    opening *o = job;
    o->fine = fmi_archive_open(&o->z, &o->a, o->bytes, o->n, &o->fault);
    return 0;
}

static void open_bytes(opening *o, const void *bytes, size_t n)
{
    *o = (opening){.m = mem_std(), .bytes = bytes, .n = n};
    arena_init(&o->a, &o->m);
    assert_int_equal(mem_guarded(&o->m, open_inside, o, 1), 0);
    assert_int_equal(o->fine, !o->fault.code[0]);
}

static void entries_come_back(void **state)
{
    (void)state;
    static zip_bytes z;
    unsigned char packed[1000];
    static char plain[5000];
    for (size_t i = 0; i < sizeof plain; i++) plain[i] = "vincolo "[i % 8];
    z_stream s = {.next_in = (unsigned char *)plain,
                  .avail_in = sizeof plain,
                  .next_out = packed,
                  .avail_out = sizeof packed};
    deflateInit2(&s, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
    size_t n = s.total_out;
    deflateEnd(&s);
    zip_entry e[] = {
        {.name = "./resources/", .bytes = ""},
        {.name = "resources/", .bytes = ""},
        {.name = "resources/a.txt", .bytes = "a text"},
        {.name = "b", .bytes = (char *)packed, .n = n, .method = 8, .size = sizeof plain}};
    e[3].crc_change = zip_crc(plain, sizeof plain) - zip_crc((char *)packed, n);
    zip_make(&z, e, 4);
    opening o;
    open_bytes(&o, z.at, z.n);
    assert_true(o.fine);
    assert_int_equal(o.z.n_entries, 3); // the folder is there once
    assert_null(fmi_archive_find(&o.z, "c"));
    assert_null(fmi_archive_find(&o.z, "resources"));
    char *out;
    const fmi_entry *found = fmi_archive_find(&o.z, "resources/a.txt");
    assert_int_equal(fmi_archive_read(&o.z, found, &vincolo_plugin, &o.m, &out, &o.fault), 0);
    assert_string_equal(out, "a text");
    mem_free(&o.m, out, found->size + 1);
    found = fmi_archive_find(&o.z, "b");
    assert_int_equal(fmi_archive_read(&o.z, found, &vincolo_plugin, &o.m, &out, &o.fault), 0);
    assert_memory_equal(out, plain, sizeof plain);
    mem_free(&o.m, out, found->size + 1);
    arena_done(&o.a);
    // A stream that holds more than is said, or less.
    for (int k = -1; k <= 1; k += 2) {
        e[3].size = (long)sizeof plain + k;
        zip_make(&z, e, 4);
        open_bytes(&o, z.at, z.n);
        found = fmi_archive_find(&o.z, "b");
        assert_int_equal(fmi_archive_read(&o.z, found, &vincolo_plugin, &o.m, &out, &o.fault),
                         RESULT_E_FORMAT);
        assert_string_equal(o.fault.code, "F108");
        arena_done(&o.a);
    }
}

static void hostile_ones_are_refused(void **state)
{
    (void)state;
    static const struct {
        zip_entry e[2];
        const char *code;
    } cases[] = {
        {{{.name = "/etc/passwd", .bytes = "x"}}, "F103"},
        {{{.name = "a/../../b", .bytes = "x"}}, "F103"},
        {{{.name = "..", .bytes = "x"}}, "F103"},
        {{{.name = "a/./b", .bytes = "x"}}, "F103"},
        {{{.name = "a//b", .bytes = "x"}}, "F103"},
        {{{.name = "a\\b", .bytes = "x"}}, "F103"},
        {{{.name = "C:b", .bytes = "x"}}, "F103"},
        {{{.name = "a\nb", .bytes = "x"}}, "F103"},
        {{{.name = "a\xff", .bytes = "x"}}, "F103"},
        {{{.name = "a\xc0\xaf", .bytes = "x"}}, "F103"}, // a stroke in two bytes
        {{{.name = "", .bytes = "x"}}, "F103"},
        {{{.name = "link", .bytes = "/etc/passwd", .attributes = 0120777}}, "F104"},
        {{{.name = "device", .bytes = "", .attributes = 0020666}}, "F104"},
        {{{.name = "a", .bytes = "x"}, {.name = "a", .bytes = "y"}}, "F105"},
        {{{.name = "a", .bytes = "x"}, {.name = "a/", .bytes = ""}}, "F105"},
        {{{.name = "a/b", .bytes = "x"}, {.name = "a", .bytes = "y"}}, "F105"},
        {{{.name = "a", .bytes = "x", .method = 8, .size = 0x7fffffff}}, "F106"},
        {{{.name = "a", .bytes = "x", .flags = 1}}, "F107"},
        {{{.name = "a", .bytes = "x", .method = 12}}, "F107"},
        {{{.name = "a", .bytes = "x", .size = 0xffffffff}}, "F107"},
        {{{.name = "a", .bytes = "x", .size = 2}}, "F102"},
        {{{.name = "a", .bytes = "x", .head_name = "b"}}, "F102"},
        {{{.name = "a", .bytes = "x", .at_change = 1}}, "F102"},
        {{{.name = "a", .bytes = "x", .at_change = 1 << 20}}, "F102"},
        {{{.name = "a/", .bytes = "x"}}, "F102"},
    };
    static zip_bytes z;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zip_make(&z, cases[i].e, cases[i].e[1].name ? 2 : 1);
        opening o;
        open_bytes(&o, z.at, z.n);
        if (strcmp(o.fault.code, cases[i].code) != 0)
            fail_msg("'%s': %s (%s), not %s", cases[i].e[0].name, o.fault.code, o.fault.text,
                     cases[i].code);
        arena_done(&o.a);
    }
}

/* Two lines of the list for one entry: the bomb of entries that overlap. */
static void overlapping_entries_are_refused(void **state)
{
    (void)state;
    static zip_bytes z;
    zip_entry e[] = {{.name = "a", .bytes = "0123456789"}, {.name = "a", .bytes = "0123456789"}};
    zip_make(&z, e, 2);
    size_t list = z.n - 22 - 2 * 47;
    memcpy(z.at + list + 47 + 42, z.at + list + 42, 4); // the second leads to the first
    opening o;
    open_bytes(&o, z.at, z.n);
    assert_string_equal(o.fault.code, "F102");
    arena_done(&o.a);
}

/* Cut off anywhere, and with any byte changed: a fault or an archive, and nothing is read beyond it. */
static void damage_is_no_crash(void **state)
{
    (void)state;
    static zip_bytes z;
    zip_entry e[] = {{.name = "modelDescription.xml", .bytes = "<a/>"},
                     {.name = "b/c", .bytes = "x"}};
    zip_make(&z, e, 2);
    for (size_t n = 0; n <= z.n; n++) {
        opening o;
        unsigned char *copy = malloc(n + 1); // of this size, so that a sanitizer sees the end
        memcpy(copy, z.at, n);
        open_bytes(&o, copy, n);
        if (n < z.n) assert_false(o.fine);
        arena_done(&o.a);
        free(copy);
    }
    for (size_t at = 0; at < z.n; at++)
        for (int bit = 0; bit < 8; bit++) {
            opening o;
            z.at[at] ^= (unsigned char)(1 << bit);
            open_bytes(&o, z.at, z.n);
            for (int i = 0; o.fine && i < o.z.n_entries; i++) {
                char *out;
                const fmi_entry *f = &o.z.entries[i];
                if (!fmi_archive_read(&o.z, f, &vincolo_plugin, &o.m, &out, &o.fault))
                    mem_free(&o.m, out, f->size + 1);
            }
            arena_done(&o.a);
            z.at[at] ^= (unsigned char)(1 << bit);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_back),
        cmocka_unit_test(hostile_ones_are_refused),
        cmocka_unit_test(overlapping_entries_are_refused),
        cmocka_unit_test(damage_is_no_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
