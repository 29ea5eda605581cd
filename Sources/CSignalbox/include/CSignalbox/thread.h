// thread.h — what a thread carries with it, and how one is started.
//
// Swift has no thread-local storage, and `pthread_getspecific` costs a fifth
// of an uncontended lock. Hence one `_Thread_local` struct behind an inline
// accessor: a single segment-relative access.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// For how many objects that it locked last a thread keeps the lock: few, since a
/// thread that ends up with many objects in turn gains nothing by it.
#define CSB_OBJECT_LOCKS 4

/// The bytes of a thread's name that are kept for its handlers, a zero among them.
#define CSB_THREAD_NAME 96

/// Touched by its own thread only, but for `class_of_service` and `name`.
struct csb_thread {
  /// The thread's number: 0 until first asked for, never re-used, kept
  /// across fork. Kernel ids are re-used and change in a forked child.
  uint32_t number;
  /// How many item nodes `nodes` holds.
  uint32_t node_count;
  /// Whether this is the process's first thread: 0 until first asked for, then
  /// 1 (no) or 2 (yes).
  uint32_t is_main;
  /// The innermost frame of the current-queue record.
  void *_Nullable frame;
  /// The innermost record of what the thread holds besides: `ThreadHold`.
  void *_Nullable holds;
  /// The first block of what the thread holds for reading: `ReaderBlock`.
  void *_Nullable reader_blocks;
  /// The locks of the objects that the thread locked last: `ObjectLock`.
  void *_Nullable object_locks[CSB_OBJECT_LOCKS];
  /// Drops them when the thread ends; null if there were none.
  void (*_Nullable object_locks_end)(void);
  /// The pool's worker that this thread is, if it is one.
  void *_Nullable worker;
  /// The thread's wait record, once it has one.
  void *_Nullable wait_record;
  /// Which locks the thread has taken while locks are checked: `HeldLocks`.
  void *_Nullable held_locks;
  /// Free item nodes, linked through their first word.
  void *_Nullable nodes;
  /// The record of this thread (`ThreadRecord`), once it has one.
  void *_Nullable record;
  /// The thread's run loop, once it has one: a reference of its own.
  void *_Nullable run_loop;
  /// Ends the run loop when the thread ends, and gives back the reference.
  void (*_Nullable run_loop_end)(void *_Nonnull);
  /// What the operations that end on this thread leave to be released: see
  /// `OperationRelease`.
  void *_Nullable releases;
  /// Where this thread's events are recorded (`TraceThread`), once one was.
  void *_Nullable trace;
  /// How urgent the item is that this thread runs (`Urgency`); 0: not known.
  uint8_t urgency;
  /// How urgent the thread itself is; 0: nothing is said. Any thread may set it,
  /// atomically, as long as this one lives.
  uint8_t class_of_service;
  /// Whether this thread has a name in the kernel's list that is its own, which the
  /// threads that it starts are not to inherit.
  uint8_t is_named;
  /// Whether the kernel wakes this thread on time: `csb_thread_tighten_timers`.
  uint8_t has_tight_timers;
  /// The bytes of stack that the program has here, while an overflow of it is to be told; else 0.
  size_t stack_size;
  /// On which handlers run; null where the thread has another one, or none.
  void *_Nullable handler_stack;
  /// As much of the name that the thread was given as there is room for; empty without one. Who
  /// names the thread writes it, byte by byte, as long as the thread lives.
  char name[CSB_THREAD_NAME];
};

extern _Thread_local struct csb_thread csb_thread_storage
    __attribute__((tls_model("initial-exec")));

/// This thread's own storage.
static inline struct csb_thread *_Nonnull csb_thread_self(void) {
  return &csb_thread_storage;
}

/// The places of the locks of the objects that this thread locked last.
static inline void *_Nullable *_Nonnull csb_thread_object_locks(void) {
  return csb_thread_storage.object_locks;
}

/// The highest number of a thread: a lock's word has one bit for something else.
#define CSB_LAST_THREAD_NUMBER 0x7FFFFFFFu

/// Gives this thread its number. Traps when all have been given away.
uint32_t csb_thread_assign_number(void);

/// This thread's number; never 0.
static inline uint32_t csb_thread_number(void) {
  uint32_t number = csb_thread_storage.number;
  return __builtin_expect(number != 0, 1) ? number
                                          : csb_thread_assign_number();
}

/// Notes the kernel's id of this thread, for ``csb_thread_find_kernel_id``.
void csb_thread_note_kernel_id(void);

/// The kernel's id of the thread with this number; 0 where it is not known any more.
/// The thread may have ended, and the kernel have given its id to another.
int32_t csb_thread_find_kernel_id(uint32_t number);

/// The number of the thread with this kernel's id, the newest if there were several; 0
/// where it is not known, or the thread has none.
uint32_t csb_thread_find_number(int32_t kernel_id);

/// The highest number that was given to a thread so far.
uint32_t csb_thread_last_number(void);

/// How urgent this thread is where it runs no item.
static inline uint8_t csb_thread_class_of_service(void) {
  // order: relaxed; a setting, which carries nothing.
  return __atomic_load_n(&csb_thread_storage.class_of_service, __ATOMIC_RELAXED);
}

/// Sets that of the thread with this storage, which must live.
static inline void csb_thread_set_class_of_service(struct csb_thread *_Nonnull thread,
                                                   uint8_t urgency) {
  // order: relaxed; a setting, which carries nothing.
  __atomic_store_n(&thread->class_of_service, urgency, __ATOMIC_RELAXED);
}

/// Starts a detached thread that blocks no signal its starter did not block.
///
/// `stack_size` is in bytes, 0 for the usual one. The thread's own code has that
/// much: `csb_thread_stack_margin()` comes on top of it.
int csb_thread_start(void *_Nullable (*_Nonnull body)(void *_Nullable),
                     void *_Nullable context, size_t stack_size);

/// Ends this thread, from any depth. Nothing on its stack is released.
void csb_thread_exit(void) __attribute__((noreturn));

/// The bytes of this thread's stack, its guard left out; 0 where they cannot be told.
size_t csb_thread_stack_size(void);

/// What a stack of a given size has beyond that, for the C library and Swift's runtime.
size_t csb_thread_stack_margin(void);

/// The bytes of the stack of a thread that is started with the usual one.
size_t csb_thread_usual_stack_size(void);

/// Calls `leave` on this thread when it ends, once set up for it.
int csb_thread_at_exit(void (*_Nonnull leave)(void));

/// Names this thread in the kernel's list, cut at 15 bytes.
void csb_thread_set_name(const char *_Nonnull name);

/// Names the thread of this process with this kernel id, which must live.
void csb_thread_set_name_of(int32_t kernel_id, const char *_Nonnull name);

/// The name of the program, which its threads have as long as they get no other.
const char *_Nonnull csb_program_name(void);

/// Keeps the name of the thread with this storage, which must live, for what its handlers say.
void csb_thread_keep_name(struct csb_thread *_Nonnull thread, const char *_Nullable name);

/// Writes what is kept of this thread's name into `CSB_THREAD_NAME` bytes.
void csb_thread_kept_name(char *_Nonnull name);

/// Writes this thread's name in the kernel's list into 16 bytes.
void csb_thread_get_name(char *_Nonnull name);

/// The kernel's id of this thread.
int32_t csb_thread_kernel_id(void);

/// The kernel's id of this process, which is that of its first thread.
int32_t csb_process_id(void);

/// This thread is now its process's first, in a forked child: it is no worker,
/// and what is known of it in the parent's records is the parent's.
void csb_thread_became_first(void);

/// Asks the kernel whether this is the process's first thread, and notes it.
int csb_thread_ask_is_main(void);

/// Whether this is the process's first thread.
static inline int csb_thread_is_main(void) {
  uint32_t known = csb_thread_storage.is_main;
  return __builtin_expect(known != 0, 1) ? known == 2
                                         : csb_thread_ask_is_main();
}

/// Makes timed sleeps of this thread wake within a microsecond or so of their
/// deadline, until ``csb_thread_loosen_timers``. By default the kernel may be
/// fifty microseconds late.
void csb_thread_tighten_timers(void);

/// Gives this thread the slack back that it was started with: threads that it
/// starts inherit it, and what a program sleeps is the program's matter.
void csb_thread_loosen_timers(void);

/// Lets another thread run here.
void csb_thread_yield(void);

/// The nice value of the thread with this kernel id; 0 means this thread.
int csb_thread_nice(int32_t kernel_id);

/// Sets the nice value of the thread with this kernel id (0: this thread).
/// Returns 0, or EACCES or EPERM where the process may not raise it, or ESRCH
/// when the thread has ended.
int csb_thread_set_nice(int32_t kernel_id, int nice);

/// Nanoseconds of processor time that a thread of this process has used; 0 when
/// it has ended.
uint64_t csb_thread_processor_time(int32_t kernel_id);

/// The state letter of a thread of this process as the kernel's list shows it: 'R'
/// runs or is ready, 'S' and 'D' sleep. 0 where it cannot be told.
char csb_thread_state(int32_t kernel_id);

/// The time that a thread has spent in its own code and in the kernel, in the kernel's clock
/// ticks of 10 ms, which it estimates by samples. Returns 0 or an errno.
int csb_thread_ticks(
  int32_t kernel_id, uint64_t *_Nonnull user, uint64_t *_Nonnull system);

/// How many processors this process may run on; at least 1.
int csb_processor_count(void);

/// Whether that was more than one when it was first asked for. It can be asked in a
/// forked child whose parent was just asking: nothing is made once under a lock.
int csb_processors_are_many(void);
