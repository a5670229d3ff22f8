/* The whole pipeline under libFuzzer: no text crashes, hangs, leaks, or fails in silence.
 *
 * Mutations are those of the grammar (mutate.h), with plain ones of bytes now and then.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mutate.h"
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t mutant_of(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out,
                        size_t most, unsigned seed)
{
    dice d = dice_of(seed, 0);
    char *room = malloc(most + 1);
    size_t n = mutate((const char *)a, na, (const char *)b, nb, &d, room, most);
    memcpy(out, room, n);
    free(room);
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (seed % 16 == 0 || memchr(data, 0, size)) return LLVMFuzzerMutate(data, size, most);
    return mutant_of(data, size, NULL, 0, data, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                                 uint8_t *out, size_t most, unsigned seed)
{
    if (memchr(a, 0, na) || memchr(b, 0, nb)) return 0;
    return mutant_of(a, na, b, nb, out, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1); // exactly as long as it is, for the sanitizer
    if (size) memcpy(text, data, size);
    text[size] = 0;
    uint32_t variant = 0;
    for (size_t i = 0; i < size; i++) variant = variant * 31 + data[i];
    pipeline_report r = pipeline(text, size, variant);
    free(text);
    if (pipeline_is_fault(r.outcome)) {
        fprintf(stderr, "%s: %s\n", r.stage, pipeline_words(r.outcome));
        abort();
    }
    return 0;
}
