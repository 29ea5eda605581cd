// faults.h — one handler for the signals by which a crash ends the process, and stacks for
// it to run on.
//
// Two things are done in a crash before anything else: an overflow of a thread's stack is said
// (overflow.h), and what is recorded is written (tracefile.h). Both share one handler: with two,
// each would have to put the other's default back.
//
// States      a signal: let be → handled, for the rest of the process.
// Touching    `csb_faults_handle`: any thread. What a handler reads is written before the
//             handler is installed.
// Ordering    FS1  `csb_handler_stack_end` keeps a stack (releasing) → the exchange of the
//                  thread that takes it (acquiring): what a handler of the earlier thread left
//                  there is over.
// Invariants  I1  after the handler the signal does what it would have done without: an earlier
//                 handler is called, or the default is put back and the signal comes again.
//             I2  a handler that stands over ours and calls it decides about a signal that a
//                 process sent. A fault, which would come again for ever, ends the process.
// Rejected    a stack within the thread's own, above its first frame: the C library gives back
//             all but the topmost 16 KiB of a stack before its next thread, so that the frames of
//             each thread would be new memory.
// Sources     signal-safety(7), sigaction(2), sigaltstack(2).
#pragma once

/// Handles this signal from now on, unless the program ignores it. Call again freely.
void csb_faults_handle(int signal);

/// Gives this thread a stack for handlers, unless it has one. Returns it, or null.
void *_Nullable csb_handler_stack_begin(void);

/// At this thread's end: takes back what the other returned.
void csb_handler_stack_end(void *_Nullable stack);
