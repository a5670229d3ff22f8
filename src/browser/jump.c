/* setjmp and longjmp by exceptions of WebAssembly: what clang calls (-wasm-enable-sjlj, LLVM 14).
 *
 * A function that calls setjmp keeps a table of the buffers it has set, each with the number of the
 * place to go on at; where an exception arrives, it asks whether the buffer is one of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct place {
    uint32_t id, label; // id 0 ends the table
} place;

static uint32_t last_id;
static int second; // a second result of the functions below

int getTempRet0(void);
int getTempRet0(void)
{
    return second;
}

void setTempRet0(int x);
void setTempRet0(int x)
{
    second = x;
}

/* `env` now stands for `label`; the table, which may have moved, and by getTempRet0 its size. */
place *saveSetjmp(uint32_t *env, uint32_t label, place *table, uint32_t size);
place *saveSetjmp(uint32_t *env, uint32_t label, place *table, uint32_t size)
{
    uint32_t n = 0;
    while (n < size && table[n].id) n++;
    if (n + 1 >= size) {
        size = 2 * size + 2;
        table = realloc(table, (size + 1) * sizeof *table);
        if (!table) abort();
    }
    *env = ++last_id;
    table[n] = (place){last_id, label};
    table[n + 1] = (place){0};
    second = (int)size;
    return table;
}

/* The label of a buffer with that id; 0: it belongs to another function. */
uint32_t testSetjmp(uint32_t id, const place *table, uint32_t size);
uint32_t testSetjmp(uint32_t id, const place *table, uint32_t size)
{
    for (uint32_t i = 0; i < size && table[i].id; i++)
        if (table[i].id == id) return table[i].label;
    return 0;
}

static struct thrown {
    void *env;
    int value;
} thrown;

_Noreturn void __wasm_longjmp(void *env, int value);
_Noreturn void __wasm_longjmp(void *env, int value)
{
    enum { C_LONGJMP = 1 }; // the tag
    thrown = (struct thrown){env, value ? value : 1};
    __builtin_wasm_throw(C_LONGJMP, &thrown);
    __builtin_unreachable();
}
