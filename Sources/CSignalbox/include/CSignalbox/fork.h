// fork.h — the table of participants in a fork, and what is known about the
// process's forks: how many there were, and which threads survived.
//
// A participant is a part of the library that has locks which must be free, and
// data which must be consistent, in a forked child. The thread that forks calls
// each participant's `prepare` in the order of the table. In both processes, it
// then calls `release` in the same order. After that it calls `parent` in the
// parent, or `child` in the child in the opposite order.
//
// The library registers its handlers when it is loaded, before those of the
// program. So a program's handler that prepares for a fork runs before the
// library takes the engine's locks, and the program's handler in the child runs
// when the engine is new.
//
// Touching    the table: written by a thread that joins, read by the thread that
//             forks. Every other word: written in the child, by its only thread,
//             before any other thread starts; read by any thread.
// Ordering    FK2  the store of `prepare` (releasing) → the load before a fork
//                  (acquiring): the participant's other functions are set too.
// Invariants  I1  a child's handler needs no lock of the Swift runtime: it runs no
//                 code that `prepare` has not run before. The C library makes the
//                 allocator consistent.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct csb_fork_participant {
  /// Takes the locks, and waits for threads that are initializing something.
  void (*_Nullable prepare)(void);
  /// Releases the locks, in both processes.
  void (*_Nullable release)(void);
  /// Called in the parent when all locks are free.
  void (*_Nullable parent)(void);
  /// Called in the child when all locks are free: drops what belongs to threads
  /// that are gone.
  void (*_Nullable child)(void);
  /// Called in a child if `prepare` was not called, because the participant was
  /// added after that step.
  void (*_Nullable unprepared)(void);
};

#define CSB_FORK_TABLE_SIZE 24

extern struct csb_fork_participant csb_fork_table[CSB_FORK_TABLE_SIZE];

/// Whether this index has a participant.
static inline int csb_fork_has_joined(int index) {
  // order: relaxed; the entry is never removed, and a thread that forks reads
  // it again.
  return __atomic_load_n(&csb_fork_table[index].prepare, __ATOMIC_RELAXED) != NULL;
}

/// Sets the participant of an index, which is always the same one. Doesn't wait
/// for a fork in progress on another thread.
void csb_fork_join(int index, struct csb_fork_participant participant);

/// Unless the participant is set, sets it and then calls `make`, which
/// initializes it. Waits first for a fork in progress on another thread: the
/// process does not fork during `make`.
void csb_fork_join_making(int index, struct csb_fork_participant participant,
                           void (*_Nonnull make)(void));

/// The number of forks between this process and the one that was started by
/// exec.
extern uint32_t csb_fork_count;

/// The highest thread number in use at the last fork.
extern uint32_t csb_fork_boundary;

/// The number of the thread that survived the last fork.
extern uint32_t csb_fork_survivor;

static inline uint32_t csb_fork_count_load(void) {
  // order: relaxed; written before any other thread of this process starts.
  return __atomic_load_n(&csb_fork_count, __ATOMIC_RELAXED);
}

/// Whether the thread with this number, which is not 0, belongs to an ancestor
/// of this process.
static inline int csb_fork_lost_thread(uint32_t number) {
  // order: relaxed; written before any other thread of this process starts.
  return number <= __atomic_load_n(&csb_fork_boundary, __ATOMIC_RELAXED) &&
         number != __atomic_load_n(&csb_fork_survivor, __ATOMIC_RELAXED);
}

/// If the child's first thread was a worker, the thread calls this when the
/// item that it ran has ended. Doesn't return.
void csb_fork_former_worker_has_ended(void) __attribute__((noreturn));

/// Sets the function that `csb_fork_former_worker_has_ended` calls.
void csb_fork_set_former_worker_end(void (*_Nonnull function)(void));
