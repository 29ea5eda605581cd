// tracefile.h — a recording written to a file, at any time and in a crash.
//
// What is called in a crash calls only what signal-safety(7) allows, and allocates nothing.
// A regular file is written under another name and renamed when it is whole, so that half a
// recording never has its name; what is written into it are the parts in use, the rest stays
// a hole. Anything else (a pipe, a terminal) is written from its beginning to its end.
//
// States      armed or not. In a crash: armed → writing → done.
// Touching    what is armed: set before the handlers are, and by one thread; read by a
//             handler on any thread.
// Invariants  I1  the handler is that of faults.h, which has the signal do what it would have
//                 done without.
//             I2  a child of the process writes nothing: the file is its parent's.
//             I3  the first thread that crashes ends the process with its signal. One that
//                 crashes meanwhile waits in the handler; what the first crashes with while it
//                 writes costs the file only.
// Sources     signal-safety(7), rename(2).
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The bytes of a recording's header.
#define CSB_TRACE_HEADER 128

/// Writes a recording.
///
/// `header` is written in place of the image's own. Returns 0, or an errno, and then in
/// `call` what was refused.
int csb_trace_write(const uint8_t *_Nonnull header, const uint8_t *_Nonnull image,
                    const char *_Nonnull path, const char *_Nonnull temporary,
                    const char *_Nullable *_Nonnull call);

/// Has the recording written to `path` when the process crashes or aborts: SIGSEGV, SIGBUS,
/// SIGILL, SIGFPE, SIGTRAP, SIGABRT. Where that is a regular file, `notice` is then said on
/// standard error, a line. Returns 0, or ENAMETOOLONG.
int csb_trace_arm(const uint8_t *_Nonnull image, const char *_Nonnull path,
                  const char *_Nonnull temporary, const char *_Nonnull notice);

/// It is not any more. The handlers stay, and do nothing.
void csb_trace_disarm(void);

/// Has `signal` call `csb_trace_call(cause)`, and then whoever handled it before. Returns 0
/// or an errno.
int csb_trace_listen(int signal, uint32_t cause);

/// After the recording was written because of that signal: ends the process by it, where it would
/// have ended it without. That is, if it is SIGHUP, SIGINT, SIGQUIT or SIGTERM, and the program
/// neither ignores nor handles it.
void csb_trace_end_as_asked(void);

/// The number of the signal of this name, "USR1" or "SIGUSR1"; 0 for none.
int csb_trace_signal_number(const char *_Nonnull name);

/// Gives this thread a stack for handlers, unless it has one or nothing is armed. Returns it, or
/// null. `csb_handler_stack_end` takes it back.
void *_Nullable csb_trace_stack_begin(void);

/// In a crash, before anything else is done about it: writes what is armed. A thread that crashes
/// while another one writes waits for its end.
void csb_trace_attend_to_crash(void);

/// In a handler: whether it interrupts this thread's own writing.
int csb_trace_is_writing(void);

/// In such a handler: goes on without the file.
void csb_trace_give_up_writing(void) __attribute__((noreturn));

/// Whether a directory is there.
int csb_trace_is_directory(const char *_Nonnull path);

/// Whether a recording could be written: tries it, and leaves nothing behind. Returns 0 or an
/// errno, and then in `call` what was refused.
int csb_trace_try(const char *_Nonnull path, const char *_Nonnull temporary,
                  const char *_Nullable *_Nonnull call);

/// Calls `function` when the process ends in good order. Returns 0 or ENOMEM.
int csb_trace_at_end(void (*_Nonnull function)(void));
