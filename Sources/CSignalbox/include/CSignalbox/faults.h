// faults.h — one handler for the signals that end a process in a crash, and
// stacks for it to run on.
//
// A crash first does two things: it reports an overflow of a thread's stack
// (overflow.h), and it writes the recording (tracefile.h). Both share one
// handler: with two, each would have to restore the other's default.
//
// States      a signal: default → handled, for the rest of the process.
// Touching    `csb_faults_handle`: any thread. What a handler reads is written
//             before the handler is installed.
// Ordering    FS1  `csb_handler_stack_end` keeps a stack (releasing) → the
//                  exchange of the thread that takes it (acquiring): handlers of
//                  the earlier thread no longer use the stack.
// Invariants  I1  after the handler, the signal has the effect that it would have
//                 had without the handler: the handler calls the earlier handler,
//                 or restores the default and raises the signal again.
//             I2  if a program installs its handler later and calls ours from
//                 it, that handler decides what happens after a signal that a
//                 process sent. A fault would repeat without end, so it ends
//                 the process.
// Rejected    a stack within the thread's own, above its first frame: the C
//             library frees all but the topmost 16 KiB of a stack before its next
//             thread, so each thread's frames would need new memory.
// Sources     signal-safety(7), sigaction(2), sigaltstack(2).
#pragma once

/// Installs the handler for this signal, unless the program ignores it.
/// Idempotent.
void csb_faults_handle(int signal);

/// Gives this thread a stack for handlers, unless it has one. Returns the
/// stack, or null.
void *_Nullable csb_handler_stack_begin(void);

/// Takes back the stack that `csb_handler_stack_begin` returned. Call at the
/// thread's end.
void csb_handler_stack_end(void *_Nullable stack);
