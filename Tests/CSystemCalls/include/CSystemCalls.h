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

/// Calls itself without end, in frames of 32 KiB of which it writes a few bytes.
int csc_overflow_in_large_frames(int depth);

/// Makes the lowest page of this thread's stack a guard as the newer C libraries have it, within the
/// stack's mapping. Returns 0, or an errno: EINVAL before Linux 6.13.
int csc_guard_own_stack(void);

/// How late the kernel may wake this thread from a timed sleep, in nanoseconds.
long csc_timer_slack(void);

/// How often this thread has given its processor up by itself; or -1.
long csc_voluntary_switches(void);

/// Restricts this thread to the first processor that it may use.
int csc_use_one_processor(void);

/// Bit n - 1 is set if this thread blocks signal n.
uint64_t csc_blocked_signals(void);

/// Takes Swift's hook for jobs, as another package does: only if it is free. The jobs
/// then go on to the toolchain's pool. Returns whether it was free.
int csc_take_job_hook(void);
/// How many jobs have come by the hook.
int csc_hooked_jobs(void);

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

/// Two descriptors that no child program inherits: a pipe, reading end first. Returns 0
/// or an errno.
int csc_pipe(int *_Nonnull ends);
/// The same for a pair of Unix sockets: a stream, or datagrams.
int csc_socket_pair(int *_Nonnull ends, int datagrams);
/// The same for a terminal: the host's side first, then the one of the program in it.
int csc_terminal(int *_Nonnull ends);
/// A listening socket of the loopback device, with its port; and one connected to it.
int csc_listener(int *_Nonnull listener, int *_Nonnull port);
int csc_connect(int *_Nonnull socket, int port);
/// The bytes of a connection that the other side does not have yet; or -1.
int csc_bytes_on_their_way(int socket);

/// A descriptor with a counter, as of eventfd(2); or -1.
int csc_event_descriptor(unsigned int count);
/// The bytes that can be read from it, as the kernel tells; or -1.
int csc_bytes_available(int descriptor);
/// Lets calls on the descriptor fail with EAGAIN rather than wait. Returns 0 or an errno.
int csc_never_wait(int descriptor);

/// An epoll set of the test's own, or -1.
int csc_poll_set(void);
/// Watches for bytes to read, over and over as long as there are some.
int csc_poll_add(int set, int descriptor);
/// How many of the watched descriptors have some within so many milliseconds; or -1.
int csc_poll(int set, int milliseconds);

/// The limit RLIMIT_NOFILE: sets the soft one, or raises it to the hard one for 0.
/// Returns the limit then, or -1.
long csc_limit_descriptors(unsigned long count);
