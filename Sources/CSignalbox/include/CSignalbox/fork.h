// fork.h — the table of participants in a fork, and what is known about the process's forks:
// how many lie behind it, and which threads are still there.
//
// A participant is a part of the library with locks that must be free, and data that must be
// whole, in a forked child. The thread that forks calls each participant's `prepare` in the
// order of the table. In both processes it then calls `release` in the same order, and after
// that `parent` in the parent, or `child` in the child in the opposite order.
//
// The handlers are registered when the library is loaded, before those of the
// program. So a handler of the program that prepares for a fork runs before the
// engine's locks are taken, and one in the child when the engine is new.
//
// Touching    the table: written by a thread that joins, read by the thread that forks.
//             Every other word: written in the child, by its only thread, before any
//             other is started; read by anyone.
// Ordering    FK2  the store of `prepare` (releasing) → the load before a fork (acquiring):
//                  the participant's other functions are set too.
// Invariants  I1  a child's handler needs no lock of the Swift runtime: it runs no code that
//                 `prepare` has not run before. The C library makes the allocator whole.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct csb_fork_participant {
  /// Takes the locks, and waits for whoever is making something.
  void (*_Nullable prepare)(void);
  /// Leaves the locks, in both processes.
  void (*_Nullable release)(void);
  /// In the parent, when all locks are free.
  void (*_Nullable parent)(void);
  /// In the child, when all locks are free: drops what belongs to threads that are not there.
  void (*_Nullable child)(void);
  /// In a child for which `prepare` was not called, because the participant joined since.
  void (*_Nullable unprepared)(void);
};

#define CSB_FORK_TABLE_SIZE 24

extern struct csb_fork_participant csb_fork_table[CSB_FORK_TABLE_SIZE];

/// Whether there is a participant at this index.
static inline int csb_fork_has_joined(int index) {
  // order: relaxed; a fact that never changes back, and a thread that forks reads it anew.
  return __atomic_load_n(&csb_fork_table[index].prepare, __ATOMIC_RELAXED) != NULL;
}

/// Sets a participant, always the same at an index. Does not wait for a fork under way on
/// another thread.
void csb_fork_join(int index, struct csb_fork_participant participant);

/// The same, unless it is set; then makes what the participant makes once, and waits for a fork
/// under way: no process forks while it is made.
void csb_fork_join_making(int index, struct csb_fork_participant participant,
                           void (*_Nonnull make)(void));

/// How many forks lie between this process and the one that was started by exec.
extern uint32_t csb_fork_count;

/// The highest thread number that had been given away at the last fork.
extern uint32_t csb_fork_boundary;

/// The number of the thread that lived through the last fork.
extern uint32_t csb_fork_survivor;

static inline uint32_t csb_fork_count_load(void) {
  // order: relaxed; written before any thread of this process was started.
  return __atomic_load_n(&csb_fork_count, __ATOMIC_RELAXED);
}

/// Whether the thread of this number belongs to an ancestor of this process.
static inline int csb_fork_lost_thread(uint32_t number) {
  // order: relaxed; written before any thread of this process was started.
  return number <= __atomic_load_n(&csb_fork_boundary, __ATOMIC_RELAXED) &&
         number != __atomic_load_n(&csb_fork_survivor, __ATOMIC_RELAXED);
}

/// On the child's first thread, which was a worker, when what it ran has ended.
/// Does not return.
void csb_fork_former_worker_has_ended(void) __attribute__((noreturn));

/// Sets what that thread does then.
void csb_fork_set_former_worker_end(void (*_Nonnull function)(void));
