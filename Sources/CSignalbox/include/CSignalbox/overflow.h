// overflow.h — what a thread says before it ends the process because its stack is used up.
//
// The C library puts memory that nobody may touch, the guard, below a stack. Whoever comes to its
// end faults there, and the process ends by SIGSEGV, which has no words. A thread that is watched
// says which one it was, and what to do.
//
// Touching    the thread's own storage, by its handler. The name: written by who names the thread
//             too, a byte at a time.
// Invariants  I1  only a fault in the guard of the calling thread's own stack is spoken of.
//             I2  what a handler calls is allowed in one (signal-safety(7)): no allocation, no
//                 lock. Where the stack ends is looked up in the kernel's list of mappings, since
//                 `pthread_getattr_np` allocates.
// Sources     signal-safety(7), proc_pid_maps(5), madvise(2).
#pragma once

#include <stddef.h>

/// The bytes of a stack's guard. A function whose frame is larger may step over it: Swift does not
/// touch each page of a frame in turn. Swift's runtime has frames of more than a page, which
/// is the C library's own choice; addresses cost nothing.
#define CSB_STACK_GUARD 65536

/// Has the calling thread say so when its stack overflows, of which the program has `stack_size`
/// bytes; 0: the usual number. From the thread's beginning until `csb_overflow_end`.
void csb_overflow_begin(size_t stack_size);

/// At the thread's end.
void csb_overflow_end(void);

/// In a handler: says it if the fault at `address` is an overflow of this thread's stack.
void csb_overflow_tell(int signal, int code, const void *_Nullable address);
