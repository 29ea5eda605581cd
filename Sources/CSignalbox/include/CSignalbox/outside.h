// outside.h — what a reader in another process finds: a table of structures and lists, by names,
// and the wait of each thread. See Internals/Outside.md.
//
// The engine writes it and never reads it. A reader copies memory through the kernel, so nothing
// here must be locked, and nothing waits for a reader.
//
// Ordering    OU1  each increment of `epoch` and `changes` (releasing) → a reader, which copies the
//                  counter before and after the data that the counter guards.
//             OU2  an entry's kind (releasing), stored last → a reader that finds a kind finds the
//                  entry complete.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Changes only if a name in the table changes its meaning. A field may move, and entries may be
/// added, without a new version.
#define CSB_OUTSIDE_VERSION 1

/// What an entry's value is.
enum {
  /// The offset of a field that holds a number without a sign.
  CSB_OUTSIDE_NUMBER = 1,
  /// The offset of a field that holds an address, or null.
  CSB_OUTSIDE_ADDRESS = 2,
  /// A number.
  CSB_OUTSIDE_CONSTANT = 3,
  /// An address; `size` is the number of elements there.
  CSB_OUTSIDE_ROOT = 4,
};

/// A field of a structure, a constant, or the beginning of a list.
struct csb_outside_entry {
  char structure[16];
  char name[32];
  uintptr_t value;
  /// The size of a field in bytes.
  uint32_t size;
  /// 0 until the entry is complete.
  uint32_t kind;
};

#define CSB_OUTSIDE_CAPACITY 320

struct csb_outside {
  char magic[8];
  uint32_t version;
  uint32_t entry_size;
  uint32_t capacity;
  /// How many entries have been begun.
  uint32_t used;
  /// The address of this structure. In a copy of the file that is mapped as data, the structure
  /// itself is at another address.
  const void *_Nullable self;
  struct csb_outside_entry entries[CSB_OUTSIDE_CAPACITY];
};

/// For debuggers. A reader uses the note.
extern struct csb_outside csb_outside;

/// Adds an entry. Names that are too long are cut. Any thread.
void csb_outside_add(const char *_Nonnull structure, const char *_Nonnull name, uint32_t kind,
                     uintptr_t value, uint32_t size);

/// Registers of a thread in one of its functions, from which its callers can be found.
struct csb_place {
  const void *_Nullable instruction;
  const void *_Nullable stack;
  const void *_Nullable frame;
};

/// Writes the registers that the caller has when this call returns. They are valid until the caller
/// returns. Takes some nanoseconds; for slow waits only.
void csb_place_here(struct csb_place *_Nonnull place);

/// What a reader sees of a wait.
struct csb_outside_wait {
  /// When it began, on CLOCK_MONOTONIC, in nanoseconds.
  uint64_t since;
  const void *_Nullable object;
  /// Words for the object: "the NSLock".
  const char *_Nullable title;
  const void *_Nullable label;
  const void *_Nullable holder;
  /// The word on which the thread sleeps; null if it sleeps otherwise.
  const void *_Nullable word;
  /// The value of `word` while the wait is not over.
  uint32_t expected;
  uint8_t reason;
  uint8_t label_kind;
  uint8_t holder_kind;
  uint8_t release;
  uint8_t has_deadline;
  /// Whether the waiting thread takes the object itself; then `word` may change before the wait is
  /// over.
  uint8_t is_taken;

  // The chains on the thread's stack: see `ThreadStack`.

  void *_Nullable frame;
  void *_Nullable holds;
  void *_Nullable reader_blocks;

  /// The registers of the function that waits: the kernel does not give a reader the frame
  /// register.
  struct csb_place place;
};

/// What a reader sees of a thread. The links are changed under the lock of `WaitRegistry`, the rest
/// by the thread itself.
struct csb_outside_thread {
  struct csb_outside_thread *_Nullable next;
  struct csb_outside_thread *_Nullable previous;
  /// The address of this structure.
  const struct csb_outside_thread *_Nullable self;
  /// Odd while the thread waits. Never has the same value twice.
  uint64_t epoch;
  uint32_t number;
  int32_t kernel_id;
  uint8_t is_main;
  uint8_t is_worker;
  /// `csb_thread.name` of the thread.
  const char *_Nullable name;
  /// The current wait, or the last one.
  struct csb_outside_wait wait;
};

/// The list of all threads that have waited. Changed under the lock of `WaitRegistry`.
struct csb_outside_threads {
  struct csb_outside_thread *_Nullable first;
  /// Odd while the list is being changed.
  uint64_t changes;
};

void csb_outside_thread_enter(struct csb_outside_thread *_Nonnull thread);
void csb_outside_thread_leave(struct csb_outside_thread *_Nonnull thread);

/// In a forked child, called by its only thread: forgets the threads of the parent.
void csb_outside_threads_forget(void);

/// Publishes the wait that the thread begins. The caller then increments `epoch` to an odd number.
/// This is in C because ThreadSanitizer takes a change through a pointer in Swift for a change of
/// the struct's first field, which is a link here.
static inline void csb_outside_thread_wait(struct csb_outside_thread *_Nonnull thread,
                                           struct csb_outside_wait wait) {
  thread->wait = wait;
}

static inline void csb_outside_thread_step(struct csb_outside_thread *_Nonnull thread,
                                           uint64_t epoch) {
  // order: releasing, OU1
  __atomic_store_n(&thread->epoch, epoch, __ATOMIC_RELEASE);
}

/// A worker pool: addresses of its counts, which are 64-bit words.
struct csb_outside_pool {
  const struct csb_outside_pool *_Nullable next;
  uint64_t tier;
  uint64_t ceiling;
  const void *_Nullable width;
  const void *_Nullable workers;
  const void *_Nullable running;
  const void *_Nullable pending;
  const struct csb_outside_pool_counts *_Nullable counts;
  /// The timers of the engine's driver; the same for all its pools.
  const struct csb_outside_timers *_Nullable timers;
  /// How many descriptors the driver watches for sources and channels, a 64-bit word; also the same
  /// for all pools.
  const void *_Nullable watches;
};

/// What a pool counts. Changed under its lock.
struct csb_outside_pool_counts {
  /// How many workers are parked, blocked in a wait, and counted out by the monitor at this moment.
  uint64_t parked;
  uint64_t blocked;
  uint64_t counted_out;
  /// How many workers the pool has started.
  uint64_t started;
  /// How often the pool replaced a worker: one that was about to wait while work remained, or one that
  /// it counted out because it seemed to be blocked.
  uint64_t replaced;
  /// How many runnables a worker took from another one's slot or helper slot.
  uint64_t stolen;
};

/// How many timers the driver has, and how late it noticed those that were due. Changed under the
/// driver's lock.
struct csb_outside_timers {
  /// How many are pending now.
  uint64_t armed;
  uint64_t fired;
  /// The sum and the maximum of the times from a timer's deadline until the driver noticed it, in
  /// nanoseconds.
  uint64_t late;
  uint64_t latest;
};

/// Makes a count of changes odd before a change that a reader must not see half of, and even after
/// it. Called under the lock of what changes: the rows of `QueueTimes`, or a list of
/// `QueueRegistry`.
void csb_outside_begin_change(uint64_t *_Nonnull changes);
void csb_outside_end_change(uint64_t *_Nonnull changes);

/// Shows the pools of the engine in use, which are never freed; null for none.
void csb_outside_pools_show(const struct csb_outside_pool *_Nullable first);
