/* State machines against the same machines written in C, and against what the Modelica Language
 * Specification 3.6, chapter 17, says of its examples.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>

static trial until(const char *text, double t_stop)
{
    return trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = t_stop, .intervals = 100});
}

static int at(const trial *r, const char *name, double t)
{
    return (int)vinc_result_at(r->result, name, t);
}

/* A1 becomes active at 10 ms and stays for five ticks. */
static void ticks_in_state(void **state)
{
    (void)state;
    trial r = until("model M block State end State; State A0, A1, A2; Real t; equation "
                    "initialState(A0); transition(A0, A1, t > 0.0095); "
                    "transition(A1, A2, ticksInState() >= 5, immediate = false); "
                    "t = sample(time, Clock(1, 1000)); end M;",
                    0.03);
    for (int k = 0; k < 30; k++) {
        assert_int_equal(at(&r, "A0._active", (k + 0.5) / 1000), k < 10);
        assert_int_equal(at(&r, "A1._active", (k + 0.5) / 1000), k >= 10 && k < 15);
        assert_int_equal(at(&r, "A2._active", (k + 0.5) / 1000), k >= 15);
    }
    trial_end(&r);
}

/* A counter that goes up in one state and down in the other; the one that is left keeps what it has,
 * and with a reset begins anew. Conditions take effect at once, or a tick later. */
static void up_and_down(void **state)
{
    (void)state;
    for (int reset = 0; reset < 2; reset++)
        for (int immediate = 0; immediate < 2; immediate++) {
            char text[700];
            snprintf(text, sizeof text,
                     "model M inner Integer n(start = 0); "
                     "block Up outer output Integer n; Integer k(start = 0); equation "
                     "n = previous(n) + 1; k = previous(k) + 1; end Up; "
                     "block Down outer output Integer n; equation n = previous(n) - 2; end Down; "
                     "Up up; Down down; Clock c = Clock(1, 10); equation when c then "
                     "limit = 5; end when; initialState(up); "
                     "transition(up, down, %s >= limit, immediate = %s); "
                     "transition(down, up, n < 1, reset = %s, immediate = false); "
                     "public Integer limit; end M;",
                     immediate ? "previous(n)" : "n", immediate ? "true" : "false",
                     reset ? "true" : "false");
            trial r = until(text, 6);
            int n = 0, k = 0, is_up = 1, leave = 0, enter = 0;
            for (int i = 0; i < 60; i++) {
                if (is_up && (immediate ? n >= 5 : leave)) is_up = 0;
                else if (!is_up && enter) {
                    is_up = 1;
                    if (reset) k = 0;
                }
                n += is_up ? 1 : -2;
                k += is_up;
                leave = is_up && n >= 5;
                enter = !is_up && n < 1;
                double t = i / 10.0 + 0.05;
                assert_int_equal(at(&r, "n", t), n);
                assert_int_equal(at(&r, "up.k", t), k);
                assert_int_equal(at(&r, "up._active", t), is_up);
            }
            trial_end(&r);
        }
}

/* Of several transitions that could fire the one with the smallest number does; a machine may lead
 * back into the state it is in. */
static void priorities(void **state)
{
    (void)state;
    trial r = until("model M block S Integer k(start = 0); equation k = previous(k) + 1; end S; "
                    "S a, b, c; Integer n(start = 0); equation when Clock(1, 1) then "
                    "n = previous(n) + 1; end when; initialState(a); "
                    "transition(a, b, n >= 4, immediate = false, priority = 2); "
                    "transition(a, a, n == 3, immediate = false, priority = 3); "
                    "transition(a, c, n >= 6, immediate = false, priority = 1); "
                    "transition(b, a, true, immediate = false, reset = false); end M;",
                    9);
    // At n = 3 a leads back to itself, at 4 to b, and at 6, when two would fire, to c.
    static const char path[] = "aaaabacc";
    static const int ka[] = {1, 2, 3, 1, 1, 2, 2, 2};
    for (int i = 0; i < 8; i++) {
        char name[] = "x._active";
        name[0] = path[i];
        assert_int_equal(at(&r, name, i + 0.5), 1);
        assert_int_equal(at(&r, "a.k", i + 0.5), ka[i]);
    }
    trial_end(&r);
}

static const char hierarchical[] =
    "model M inner Integer v(start = 0); State1 state1; State2 state2; equation "
    "initialState(state1); transition(state1, state2, %s, immediate = false%s); "
    "transition(state2, state1, v >= 20, immediate = false); public block State1 "
    "inner Integer count(start = 0); inner outer output Integer v; "
    "block StateA outer output Integer v; equation v = previous(v) + 2; end StateA; "
    "block StateB outer output Integer v; equation v = previous(v) - 1; end StateB; "
    "block StateC outer output Integer count; equation count = previous(count) + 1; end StateC; "
    "block StateD end StateD; StateA stateA; StateB stateB; StateC stateC; StateD stateD; "
    "block StateX outer input Integer v; Integer i(start = 0), w; equation i = previous(i) + 1; "
    "w = v; end StateX; block StateY Integer j(start = 0); equation j = previous(j) + 1; "
    "end StateY; StateX stateX; StateY stateY; equation initialState(stateA); "
    "transition(stateA, stateB, v >= 6, immediate = false); "
    "transition(stateB, stateC, v == 0, immediate = false); "
    "transition(stateC, stateA, true, immediate = false, priority = 2); "
    "transition(stateC, stateD, count >= 2, immediate = false); initialState(stateX); "
    "transition(stateX, stateY, stateX.i > 20, immediate = false, reset = false); end State1; "
    "block State2 outer output Integer v; equation v = previous(v) + 5; end State2; end M;";

/* The example of section 17.3.7: two machines side by side inside a state; the same with a
 * transition that waits for both. */
static void hierarchy(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        char text[2000];
        snprintf(text, sizeof text, hierarchical,
                 waits ? "true" : "activeState(state1.stateD) and activeState(state1.stateY)",
                 waits ? ", synchronize = true" : "");
        trial r = until(text, 100);
        enum { A, B, C, D };
        int v = 0, count = 0, i = 0, j = 0, in = 1, abc = A, y = 0, anew_y = 0;
        bool out = false, back = false, to_y = false;
        int next = A;
        for (int k = 0; k < 100; k++) {
            if (in == 1 && out) in = 2;
            else if (in == 2 && back) { // all of state 1 begins anew, state Y when it is entered
                in = 1;
                abc = next = A;
                count = i = y = 0;
                to_y = false;
                anew_y = 1;
            } else if (in == 1) {
                abc = next;
                if (to_y && !y) {
                    y = 1;
                    if (anew_y) j = 0;
                }
            }
            out = back = false;
            if (in == 2) {
                v += 5;
                back = v >= 20;
            } else {
                v += abc == A ? 2 : abc == B ? -1 : 0;
                count += abc == C;
                i += !y;
                j += y;
                next = abc == A && v >= 6   ? B
                       : abc == B && v == 0 ? C
                       : abc == C           ? (count >= 2 ? D : A)
                                            : abc;
                to_y = i > 20;
                out = abc == D && y;
            }
            double t = k + 0.5;
            assert_int_equal(at(&r, "v", t), v);
            assert_int_equal(at(&r, "state1.count", t), count);
            assert_int_equal(at(&r, "state1.stateX.i", t), i);
            assert_int_equal(at(&r, "state1.stateY.j", t), j);
            assert_int_equal(at(&r, "state2._active", t), in == 2);
        }
        trial_end(&r);
    }
}

static void time_in_state(void **state)
{
    (void)state;
    trial r =
        until("model M block S end S; S a, b; Real t; Real s; equation "
              "t = sample(time, Clock(1, 4)); initialState(a); "
              "transition(a, b, timeInState() >= 1.5); transition(b, a, timeInState() >= 0.5, "
              "immediate = false); s = if activeState(a) then t else -t; end M;",
              10);
    // a from 0; b at 1.5 (at once), seen to last 0.5 at 2.0, a from 2.25; 2.25 s make a round
    for (int k = 0; k < 40; k++) {
        double t = k / 4.0, inside = fmod(t, 2.25);
        assert_int_equal(at(&r, "a._active", t + 0.1), inside < 1.5);
        assert_true(vinc_result_at(r.result, "s", t + 0.1) == (inside < 1.5 ? t : -t));
    }
    trial_end(&r);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"Real x = time; equation initialState(x);", "M370"},
        {"S a, b; equation initialState(a); transition(a, b);", "M370"},
        {"S a, b; Boolean c = time > 1; equation initialState(a); if c then transition(a, b, "
         "true); "
         "end if;",
         "M371"},
        {"S a, b; equation transition(a, b, true);", "M372"},
        {"S a, b; equation initialState(a); initialState(b); transition(a, b, true);", "M372"},
        {"S a, b; equation initialState(a); transition(a, b, true); transition(a, a, true);",
         "M372"},
        {"S a, b; Boolean c = activeState(b) and sample(true); equation initialState(a);", "M372"},
        {"Integer k = ticksInState() + sample(1); S a; equation initialState(a);", "M372"},
        {"T a; equation initialState(a);", "M373"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "model M block S end S; block T Real x, y; equation x + y = sample(1); "
                 "x - y = 2; end T; %s end M;",
                 cases[i].text);
        trial r = trial_start(NULL, text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
        const char *said = r.ctx ? vinc_ctx_messages(r.ctx) : "";
        if (!r.rc || !strstr(said, cases[i].code))
            fail_msg("%s\n%s expected, not: %s", text, cases[i].code, said);
        trial_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_in_state), cmocka_unit_test(up_and_down),
        cmocka_unit_test(priorities),     cmocka_unit_test(hierarchy),
        cmocka_unit_test(time_in_state),  cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
