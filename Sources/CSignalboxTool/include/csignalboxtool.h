// csignalboxtool.h — C library calls that `signalbox` needs and Swift does not import.
#pragma once

#include <poll.h>

/// The value of a variable, or null. Null in a program with more rights than its user has.
const char *csb_tool_environment(const char *name);

/// Whether the file has capabilities, which the kernel grants to the program.
int csb_tool_has_capabilities(const char *path);

/// Copies memory of a process from `address`. Returns 0 or an errno: EFAULT if not all of it is
/// mapped; EPERM, ESRCH or ENOSYS if the process cannot be read.
int csb_tool_copy_memory(int process, unsigned long address, void *to, unsigned long size);

/// Copies bytes to memory of a process. Returns as `csb_tool_copy_memory`.
int csb_tool_write_memory(int process, unsigned long address, const void *from, unsigned long size);

/// A random number, never 0.
unsigned long csb_tool_random(void);

/// Opens a file that exists only in memory. Returns a descriptor, or an errno below zero.
int csb_tool_memory_file(void);

/// Opens a regular file to read it. Returns a descriptor, or an errno below zero: ENODEV if it is
/// not a regular file. It opens no device and no pipe, because opening a device may have effects,
/// and opening a pipe waits.
int csb_tool_open_file(const char *path);

/// Writes a symbol as it was in Swift's source, cut at the capacity. Returns 0 if it is not a Swift
/// symbol.
int csb_tool_demangle(const char *symbol, char *words, unsigned long capacity);

/// The time on the monotonic clock, in nanoseconds.
unsigned long csb_tool_uptime(void);

/// Starts a copy of this process, which must have one thread. Reading the memory of a process that
/// serves its own page faults may wait for that process; even then the copy can be ended. The copy
/// also ends with this process. Returns 0 in the copy, which may write to the pipe `writer`; here
/// the copy's process ID, and the pipe's other end in `reader`; or an errno below zero.
int csb_tool_start_copy(int *reader, int *writer);

/// Call in a new child: makes the child end with its parent.
void csb_tool_end_with(int parent);

/// Call in a copy: from now on, the first SIGINT, SIGTERM or SIGHUP is only noted, and the next one
/// ends the copy.
void csb_tool_note_interrupts(void);

/// Whether such a signal was noted.
int csb_tool_is_interrupted(void);

/// From now on, passes these signals on to the copy; if `copy` is 0, they end this process again.
void csb_tool_pass_interrupts_to(int copy);

/// Runs a program without the environment variables of Signalbox, and waits for its end. `input`:
/// its standard input; -1 for that of this process. Returns its status, 128 plus the number of the
/// signal that ended it, or an errno below zero.
int csb_tool_run(const char *path, const char *const *arguments, int input);

/// Reads the available bytes as soon as there are any. Returns the number of bytes, 0 at the end,
/// or an errno below zero: ETIME if nothing comes within `seconds`.
long csb_tool_read_within(int file, void *to, unsigned long size, unsigned seconds);

/// Waits for the end of a copy, which is ended by force if `kills` is not 0. Returns its status; -1 if it did not
/// end by itself.
int csb_tool_end_copy(int copy, int kills);

/// poll(2) in this program, which has one thread and no engine. Without descriptors, it only waits.
int csb_tool_poll(struct pollfd *polled, unsigned long count, int milliseconds);

/// The next client of a listening socket, without waiting. Returns a descriptor, or -1 and sets `errno`.
int csb_tool_accept(int socket);

/// Starts a child that draws on the terminal, and returns 0 in the child. The caller's process
/// waits for the child, restores the terminal, and ends as the child did. If no child can be
/// started, returns an errno.
int csb_tool_guard_terminal(int terminal);

/// Switches the terminal to its other screen, without a cursor and without an echo of keys.
void csb_tool_enter_terminal(int terminal);

/// Lets a change of the terminal's size end a wait.
void csb_tool_watch_size(void);

/// The size of the terminal. Returns -1 if it is not known.
int csb_tool_terminal_size(int terminal, int *columns, int *rows);

/// Starts a program as a child, with the environment and the descriptors of this process. From now
/// on, signals that end programs are blocked in this process, so that `csb_tool_attend_program` can
/// take them. Returns the child's process ID, or an errno below zero.
int csb_tool_start_program(const char *path, char *const *words);

/// Passes signals on to the program for a while.
/// Returns 1 if it has ended, with its status as from `waitpid`; otherwise 0.
int csb_tool_attend_program(int child, int milliseconds, int *status);

/// Ends this process with a status as from `waitpid`: by exiting, or by the same signal.
void csb_tool_end_like_program(int status) __attribute__((noreturn));
