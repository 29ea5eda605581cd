// CSystemCalls.h — calls that Swift does not let a test make: fork, seccomp
// filters, signal masks of single threads, functions of its own runtime.
#pragma once

#include <stdint.h>
#include <sys/types.h>

/// fork(2), which Swift's Glibc hides.
pid_t csc_fork(void);

/// Makes the system refuse this call with this errno from now on, on this thread and on threads
/// that it starts. Returns 0, an errno, or -1 for an unknown name.
int csc_refuse(const char *_Nonnull call, int error);

/// Makes the system refuse what an older kernel lacks, likewise. Calls with this number or a higher
/// one do not exist: kernels give out numbers in ascending order, and since Linux 5.1 the same ones on
/// every architecture. A pipe is not read or written with RWF_NOWAIT, as before Linux 6.4. Returns
/// 0 or an errno.
int csc_refuse_newer(int first);

/// The errno of the call with this number and with arguments that no call accepts: ENOSYS if there is no
/// such call.
int csc_error_of_call(int number);

/// Calls itself without end, in frames of 32 KiB of which it writes a few bytes.
int csc_overflow_in_large_frames(int depth);

/// Makes the lowest page of this thread's stack a guard within the stack's mapping, as newer C
/// libraries do. Returns 0, or an errno: EINVAL before Linux 6.13.
int csc_guard_own_stack(void);

/// Calls `body`, and notes the pages of this thread's stack that `body` may use. Returns 0 or an errno.
int csc_call_on_noted_stack(void (*_Nonnull body)(void));

/// Makes each access to the noted pages a fault, in a process in which the thread does not exist.
/// Returns 0 or an errno.
int csc_forbid_noted_stack(void);

/// How long the kernel may delay this thread's wake-up from a timed sleep, in nanoseconds.
long csc_timer_slack(void);

/// How often this thread has given its processor up voluntarily, or -1.
long csc_voluntary_switches(void);

/// Restricts this thread to the first processor that it may use.
int csc_use_one_processor(void);

/// Bit n - 1 is set if this thread blocks signal n.
uint64_t csc_blocked_signals(void);

/// Installs a job hook in Swift's runtime if it is free, as another package would. The jobs
/// then continue to the toolchain's pool. Returns whether the hook was free.
int csc_take_job_hook(void);
/// How many jobs have come through the hook.
int csc_hooked_jobs(void);

/// Sets the soft limit RLIMIT_NPROC. Returns 0 or an errno.
int csc_limit_threads(unsigned long count);
/// Raises the soft limit to the hard limit again.
int csc_unlimit_threads(void);

/// Registers these functions to be called around a fork.
int csc_at_fork(void (*_Nullable prepare)(void), void (*_Nullable parent)(void),
                void (*_Nullable child)(void));

/// Waits for a child. Returns its exit status, 256 + the signal that ended it, or -1.
int csc_wait(pid_t child);

/// Makes two descriptors that no child program inherits: a pipe, reading end first. Returns 0
/// or an errno.
int csc_pipe(int *_Nonnull ends);
/// Does the same for a pair of Unix sockets: streams or datagrams.
int csc_socket_pair(int *_Nonnull ends, int datagrams);
/// Does the same for a terminal: the host's side first, then the program's side.
int csc_terminal(int *_Nonnull ends);
/// Makes a listening socket on the loopback device and returns its port; and a socket connected
/// to it.
int csc_listener(int *_Nonnull listener, int *_Nonnull port);
int csc_connect(int *_Nonnull socket, int port);
/// The number of bytes of a connection that the other side has not received yet, or -1.
int csc_bytes_on_their_way(int socket);

/// Maps a page of a file that holds up everybody who reads it, from now on. Returns 0 or an errno.
int csc_unanswered_page(void);

/// Returns a descriptor with a counter, as in eventfd(2), or -1.
int csc_event_descriptor(unsigned int count);
/// The number of readable bytes as the kernel reports it, or -1.
int csc_bytes_available(int descriptor);
/// Makes calls on the descriptor fail with EAGAIN instead of waiting. Returns 0 or an errno.
int csc_never_wait(int descriptor);

/// Returns an epoll set of the test's own, or -1.
int csc_poll_set(void);
/// Watches for readable bytes, and reports them again while there are any.
int csc_poll_add(int set, int descriptor);
/// Returns how many of the watched descriptors are readable within this many milliseconds, or
/// -1.
int csc_poll(int set, int milliseconds);

/// Sets the soft limit RLIMIT_NOFILE, or raises it to the hard limit for 0. Returns the new
/// limit, or -1.
long csc_limit_descriptors(unsigned long count);

/// The number that Swift's runtime gave to the task that this thread runs; 0 if it runs none.
uint64_t csc_task_number(void);
