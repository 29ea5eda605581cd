// tracefile.h — writes a recording to a file, at any time and in a crash.
//
// The functions that run in a crash call only what signal-safety(7) allows, and
// allocate nothing. They write a regular file under a temporary name and rename it
// when it is complete, so an incomplete recording never has the final name. They
// write only the parts in use and leave the rest as holes. Other files (a pipe, a
// terminal) are written from beginning to end.
//
// States      armed or not. In a crash: armed → writing → done.
// Touching    the armed recording: set by one thread before the handlers are
//             installed; read by a handler on any thread.
// Invariants  I1  the handler is that of faults.h, which gives the signal the
//                 effect that it would have had without the handler.
//             I2  a forked child writes nothing: the file belongs to the parent.
//             I3  the first thread that crashes ends the process with its signal.
//                 Another thread that crashes in the meantime waits in the
//                 handler. If the first thread crashes again while it writes,
//                 only the file is lost.
// Sources     signal-safety(7), rename(2).
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The size of a recording's header, in bytes.
#define CSB_TRACE_HEADER 128

/// Writes a recording.
///
/// Writes `header` in place of the image's own header. Returns 0, or an errno
/// with the name of the failed call in `call`.
int csb_trace_write(const uint8_t *_Nonnull header, const uint8_t *_Nonnull image,
                    const char *_Nonnull path, const char *_Nonnull temporary,
                    const char *_Nullable *_Nonnull call);

/// Makes a crash or an abort write the recording to `path`: SIGSEGV, SIGBUS,
/// SIGILL, SIGFPE, SIGTRAP, SIGABRT. If `path` is a regular file, the crash
/// then prints the line `notice` on standard error. Returns 0, or ENAMETOOLONG.
int csb_trace_arm(const uint8_t *_Nonnull image, const char *_Nonnull path,
                  const char *_Nonnull temporary, const char *_Nonnull notice);

/// Stops writing the recording in a crash. The handlers stay installed and do
/// nothing.
void csb_trace_disarm(void);

/// Makes `signal` call `csb_trace_call(cause)` and then the handler that was
/// installed before. Returns 0 or an errno.
int csb_trace_listen(int signal, uint32_t cause);

/// Call after the recording was written because of that signal. Ends the
/// process with the signal if the signal would have ended it without us: if it
/// is SIGHUP, SIGINT, SIGQUIT or SIGTERM, and the program neither ignores nor
/// handles it.
void csb_trace_end_as_asked(void);

/// The number of the signal with this name, "USR1" or "SIGUSR1"; 0 for none.
int csb_trace_signal_number(const char *_Nonnull name);

/// Gives this thread a stack for handlers, unless it has one or no recording is
/// armed. Returns the stack, or null. `csb_handler_stack_end` takes it back.
void *_Nullable csb_trace_stack_begin(void);

/// Called first in a crash: writes the armed recording. A thread that crashes
/// while another one writes waits until that one has finished.
void csb_trace_attend_to_crash(void);

/// Called in a handler: whether the handler interrupts this thread's own
/// writing.
int csb_trace_is_writing(void);

/// Called in such a handler: continues without the file.
void csb_trace_give_up_writing(void) __attribute__((noreturn));

/// Whether `path` is a directory.
int csb_trace_is_directory(const char *_Nonnull path);

/// Tests whether a recording could be written, and leaves nothing behind.
/// Returns 0, or an errno with the name of the failed call in `call`.
int csb_trace_try(const char *_Nonnull path, const char *_Nonnull temporary,
                  const char *_Nullable *_Nonnull call);

/// Calls `function` when the process exits normally. Returns 0 or ENOMEM.
int csb_trace_at_end(void (*_Nonnull function)(void));
