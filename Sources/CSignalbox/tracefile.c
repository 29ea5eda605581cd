#define _GNU_SOURCE
#include "CSignalbox/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CSignalbox/clock.h"
#include "CSignalbox/engine.h"
#include "CSignalbox/faults.h"
#include "CSignalbox/signals.h"
#include "CSignalbox/trace.h"
#include "CSignalbox/trap.h"

// MARK: Writing

/// Offsets in the header and in a chunk's header, as in `TraceLayout`.
enum {
  names_size_at = 16,
  chunk_size_at = 20,
  chunk_count_at = 24,
  lost_at = 48,
  cause_at = 60,
  written_at = 64,
  names_used_at = 80,
  count_at = 4,
  sequence_at = 8,
  head = 32,
};

static uint32_t word(const uint8_t *bytes, int offset) {
  uint32_t value;
  memcpy(&value, bytes + offset, sizeof value);
  return value;
}

/// The state of writing one file.
struct sink {
  int file;
  /// Whether the file is written in order, with holes as zeros.
  int is_stream;
  uint64_t position;
  const char *call;
  /// Incremented for each chunk; null if no thread waits.
  int32_t *progress;
};

static int put(struct sink *sink, const uint8_t *bytes, size_t size, uint64_t position) {
  while (size > 0) {
    sink->call = "write";
    ssize_t count = sink->is_stream ? write(sink->file, bytes, size)
                                    : pwrite(sink->file, bytes, size, (off_t)position);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return EIO;
    bytes += count;
    size -= (size_t)count;
    position += (uint64_t)count;
  }
  sink->position = position;
  return 0;
}

/// Continues at `position`, which lies ahead.
static int skip(struct sink *sink, uint64_t position) {
  static const uint8_t zeros[4096];
  while (sink->is_stream && sink->position < position) {
    uint64_t left = position - sink->position;
    size_t size = left < sizeof zeros ? (size_t)left : sizeof zeros;
    int error = put(sink, zeros, size, sink->position);
    if (error) return error;
  }
  sink->position = position;
  return 0;
}

/// Writes the events that the chunk has at this moment; its thread may continue
/// to record.
static int put_chunk(struct sink *sink, const uint8_t *chunk, uint32_t size, uint64_t position) {
  uint8_t header[head];
  // order: acquiring, TR1
  uint32_t count = __atomic_load_n((const uint32_t *)(chunk + count_at), __ATOMIC_ACQUIRE);
  memcpy(header, chunk, head);
  memcpy(header + count_at, &count, sizeof count);
  uint64_t sequence;
  memcpy(&sequence, header + sequence_at, sizeof sequence);
  // The chunk is unused or is just being opened.
  if (word(header, 0) == 0 || sequence == 0 || count > (size - head) / 32) return 0;
  int error = skip(sink, position);
  if (!error) error = put(sink, header, head, position);
  if (!error) error = put(sink, chunk + head, (size_t)count * 32, position + head);
  return error;
}

static int put_image(struct sink *sink, const uint8_t *header, const uint8_t *image) {
  uint64_t names = word(header, names_size_at), used = word(header, names_used_at);
  uint32_t chunk_size = word(header, chunk_size_at), count = word(header, chunk_count_at);
  uint64_t chunks = CSB_TRACE_HEADER + names, size = chunks + (uint64_t)count * chunk_size;
  if (!sink->is_stream && ftruncate(sink->file, (off_t)size) != 0) {
    sink->call = "ftruncate";
    return errno;
  }
  int error = put(sink, header, CSB_TRACE_HEADER, 0);
  if (!error) error = put(sink, image + CSB_TRACE_HEADER, (size_t)used, CSB_TRACE_HEADER);
  for (uint32_t index = 0; index < count && !error; index++) {
    uint64_t position = chunks + (uint64_t)index * chunk_size;
    error = put_chunk(sink, image + position, chunk_size, position);
    // order: relaxed; the count publishes no other data.
    if (sink->progress) __atomic_fetch_add(sink->progress, 1, __ATOMIC_RELAXED);
  }
  return error ? error : skip(sink, size);
}

static int is_special(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/// Opens a pipe or another special file. Refuses a pipe without a reader,
/// because opening it would block the process.
static int open_special(const char *path) {
  int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file >= 0) fcntl(file, F_SETFL, 0);
  return file;
}

static int open_temporary(const char *temporary) {
  unlink(temporary);
  return open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int put_file(const uint8_t *header, const uint8_t *image, const char *path,
                    const char *temporary, const char **call, int32_t *progress) {
  int special = is_special(path);
  struct sink sink = {.is_stream = special, .progress = progress};
  sink.file = special ? open_special(path) : open_temporary(temporary);
  *call = "open";
  if (sink.file < 0) return errno;
  int error = put_image(&sink, header, image);
  if (error) *call = sink.call;
  if (close(sink.file) != 0 && !error) {
    *call = "close";
    error = errno;
  }
  if (special) return error;
  if (!error && rename(temporary, path) != 0) {
    *call = "rename";
    error = errno;
  }
  if (error) unlink(temporary);
  return error;
}

/// Writes a file. If a pipe's reader goes away, that is an error rather than a
/// signal that ends the process.
static int write_file(const uint8_t *header, const uint8_t *image, const char *path,
                      const char *temporary, const char **call, int32_t *progress) {
  sigset_t broken, before, pending;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  sigpending(&pending);
  int error = put_file(header, image, path, temporary, call, progress);
  // Keep a signal that was pending before.
  if (error == EPIPE && !sigismember(&pending, SIGPIPE)) {
    struct timespec none = {0, 0};
    while (sigtimedwait(&broken, NULL, &none) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

int csb_trace_write(const uint8_t *header, const uint8_t *image, const char *path,
                    const char *temporary, const char **call) {
  return write_file(header, image, path, temporary, call, NULL);
}

int csb_trace_try(const char *path, const char *temporary, const char **call) {
  *call = "open";
  if (is_special(path)) {
    int file = open_special(path);
    if (file < 0) return errno;
    close(file);
    return 0;
  }
  int file = open_temporary(temporary);
  if (file < 0) return errno;
  close(file);
  unlink(temporary);
  return 0;
}

int csb_trace_is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int csb_trace_at_end(void (*function)(void)) { return atexit(function) == 0 ? 0 : ENOMEM; }

// MARK: A crash

static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
enum { fault_count = sizeof faults / sizeof faults[0] };

static const uint8_t *armed_image;
static pid_t owner;
/// The kernel id of the thread that crashed first and writes; 0 if there is
/// none yet.
static int32_t first;
/// How many steps the writer has made; -1 when it has finished.
static int32_t progress;
/// Where the writer continues if it crashes itself.
static sigjmp_buf without_file;
static char armed_path[PATH_MAX], armed_temporary[PATH_MAX], armed_notice[4 * PATH_MAX];

/// Prints the failure. `csb_trace_arm` refuses a path that would not fit.
static void tell_failure(const char *call, int error) {
  static char line[PATH_MAX + 128];
  char digits[12], *digit = digits + sizeof digits;
  *--digit = 0;
  for (int rest = error; rest > 0 || !*digit; rest /= 10) *--digit = (char)('0' + rest % 10);
  strcpy(line, "SIGNALBOX: the trace could not be written to ");
  strcat(line, armed_path);
  strcat(line, ": ");
  strcat(line, call);
  strcat(line, " failed with errno ");
  strcat(line, digit);
  csb_warn_if_taken(line);
}

/// Waits until `progress` differs from `known`.
///
/// - Returns: its value then; `known` if that takes ten seconds or more.
static int32_t wait_for_progress(int32_t known) {
  struct timespec pause = {.tv_nsec = 1000000};
  for (int look = 0; look < 10000; look++) {
    // order: relaxed; the count publishes no other data.
    int32_t now = __atomic_load_n(&progress, __ATOMIC_RELAXED);
    if (now != known) return now;
    nanosleep(&pause, NULL);
  }
  return known;
}

/// Called by a thread that crashes while another thread ends the process with
/// its own crash: waits for that end, but not without limit. If it continued,
/// two threads would be in the earlier handler, and in Swift's handler each of
/// them waits for the other.
static void wait_for_the_end(void) {
  int32_t known = -2, now = 0;
  while (now != known) {
    known = now;
    now = wait_for_progress(known);
  }
}

/// Unblocks faults while the file is written: a fault that occurs then is a
/// crash of the writer itself.
static void let_faults_through(void) {
  sigset_t set;
  sigemptyset(&set);
  for (int index = 0; index < fault_count; index++) sigaddset(&set, faults[index]);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/// Stops recording the events of other threads, because the file would contain
/// only a part of what they do while it is written.
static void end_recording(void) {
  csb_probe_masks_set(csb_probe_heard_load(), 0);
}

static void write_crash(const uint8_t *image) {
  end_recording();
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  if (sigsetjmp(without_file, 1) == 0) {
    let_faults_through();
    uint8_t header[CSB_TRACE_HEADER];
    memcpy(header, image, sizeof header);
    uint64_t lost = csb_trace_lost_load(), now = csb_clock_uptime();
    uint32_t cause = 4;
    memcpy(header + lost_at, &lost, sizeof lost);
    memcpy(header + cause_at, &cause, sizeof cause);
    memcpy(header + written_at, &now, sizeof now);
    const char *call = NULL;
    int error = write_file(header, image, armed_path, armed_temporary, &call, &progress);
    if (error)
      tell_failure(call, error);
    else if (!is_special(armed_path))
      csb_warn_if_taken(armed_notice);
  } else {
    unlink(armed_temporary);
    tell_failure("reading what was recorded", EFAULT);
  }
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  // order: relaxed; the kernel publishes the file.
  __atomic_store_n(&progress, -1, __ATOMIC_RELAXED);
}

void csb_trace_attend_to_crash(void) {
  // order: relaxed; set before the handler was installed.
  const uint8_t *image = __atomic_load_n(&armed_image, __ATOMIC_RELAXED);
  if (!image || getpid() != owner) return;
  int32_t nobody = 0, self = (int32_t)syscall(SYS_gettid);
  // order: relaxed; a claim that publishes no other data.
  if (__atomic_compare_exchange_n(&first, &nobody, self, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    write_crash(image);
    return;
  }
  if (nobody != self) wait_for_the_end();
}

int csb_trace_is_writing(void) {
  // order: relaxed; this thread wrote it.
  return __atomic_load_n(&first, __ATOMIC_RELAXED) == (int32_t)syscall(SYS_gettid) &&
         __atomic_load_n(&progress, __ATOMIC_RELAXED) >= 0 &&  // order: relaxed; see above.
         getpid() == owner;
}

void csb_trace_give_up_writing(void) { siglongjmp(without_file, 1); }

int csb_trace_arm(const uint8_t *image, const char *path, const char *temporary,
                  const char *notice) {
  if (strlen(path) >= PATH_MAX || strlen(temporary) >= PATH_MAX ||
      strlen(notice) >= sizeof armed_notice)
    return ENAMETOOLONG;
  csb_trace_disarm();
  strcpy(armed_path, path);
  strcpy(armed_temporary, temporary);
  strcpy(armed_notice, notice);
  owner = getpid();
  // order: relaxed; see `csb_trace_attend_to_crash`.
  __atomic_store_n(&first, 0, __ATOMIC_RELAXED);
  // order: relaxed; see `csb_trace_attend_to_crash`.
  __atomic_store_n(&progress, 0, __ATOMIC_RELAXED);
  // order: relaxed; see `csb_trace_attend_to_crash`.
  __atomic_store_n(&armed_image, image, __ATOMIC_RELAXED);
  for (int index = 0; index < fault_count; index++) csb_faults_handle(faults[index]);
  return 0;
}

void csb_trace_disarm(void) {
  // order: relaxed; see `csb_trace_attend_to_crash`.
  __atomic_store_n(&armed_image, NULL, __ATOMIC_RELAXED);
}

void *csb_trace_stack_begin(void) {
  // order: relaxed; see `csb_trace_attend_to_crash`.
  return __atomic_load_n(&armed_image, __ATOMIC_RELAXED) ? csb_handler_stack_begin() : NULL;
}

// MARK: A signal that asks for the recording

static struct sigaction asked_before;
static uint32_t asked_cause;
static int asked_signal;

static void handle_asked(int signal, siginfo_t *info, void *context) {
  if (getpid() == owner) csb_trace_call(asked_cause);
  if (asked_before.sa_flags & SA_SIGINFO) {
    asked_before.sa_sigaction(signal, info, context);
  } else if (asked_before.sa_handler != SIG_DFL && asked_before.sa_handler != SIG_IGN) {
    asked_before.sa_handler(signal);
  }
}

int csb_trace_listen(int signal, uint32_t cause) {
  struct sigaction ours = {.sa_sigaction = handle_asked,
                           .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  owner = getpid();
  asked_cause = cause;
  asked_signal = signal;
  if (sigaction(signal, NULL, &asked_before) != 0) return errno;
  return sigaction(signal, &ours, NULL) == 0 ? 0 : errno;
}

static bool asks_for_an_end(int signal) {
  return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

void csb_trace_end_as_asked(void) {
  struct sigaction now;
  if (!asks_for_an_end(asked_signal)) return;
  if (asked_before.sa_flags & SA_SIGINFO || asked_before.sa_handler != SIG_DFL) return;
  // A handler that was installed since decides what happens to the program.
  if (sigaction(asked_signal, NULL, &now) != 0 || now.sa_sigaction != handle_asked) return;
  struct sigaction end = {.sa_handler = SIG_DFL};
  if (sigaction(asked_signal, &end, NULL) == 0) kill(getpid(), asked_signal);
}

int csb_trace_signal_number(const char *name) {
  if (strncmp(name, "SIG", 3) == 0) name += 3;
  for (int signal = 1; signal <= csb_signal_last(); signal++) {
    const char *known = csb_signal_name(signal);
    if (known && strcmp(known + 3, name) == 0) return signal;
  }
  return 0;
}
