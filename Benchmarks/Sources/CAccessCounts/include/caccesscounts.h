// What the code of a program does to memory that its threads share, counted.
//
// The program is compiled with the instrumentation of ThreadSanitizer, and linked with this
// in place of ThreadSanitizer's runtime. Each access is done as it would be, and counted.
#ifndef CACCESSCOUNTS_H
#define CACCESSCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether any code of this program was compiled with the instrumentation.
bool cac_is_instrumented(void);

/// Counts from here on, for all threads, up to `cac_end`. To be called while the other
/// threads are idle, or at least do nothing that is to be exact.
void cac_begin(void);
void cac_end(void);

/// Has a thread give up its processor at one in `period` of its atomic operations, by chance:
/// so threads take turns at memory as often as if each had a processor. Zero, as at the
/// start, for never.
void cac_interleave(uint32_t period);

/// Writes what was counted, a line each:
///
///     columns NAME...                        what the counts of a site are
///     site CODE CALLERS LINE MOVES COUNT...  what an instruction did
///     lost COUNT                             accesses and calls without room
///
/// CODE is an offset into the program's file, or `-` outside of it; CALLERS are the same for the
/// calls, from the innermost on, joined by commas. LINE is the address of the first line that moved
/// for it, 0 for none, and MOVES how many moves were of that line.
void cac_write(int descriptor);

#endif
