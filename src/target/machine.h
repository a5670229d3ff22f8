/* Machine code from tapes: the register allocator and what it asks of a machine.
 *
 * One backward sweep finds the next use of every operand; one forward sweep gives out registers,
 * evicting the content that is needed last (L. A. Belady, IBM Systems J. 5 (1966) 78-101), and has
 * the machine emit each instruction at once. Leaves are loaded again rather than spilled. Both
 * sweeps are linear and look at nothing twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_MACHINE_H
#define TARGET_MACHINE_H

#include "tape/tape.h"
#include "target/groups.h"

/* ---- a growing buffer of code ---------------------------------------------------------------- */

typedef struct code_buffer {
    mem *m;
    uint8_t *at;
    size_t n, cap;
    bool failed;    // no memory, or too large: nothing more is written
    bool too_large; // for 32-bit displacements
} code_buffer;

/* Room for n more bytes; false, and `failed`, when there is none. */
bool code_reserve(code_buffer *b, size_t n);
void code_align(code_buffer *b, size_t to);
void code_bytes(code_buffer *b, const void *bytes, size_t n);
void code_done(code_buffer *b);

/* ---- operands as the machine sees them ------------------------------------------------------- */

typedef enum operand_kind { OPERAND_REG, OPERAND_SLOT, OPERAND_LEAF } operand_kind;

typedef struct operand {
    operand_kind kind;
    int reg;       // register, or number of the slot
    tape_ref leaf; // OPERAND_LEAF
} operand;

typedef struct emitter emitter;

/* Registers are numbered from 0; those from n_regs on are the machine's own. */
typedef struct machine {
    int n_regs;
    uint32_t kept;    // set of registers that survive a call
    bool memory;      // the second operand of an operation may be in memory
    bool two_address; // the result is best where the first operand was
    int temporary;    // a register of the machine's own, for moves between slots
    int result;       // register of a function's result
    /* A leaf that can be loaded again for no more than a spilled value. */
    bool (*cheap)(const emitter *e, tape_ref leaf);
    void (*load)(emitter *e, int reg, operand from);
    void (*spill)(emitter *e, int slot, int reg);
    void (*store)(emitter *e, tape_ref target, int reg);
    void (*move)(emitter *e, int to, int from);
    /* dst may be one of the source registers. Operand 1 may be in memory if `memory`. */
    void (*compute)(emitter *e, tape_op op, int dst, const operand *src);
    bool (*calls)(const emitter *e, tape_op op); // is compute replaced by a call?
    /* libm: operands anywhere; the result in `result`. All other registers but `kept` are lost. */
    void (*call)(emitter *e, tape_op op, const operand *src);
    /* Sine and cosine of one operand at once, to two slots. Registers are lost as by `call`. */
    void (*call_sincos)(emitter *e, operand x, int sin_slot, int cos_slot);
    /* The function of a group of n > 1 operands anywhere, of which all others are not used any more: results to GROUP_MOST
     * slots from `slot` on, cosines beside sines to those from cos_slot on. Registers are lost as by `call`. NULL: none. */
    void (*call_group)(emitter *e, const call_group *g, const operand *x, int slot, int cos_slot);
    /* Arguments are in slots 0 ..., results go to slots out ... */
    void (*call_fn)(emitter *e, const tape_function *fn, int out);
    /* A jump, where the comparison of a select does not give `yes` for two operands anywhere, and the place where it
     * lands. NULL: it has none. */
    size_t (*jump)(emitter *e, tape_op op, bool yes, const operand *src);
    void (*land)(emitter *e, size_t jump);
} machine;

/* ---- the emitter of one tape ----------------------------------------------------------------- */

enum { MAX_REGS = 32, NEVER = INT32_MAX };

struct emitter {
    const machine *mach;
    void *target; // the machine's own
    code_buffer *out;
    const tape *t;
    tape_nodes nodes;
    int (*next)[4];           // per instruction and operand: where that node is used next
    int n_regions;            // of the tape, that are jumped over; 0: all is computed
    int *next_arg;            // the same per call argument
    int (*next_of_region)[2]; // and per operand of the condition of a region
    int *first_use;           // per instruction: first use of its value
    int *last_use;            // and last
    int *next_call;           // per instruction: the first call after it
    call_groups groups;       // of the tape
    int8_t *reg;              // per node: register plus one, or 0
    int *slot;                // per node: slot plus one, or 0
    int *pinned;              // per node: slot plus one that holds it throughout, or 0; NULL: none
    int node[MAX_REGS], use[MAX_REGS]; // content of each register (-1: free) and its next use
    uint32_t bound;                    // set of registers that are not free
    uint32_t locked;                   // registers of the instruction at hand
    int *free_slots, n_free;
    int n_slots, most_slots;
};

/* Prepare for tape t, e->n_regions being set: order, number, find uses, pair sines and cosines, and where the machine has
 * `call_group` and the code is for one instance make groups of calls. Memory from the pool; false when there is none. */
bool emit_prepare(emitter *e, const tape *t, bool one_instance, pool *temp);
/* Emit the instructions of the tape once; slots from first_slot on are used. May be repeated. */
void emit_body(emitter *e, int first_slot);

#endif
