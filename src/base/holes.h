/* Holes between the blocks of malloc, as whole pages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_HOLES_H
#define BASE_HOLES_H

void malloc_holes_return(void); // they go back to the system, where it takes them

#endif
