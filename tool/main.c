/* The command `vincolo`.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

int main(void)
{
    puts("vincolo 0.1.0");
    return 0;
}
