/* The functions of the standard library that are written here: random numbers, texts and Fourier
 * transforms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "call.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

/* ---- random numbers -------------------------------------------------------------------------- */

static void split(const uint64_t *s, int n, double *half)
{
    for (int k = 0; k < n; k++) {
        half[2 * k] = (int32_t)(uint32_t)s[k];
        half[2 * k + 1] = (int32_t)(uint32_t)(s[k] >> 32);
    }
}

/* The words were computed with integers of any length from the definitions (external/random.c says
 * where the library departs from the papers); a number is the word, signed, over 2^64 and 1/2. The
 * library's own results for Modelica.Math.Random.Examples.GenerateRandomNumbers begin with
 * 0.31359251787761722, 0.46115405725007419 and 0.31155928686346324 and come out to the bit. */
static void random_numbers_are_those_of_the_library(void **state)
{
    (void)state;
    uint64_t seed[16];
    for (uint64_t k = 0; k < 16; k++) seed[k] = (k + 1) * 0x9E3779B97F4A7C15u;
    const struct {
        const char *name;
        int words;
        uint64_t seed[2], out[3];
    } cases[] = {
        {"ModelicaRandom_xorshift64star",
         1,
         {0x123456789abcdefu},
         {8976943199460683916u, 2371351976630480688u, 10221089303478865312u}},
        {"ModelicaRandom_xorshift128plus",
         2,
         {0x123456789abcdefu, 0xfedcba9876543210u},
         {5411125452199041287u, 4978749160122484813u, 4471762136335573288u}},
        {"ModelicaRandom_xorshift1024star",
         16,
         {0},
         {14500721811201174130u, 6953294606369051803u, 6275304385194241500u}},
    };
    for (int c = 0; c < 3; c++) {
        double from[33] = {0}, to[33] = {0};
        int n = 2 * cases[c].words + (cases[c].words == 16);
        split(cases[c].words == 16 ? seed : cases[c].seed, cases[c].words, from);
        if (n == 33) from[32] = 14;
        for (int k = 0; k < 3; k++) {
            hand *h = hand_new();
            hand_array(h, from, n);
            hand_array(h, to, n);
            hand_number(h, 0);
            assert_true(hand_call(h, cases[c].name));
            double want = (double)(int64_t)cases[c].out[k] * 0x1p-64 + 0.5;
            assert_true(h->scalar[2] == want);
            memcpy(from, to, sizeof from);
        }
    }
}

static void a_kept_state_goes_on(void **state)
{
    (void)state;
    double from[33], to[33], want[4];
    for (int k = 0; k < 33; k++) from[k] = 1000003 * k - 7;
    hand *h = hand_new();
    double first[33];
    memcpy(first, from, sizeof first);
    for (int k = 0; k < 4; k++) {
        h = hand_new();
        hand_array(h, from, 33);
        hand_array(h, to, 33);
        hand_number(h, 0);
        assert_true(hand_call(h, "ModelicaRandom_xorshift1024star"));
        want[k] = h->scalar[2];
        memcpy(from, to, sizeof from);
    }
    h = hand_new();
    hand_array(h, first, 33);
    hand_number(h, 33);
    hand_number(h, 1);
    assert_true(hand_call(h, "ModelicaRandom_setInternalState_xorshift1024star"));
    for (int k = 0; k < 4; k++) {
        h->n = 0;
        hand_number(h, 1);
        assert_true(hand_call(h, "ModelicaRandom_impureRandom_xorshift1024star"));
        assert_true(h->result == want[k]);
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void tokens_are_found(void **state)
{
    (void)state;
    arena a;
    mem m = mem_std();
    arena_init(&a, &m);
    const struct {
        const char *function, *text;
        int from;
        double next, number;
        const char *token;
    } cases[] = {
        {"ModelicaStrings_scanReal", "  -1.5e2x", 1, 9, -150, NULL},
        {"ModelicaStrings_scanReal", "ab 7", 3, 5, 7, NULL},
        {"ModelicaStrings_scanReal", "3e", 1, 2, 3, NULL},
        {"ModelicaStrings_scanReal", "x", 1, 1, 0, NULL},
        {"ModelicaStrings_scanInteger", " 42;", 1, 4, 42, NULL},
        {"ModelicaStrings_scanInteger", "123.4", 1, 1, 0, NULL},
        {"ModelicaStrings_scanInteger", "-8", 1, 3, -8, NULL},
        {"ModelicaStrings_scanIdentifier", " a_1 =", 1, 5, 0, "a_1"},
        {"ModelicaStrings_scanIdentifier", "1a", 1, 1, 0, ""},
        {"ModelicaStrings_scanString", " \"x y\" z", 1, 7, 0, "x y"},
        {"ModelicaStrings_scanString", "\"open", 1, 1, 0, ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hand *h = hand_new();
        h->a = &a;
        hand_text(h, cases[k].text);
        hand_number(h, cases[k].from);
        int next = cases[k].token ? 2 : 3;
        if (!cases[k].token) hand_number(h, 0);
        hand_number(h, -1);
        if (cases[k].token) hand_text(h, NULL);
        else hand_number(h, -1);
        assert_true(hand_call(h, cases[k].function));
        if (h->scalar[next] != cases[k].next)
            fail_msg("%s: %g, not %g", cases[k].text, h->scalar[next], cases[k].next);
        if (cases[k].token) assert_string_equal(h->arg[3].text, cases[k].token);
        else if (cases[k].next > cases[k].from) assert_true(h->scalar[4] == cases[k].number);
    }
    arena_done(&a);
}

/* Both numbers are those of the library's documentation. */
static void hashes_are_those_of_the_library(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double hash;
    } cases[] = {{"this is a test", 1827717433}, {"Controller.noise1", -1025762750}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hand *h = hand_new();
        hand_text(h, cases[k].text);
        assert_true(hand_call(h, "ModelicaStrings_hashString"));
        assert_true(h->result == cases[k].hash);
    }
}

/* ---- Fourier transforms ---------------------------------------------------------------------- */

/* Against the sum of the definition in long double, for numbers of points with small and large
 * factors; an odd number is refused with 1. The amplitude is over the number of frequencies. */
static void fourier_transforms_are_sums(void **state)
{
    (void)state;
    enum { MOST = 1200 };
    static double u[MOST], work[4 * MOST + 2], a[MOST], phi[MOST];
    const int points[] = {2, 6, 14, 16, 60, 202, 1024, 1200, 15};
    rng r = {7};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        int n = points[i], nf = n / 2 + 1;
        double sum = 0;
        for (int k = 0; k < n; k++) sum += fabs(u[k] = rng_double(&r));
        hand *h = hand_new();
        hand_array(h, u, n);
        hand_number(h, n);
        hand_array(h, work, 3 * n + 2 * nf);
        hand_number(h, 3 * n + 2 * nf);
        hand_array(h, a, nf);
        hand_array(h, phi, nf);
        assert_true(hand_call(h, "ModelicaFFT_kiss_fftr"));
        assert_true(h->result == n % 2);
        for (int k = 0; k < nf && n % 2 == 0; k++) {
            long double re = 0, im = 0, turn = 2 * acosl(-1) / n;
            for (int j = 0; j < n; j++) {
                re += u[j] * cosl(turn * (j * k % n));
                im -= u[j] * sinl(turn * (j * k % n));
            }
            double x = a[k] * nf * cos(phi[k]), y = a[k] * nf * sin(phi[k]);
            if (!(fabs(x - (double)re) + fabs(y - (double)im) < 2e-15 * sum))
                fail_msg("%d points: frequency %d is off", n, k);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_are_those_of_the_library),
        cmocka_unit_test(a_kept_state_goes_on),
        cmocka_unit_test(tokens_are_found),
        cmocka_unit_test(hashes_are_those_of_the_library),
        cmocka_unit_test(fourier_transforms_are_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
