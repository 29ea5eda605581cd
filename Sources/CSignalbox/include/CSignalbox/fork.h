// fork.h — what is known about the process's forks: how many lie behind it, and
// which threads are still there.
//
// The handlers are registered when the library is loaded, before those of the
// program. So a handler of the program that prepares for a fork runs before the
// engine's locks are taken, and one in the child when the engine is new.
//
// Touching    every word: written in the child, by its only thread, before any
//             other is started; read by anyone.
// Ordering    FK2  the store of a `prepare` handler (releasing) → the load before a
//                  fork (acquiring): the handlers that belong to it are set too.
#pragma once

#include <stdint.h>

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

/// Has the engine's functions called around each fork, on the thread that forks.
/// Call again freely, with the same functions.
void csb_fork_set_handlers(void (*_Nonnull prepare)(void),
                           void (*_Nonnull parent)(void),
                           void (*_Nonnull child)(void));

/// The same for the queues: `prepare` before the engine's, `leave` before it in both
/// processes, `child` after it; `unprepared` in a child for which `prepare` was not called.
void csb_fork_set_queue_handlers(void (*_Nonnull prepare)(void),
                                 void (*_Nonnull leave)(void),
                                 void (*_Nonnull child)(void),
                                 void (*_Nonnull unprepared)(void),
                                 void (*_Nonnull former_worker_has_ended)(void));

/// On the child's first thread, which was a worker, when what it ran has ended.
/// Does not return.
void csb_fork_former_worker_has_ended(void) __attribute__((noreturn));
