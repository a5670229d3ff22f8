/* SPDX-License-Identifier: BSD-3-Clause */
#include "newton/iterate.h"

#include "base/larger.h"
#include "newton/newton.h"

#include <math.h>

/* The trial point of a correction of this size; the part of it that was taken, 0 where none was good,
 * NAN: stop. Its measure goes into *measured. */
static double iterate_damped(const newton_verbs *v, void *user, const newton_policy *p, double size,
                             double before, double *measured)
{
    double factor = p->longest > 0 && size > p->longest ? p->longest / size : 1;
    for (int h = 0;; h++, factor /= 2) {
        double after = *measured = v->trial(user, factor);
        if (isnan(after)) return NAN;
        bool good = after <= (1 - p->decrease * factor) * before || after <= p->vanished ||
                    (size < p->tiny && after < INFINITY);
        if (good || (h == p->halvings && p->compromise && after < INFINITY)) return factor;
        if (h == p->halvings) return 0;
    }
}

/* A matrix that sees less than CORRECTION_NOTHING left to do may not suit the point: another is
 * asked, unless the last correction was smaller than the square root of eps. */
static const double CORRECTION_NOTHING = 1e-15, CORRECTION_SUITS = 1e-7;

/* Further corrections with the same factors, while each is a small part of the one before, which was
 * of this size; the next one is of size `next`. True: solved. */
static bool iterate_again(const newton_verbs *v, void *user, const newton_policy *p, double size,
                          double next)
{
    while (size > p->solved) {
        double unused;
        if (next <= p->enough) return true;
        if (next < CORRECTION_NOTHING) return size < CORRECTION_SUITS;
        if (!(next <= p->contraction * size)) return false;
        size = v->correction(user, false, &unused);
        next = v->trial(user, 1);
        if (!(next < INFINITY) || !v->accept(user)) return false;
    }
    return true;
}

/* By the derivatives at the point itself corrections this small would vanish at the next; where one is
 * more than this part of the last, it is not the equations that make it. */
static const double LINEAR = 0.1;

int newton_iterate(const newton_verbs *v, void *user, const newton_policy *p, newton_course *out)
{
    double last = INFINITY, moved = 0; // since the factors were made
    *out = (newton_course){0};
    for (int k = 0; k < p->iterations; k++) {
        bool anew = !k || !(moved <= p->near);
        double before = 0, size = v->correction(user, anew, &before);
        out->iterations = k + 1;
        if (!(size >= 0 && size < INFINITY)) return NEWTON_E_SINGULAR;
        out->size = size;
        if (size == 0) return NEWTON_OK;
        double after, factor = iterate_damped(v, user, p, size, before, &after);
        if (isnan(factor)) return NEWTON_E_STOPPED;
        out->stuck = factor == 0;
        bool doubtful = size < p->doubtful && (out->stuck || size >= last / 2);
        if (out->stuck) return doubtful && v->exhausted(user) ? NEWTON_OK : NEWTON_E_DIVERGED;
        if (v->accept && !v->accept(user)) return NEWTON_E_STOPPED;
        moved = (anew ? 0 : moved) + size;
        if (factor * size <= p->solved || moved * size < p->product ||
            (size < p->round_off && size >= last * (anew ? LINEAR : 0.5)) ||
            (size < p->patient && k > p->patience) || (size < p->magnified && size >= last) ||
            (doubtful && v->exhausted(user)))
            return NEWTON_OK;
        if (p->contraction > 0 && factor == 1 && iterate_again(v, user, p, size, after))
            return NEWTON_OK;
        last = size;
    }
    return NEWTON_E_DIVERGED;
}

/* By so many further corrections; without a limit nothing. */
static double part_left(double contraction, double most)
{
    return most == 2 ? contraction * contraction : pow(contraction, most);
}

bool newton_follow(void *user, double (*correction)(void *user),
                   bool (*take)(void *user, bool last), const newton_reuse *p, newton_seen *seen)
{
    const double UNSEEN = 2; // growth of the contraction from one point to the next, where not seen
    const double FALL_MOST = 0.1; // it may be small by chance, where its sign changes
    double size = p->near / p->contraction, contraction = p->contraction;
    for (bool first = true;; first = false) {
        double next = correction(user);
        bool least = next <= p->enough; // round-off does not contract
        if (!(next >= 0 && (least || next <= p->contraction * size))) return false;
        if (first && seen->contraction > 0)
            contraction =
                smaller_of(seen->contraction * larger_of(1, next / seen->size), p->contraction);
        if (!first && next > 0) {
            double least_seen =
                FALL_MOST * (seen->contraction > 0 ? seen->contraction : contraction);
            contraction = smaller_of(next / size, p->contraction);
            *seen = (newton_seen){larger_of(contraction, least_seen), size};
        }
        bool last = least || contraction * next <= p->enough;
        if (!first && !last && next * part_left(contraction, p->most) > p->enough) return false;
        if (!take(user, last)) return false;
        if (last && first)
            seen->contraction = smaller_of(UNSEEN * seen->contraction, p->contraction);
        if (last) return true;
        size = next;
    }
}

/* Where unknowns of their nominal size bend by as much, half the square of a correction is left: a principle, and a
 * factor of 20. What was seen may be less because the correction was one of unknowns that enter linearly. */
static const double CURVATURE_LEAST = 10;

bool newton_follow_new(void *user, double (*correction)(void *user),
                       bool (*take)(void *user, bool last), const newton_reuse *p,
                       double *curvature)
{
    double size = correction(user), contraction = larger_of(CURVATURE_LEAST, *curvature) * size;
    if (!(size >= 0 && size <= p->near)) return false;
    for (bool first = true;; first = false) {
        bool last = size <= p->enough || contraction * size <= p->enough;
        if (!take(user, last)) return false;
        if (last) return true;
        double next = correction(user);
        if (!(next >= 0 && (next <= p->enough || next <= p->contraction * size))) return false;
        contraction = next / size;
        if (first) *curvature = larger_of(*curvature, contraction / size);
        size = next;
    }
}

int newton_continue(const newton_path_verbs *v, void *user, const newton_path *p, double *reached,
                    int *attempts)
{
    double step = p->first;
    for (*reached = 0; *reached < 1 && *attempts < p->attempts;) {
        double next = smaller_of(1, *reached + step);
        v->keep(user);
        ++*attempts;
        int status = v->solve(user, next);
        if (!status) {
            *reached = next;
            step *= 2;
            continue;
        }
        v->back(user); // and a shorter way
        step *= p->shorten;
        if (step < p->least) return status;
    }
    return 0;
}
