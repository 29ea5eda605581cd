#include "CSignalbox/fork.h"

#include <pthread.h>
#include <stddef.h>

#include "CSignalbox/copies.h"
#include "CSignalbox/engine.h"
#include "CSignalbox/lockfile.h"
#include "CSignalbox/signals.h"
#include "CSignalbox/thread.h"
#include "CSignalbox/trap.h"
#include "cachedid.h"

uint32_t csb_fork_count;
uint32_t csb_fork_boundary;
uint32_t csb_fork_survivor;

struct csb_fork_participant csb_fork_table[CSB_FORK_TABLE_SIZE];

static void (*former_worker_has_ended)(void);

/// The fork in progress on this thread.
static _Thread_local struct {
  /// How often this thread has entered `joining`.
  int depth;
  /// Whether the process has used the library.
  int is_used;
  /// The participants whose `prepare` was called, one bit each.
  uint32_t prepared;
} own __attribute__((tls_model("initial-exec")));

/// Held across a fork, and by a thread that adds a participant. During a fork,
/// such a thread waits until the fork ends. So in the child every participant
/// is complete, and no lock of such a thread is held.
static pthread_mutex_t joining = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) {
  if (own.depth++ == 0) pthread_mutex_lock(&joining);
}

static void leave(void) {
  if (--own.depth == 0) pthread_mutex_unlock(&joining);
}

static int is_prepared(int index) { return own.prepared >> index & 1; }

void csb_fork_join(int index, struct csb_fork_participant participant) {
  struct csb_fork_participant *entry = &csb_fork_table[index];
  entry->release = participant.release;
  entry->parent = participant.parent;
  entry->child = participant.child;
  entry->unprepared = participant.unprepared;
  // order: releasing, FK2
  __atomic_store_n(&entry->prepare, participant.prepare, __ATOMIC_RELEASE);
}

void csb_fork_join_making(int index, struct csb_fork_participant participant,
                           void (*make)(void)) {
  enter();
  if (!csb_fork_has_joined(index)) {
    csb_fork_join(index, participant);
    make();
  }
  leave();
}

void csb_fork_set_former_worker_end(void (*function)(void)) {
  // order: relaxed; a function pointer that depends on no other data.
  __atomic_store_n(&former_worker_has_ended, function, __ATOMIC_RELAXED);
}

void csb_fork_former_worker_has_ended(void) {
  // order: relaxed; a function pointer that depends on no other data.
  void (*function)(void) = __atomic_load_n(&former_worker_has_ended, __ATOMIC_RELAXED);
  if (function) function();
  csb_trap("BUG IN SIGNALBOX: a worker ran what nobody can have submitted.");
}

static void before_fork(void) {
  enter();
  csb_cached_id_note();
  own.prepared = 0;
  for (int index = 0; index < CSB_FORK_TABLE_SIZE; index++) {
    // order: acquiring, FK2
    void (*prepare)(void) = __atomic_load_n(&csb_fork_table[index].prepare, __ATOMIC_ACQUIRE);
    if (!prepare) continue;
    prepare();
    own.prepared |= 1u << index;
  }
  own.is_used = own.prepared != 0 || csb_thread_last_number() != 0;
  // A thread without a number holds nothing, but the survivor must have a
  // number.
  if (own.is_used) csb_thread_number();
  csb_lock_files_before_fork();
}

static void release_all(void) {
  for (int index = 0; index < CSB_FORK_TABLE_SIZE; index++)
    if (is_prepared(index)) csb_fork_table[index].release();
}

static void after_fork_in_parent(void) {
  csb_lock_files_after_fork(0);
  release_all();
  for (int index = 0; index < CSB_FORK_TABLE_SIZE; index++)
    if (is_prepared(index) && csb_fork_table[index].parent) csb_fork_table[index].parent();
  leave();
}

/// Sets up the child of a process that has used the library.
static void begin_in_child(void) {
  // order: relaxed; this is the process's only thread.
  __atomic_store_n(&csb_fork_count, csb_fork_count + 1, __ATOMIC_RELAXED);
  // order: relaxed; this is the process's only thread.
  __atomic_store_n(&csb_fork_boundary, csb_thread_last_number(), __ATOMIC_RELAXED);
  // order: relaxed; this is the process's only thread.
  __atomic_store_n(&csb_fork_survivor, csb_thread_number(), __ATOMIC_RELAXED);
  csb_thread_became_first();
  csb_engine_abandon();
  // In reverse order, because a participant uses those that come after it.
  for (int index = CSB_FORK_TABLE_SIZE - 1; index >= 0; index--)
    if (is_prepared(index) && csb_fork_table[index].child) csb_fork_table[index].child();
}

static void after_fork_in_child(void) {
  csb_cached_id_renew();
  csb_lock_files_after_fork(1);
  csb_signals_after_fork();
  release_all();
  for (int index = 0; index < CSB_FORK_TABLE_SIZE; index++) {
    // Another thread may have joined and used the participant after `prepare`
    // ran.
    if (!is_prepared(index) && csb_fork_has_joined(index) && csb_fork_table[index].unprepared)
      csb_fork_table[index].unprepared();
  }
  // The child of a process that has not used the library needs no setup.
  if (own.is_used) begin_in_child();
  leave();
}

/// Takes a few hundred nanoseconds at the start of the program.
__attribute__((constructor)) static void register_handlers(void) {
  if (csb_copy_is_idle()) return;
  // pthread_atfork fails only with ENOMEM. Children of such a process may not
  // use the library; the process itself will not get far.
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
