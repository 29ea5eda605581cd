// thread.h — a thread's local storage, and starting threads.
//
// Swift has no thread-local storage, and `pthread_getspecific` costs a fifth of
// an uncontended lock. So a thread's data is one `_Thread_local` struct behind
// an inline accessor, which takes a single segment-relative access.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The number of slots in which a thread caches the locks of objects that it locked
/// recently. Small, because a thread that locks many objects in turn gains nothing.
#define CSB_OBJECT_LOCKS 4

/// The size of the copy of a thread's name for signal handlers, including a
/// terminating zero.
#define CSB_THREAD_NAME 96

/// Free nodes of one size, linked through their first word: `NodeCache`.
struct csb_node_list {
  void *_Nullable first;
  uint32_t count;
};

/// A list for items, and one for blocks with their items.
#define CSB_NODE_LISTS 2

/// Accessed only by its own thread, except `class_of_service`, `name`, `job` and `job_number`.
struct csb_thread {
  /// The thread's number: 0 until first requested, never reused, kept across
  /// fork. Kernel ids are reused and change in a forked child.
  uint32_t number;
  /// Whether this is the process's first thread: 0 until first asked, then 1
  /// (no) or 2 (yes).
  uint32_t is_main;
  /// The innermost frame of the queues that the thread is on.
  void *_Nullable frame;
  /// The innermost record of other things that the thread holds: `ThreadHold`.
  void *_Nullable holds;
  /// The innermost record of work that the thread has postponed and does before
  /// it sleeps: `PutOffWork`.
  void *_Nullable put_off;
  /// The first block of the locks that the thread holds for reading:
  /// `ReaderBlock`.
  void *_Nullable reader_blocks;
  /// The locks of the objects that the thread locked most recently:
  /// `ObjectLock`.
  void *_Nullable object_locks[CSB_OBJECT_LOCKS];
  /// Releases `object_locks` when the thread ends; null if there were none.
  void (*_Nullable object_locks_end)(void);
  /// The pool's worker on this thread, or null.
  void *_Nullable worker;
  /// The thread's wait record, once it has one.
  void *_Nullable wait_record;
  /// The locks that the thread has taken while lock order is checked:
  /// `HeldLocks`.
  void *_Nullable held_locks;
  /// Memory that the thread keeps for items.
  struct csb_node_list node_lists[CSB_NODE_LISTS];
  /// The record of this thread (`ThreadRecord`), once it has one.
  void *_Nullable record;
  /// The thread's run loop, once it has one. The thread owns this reference.
  void *_Nullable run_loop;
  /// Ends the run loop when the thread ends, and releases the reference.
  void (*_Nullable run_loop_end)(void *_Nonnull);
  /// References that operations left when they ended on this thread, to be
  /// released: see `OperationRelease`.
  void *_Nullable releases;
  /// The thread's recorder state (`TraceThread`), after its first recorded
  /// event.
  void *_Nullable trace;
  /// When the items that the thread runs began (`ThreadTimes`), after its first
  /// measured item.
  void *_Nullable times;
  /// The job of Swift's runtime that this thread runs, or null. Written by this
  /// thread; readers elsewhere compare it, and copy what is there.
  const void *_Nullable job;
  /// The urgency of the item that this thread runs (`Urgency`); 0 if unknown.
  uint8_t urgency;
  /// The urgency of the thread itself; 0 if unspecified. Any thread may set it
  /// atomically while this one lives.
  uint8_t class_of_service;
  /// Whether this thread has a kernel name of its own, which threads that it
  /// starts must not inherit.
  uint8_t is_named;
  /// Whether the kernel wakes this thread on time: see
  /// `csb_thread_tighten_timers`.
  uint8_t has_tight_timers;
  /// The number of `job`: see `csb_job_begin`.
  uint32_t job_number;
  /// The stack size available to the program, while this thread reports an
  /// overflow; otherwise 0.
  size_t stack_size;
  /// The stack for signal handlers; null if the thread has another one, or
  /// none.
  void *_Nullable handler_stack;
  /// The thread's name, truncated to this size; empty if it has none. A thread
  /// that renames it writes this byte by byte, while the thread lives.
  char name[CSB_THREAD_NAME];
};

extern _Thread_local struct csb_thread csb_thread_storage
    __attribute__((tls_model("initial-exec")));

/// This thread's own storage.
static inline struct csb_thread *_Nonnull csb_thread_self(void) {
  return &csb_thread_storage;
}

/// This thread's free nodes of one kind.
static inline struct csb_node_list *_Nonnull csb_thread_node_list(uint32_t list) {
  return &csb_thread_storage.node_lists[list];
}

/// The cache of the locks of the objects that this thread locked most recently.
static inline void *_Nullable *_Nonnull csb_thread_object_locks(void) {
  return csb_thread_storage.object_locks;
}

/// The highest thread number: a lock's word uses one bit for another purpose.
#define CSB_LAST_THREAD_NUMBER 0x7FFFFFFFu

/// Assigns this thread its number. Traps if no numbers are left.
uint32_t csb_thread_assign_number(void);

/// This thread's number, never 0.
static inline uint32_t csb_thread_number(void) {
  uint32_t number = csb_thread_storage.number;
  return __builtin_expect(number != 0, 1) ? number
                                          : csb_thread_assign_number();
}

/// Records this thread's kernel id, for ``csb_thread_find_kernel_id``.
void csb_thread_note_kernel_id(void);

/// The kernel id of the thread with this number; 0 if it is no longer known.
/// The thread may have ended, and the kernel may have reused its id.
int32_t csb_thread_find_kernel_id(uint32_t number);

/// The number of the thread with this kernel id, the newest if there were
/// several; 0 if it is unknown or the thread has no number.
uint32_t csb_thread_find_number(int32_t kernel_id);

/// The highest thread number assigned so far.
uint32_t csb_thread_last_number(void);

/// The urgency of this thread while it runs no item.
static inline uint8_t csb_thread_class_of_service(void) {
  // order: relaxed; the setting publishes no other data.
  return __atomic_load_n(&csb_thread_storage.class_of_service, __ATOMIC_RELAXED);
}

/// Sets the urgency of the thread with this storage, which must be alive.
static inline void csb_thread_set_class_of_service(struct csb_thread *_Nonnull thread,
                                                   uint8_t urgency) {
  // order: relaxed; the setting publishes no other data.
  __atomic_store_n(&thread->class_of_service, urgency, __ATOMIC_RELAXED);
}

/// Starts a detached thread with the signal mask of its starter.
///
/// `stack_size` is in bytes, 0 for the default. It is the size available to the
/// thread's own code: `csb_thread_stack_margin()` is added to it.
int csb_thread_start(void *_Nullable (*_Nonnull body)(void *_Nullable),
                     void *_Nullable context, size_t stack_size);

/// Ends this thread, from any call depth. Releases nothing on its stack.
void csb_thread_exit(void) __attribute__((noreturn));

/// The size of this thread's stack without its guard, in bytes; 0 if unknown.
size_t csb_thread_stack_size(void);

/// The size that is added to each given stack size, for the C library and
/// Swift's runtime.
size_t csb_thread_stack_margin(void);

/// The default stack size of a thread, in bytes.
size_t csb_thread_usual_stack_size(void);

/// Makes this thread call `leave` when it ends.
int csb_thread_at_exit(void (*_Nonnull leave)(void));

/// Sets this thread's kernel name, truncated to 15 bytes.
void csb_thread_set_name(const char *_Nonnull name);

/// Sets the kernel's name of the thread with this kernel id. The thread must belong to
/// this process and be alive.
void csb_thread_set_name_of(int32_t kernel_id, const char *_Nonnull name);

/// The name of the program, which its threads have until they get another.
const char *_Nonnull csb_program_name(void);

/// Stores the name of the thread with this storage, which must be alive, for
/// its signal handlers.
void csb_thread_keep_name(struct csb_thread *_Nonnull thread, const char *_Nullable name);

/// The stored name of this thread, which other threads must not read.
static inline const char *_Nonnull csb_thread_name(void) { return csb_thread_storage.name; }

/// Copies the stored name of this thread into `CSB_THREAD_NAME` bytes.
void csb_thread_kept_name(char *_Nonnull name);

/// Copies this thread's kernel name into 16 bytes.
void csb_thread_get_name(char *_Nonnull name);

/// The kernel id of this thread.
int32_t csb_thread_kernel_id(void);

/// The process ID, which is also the kernel id of its first thread.
int32_t csb_process_id(void);

/// Tells this thread that it is the first of a forked child: it is not a
/// worker, and the records that it had before belong to the parent.
void csb_thread_became_first(void);

/// Asks the kernel whether this is the process's first thread, and stores the
/// answer.
int csb_thread_ask_is_main(void);

/// Whether this is the process's first thread.
static inline int csb_thread_is_main(void) {
  uint32_t known = csb_thread_storage.is_main;
  return __builtin_expect(known != 0, 1) ? known == 2
                                         : csb_thread_ask_is_main();
}

/// Makes timed sleeps of this thread end within about a microsecond of their
/// deadline, until ``csb_thread_loosen_timers``. By default, the kernel may be
/// fifty microseconds late.
void csb_thread_tighten_timers(void);

/// Restores the timer slack with which this thread was started: threads that it
/// starts inherit the slack, and the program controls the slack of its own
/// sleeps.
void csb_thread_loosen_timers(void);

/// Yields the processor to another thread.
void csb_thread_yield(void);

/// The nice value of the thread with this kernel id; 0 for this thread.
int csb_thread_nice(int32_t kernel_id);

/// Sets the nice value of the thread with this kernel id (0: this thread).
/// Returns 0; EACCES or EPERM if the process may not raise the priority; or
/// ESRCH if the thread has ended.
int csb_thread_set_nice(int32_t kernel_id, int nice);

/// The processor time that a thread of this process has used, in nanoseconds; 0
/// if the thread has ended.
uint64_t csb_thread_processor_time(int32_t kernel_id);

/// The state letter of a thread of this process in the kernel's list: 'R' runs
/// or is ready, 'S' and 'D' sleep. 0 if unknown.
char csb_thread_state(int32_t kernel_id);

/// The time that a thread has spent in user code and in the kernel, in clock
/// ticks of 10 ms that the kernel estimates by sampling. Returns 0 or an errno.
int csb_thread_ticks(
  int32_t kernel_id, uint64_t *_Nonnull user, uint64_t *_Nonnull system);

/// The number of processors on which this process may run, at least 1.
int csb_processor_count(void);

/// Whether that number was more than 1 at the first call. A forked child may
/// call this even if a thread of its parent was in the middle of the call:
/// there is no lock.
int csb_processors_are_many(void);
