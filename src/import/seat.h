/* Where an FMU sits: in a process of its own, or in this one; with a folder for its files.
 *
 * The folder is removed by a process that waits for the end of this one, so that nothing is left behind
 * when it crashes, or is killed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMPORT_SEAT_H
#define IMPORT_SEAT_H

#include "base/watch.h"
#include "import/box.h"
#include "import/import.h"

#include <sys/types.h>

enum { SEAT_PATH = 1200 };

typedef struct import_seat {
    import_plan *plan;
    import_box *box;
    size_t box_bytes;
    watch *watch;
    import_callee callee; // of this process
    pid_t child;          // the other one; 0: the FMU is here
    int fd;               // to it
    bool is_open, is_dead;
    char folder[SEAT_PATH]; // "": none
    pid_t keeper;           // who removes it
    int leash;              // closed when it may go
} import_seat;

/* The files that it needs for this machine, below a new folder in `where` (unpack_fmu.c). */
int import_unpack(import_file *x, import_plan *plan, const char *where, char folder[SEAT_PATH],
                  pid_t *keeper, int *leash);
/* Unpack what the FMU needs for this machine below `where`, and make room for the box. VINC_OK, or a
 * status after a message. plan->library and plan->resources are set. Inside a guard; import_seat_close
 * gives everything back whatever comes of it. */
int import_seat_prepare(import_seat *s, import_file *x, import_plan *plan, const char *where);
/* Start the process, if it is one of its own. */
int import_seat_begin(import_seat *s, bool in_process, watch *w);
/* A request: true where the answer is fine; otherwise its status is in the box. */
bool import_ask(import_seat *s, box_request request, unsigned ask);
/* Why the last request failed, in words, with what the FMU said. */
void import_seat_words(const import_seat *s, text *out);
/* As after import_seat_prepare: its files stay. */
void import_seat_clear(import_seat *s);
void import_seat_close(import_seat *s);

#endif
