/* FMUs: any bytes give a description, held against the rules, or a fault. A text that begins with '<' is
 * taken for modelDescription.xml, so that what is behind the archive is reached, too.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmi/description.h"
#include "zip_make.h"

extern const fmi_unpacker vincolo_plugin;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_job {
    const void *bytes;
    size_t n;
    arena a;
    fmi_file f;
    result_fault fault;
    int rc;
} fuzz_job;

static int read_all(void *job)
{
    fuzz_job *j = job;
    diag_sink sink;
    size_t at;
    diag_init(&sink, &j->a);
    j->rc = fmi_file_open(&j->f, &j->a, j->bytes, j->n, &vincolo_plugin, &j->fault, &at);
    if ((j->rc != 0) != (j->fault.code[0] != 0)) abort();
    if (!j->rc) fmi_rules_check(&j->f, 1, &sink);
    for (int i = 0; i < j->f.archive.n_entries; i++) { // each lies in the archive, and by itself
        const fmi_entry *e = &j->f.archive.entries[i];
        if (!j->rc && (e->name[0] == '/' || strstr(e->name, "..") == e->name)) abort();
        if (!j->rc && (e->at > j->n || e->packed > j->n - e->at)) abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static zip_bytes z;
    mem m = mem_std();
    fuzz_job j = {.bytes = data, .n = size};
    if (size && data[0] == '<' && size < sizeof z.at - 400) {
        zip_make(
            &z,
            &(zip_entry){.name = "modelDescription.xml", .bytes = (const char *)data, .n = size},
            1);
        j.bytes = z.at;
        j.n = z.n;
    }
    arena_init(&j.a, &m);
    mem_guarded(&m, read_all, &j, 1);
    fmi_file_done(&j.f, &m);
    arena_done(&j.a);
    return 0;
}
