/* Shared by the two halves of the x86-64 emitter.
 *
 * Data of a step stand before its code and are addressed relative to rip. Spill slots are in the
 * caller's scratch array, so that no tape needs a deep stack. Array bases are kept in registers as
 * far as there are any, in the frame otherwise. rax and r11 are always free for addresses; one or
 * two xmm registers for moves.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TARGET_EMIT_X64_H
#define TARGET_EMIT_X64_H

#include "target/jit.h"
#include "target/x64.h"

/* The frame begins with the time and what belongs to the run; bases of arrays follow. */
enum { X64_RUN_AT = 8, X64_FRAME_WORDS = 2 };
enum { X64_THREE = 3 };  // so many instances are packed, one of them twice
enum { X64_ROOM = 512 }; // the most bytes one hook writes: a packed call of two arguments

/* Stands once at the start of the buffer. */
typedef struct x64_library {
    uint64_t sign[4], magnitude[4];  // masks, one per lane
    uint64_t fn[TAPE_N_OPS + 1];     // of the operations that are calls; last: sincos
    uint64_t vector[TAPE_N_OPS + 1]; // the same for four lanes; 0: none
} x64_library;

typedef struct x64 {
    bool avx, packed;
    bool vector_math;       // in packed code
    size_t library, consts; // offsets of data in the buffer
    int base[TAPE_N_KINDS]; // register of each array, NO_REG: in the frame
    int frame[TAPE_N_KINDS];
    int slots, index, row; // registers: spill slots; 8 * instance; row of the table
    const tape_step *map;  // NULL: a kernel on its own
    jit_table table;
    int lanes_slot; // packed calls pass their vectors through this slot and the next
} x64;

static inline x64 *x64_of(const emitter *e)
{
    return e->target;
}

extern const machine x64_avx, x64_avx2, x64_packed, x64_sse2;
bool x64_calls(const emitter *e, tape_op op);
x64_rm x64_leaf(emitter *e, tape_ref leaf, int lane); // its address, for the instance `lane` ahead
x64_rm x64_slot(const emitter *e, int slot);
void x64_load_address(emitter *e, int reg, const void *p); // mov reg, imm64

#endif
