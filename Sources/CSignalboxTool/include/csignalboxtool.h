// csignalboxtool.h — C library calls that `signalbox` needs and Swift does not import.
#pragma once

/// The value of a variable, or null. Null in a program with more rights than its user has.
const char *csb_tool_environment(const char *name);

/// Whether the file has capabilities, which the kernel grants to the program.
int csb_tool_has_capabilities(const char *path);

/// Copies memory of a process from `address`. Returns 0 or an errno: EFAULT if not all of it is
/// mapped; EPERM, ESRCH or ENOSYS if the process cannot be read.
int csb_tool_copy_memory(int process, unsigned long address, void *to, unsigned long size);

/// The time on the monotonic clock, in nanoseconds.
unsigned long csb_tool_uptime(void);

/// Ends this program by SIGALRM after this time. Reading a process's memory may wait for that process, if it
/// serves its own page faults; no signal handler runs then.
void csb_tool_end_after(unsigned seconds);
