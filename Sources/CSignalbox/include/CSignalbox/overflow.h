// overflow.h — reports a stack overflow before it ends the process.
//
// The C library puts inaccessible memory, the guard, below a stack. A thread that
// reaches the end of its stack faults there, and the process ends by SIGSEGV
// without an explanation. A watched thread prints its name and what to do.
//
// Touching    the thread's own storage: its handler. The name: also a thread that
//             renames it, one byte at a time.
// Invariants  I1  only a fault in the guard of the calling thread's own stack is
//                 reported.
//             I2  a handler calls only what signal-safety(7) allows: no
//                 allocation, no lock. It looks up the end of the stack in the
//                 kernel's list of mappings, because `pthread_getattr_np`
//                 allocates.
// Sources     signal-safety(7), proc_pid_maps(5), madvise(2).
#pragma once

#include <stddef.h>

/// The size of a stack's guard, in bytes. A function with a larger frame may
/// skip the guard, because Swift doesn't touch each page of a frame in turn.
/// The C library's own guard is one page, and Swift's runtime has larger
/// frames. Reserved addresses cost nothing.
#define CSB_STACK_GUARD 65536

/// Makes the calling thread report an overflow of its stack, until
/// `csb_overflow_end`. Call it when the thread begins. The program may use
/// `stack_size` bytes of the stack; 0 for the default.
void csb_overflow_begin(size_t stack_size);

/// Call at the thread's end.
void csb_overflow_end(void);

/// Called in a handler: reports the fault at `address` if it is an overflow of
/// this thread's stack.
void csb_overflow_tell(int signal, int code, const void *_Nullable address);
