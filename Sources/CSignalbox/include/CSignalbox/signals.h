// signals.h — a handler that counts signals, reports them through one descriptor,
// and calls the handlers that were installed before it.
//
// States      a signal: default → caught → default. While it is caught, one of
//             `csb_signal_catchers` functions is its handler. Each function has
//             its own record of the handler that it replaced; otherwise they
//             are equal. A program that installs its own handler over ours may
//             call ours from it. So our function continues to call the handler
//             that it replaced, and no longer counts. The next catch of the
//             signal installs the next function over the program's handler. A
//             single function would call itself without end.
// Touching    `csb_signal_catch`, `csb_signal_release`: the caller serializes
//             these. The handler: any thread, in the middle of any code, even while
//             these two run. Nothing that it reads is ever freed: everything is
//             static, and the descriptor is never closed while it is set.
//             `announced`: set by the handler, cleared by the thread that reads the
//             counts.
// Ordering    SG1  the handler's exchange of `announced` (releasing) → the
//                  reader's exchange (acquiring): a handler that found it set
//                  wrote no descriptor, so this read must find its count.
//             SG2  the handler's increment of a count (releasing) → the load of
//                  the count (acquiring): a thread that counts a signal sees what
//                  the sender wrote before, if the sender is a thread that raised
//                  it itself.
// Invariants  I1  the handler calls only async-signal-safe functions, and
//                 preserves `errno`.
//             I2  in a process that did not call `csb_signals_begin` (a forked
//                 child, a child that shares the parent's memory) the handler
//                 neither counts nor writes, because the descriptor belongs to
//                 the parent. It only calls the earlier handler.
// Rejected    signalfd: it needs the signal blocked in every thread, and then the
//             program's own handler gets nothing.
//             A lock in the handler: the interrupted thread may hold it.
// Sources     signal-safety(7), sigaction(2), eventfd(2).
#pragma once

#include <stdint.h>

/// How often a signal can be caught again after another handler was installed
/// over ours.
#define CSB_SIGNAL_CATCHERS 4

/// The highest signal number.
int csb_signal_last(void);

/// The signal's name, "SIGINT"; null for real-time signals and for those that
/// the C library reserves for itself.
const char *_Nullable csb_signal_name(int signal);

/// The first real-time signal that the C library leaves to programs.
int csb_signal_first_real_time(void);

/// From now on, a caught signal makes `descriptor`, an eventfd, readable. It
/// must stay open until `csb_signals_end`.
void csb_signals_begin(int descriptor);

/// Stops writing to the descriptor, because other code has closed it.
void csb_signals_end(void);

/// Call before reading the counts and after draining the descriptor: from here
/// on, a signal makes the descriptor readable again.
void csb_signals_acknowledge(void);

/// Catches the signal. Does nothing if our handler is in place. The earlier
/// handler is still called for each signal; ignoring the signal or its default
/// action no longer applies. Returns EINVAL for a signal that can't be caught,
/// EBUSY if the program has installed its own handler over ours too often.
int csb_signal_catch(int signal);

/// Restores the earlier handler. If another handler was installed over ours,
/// leaves it in place; it continues to call the handlers that it called before.
void csb_signal_release(int signal);

/// The number of times that the signal was delivered to threads of this process
/// while it was caught. Never decreases.
uint64_t csb_signal_count(int signal);

/// Releases every caught signal in a forked child, before it has another
/// thread.
void csb_signals_after_fork(void);
