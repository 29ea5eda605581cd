// signals.h — a handler that counts signals, tells of them through one descriptor, and
// calls whoever handled them before.
//
// States      a signal: let be → caught → let be. Caught, one of `csb_signal_catchers`
//             functions is its handler. They do the same, each with what *it* found in
//             its place. A program that installs a handler of its own over ours may call
//             ours from it. So ours stays where it is, remembers whom it is to call, and
//             counts no more; whoever catches the signal again puts the next function
//             over the program's. One function for both would call itself for ever.
// Touching    `csb_signal_catch`, `csb_signal_release`: one thread at a time, the
//             caller's business. The handler: any thread, within any other code, also
//             while these two run. Nothing that it reads is ever freed: all is static,
//             and the descriptor is never closed while it is set.
//             `announced`: set by the handler, cleared by who looks at the counts.
// Ordering    SG1  the handler's exchange of `announced` (releasing) → the exchange of
//                  who looks (acquiring): a handler that found it set wrote no
//                  descriptor, so this look must find its count.
//             SG2  the handler's increment of a count (releasing) → the load of the
//                  count (acquiring): who counts a signal sees what its sender wrote
//                  before, where the sender is a thread that raised it itself.
// Invariants  I1  the handler calls only what may be called in one, and leaves `errno`.
//             I2  in a process that did not begin (a forked child, a child that shares
//                 the parent's memory) it neither counts nor writes: the descriptor is
//                 the parent's. It calls the earlier handler.
// Rejected    signalfd: a signal must be blocked in every thread for it, and then the
//             program's own handler hears nothing.
//             A lock in the handler: the thread it interrupts may hold it.
// Sources     signal-safety(7), sigaction(2), eventfd(2).
#pragma once

#include <stdint.h>

/// How often one signal can be caught again after another handler was put over ours.
#define CSB_SIGNAL_CATCHERS 4

/// The highest number of a signal.
int csb_signal_last(void);

/// The signal's name, "SIGINT"; null for one of the real-time signals and for those that
/// the C library keeps for itself.
const char *_Nullable csb_signal_name(int signal);

/// The first real-time signal that the C library leaves to programs.
int csb_signal_first_real_time(void);

/// From now on a caught signal makes `descriptor`, an eventfd, readable. It must stay
/// open until `csb_signals_end`.
void csb_signals_begin(int descriptor);

/// The descriptor was closed behind our back: it is not written any more.
void csb_signals_end(void);

/// Before a look at the counts: from here on a signal makes the descriptor readable
/// again. To be called after the descriptor was drained.
void csb_signals_acknowledge(void);

/// Catches the signal, or does nothing where ours is its handler. A handler that it had
/// is called for each signal; that it was ignored, or had its default action, no more
/// counts. Returns EINVAL for one that cannot be caught, EBUSY when the program put its
/// own handler over ours too often.
int csb_signal_catch(int signal);

/// Gives the signal back to who had it before, unless another handler stands over ours,
/// which then calls on whoever it called.
void csb_signal_release(int signal);

/// How many signals of this number have been delivered to threads of this process while
/// it was caught. Never falls.
uint64_t csb_signal_count(int signal);

/// In a forked child, before any other thread is there: every caught signal is given
/// back.
void csb_signals_after_fork(void);
