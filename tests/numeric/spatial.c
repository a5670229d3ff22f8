/* Bodies in space, put together from components, and several bodies by the energies of their points,
 * by every formulation.
 *
 * Quaternions beside angular velocities have no inertia of their own and no reactions; a hinge has
 * three torques and a law for one of them: what the mechanical formulations must see through. End
 * values are held to equations of another kind, integrated here by the classical Runge-Kutta method
 * with steps so small that its error is below 1e-10: moments about the fixed point, Kane's equations
 * in joint speeds, the energy integral of a mechanism with one freedom, the rolling disc without its
 * force, Newton's equations of mass points and rods. The bounds are those of the planar problems of mechanics.c. With the argument `full` also by
 * an explicit method and over longer times.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static bool full; // the long table

/* ---- vectors ---------------------------------------------------------------------------------- */

static const double G = 9.81;

static void cross(const double *a, const double *b, double *c)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
           z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* y := R(p) x, body to world; back: its transpose. */
static void rotate(const double *p, const double *x, bool back, double *y)
{
    double u[3] = {p[1], p[2], p[3]}, s = back ? -p[0] : p[0], a[3], b[3];
    cross(u, x, a);
    cross(u, a, b);
    double n = p[0] * p[0] + dot(u, u);
    for (int i = 0; i < 3; i++) a[i] = x[i] + 2 * (s * a[i] + b[i]) / n;
    memcpy(y, a, sizeof a);
}

/* p' for the angular velocity w in the body. */
static void turn(const double *p, const double *w, double *dp)
{
    dp[0] = -(p[1] * w[0] + p[2] * w[1] + p[3] * w[2]) / 2;
    dp[1] = (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]) / 2;
    dp[2] = (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]) / 2;
    dp[3] = (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]) / 2;
}

/* a x = b, n by n by rows, in place. */
static void solve(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int at = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[at * n + k])) at = i;
        for (int j = 0; j < n; j++) {
            double x = a[k * n + j];
            a[k * n + j] = a[at * n + j], a[at * n + j] = x;
        }
        double x = b[k];
        b[k] = b[at], b[at] = x;
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

typedef void rate(const double *y, double *dy);
enum { STATES_MAX = 14 };

static void integrate(rate *f, int n, double t, int steps, double *y)
{
    double h = t / steps, k[4][STATES_MAX], z[STATES_MAX];
    for (int s = 0; s < steps; s++) {
        for (int q = 0; q < 4; q++) {
            double part = q == 0 ? 0 : q == 3 ? h : h / 2;
            for (int i = 0; i < n; i++) z[i] = y[i] + (q ? part * k[q - 1][i] : 0);
            f(z, k[q]);
        }
        for (int i = 0; i < n; i++) y[i] += h * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
    }
}

/* ---- the top: moments about the fixed point ------------------------------------------------- */

static const char top_text[] =
    "model Top import Vincolo.Mechanics.Spatial.*; inner World world; Fixed ground; Spherical tip;"
    "Body rotor(m = 2, J = diagonal({0.01, 0.012, 0.02}), at = [0, 0, -0.3],"
    "  p(start = {cos(0.2), sin(0.2), 0, 0}, fixed = {false, true, true, true}),"
    "  r(start = {0, -0.3*sin(0.4), 0.3*cos(0.4)}), w(start = {0.5, 0.2, 60}, each fixed = true));"
    "equation connect(ground.frame, tip.a); connect(tip.b, rotor.frame[1]); end Top;";

static void top_rate(const double *y, double *dy)
{
    static const double I[3] = {0.01 + 2 * 0.09, 0.012 + 2 * 0.09, 0.02}, down[3] = {0, 0, -G};
    const double *p = y, *w = y + 4, c[3] = {0, 0, 0.3},
                 H[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
    double g[3], moment[3], wH[3];
    rotate(p, down, true, g);
    cross(c, g, moment);
    cross(w, H, wH);
    turn(p, w, dy);
    for (int i = 0; i < 3; i++) dy[4 + i] = (2 * moment[i] - wH[i]) / I[i];
}

static void top_end(double t, double *end)
{
    double y[7] = {cos(0.2), sin(0.2), 0, 0, 0.5, 0.2, 60}, c[3] = {0, 0, 0.3};
    integrate(top_rate, 7, t, 20000, y);
    rotate(y, c, false, end);
}

/* ---- two bars, a ball joint and a hinge: Kane's equations ----------------------------------- */

static const char double_text[] =
    "model Double import Vincolo.Mechanics.Spatial.*; inner World world; Fixed ground;"
    "Bar upper(m = 1.2, span = {0.8, 0, 0}, J = diagonal({2e-3, 0.065, 0.066}),"
    "  r(start = {0.4, 0, 0}), p(start = {1, 0, 0, 0}, fixed = {false, true, true, true}),"
    "  w(start = {0.5, 0.2, 1}, each fixed = true));"
    "Bar lower(m = 0.7, span = {0.6, 0, 0}, J = diagonal({1e-3, 0.022, 0.021}),"
    "  r(start = {1.1, 0, 0}), p(start = {1, 0, 0, 0}, fixed = {false, false, true, false}),"
    "  w(start = {0.5, -2, 1}, fixed = {false, true, false}));"
    "Spherical hip; Revolute knee(n = {0, 1, 0}, d = 0.05);"
    "equation connect(ground.frame, hip.a); connect(hip.b, upper.a); connect(upper.b, knee.a);"
    "connect(knee.b, lower.a); end Double;";

/* y: p of the upper bar, angle of the hinge, w of the upper bar, rate of the hinge. All vectors in the
 * upper bar but w2 and its inertia, in the lower. */
static void double_rate(const double *y, double *dy)
{
    static const double m1 = 1.2, m2 = 0.7, J1[3] = {2e-3, 0.065, 0.066},
                        J2[3] = {1e-3, 0.022, 0.021};
    const double *p = y, q = y[4], *u = y + 5, down[3] = {0, 0, -G}, e[3] = {0, 1, 0};
    const double hinge[4] = {cos(q / 2), 0, sin(q / 2), 0}, c1[3] = {0.4, 0, 0}, l[3] = {0.8, 0, 0},
                 half[3] = {0.3, 0, 0};
    double g[3], c2[3], W1[3], M[16] = {0}, b[4] = {0};
    double v1[4][3], v2[4][3], w1[4][3] = {{0}}, w2[4][3]; // by the four speeds
    rotate(p, down, true, g);
    rotate(hinge, half, false, c2);
    for (int k = 0; k < 4; k++) {
        double W2[3];
        for (int i = 0; i < 3; i++) w1[k][i] = k == i;
        for (int i = 0; i < 3; i++) W2[i] = w1[k][i] + (k == 3 ? e[i] : 0);
        cross(w1[k], c1, v1[k]);
        double a[3], c[3];
        cross(w1[k], l, a);
        cross(W2, c2, c);
        for (int i = 0; i < 3; i++) v2[k][i] = a[i] + c[i];
        rotate(hinge, W2, true, w2[k]);
    }
    for (int i = 0; i < 3; i++) W1[i] = u[i];
    double W2[3] = {u[0], u[1] + u[3], u[2]}, a1[3], a2[3], t[3], t2[3], extra[3];
    // Accelerations at constant speeds: a x (a x r), and e' = W1 x e of the hinge.
    cross(W1, c1, t), cross(W1, t, a1);
    cross(W1, l, t), cross(W1, t, a2);
    cross(W2, c2, t), cross(W2, t, t2);
    for (int i = 0; i < 3; i++) a2[i] += t2[i];
    double rate_e[3] = {0, u[3], 0};
    cross(W1, rate_e, extra);
    cross(extra, c2, t);
    for (int i = 0; i < 3; i++) a2[i] += t[i];
    double W2b[3], extra_b[3], H1[3], H2[3], h1[3], h2[3];
    rotate(hinge, W2, true, W2b);
    rotate(hinge, extra, true, extra_b);
    for (int i = 0; i < 3; i++) H1[i] = J1[i] * W1[i], H2[i] = J2[i] * W2b[i];
    cross(W1, H1, h1);
    cross(W2b, H2, h2);
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 3; i++)
                M[k * 4 + j] += m1 * v1[k][i] * v1[j][i] + m2 * v2[k][i] * v2[j][i] +
                                J1[i] * w1[k][i] * w1[j][i] + J2[i] * w2[k][i] * w2[j][i];
        for (int i = 0; i < 3; i++)
            b[k] += m1 * v1[k][i] * (g[i] - a1[i]) + m2 * v2[k][i] * (g[i] - a2[i]) -
                    w1[k][i] * h1[i] - w2[k][i] * (h2[i] + J2[i] * extra_b[i]);
    }
    b[3] -= 0.05 * u[3];
    solve(4, M, b);
    turn(p, u, dy);
    dy[4] = u[3];
    for (int k = 0; k < 4; k++) dy[5 + k] = b[k];
}

static void double_end(double t, double *end)
{
    double y[9] = {1, 0, 0, 0, 0, 0.5, 0.2, 1, -2.2}, c[3];
    integrate(double_rate, 9, t, 8000, y);
    c[0] = 0.8 + 0.3 * cos(y[4]), c[1] = 0, c[2] = -0.3 * sin(y[4]);
    rotate(y, c, false, end);
}

/* ---- the slider-crank: one freedom, energy ---------------------------------------------------- */

static const char slider_text[] =
    "model Slider import Vincolo.Mechanics.Spatial.*; inner World world;"
    "Fixed bearing(r = {0, 0.1, 0.12}), rail;"
    "Bar crank(m = 0.12, span = {0, 0, 0.08}, J = diagonal({7e-5, 7e-5, 8e-6}),"
    "  r(start = {0, 0.1, 0.16}), p(start = {1, 0, 0, 0}, fixed = {false, true, false, false}),"
    "  w(start = {6, 0, 0}, fixed = {true, false, false}));"
    "Bar rod(m = 0.5, span = {0.2, -0.1, -0.2}, J = diagonal({4e-3, 3e-3, 2e-3}),"
    "  r(start = {0.1, 0.05, 0.1}));"
    "Body slider(m = 2, J = 1e-3*identity(3), r(start = {0.2, 0, 0}));"
    "Revolute main(n = {1, 0, 0}); Spherical ball; Prismatic guide(n = {1, 0, 0});"
    "Universal cardan(na = {0, 0, 1}, nb = {1/sqrt(5), 2/sqrt(5), 0});"
    "equation connect(bearing.frame, main.a); connect(main.b, crank.a); connect(crank.b, ball.a);"
    "connect(ball.b, rod.a); connect(rod.b, cardan.b); connect(cardan.a, slider.frame[1]);"
    "connect(rail.frame, guide.a); connect(guide.b, slider.frame[1]); end Slider;";

static double slider_place(double phi)
{
    double y = 0.1 - 0.08 * sin(phi), z = 0.12 + 0.08 * cos(phi);
    return sqrt(0.09 - y * y - z * z);
}

/* Columns of the rod's matrix of rotation: along the rod, along the cross axis, and across both. */
static void rod_axes(double phi, double R[3][3])
{
    static const double span[3] = {2.0 / 3, -1.0 / 3, -2.0 / 3}, up[3] = {0, 0, 1};
    const double n[3] = {1 / sqrt(5), 2 / sqrt(5), 0};
    double s = slider_place(phi),
           d[3] = {s / 0.3, -(0.1 - 0.08 * sin(phi)) / 0.3, -(0.12 + 0.08 * cos(phi)) / 0.3};
    double e[3], third[3], b3[3];
    cross(d, up, e); // at the start along n, as it must be: e = d x up has positive e.n
    double size = sqrt(dot(e, e)) * (dot(e, n) < 0 ? -1 : 1);
    for (int i = 0; i < 3; i++) e[i] /= size;
    cross(d, e, third);
    cross(span, n, b3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) R[i][j] = d[i] * span[j] + e[i] * n[j] + third[i] * b3[j];
}

/* T = inertia(phi) phi'^2 / 2; derivatives by phi by differences of the sixth order. */
static void slider_energy(double phi, double *inertia, double *V)
{
    static const double weight[3] = {0.75, -0.15, 1.0 / 60}, J[3] = {4e-3, 3e-3, 2e-3};
    const double h = 2e-3;
    double R[3][3], dR[3][3] = {{0}}, ds = 0;
    rod_axes(phi, R);
    for (int k = 1; k <= 3; k++) {
        double a[3][3], b[3][3], f = weight[k - 1] / h;
        rod_axes(phi + k * h, a);
        rod_axes(phi - k * h, b);
        ds += f * (slider_place(phi + k * h) - slider_place(phi - k * h));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) dR[i][j] += f * (a[i][j] - b[i][j]);
    }
    double S[3][3] = {{0}}, w[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) S[i][j] += R[k][i] * dR[k][j];
    w[0] = S[2][1], w[1] = S[0][2], w[2] = S[1][0];
    double vy = -0.04 * cos(phi), vz = -0.04 * sin(phi); // of the middle of the rod
    *inertia = 7e-5 + 0.12 * 0.04 * 0.04 + 2 * ds * ds + 0.5 * (ds * ds / 4 + vy * vy + vz * vz);
    for (int i = 0; i < 3; i++) *inertia += J[i] * w[i] * w[i];
    *V = G * (0.12 * (0.12 + 0.04 * cos(phi)) + 0.5 * (0.12 + 0.08 * cos(phi)) / 2);
}

static double slider_total;

static void slider_rate(const double *y, double *dy)
{
    double inertia, V;
    slider_energy(y[0], &inertia, &V);
    dy[0] = sqrt(2 * (slider_total - V) / inertia);
}

static void slider_end(double t, double *end)
{
    double phi[1] = {0}, inertia, V;
    slider_energy(0, &inertia, &V);
    slider_total = V + inertia * 36 / 2;
    integrate(slider_rate, 1, t, 2000, phi);
    end[0] = slider_place(phi[0]);
    end[1] = 0.1 - 0.04 * sin(phi[0]);
    end[2] = (0.12 + 0.08 * cos(phi[0])) / 2;
}

/* ---- the rolling disc: no force at the contact --------------------------------------------------- */

static const char disc_text[] =
    "model Disc import Vincolo.Mechanics.Spatial.*; inner World world;"
    "RollingDisc coin(m = 0.4, R = 0.25, r(start = {0, 0, 0.25*sin(1.3)}, fixed = {true, true, "
    "false}),"
    "  p(start = {cos(0.65), sin(0.65), 0, 0}, fixed = {false, true, true, true}),"
    "  w(start = {0.3, 0.5, 6}, each fixed = true)); end Disc;";

/* y: x, y of the centre, p, w in the body. Moments about the contact, which is at rest on the disc. */
static void disc_rate(const double *y, double *dy)
{
    static const double m = 0.4, R = 0.25,
                        J[3] = {0.4 * 0.0625 / 4, 0.4 * 0.0625 / 4, 0.4 * 0.0625 / 2};
    const double *p = y + 2, *w = y + 6, axis[3] = {0, 0, 1}, down[3] = {0, 0, -G};
    double W[3], n[3], dn[3], d[3], dd[3], v[3], M[9], b[3];
    rotate(p, w, false, W);
    rotate(p, axis, false, n);
    cross(W, n, dn);
    double s = sqrt(1 - n[2] * n[2]), ds = -n[2] * dn[2] / s;
    for (int i = 0; i < 3; i++) { // from the centre to the contact, and its rate
        double x = n[2] * n[i] - (i == 2), dx = dn[2] * n[i] + n[2] * dn[i];
        d[i] = R * x / s;
        dd[i] = R * (dx - x * ds / s) / s;
    }
    cross(d, W, v); // v = -W x d
    double db[3], bias[3], H[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]}, wH[3];
    rotate(p, d, true, db);
    cross(dd, W, bias); // v' = d x W' + d' x W in the world; W' = R w'
    double rest[3], force[3];
    for (int i = 0; i < 3; i++) rest[i] = m * (bias[i] - down[i]);
    rotate(p, rest, true, force);
    cross(w, H, wH);
    double moment[3];
    cross(db, force, moment); // J w' + w x J w = d x f, f = m (v' - g)
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, a[3], c[3];
        cross(db, e, a);
        cross(db, a, c);
        for (int i = 0; i < 3; i++) M[i * 3 + j] = (i == j) * J[i] - m * c[i];
    }
    for (int i = 0; i < 3; i++) b[i] = moment[i] - wH[i];
    solve(3, M, b);
    dy[0] = v[0], dy[1] = v[1];
    turn(p, w, dy + 2);
    for (int i = 0; i < 3; i++) dy[6 + i] = b[i];
}

static void disc_end(double t, double *end)
{
    double y[9] = {0, 0, cos(0.65), sin(0.65), 0, 0, 0.3, 0.5, 6}, axis[3] = {0, 0, 1}, n[3];
    integrate(disc_rate, 9, t, 8000, y);
    rotate(y + 2, axis, false, n);
    end[0] = y[0], end[1] = y[1], end[2] = 0.25 * sqrt(1 - n[2] * n[2]);
}

/* ---- a plane four-bar of hinges in space, a pendulum hung on it ------------------------------- */

static const char loop_text[] =
    "model Loop import Vincolo.Mechanics.Spatial.*; inner World world(g = {0, -9.81, 0});"
    "Fixed A, D(r = {2, 0, 0});"
    "Bar crank(m = 1, span = {0, 0.7, 0}, J = diagonal({0.05, 0.01, 0.04}), r(start = {0, 0.35, "
    "0}),"
    "  w(start = {0, 0, -1}, fixed = {false, false, true}));"
    "Bar coupler(m = 2, span = {2, 0.5, 0}, J = diagonal({0.02, 0.7, 0.71}), r(start = {1, 0.95, "
    "0}));"
    "Bar rocker(m = 1.5, span = {0, 1.2, 0}, J = diagonal({0.2, 0.02, 0.18}), r(start = {2, 0.6, "
    "0}));"
    "PointMass load(m = 0.5, r(start = {0, -0.1, 0}, fixed = {true, false, true}),"
    "  v(start = {0, 0, 0}, fixed = {true, false, true})); Rod rope(L = 0.8); Revolute jA, jB, jC, "
    "jD;"
    "equation connect(A.frame, jA.a); connect(jA.b, crank.a); connect(crank.b, jB.a);"
    "connect(jB.b, coupler.a); connect(coupler.b, jC.a); connect(jC.b, rocker.b);"
    "connect(rocker.a, jD.b); connect(D.frame, jD.a); connect(coupler.a, rope.a);"
    "connect(rope.b, load.frame); end Loop;";

/* Of the four-bar at the angle a of its crank from the vertical: twice T by a'^2, and V. */
static void loop_energy(double a, double *inertia, double *V)
{
    const double l = sqrt(4.25), c[2] = {0.7 * sin(a), 0.7 * cos(a)};
    const double x = 2 - c[0], y = -c[1], far = hypot(x, y); // from the crank's end to D
    double angle = atan2(y, x) + acos((far * far + l * l - 1.44) / (2 * far * l));
    double e[2] = {c[0] + l * cos(angle), c[1] + l * sin(angle)}, g[2] = {e[0] - 2, e[1]};
    // (c + l e)' = g' with rates b of the coupler and r of the rocker
    double M[4] = {-l * sin(angle), g[1], l * cos(angle), -g[0]}, b[2] = {-c[1], c[0]};
    solve(2, M, b);
    double vx = c[1] - l / 2 * sin(angle) * b[0], vy = -c[0] + l / 2 * cos(angle) * b[0];
    *inertia = 0.04 + 0.35 * 0.35 + 2 * (vx * vx + vy * vy) + 0.71 * b[0] * b[0] +
               (0.18 + 1.5 * 0.36) * b[1] * b[1];
    *V = G * (c[1] / 2 + 2 * (c[1] + l / 2 * sin(angle)) + 1.5 * e[1] / 2);
}

/* y: a, angle of the rope from the vertical, their rates. */
static void loop_rate(const double *y, double *dy)
{
    static const double weight[3] = {0.75, -0.15, 1.0 / 60}, m = 0.5, L = 0.8;
    const double h = 2e-3, a = y[0], q = y[1];
    double inertia, V, slope = 0, force = 0, c = cos(a + q), s = sin(a + q);
    for (int k = 1; k <= 3; k++) {
        double up, down, Vu, Vd;
        loop_energy(a + k * h, &up, &Vu);
        loop_energy(a - k * h, &down, &Vd);
        slope += weight[k - 1] / h * (up - down);
        force -= weight[k - 1] / h * (Vu - Vd);
    }
    loop_energy(a, &inertia, &V);
    // T = (I + m 0.49) a'^2/2 + m 0.7 L cos(a + q) a' q' + m L^2 q'^2/2
    double M[4] = {inertia + m * 0.49, m * 0.7 * L * c, m * 0.7 * L * c, m * L * L};
    double b[2] = {force - slope * y[2] * y[2] / 2 + m * 0.7 * L * s * y[3] * y[3] +
                       m * G * 0.7 * sin(a),
                   m * 0.7 * L * s * y[2] * y[2] - m * G * L * sin(q)};
    solve(2, M, b);
    dy[0] = y[2], dy[1] = y[3], dy[2] = b[0], dy[3] = b[1];
}

static void loop_end(double t, double *end)
{
    double y[4] = {0, 0, 1, -0.7 / 0.8};
    integrate(loop_rate, 4, t, 1000, y);
    end[0] = 0.35 * sin(y[0]), end[1] = 0.35 * cos(y[0]);
    end[2] = 0.7 * sin(y[0]) + 0.8 * sin(y[1]);
}

/* ---- energies through points: Newton's equations of the points -------------------------------- */

static const char loader_text[] =
    "model Loader parameter Real M = 2, m1 = 1.1, mm = 0.6, m2 = 0.8, g = 9.81, c = 60, l1 = 0.7,"
    "  l2 = 0.9, l3 = 1.1;"
    "Real x(start = 0.1, fixed = true), a(start = 0.9, fixed = true), b(start = 0.5), e(start = 2);"
    "Real P0[2] = {x, 0}, P1[2] = P0 + l1*{cos(a), sin(a)}, P2[2] = P1 + l2*{cos(b), sin(b)};"
    "Real mid[2] = (P0 + P1)/2, tip[2] = {1.8, 0} + l3*{cos(e), sin(e)}, stretch = x - 0.25;"
    "initial equation der(x) = 0.5; der(a) = -1;"
    "equation Vincolo.lagrange(q = {x, a, b, e},"
    "  T = M/2*(der(P0)*der(P0)) + m1/2*(der(P1)*der(P1)) + mm/2*(der(mid)*der(mid)) +"
    "    m2/2*(der(P2)*der(P2)),"
    "  V = g*(m1*P1[2] + mm*mid[2] + m2*P2[2]) + c/2*stretch^2, Phi = P2 - tip); end Loader;";

/* y: x, P1, P2 and their rates; three rods between the points. */
static void loader_rate(const double *y, double *dy)
{
    const double *v = y + 5;
    double A[64] = {0}, b[8] = {0}, mm = 0.6 / 4; // the middle: a quarter for each pair of ends
    double d[3][2] = {{y[1] - y[0], y[2]}, {y[3] - y[1], y[4] - y[2]}, {y[3] - 1.8, y[4]}};
    double w[3][2] = {{v[1] - v[0], v[2]}, {v[3] - v[1], v[4] - v[2]}, {v[3], v[4]}};
    static const int from[3][2] = {{0, -1}, {1, 2}, {-1, -1}}, to[3][2] = {{1, 2}, {3, 4}, {3, 4}};
    A[0] = 2 + mm, A[1] = A[8] = mm, A[9] = 1.1 + mm, A[18] = 1.1 + mm, A[27] = A[36] = 0.8;
    b[0] = -60 * (y[0] - 0.25), b[2] = -G * (1.1 + 0.6 / 2), b[4] = -G * 0.8;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) {
            if (to[k][i] >= 0) A[(5 + k) * 8 + to[k][i]] += d[k][i];
            if (from[k][i] >= 0) A[(5 + k) * 8 + from[k][i]] -= d[k][i];
            b[5 + k] -= w[k][i] * w[k][i];
        }
        for (int i = 0; i < 5; i++) A[i * 8 + 5 + k] = A[(5 + k) * 8 + i];
    }
    solve(8, A, b);
    memcpy(dy, v, 5 * sizeof *v);
    memcpy(dy + 5, b, 5 * sizeof *b);
}

static void loader_end(double t, double *end)
{
    double y[10] = {0.1, 0.1 + 0.7 * cos(0.9), 0.7 * sin(0.9)};
    double dx = 1.8 - y[1], dy = -y[2], far = hypot(dx, dy);
    double b = atan2(dy, dx) + acos((0.81 + far * far - 1.21) / (1.8 * far));
    y[3] = y[1] + 0.9 * cos(b), y[4] = y[2] + 0.9 * sin(b);
    y[5] = 0.5, y[6] = 0.5 + 0.7 * sin(0.9), y[7] = -0.7 * cos(0.9);
    double A[4] = {y[3] - y[1], y[4] - y[2], y[3] - 1.8, y[4]},
           v[2] = {A[0] * y[6] + A[1] * y[7], 0};
    solve(2, A, v);
    y[8] = v[0], y[9] = v[1];
    integrate(loader_rate, 10, t, 4000, y);
    end[0] = y[0], end[1] = y[3], end[2] = y[4];
}

static const char swing_text[] =
    "model Swing import Vincolo.Rotations.fromQuaternion;"
    "parameter Real c[3, 3] = [0.5, 0, -0.1; -0.2, 0.4, -0.3; 0, -0.3, -0.4], m[3] = {1, 0.7, 1.3};"
    "parameter Real hook[3] = {0.6, 0.1, 0}, L = 0.8, m4 = 0.9, k = 15, anchor[3] = {1, 1, 0};"
    "parameter Real g = 9.81; Real s = sqrt((r - anchor)*(r - anchor)) - 1;"
    "Real u[4](start = {1, 0, 0, 0}, fixed = {false, true, true, true});"
    "Real r[3](start = {0.6, 0.1, -0.8}, fixed = {true, true, false}), p[3, 3], e[3];"
    "initial equation der(u[2]) = 0.3; der(u[3]) = -0.2; der(u[4]) = 0.5; der(r[1]) = 0.4;"
    "  der(r[2]) = 0;"
    "equation for i in 1:3 loop p[i, :] = fromQuaternion(u)*c[i, :]; end for;"
    "e = fromQuaternion(u)*hook;"
    "Vincolo.lagrange(q = cat(1, u, r),"
    "  T = sum(m[i]/2*(der(p[i, :])*der(p[i, :])) for i in 1:3) + m4/2*(der(r)*der(r)),"
    "  V = g*(m*p[:, 3] + m4*r[3]) + k/2*s^2, Phi = {u*u - 1, (r - e)*(r - e) - L^2}); end Swing;";

static const double swing_c[3][3] = {{0.5, 0, -0.1}, {-0.2, 0.4, -0.3}, {0, -0.3, -0.4}},
                    swing_m[3] = {1, 0.7, 1.3}, swing_hook[3] = {0.6, 0.1, 0};

/* y: quaternion, angular velocity in the body, the mass on the rod and its velocity. Moments about the
 * joint, Newton's law for the mass, and the rod's force times f = r - e between them. */
static void swing_rate(const double *y, double *dy)
{
    const double *p = y, *w = y + 4, *r = y + 7, *v = y + 10, down[3] = {0, 0, -G};
    double A[49] = {0}, b[7] = {0}, g[3], e[3], ve[3], f[3], fb[3], moment[3], t[3], t2[3];
    rotate(p, down, true, g);
    rotate(p, swing_hook, false, e);
    cross(w, swing_hook, t), rotate(p, t, false, ve);
    for (int i = 0; i < 3; i++) f[i] = r[i] - e[i];
    rotate(p, f, true, fb);
    for (int k = 0; k < 3; k++) { // the inertia of the points, and what turns them
        for (int j = 0; j < 3; j++) {
            double unit[3] = {j == 0, j == 1, j == 2};
            cross(unit, swing_c[k], t), cross(swing_c[k], t, t2);
            for (int i = 0; i < 3; i++) A[i * 7 + j] += swing_m[k] * t2[i];
        }
        cross(w, swing_c[k], t), cross(w, t, t2), cross(swing_c[k], t2, t);
        cross(swing_c[k], g, moment);
        for (int i = 0; i < 3; i++) b[i] += swing_m[k] * (moment[i] - t[i]);
    }
    cross(swing_hook, fb, moment);
    double d[3] = {r[0] - 1, r[1] - 1, r[2]}, size = sqrt(dot(d, d));
    for (int i = 0; i < 3; i++) {
        A[i * 7 + 6] = -moment[i]; // + lambda f on the hook, - lambda f on the mass
        A[(3 + i) * 7 + 3 + i] = 0.9;
        A[(3 + i) * 7 + 6] = f[i];
        b[3 + i] = 0.9 * down[i] - 15 * (size - 1) * d[i] / size;
    }
    // f (v' - e'') + (v - ve)^2 = 0, e'' = R (w' x hook + w x (w x hook))
    for (int j = 0; j < 3; j++) {
        double unit[3] = {j == 0, j == 1, j == 2};
        cross(unit, swing_hook, t);
        A[42 + j] = -dot(fb, t);
        A[45 + j] = f[j];
    }
    cross(w, swing_hook, t), cross(w, t, t2);
    b[6] = dot(fb, t2);
    for (int i = 0; i < 3; i++) b[6] -= (v[i] - ve[i]) * (v[i] - ve[i]);
    solve(7, A, b);
    turn(p, w, dy);
    memcpy(dy + 4, b, 3 * sizeof *b);
    memcpy(dy + 7, v, 3 * sizeof *v);
    memcpy(dy + 10, b + 3, 3 * sizeof *b);
}

static void swing_end(double t, double *end)
{
    // u = (1, 0, 0, 0): w = 2 u'; the rod stands upright, so that r[3]' = e[3]'
    double y[13] = {1, 0, 0, 0, 0.6, -0.4, 1, 0.6, 0.1, -0.8, 0.4}, ve[3];
    cross(y + 4, swing_hook, ve);
    y[12] = ve[2];
    integrate(swing_rate, 13, t, 4000, y);
    memcpy(end, y + 7, 3 * sizeof *y);
}

/* ---- all of them ------------------------------------------------------------------------------ */

typedef struct way {
    const char *name;
    double error;            // of end values
    bool position, velocity; // violation below 1e-8 throughout
    bool explicit;           // has a right-hand side
} way;

static const way ways[] = {
    {"dummy", 1e-6, true, true, true},          {"project", 1e-6, true, true, true},
    {"ggl", 1e-6, true, true, false},           {"partition", 1e-6, true, true, true},
    {"maggi", 1e-6, true, true, true},          {"direct", 1e-4, true, false, false},
    {"index1", 1e-4, false, false, true},       {"baumgarte", 1e-4, false, false, true},
    {"kkt", 1e-4, false, false, true},          {"udwadia", 1e-4, false, false, true},
    {"nullspace-qr", 1e-4, false, false, true}, {"nullspace-svd", 1e-4, false, false, true},
    {"finzi", 1e-4, false, false, true},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct problem {
    const char *name, *text;
    double stop, longer;
    void (*end)(double t, double *end);
    const char *values[3];
} problem;

static const problem problems[] = {
    {"top", top_text, 0.1, 1, top_end, {"rotor.r[1]", "rotor.r[2]", "rotor.r[3]"}},
    {"double pendulum",
     double_text,
     0.1,
     1,
     double_end,
     {"lower.r[1]", "lower.r[2]", "lower.r[3]"}},
    {"slider-crank", slider_text, 0.05, 0.5, slider_end, {"slider.r[1]", "crank.r[2]", "rod.r[3]"}},
    {"disc", disc_text, 0.2, 1.5, disc_end, {"coin.r[1]", "coin.r[2]", "coin.r[3]"}},
    {"loop", loop_text, 0.1, 0.5, loop_end, {"crank.r[1]", "crank.r[2]", "load.r[1]"}},
    {"cart and links", loader_text, 0.2, 1, loader_end, {"x", "P2[1]", "P2[2]"}},
    {"swing", swing_text, 0.2, 1, swing_end, {"r[1]", "r[2]", "r[3]"}},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static void check(vinc_model *m, const problem *p, const way *w, const char *method,
                  const double *want)
{
    vinc_sim_options o = {.formulation = w->name, .method = method, .has_stop = 1, .rel_tol = 1e-9};
    vinc_sim *sim = NULL;
    vinc_run *r = NULL;
    o.t_stop = full ? p->longer : p->stop;
    o.intervals = 10;
    int rc = vinc_sim_new(m, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (rc) fail_msg("%s by %s: %d", p->name, w->name, rc);
    double worst = 0;
    for (int i = 0; i < 3; i++) {
        double x = vinc_result_at(vinc_sim_result(sim), p->values[i], o.t_stop);
        worst = fmax(worst, fabs(x - want[i]));
        if (!(fabs(x - want[i]) <= w->error))
            fail_msg("%s by %s: %s = %.15g, not %.15g", p->name, w->name, p->values[i], x, want[i]);
    }
    assert_int_equal(vinc_run_of(sim, &r), VINC_OK);
    if (full)
        printf("%-16s %-14s %-7s error %8.1e, positions violated by %8.1e, velocities %8.1e\n",
               p->name, w->name, method ? method : "bdf", worst, r->position_max, r->velocity_max);
    if (w->position && r->position_max > 1e-8)
        fail_msg("%s by %s: positions violated by %g", p->name, w->name, r->position_max);
    if (w->velocity && !(r->velocity_max <= 1e-8))
        fail_msg("%s by %s: velocities violated by %g", p->name, w->name, r->velocity_max);
    vinc_report_free(r);
    vinc_sim_free(sim);
}

static void formulations_agree(void **state)
{
    (void)state;
    for (int k = 0; k < PROBLEMS; k++) {
        const problem *p = &problems[k];
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *m = NULL;
        double want[3];
        p->end(full ? p->longer : p->stop, want);
        vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
        int rc = vinc_model_load_text(ctx, "m.mo", p->text, strlen(p->text), NULL, &m);
        if (rc) fail_msg("%s: %s", p->name, vinc_ctx_messages(ctx));
        for (int i = 0; i < WAYS; i++) {
            // An explicit method uses the algebra that the formulation names.
            bool algebra = ways[i].explicit && (full || i == 4 || i >= 8);
            if (full || !algebra) check(m, p, &ways[i], NULL, want);
            if (algebra) check(m, p, &ways[i], "dopri5", want);
        }
        vinc_model_free(m);
        vinc_ctx_free(ctx);
    }
}

/* ---- components one by one -------------------------------------------------------------------- */

/* The models of tests/library/closed/spatial.mo say how far they are from their closed forms. */
static void closed_forms(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Loads",   "Shuttle", "Forced", "Driven", "Nut",      "Cantilever", "TwoAsOne", "Bob",
        "Clamped", "Cardan",  "Pushed", "Ball",   "Cylinder", "Conical",    "Rotor",    "Circle"};
    enum { SHORT = 5, LONG = sizeof names / sizeof *names };
    for (int k = 0; k < (full ? LONG : SHORT); k++) {
        char class_name[40];
        vinc_ctx *ctx = vinc_ctx_new(NULL);
        vinc_model *m = NULL;
        snprintf(class_name, sizeof class_name, "Spatial.%s", names[k]);
        vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
        int rc =
            vinc_model_load(ctx, VINCOLO_ROOT "/tests/library/closed/spatial.mo", class_name, &m);
        if (rc) fail_msg("%s: %s", class_name, vinc_ctx_messages(ctx));
        for (int i = 0; i < WAYS; i++) {
            if (!full && i != 4 && i < 8) continue; // those that need the mechanical view
            if (!strcmp(ways[i].name, "direct") || !strcmp(ways[i].name, "ggl"))
                continue; // errors of their multipliers are not those of the motion
            vinc_sim_options o = {.formulation = ways[i].name, .has_stop = 1, .rel_tol = 1e-9};
            vinc_sim *sim = NULL;
            o.t_stop = 0.5;
            rc = vinc_sim_new(m, &o, &sim);
            if (!rc) rc = vinc_sim_run(sim);
            if (rc) fail_msg("%s by %s: %d", class_name, ways[i].name, rc);
            const char *what = !strcmp(names[k], "TwoAsOne") ? "error[1]" : "error";
            double error = vinc_result_at(vinc_sim_result(sim), what, 0.5);
            if (error != error) error = vinc_result_at(vinc_sim_result(sim), "error[1]", 0.5);
            if (!(fabs(error) < 1e-6))
                fail_msg("%s by %s: wrong by %g", class_name, ways[i].name, error);
            vinc_sim_free(sim);
        }
        vinc_model_free(m);
        vinc_ctx_free(ctx);
    }
}

/* ---- one constraint twice ------------------------------------------------------------------- */

#define PLATE                                                                                      \
    "import Vincolo.Mechanics.Spatial.*; inner World world; Fixed left, right(r = {1, 0, 0});"     \
    "Body plate(m = 2, J = diagonal({0.05, 0.1, 0.12}), at = [-0.5, 0, 0; 0.5, 0, 0],"             \
    "  r(start = {0.5, 0.3, -1}, fixed = {false, true, false}),"                                   \
    "  w(start = {0.1, 0, 0.2}, each fixed = true)); Rod a(L = sqrt(1.09)), b(L = sqrt(1.09));"
#define HUNG                                                                                       \
    "connect(left.frame, a.a); connect(right.frame, b.a); connect(a.b, plate.frame[1]);"           \
    "connect(b.b, plate.frame[2]);"

/* A plate on two rods, one of which is there twice: it moves as without the third, which takes half of
 * what the other carried, as of multipliers of least norm. */
static void rod_twice(void **state)
{
    (void)state;
    static const char *const names[] = {NULL,      "project",      "maggi",
                                        "udwadia", "nullspace-qr", "nullspace-svd"};
    static const char once[] = "model Once " PLATE " equation " HUNG " end Once;",
                      twice[] =
                          "model Twice " PLATE " Rod c(L = sqrt(1.09)); equation " HUNG
                          "connect(left.frame, c.a); connect(c.b, plate.frame[1]); end Twice;";
    vinc_sim_options o = {.has_stop = 1, .t_stop = 0.2, .rel_tol = 1e-9};
    trial one = trial_of(once, o);
    double tension = vinc_result_at(one.result, "a.tension", 0.2),
           y = vinc_result_at(one.result, "plate.r[2]", 0.2);
    for (int k = 0; k < 6; k++) {
        o.formulation = names[k];
        o.method = k % 2 ? "dopri5" : NULL;
        trial r = trial_of(twice, o);
        assert_near(vinc_result_at(r.result, "plate.r[2]", 0.2), y, 1e-6);
        assert_near(vinc_result_at(r.result, "a.tension", 0.2), tension / 2, 1e-5);
        assert_near(vinc_result_at(r.result, "c.tension", 0.2), tension / 2, 1e-5);
        assert_true(strstr(vinc_sim_messages(r.sim), "'a.tension', 'c.tension'") != NULL);
        trial_end(&r);
    }
    o.formulation = "kkt";
    trial r = trial_start(NULL, twice, &o);
    assert_true(r.rc < 0 && strstr(vinc_sim_messages(r.sim), "use 'project', 'udwadia'"));
    trial_end(&r);
    trial_end(&one);
}

/* ---- locking and lability --------------------------------------------------------------------- */

/* A slider is led to where crank and rod lie in a line, at 0.3 + 0.8, so at t = 0.1/0.12, and beyond:
 * it locks there, and the message says what holds what, and what may move. */
static void dead_centre(void **state)
{
    (void)state;
    static const char text[] =
        "model Dead import Vincolo.Mechanics.Planar.*; inner World world; Fixed bearing, rail;"
        "Bar crank(L = 0.3, phi(start = 0.6)), rod(L = 0.8, phi(start = -0.3));"
        "Body slide(r(start = {1, 0})); Revolute j1, j2, j3;"
        "PrescribedPosition push(n = {1, 0}, u = 1 + 0.12*time);"
        "equation connect(bearing.frame, j1.a); connect(j1.b, crank.a); connect(crank.b, j2.a);"
        "connect(j2.b, rod.a); connect(rod.b, j3.a); connect(j3.b, slide.frame[1]);"
        "connect(rail.frame, push.a); connect(push.b, slide.frame[1]); end Dead;";
    vinc_sim_options o = {.has_stop = 1, .t_stop = 2};
    trial r = trial_start(NULL, text, &o);
    const char *said = vinc_sim_messages(r.sim);
    assert_true(r.rc < 0);
    const char *at = strstr(said, "position at t = ");
    assert_non_null(at);
    assert_near(strtod(at + strlen("position at t = "), NULL), 0.1 / 0.12, 1e-4);
    assert_non_null(strstr(said, "locked: '"));
    assert_non_null(strstr(said,
                           "1 of the constraints follows from the others at this position, not "
                           "nearby"));
    assert_non_null(strstr(said,
                           "labile: 'crank' and 'rod' may start to move in 1 way, nearby in 0: "
                           "'crank.phi' and 'rod.phi'"));
    assert_null(strstr(said, "inertia")); // the masses are as they should be
    trial_end(&r);
}

int main(int n, char **arg)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formulations_agree),
                                       cmocka_unit_test(closed_forms), cmocka_unit_test(rod_twice),
                                       cmocka_unit_test(dead_centre)};
    full = n > 1 && !strcmp(arg[1], "full");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
