/* Units in which figures show variables: displayUnit, as far as it fits the unit.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "flat/units.h"

int api_show_column(result *r, int column, const char *display)
{
    double scale, offset;
    if (!display || !*display) return RESULT_OK;
    if (unit_display(r->columns[column].look->unit, display, &scale, &offset) != UNIT_FITS)
        return RESULT_OK;
    return scale == 0 ? RESULT_OK : result_show_in(r, column, display, scale, offset);
}
