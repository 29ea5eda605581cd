// CSystemCalls.h — calls that Swift does not let a test make: fork, seccomp
// filters, masks of single threads.
#pragma once

#include <stdint.h>
#include <sys/types.h>

/// fork(2), which Swift's Glibc hides.
pid_t csc_fork(void);

/// Has this thread, and those that it starts, refused the call of that name with
/// that errno from now on. Returns 0, an errno, or -1 for a name that it does not
/// know.
int csc_refuse(const char *_Nonnull call, int error);

/// Restricts this thread to the first processor that it may use.
int csc_use_one_processor(void);

/// Bit n - 1 is set if this thread blocks signal n.
uint64_t csc_blocked_signals(void);

/// The limit RLIMIT_NPROC: sets the soft one. Returns 0 or an errno.
int csc_limit_threads(unsigned long count);
/// Raises the soft limit to the hard one again.
int csc_unlimit_threads(void);

/// Has these called around a fork.
int csc_at_fork(void (*_Nullable prepare)(void), void (*_Nullable parent)(void),
                void (*_Nullable child)(void));

/// Waits for a child; returns its exit status, or 256 + the signal that ended it, or
/// -1.
int csc_wait(pid_t child);
