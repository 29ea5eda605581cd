// tracepoint_note.h — the instruction and the note of a static tracepoint, in the form that tracers read.
//
// A tracer finds the note in the file: the address of the `nop`, the address of the semaphore, and
// where each argument is. It replaces the `nop` with a breakpoint, and adds 1 to the semaphore.
//
// Sources     the wiki of SystemTap, "UserSpaceProbeImplementation": version 3 of the note.
#pragma once

#include <stddef.h>

#include "CSignalbox/engine.h"

// The number in the note's text.
_Static_assert(offsetof(union csb_probe_word, traced) == 6, "the place of the semaphore");
_Static_assert(sizeof csb_probes.traced == 2, "the size of a semaphore");

// No section that is loaded refers to the section of the base, so `--gc-sections` would remove it,
// and readers refuse notes without a base. This relocation only keeps the section.
#if defined(__x86_64__)
#define CSB_NO_RELOCATION "R_X86_64_NONE"
#elif defined(__aarch64__)
#define CSB_NO_RELOCATION "R_AARCH64_NONE"
#endif

/// The text of a tracepoint, for `__asm__ volatile`. `arguments` contains an operand of eight bytes
/// for each argument: `8@%0 8@%1`.
///
/// The base is one byte for all notes of a program, whichever library they are from, so its names
/// are fixed by convention. A tool that moves the sections of a file moves that byte, and readers
/// correct the addresses by the difference.
#define CSB_TRACEPOINT(name, arguments)                                         \
  "990: nop\n"                                                                  \
  ".reloc ., " CSB_NO_RELOCATION ", _.stapsdt.base\n"                           \
  ".pushsection .note.stapsdt, \"\", \"note\"\n"                                \
  ".balign 4\n"                                                                 \
  ".4byte 992f - 991f, 994f - 993f, 3\n"                                        \
  "991: .asciz \"stapsdt\"\n"                                                   \
  "992: .balign 4\n"                                                            \
  "993: .8byte 990b, _.stapsdt.base, csb_probes + 6\n"                          \
  ".asciz \"signalbox\"\n"                                                      \
  ".asciz \"" name "\"\n"                                                       \
  ".asciz \"" arguments "\"\n"                                                  \
  "994: .balign 4\n"                                                            \
  ".popsection\n"                                                               \
  ".ifndef _.stapsdt.base\n"                                                    \
  ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"   \
  ".weak _.stapsdt.base\n"                                                      \
  ".hidden _.stapsdt.base\n"                                                    \
  "_.stapsdt.base: .space 1\n"                                                  \
  ".size _.stapsdt.base, 1\n"                                                   \
  ".popsection\n"                                                               \
  ".endif\n"
