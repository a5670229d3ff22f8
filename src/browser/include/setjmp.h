/* As clang lowers them to exceptions of WebAssembly (jump.c).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BROWSER_SETJMP_H
#define BROWSER_SETJMP_H

typedef struct jmp_buf_part {
    unsigned words[4];
} jmp_buf[1];

int setjmp(jmp_buf) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf, int);

#endif
