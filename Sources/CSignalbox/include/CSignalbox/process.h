// process.h — descriptors that tell of another process.
#pragma once

#include <stdint.h>

/// Opens a descriptor that is readable once the process has ended, whether or not it was
/// waited for. Close-on-exec. Returns it, or -errno: ESRCH for a process that is gone.
int csb_pidfd_open(int32_t process);

/// What `csb_process_events_read` tells of.
#define CSB_PROCESS_FORKED 1u
#define CSB_PROCESS_EXECUTED 2u

/// Opens a socket on which the kernel tells of each fork and exec of this one process:
/// of those that `events` names. Close-on-exec, never waits. Returns it, or -errno:
/// EPERM where the process may not listen, ENODATA where the kernel does not answer, as
/// it does not within a container.
int csb_process_events_open(int32_t process, uint32_t events);

/// Takes all that the socket has to tell. Returns which events were among it.
uint32_t csb_process_events_read(int socket);

/// Closes the socket.
void csb_process_events_close(int socket);

/// The number of the system call `rt_sigsuspend(2)` on this machine.
long csb_number_of_sigsuspend(void);

/// The number of `futex(2)`.
long csb_number_of_futex(void);
