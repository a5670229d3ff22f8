/* Uncompressing zlib streams: RFC 1950 and RFC 1951.
 *
 * Codes are read bit by bit against the count of codes of each length (canonical Huffman codes):
 * short, and quick enough for the parts of a MAT-file.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/table.h"

#include <stdint.h>
#include <string.h>

enum { LENGTH_MAX = 15, SYMBOLS = 288, DISTANCES = 30, OUT_MAX = 1 << 30 };

typedef struct inflater {
    mem *m;
    const unsigned char *in;
    size_t n, at;
    uint32_t bits;
    int n_bits;
    unsigned char *out;
    size_t n_out, cap;
    bool broken;
} inflater;

typedef struct codes {
    uint16_t count[LENGTH_MAX + 1]; // codes of each length
    uint16_t symbol[SYMBOLS];       // in order of their codes
} codes;

static int take(inflater *x, int n)
{
    while (x->n_bits < n) {
        if (x->at >= x->n) {
            x->broken = true;
            return 0;
        }
        x->bits |= (uint32_t)x->in[x->at++] << x->n_bits;
        x->n_bits += 8;
    }
    int value = (int)(x->bits & ((1u << n) - 1));
    x->bits >>= n;
    x->n_bits -= n;
    return value;
}

static void put(inflater *x, int byte)
{
    if (x->n_out == x->cap) {
        size_t cap = 2 * x->cap + 4096;
        unsigned char *more = cap <= OUT_MAX ? mem_try(x->m, cap) : NULL;
        if (!more) {
            x->broken = true;
            return;
        }
        if (x->n_out) memcpy(more, x->out, x->n_out);
        mem_free(x->m, x->out, x->cap);
        x->out = more;
        x->cap = cap;
    }
    x->out[x->n_out++] = (unsigned char)byte;
}

static void make_codes(codes *c, const uint8_t *length, int n)
{
    uint16_t next[LENGTH_MAX + 2] = {0};
    memset(c->count, 0, sizeof c->count);
    for (int k = 0; k < n; k++) c->count[length[k]]++;
    c->count[0] = 0;
    for (int l = 1; l <= LENGTH_MAX; l++) next[l + 1] = (uint16_t)(next[l] + c->count[l]);
    for (int k = 0; k < n; k++)
        if (length[k]) c->symbol[next[length[k]]++] = (uint16_t)k;
}

static int decode(inflater *x, const codes *c)
{
    int code = 0, first = 0, index = 0;
    for (int l = 1; l <= LENGTH_MAX && !x->broken; l++) {
        code |= take(x, 1);
        int count = c->count[l];
        if (code - count < first) return c->symbol[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    x->broken = true;
    return 0;
}

/* Literals and copies of what is out already, until the end of the block. */
static void compressed(inflater *x, const codes *literal, const codes *distance)
{
    static const uint16_t length_base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                           15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                           67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!x->broken) {
        int symbol = decode(x, literal);
        if (symbol == 256) return;
        if (symbol < 256) {
            put(x, symbol);
            continue;
        }
        symbol -= 257;
        if (symbol >= (int)sizeof length_bits) x->broken = true;
        if (x->broken) return;
        int n = length_base[symbol] + take(x, length_bits[symbol]), d = decode(x, distance);
        if (x->broken || d < 0 || d >= DISTANCES) {
            x->broken = true;
            return;
        }
        size_t back = (size_t)distance_base[d] + (size_t)take(x, d < 2 ? 0 : d / 2 - 1);
        if (back > x->n_out) x->broken = true;
        for (int k = 0; k < n && !x->broken; k++) put(x, x->out[x->n_out - back]);
    }
}

static void stored(inflater *x)
{
    x->bits = 0;
    x->n_bits = 0;
    if (x->n - x->at < 4) {
        x->broken = true;
        return;
    }
    size_t n = x->in[x->at] | (size_t)x->in[x->at + 1] << 8;
    x->at += 4;
    if (x->n - x->at < n) x->broken = true;
    for (size_t k = 0; k < n && !x->broken; k++) put(x, x->in[x->at++]);
}

static void fixed(inflater *x)
{
    uint8_t length[SYMBOLS];
    codes literal, distance;
    for (int k = 0; k < SYMBOLS; k++)
        length[k] = (uint8_t)(k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8);
    make_codes(&literal, length, SYMBOLS);
    memset(length, 5, DISTANCES);
    make_codes(&distance, length, DISTANCES);
    compressed(x, &literal, &distance);
}

static void dynamic(inflater *x)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t length[SYMBOLS + 32] = {0};
    codes lengths, literal, distance;
    int n_literal = take(x, 5) + 257, n_distance = take(x, 5) + 1, n_code = take(x, 4) + 4;
    for (int k = 0; k < n_code; k++) length[order[k]] = (uint8_t)take(x, 3);
    make_codes(&lengths, length, 19);
    memset(length, 0, sizeof length);
    if (n_literal > 286 || n_distance > DISTANCES) x->broken = true;
    for (int k = 0; k < n_literal + n_distance && !x->broken;) {
        int symbol = decode(x, &lengths), times = 1;
        uint8_t l = (uint8_t)symbol;
        if (symbol == 16 && k == 0) x->broken = true;
        if (symbol == 16 && k > 0) l = length[k - 1], times = 3 + take(x, 2);
        if (symbol == 17) l = 0, times = 3 + take(x, 3);
        if (symbol == 18) l = 0, times = 11 + take(x, 7);
        if (k + times > n_literal + n_distance) x->broken = true;
        while (times-- && !x->broken) length[k++] = l;
    }
    if (x->broken) return;
    make_codes(&literal, length, n_literal);
    make_codes(&distance, length + n_literal, n_distance);
    compressed(x, &literal, &distance);
}

unsigned char *table_inflate(mem *m, const unsigned char *bytes, size_t n, size_t *n_out,
                             size_t *capacity)
{
    inflater x = {.m = m, .in = bytes, .n = n, .at = 2};
    bool last = n < 6 || (bytes[0] & 15) != 8;
    x.broken = last;
    while (!last && !x.broken) {
        last = take(&x, 1);
        int kind = take(&x, 2);
        if (kind == 0) stored(&x);
        else if (kind == 1) fixed(&x);
        else if (kind == 2) dynamic(&x);
        else x.broken = true;
    }
    if (x.broken) {
        mem_free(m, x.out, x.cap);
        return NULL;
    }
    *n_out = x.n_out;
    *capacity = x.cap;
    return x.out;
}
