/* Methods that are text files: is this one, and what does it hold?
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/formula_file.h"
#include "lang/lang_file.h"

#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 1 << 16 };

bool api_is_formula_file(const char *spec)
{
    size_t name = strcspn(spec, ":"); // rk4:order=1/2 is a method with a parameter, not a path
    for (const vinc_method *const *m = vinc_methods; *m; m++)
        if (strlen((*m)->name) == name && !memcmp((*m)->name, spec, name)) return false;
    struct stat st;
    return strchr(spec, '/') || strstr(spec, ".txt") ||
           (stat(spec, &st) == 0 && S_ISREG(st.st_mode));
}

bool api_read_formula(vinc_ctx *ctx, const char *path, method_formula *f, lab_report *r)
{
    char why[METHOD_WHY] = "";
    size_t n = 0;
    const char *reason = "";
    char *bytes = file_read(&ctx->scratch, path, LARGEST_FILE, &n, &reason);
    if (!bytes) {
        diag_error(&ctx->diags, "C141", (span){0}, "%s: %s", path, reason);
        return false;
    }
    if (method_formula_read(bytes, n, path, f, why)) {
        diag_error(&ctx->diags, "C141", (span){0}, "%s", why);
        return false;
    }
    lab_formula(f, r);
    f->tableau.order = f->multistep.order = r->order;
    method_tableau embedded = f->tableau;
    memcpy(embedded.b, embedded.b_embedded, sizeof embedded.b);
    bool exact = true;
    if (f->kind == FORMULA_RUNGE_KUTTA)
        f->tableau.order_embedded = lab_tree_order(&embedded, r->order, &exact);
    return true;
}
