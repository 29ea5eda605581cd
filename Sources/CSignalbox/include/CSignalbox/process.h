// process.h — descriptors that report events of another process.
#pragma once

#include <stdint.h>

/// Opens a descriptor that becomes readable when the process has ended, even
/// before its parent waits for it. Close-on-exec. Returns the descriptor, or
/// -errno: ESRCH for a process that is gone.
int csb_pidfd_open(int32_t process);

/// The events of `csb_process_events_read`.
#define CSB_PROCESS_FORKED 1u
#define CSB_PROCESS_EXECUTED 2u

/// Opens a socket on which the kernel reports each fork and exec of this one
/// process, as far as `events` selects them. Close-on-exec and non-blocking.
/// Returns the socket, or -errno: EPERM if the process may not listen, ENODATA
/// if the kernel doesn't answer, as in a container.
int csb_process_events_open(int32_t process, uint32_t events);

/// Reads all messages of the socket. Returns which events they report.
uint32_t csb_process_events_read(int socket);

/// Closes the socket.
void csb_process_events_close(int socket);

/// The number of the system call `rt_sigsuspend(2)` on this machine.
long csb_number_of_sigsuspend(void);

/// The number of `futex(2)`.
long csb_number_of_futex(void);
