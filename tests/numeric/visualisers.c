/* Visualisers of the standard library in the report: places and axes by hand.
 *
 * The library itself is not at hand here: a class of the same name with the members that matter.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char library[] =
    "package Modelica package Utilities package Internal package PartialModelicaServices\n"
    "package Animation partial model PartialShape\n"
    "  record Orientation Real T[3, 3]; Real w[3]; end Orientation;\n"
    "  parameter String shapeType = \"box\"; input Orientation R; input Real r[3] = {0, 0, 0};\n"
    "  input Real r_shape[3] = {0, 0, 0}, lengthDirection[3] = {1, 0, 0};\n"
    "  input Real widthDirection[3] = {0, 1, 0}, length = 0, width = 0, height = 0;\n"
    "  input Real extra = 0, color[3] = {255, 0, 0};\n"
    "end PartialShape; end Animation; end PartialModelicaServices; end Internal; end Utilities;\n"
    "end Modelica;\n"
    "model Drawn\n"
    "  model Shape extends "
    "Modelica.Utilities.Internal.PartialModelicaServices.Animation.PartialShape;\n"
    "  end Shape;\n"
    "  model World parameter Real n[3] = {0, -1, 0}; end World; World world;\n"
    // turned by 90 degrees about x: the z-axis of the object is -y of the world
    "  Shape rod(shapeType = \"cylinder\", R(T = [1, 0, 0; 0, 0, 1; 0, -1, 0], w = zeros(3)),\n"
    "    r = {1, 2, 3 + x}, lengthDirection = {0, 0, 2}, length = 4, width = 1);\n"
    "  Shape coil(shapeType = \"spring\", R(T = identity(3), w = zeros(3)), r_shape = {0, 1, 0},\n"
    "    length = 2);\n"
    "  Shape car(shapeType = \"car.stl\", R(T = identity(3), w = zeros(3)));\n"
    "  Shape van(shapeType = \"van.stl\", R(T = identity(3), w = zeros(3)), length = 3, width = 2,\n"
    "    height = 1);\n"
    "  Shape wheel(shapeType = \"gearwheel\", R(T = identity(3), w = zeros(3)), extra = 17,\n"
    "    color = {1, 2, 3}, length = 0.1, width = 1, height = 1);\n"
    "  Real x(start = 0, fixed = true); equation der(x) = 1; end Drawn;";

static int digit(char c)
{
    const char *all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(all, c) : NULL;
    return at ? (int)(at - all) : -1;
}

/* The last number of the k-th text in the list "values" of a shape. */
static double last_value(const char *page, const char *label, int k)
{
    const char *at = strstr(page, label);
    assert_non_null(at);
    at = strstr(at, "\"values\": [");
    assert_non_null(at);
    for (at = strchr(at, '[') + 1; k > 0; k--) at = strchr(strchr(at, '"') + 1, '"') + 1;
    at = strchr(at, '"') + 1;
    static unsigned char bytes[1 << 16];
    size_t n = 0;
    unsigned bits = 0;
    int held = 0;
    for (; digit(*at) >= 0; at++) {
        bits = bits << 6 | (unsigned)digit(*at);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes[n++] = (unsigned char)(bits >> held);
    }
    double x;
    assert_true(n >= sizeof x);
    memcpy(&x, bytes + n - sizeof x, sizeof x);
    return x;
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(n + 1, 1);
    assert_true(fread(text, 1, n, f) == n);
    fclose(f);
    return text;
}

/* Middle of the rod: r + 2 (0, -1, 0) = (1, 0, 3 + x); drawn with y upwards, (x, y, z) as (x, -z, y). Its
 * axis, -y, is then -z of the page. The coil goes from (0, 1, 0) to (2, 1, 0). */
static void shapes_stand_where_they_are(void **state)
{
    (void)state;
    trial r = trial_of(library, (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    char folder[] = "/tmp/visualisers-XXXXXX", path[sizeof folder + 12];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/page.html", folder);
    assert_int_equal(vinc_result_plot(r.result, path, &(vinc_plot_options){0}, NULL), VINC_OK);
    char *page = read_all(path);
    const double middle[] = {1, -4, 0}, axis[] = {0, 0, -1};
    for (int k = 0; k < 3; k++) {
        assert_near(last_value(page, "\"label\": \"rod\"", k), middle[k], 1e-6);
        assert_near(last_value(page, "\"label\": \"rod\"", 3 + 3 * k), axis[k], 1e-12);
    }
    assert_near(last_value(page, "\"label\": \"rod\"", 12), 4, 0);
    assert_near(last_value(page, "\"label\": \"rod\"", 13), 1, 0);
    const double coil[] = {0, 0, 1, 2, 0, 1};
    for (int k = 0; k < 6; k++)
        assert_near(last_value(page, "\"label\": \"coil\"", k), coil[k], 1e-12);
    assert_null(strstr(page, "\"label\": \"car\"")); // a file, of no known size
    assert_non_null(strstr(page, "\"label\": \"van\", \"form\": \"file\""));
    assert_non_null(strstr(page, "\"form\": \"gearwheel\", \"extra\": 17, \"rgb\": [1, 2, 3]"));
    free(page);
    unlink(path);
    rmdir(folder);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_stand_where_they_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
