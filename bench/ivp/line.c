/* Work-precision lines.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ivp.h"

#include <math.h>

double ivp_time_at(const ivp_line *l, double digits)
{
    // From the tightest tolerance to looser ones: fewest digits and least time seen so far.
    double d[IVP_TOLERANCES], us[IVP_TOLERANCES], fewest = INFINITY, least = INFINITY;
    int n = l->n;
    for (int k = n - 1; k >= 0; k--) {
        if (l->at[k].status) {
            // A tolerance that fails says nothing about looser ones if it is beyond the last.
            d[k] = us[k] = NAN;
            continue;
        }
        fewest = fmin(fewest, l->at[k].digits);
        least = fmin(least, l->at[k].us);
        d[k] = fewest;
        us[k] = least;
    }
    int before = -1;
    for (int k = 0; k < n; k++) {
        if (isnan(d[k])) continue;
        if (d[k] >= digits) {
            if (before < 0) return us[k];
            double s = (digits - d[before]) / (d[k] - d[before]);
            return exp(log(us[before]) + s * (log(us[k]) - log(us[before])));
        }
        before = k;
    }
    return INFINITY;
}
