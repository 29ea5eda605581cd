// place.c — the registers from which a thread's callers can be found.
//
// In assembly, because a C function cannot know what its caller's stack register will be.

#include "CSignalbox/outside.h"

#define BEGIN                       \
  ".pushsection .text\n"            \
  ".globl csb_place_here\n"         \
  ".hidden csb_place_here\n"        \
  ".type csb_place_here, %function\n"\
  "csb_place_here:\n"               \
  ".cfi_startproc\n"
#define END                         \
  "ret\n"                           \
  ".cfi_endproc\n"                  \
  ".size csb_place_here, . - csb_place_here\n" \
  ".popsection\n"

_Static_assert(offsetof(struct csb_place, stack) == 8 && offsetof(struct csb_place, frame) == 16,
               "as in the instructions");

#if defined(__x86_64__)
__asm__(BEGIN
        "movq (%rsp), %rax\n"
        "movq %rax, (%rdi)\n"
        "leaq 8(%rsp), %rax\n"
        "movq %rax, 8(%rdi)\n"
        "movq %rbp, 16(%rdi)\n" END);
#elif defined(__aarch64__)
__asm__(BEGIN
        "mov x1, sp\n"
        "stp x30, x1, [x0]\n"
        "str x29, [x0, #16]\n" END);
#endif
