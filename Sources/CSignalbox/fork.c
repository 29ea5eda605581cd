#include "CSignalbox/fork.h"

#include <pthread.h>
#include <stddef.h>

#include "CSignalbox/engine.h"
#include "CSignalbox/lockfile.h"
#include "CSignalbox/signals.h"
#include "CSignalbox/thread.h"
#include "CSignalbox/trap.h"

uint32_t csb_fork_count;
uint32_t csb_fork_boundary;
uint32_t csb_fork_survivor;

struct handlers {
  void (*prepare)(void);
  void (*parent)(void);
  void (*child)(void);
};

static struct handlers engine;

static struct {
  void (*prepare)(void);
  void (*leave)(void);
  void (*child)(void);
  void (*unprepared)(void);
} queues;
static void (*former_worker_has_ended)(void);

/// Who was prepared for the fork that is under way on this thread.
static _Thread_local struct {
  int is_forking, is_used, engine, queues;
} prepared __attribute__((tls_model("initial-exec")));

/// Held across a fork, and by who brings the engine's handlers: a thread that comes to use the library
/// in the middle of a fork for which nobody was prepared waits for its end, and so leaves
/// nothing half made, and no lock held, in the child.
static pthread_mutex_t coming = PTHREAD_MUTEX_INITIALIZER;

/// Handlers that are called for a fork may bring others.
static void lock_coming(void) {
  if (!prepared.is_forking) pthread_mutex_lock(&coming);
}

static void unlock_coming(void) {
  if (!prepared.is_forking) pthread_mutex_unlock(&coming);
}

/// Whether it was set before; then those that belong to it were, too.
static int is_set(void (**handler)(void), void (*function)(void)) {
  // order: relaxed; who sets them has the lock, and so has who forks.
  return __atomic_load_n(handler, __ATOMIC_RELAXED) == function;
}

static void set(void (**handler)(void), void (*function)(void)) {
  __atomic_store_n(handler, function, __ATOMIC_RELEASE);  // order: releasing, FK2
}

/// Whether there is such a handler. It was called.
static int call(void (**handler)(void)) {
  // order: acquiring, FK2
  void (*function)(void) = __atomic_load_n(handler, __ATOMIC_ACQUIRE);
  if (function) function();
  return function != NULL;
}

void csb_fork_set_handlers(void (*prepare)(void), void (*parent)(void),
                           void (*child)(void)) {
  if (is_set(&engine.prepare, prepare)) return;
  lock_coming();
  set(&engine.parent, parent);
  set(&engine.child, child);
  set(&engine.prepare, prepare);
  unlock_coming();
}

void csb_fork_set_queue_handlers(void (*prepare)(void), void (*leave)(void),
                                 void (*child)(void), void (*unprepared)(void),
                                 void (*former_worker)(void)) {
  // Not after a fork that is under way: it is called while the first queue is made, once for
  // all, and a child would find that in the middle for ever.
  set(&former_worker_has_ended, former_worker);
  set(&queues.leave, leave);
  set(&queues.child, child);
  set(&queues.unprepared, unprepared);
  set(&queues.prepare, prepare);
}

void csb_fork_former_worker_has_ended(void) {
  call(&former_worker_has_ended);
  csb_trap("BUG IN SIGNALBOX: a worker ran what nobody can have submitted.");
}

static void before_fork(void) {
  lock_coming();
  prepared.is_forking = 1;
  int has_threads = csb_thread_last_number() != 0;
  prepared.queues = call(&queues.prepare);
  prepared.engine = call(&engine.prepare);
  prepared.is_used = has_threads || prepared.queues || prepared.engine;
  // A thread without a number holds nothing, but the survivor must have one.
  if (prepared.is_used) csb_thread_number();
  csb_lock_files_before_fork();
}

static void fork_is_over(void) {
  prepared.is_forking = 0;
  unlock_coming();
}

static void after_fork_in_parent(void) {
  csb_lock_files_after_fork(0);
  // First: the engine's part may free a queue.
  if (prepared.queues) call(&queues.leave);
  if (prepared.engine) call(&engine.parent);
  fork_is_over();
}

/// The child of a process that has used the library.
static void begin_in_child(void) {
  // order: relaxed; this is the process's only thread.
  __atomic_store_n(&csb_fork_count, csb_fork_count + 1, __ATOMIC_RELAXED);
  // order: relaxed; as above.
  __atomic_store_n(&csb_fork_boundary, csb_thread_last_number(), __ATOMIC_RELAXED);
  // order: relaxed; as above.
  __atomic_store_n(&csb_fork_survivor, csb_thread_number(), __ATOMIC_RELAXED);
  csb_probe_mask_set(CSB_PROBE_FORKED);
  csb_thread_became_first();
  if (prepared.engine) call(&engine.child);
  if (prepared.queues) call(&queues.child);
}

static void after_fork_in_child(void) {
  csb_lock_files_after_fork(1);
  csb_signals_after_fork();
  // Another thread may have been making the first queue.
  call(prepared.queues ? &queues.leave : &queues.unprepared);
  // One of a process that has not is like any other.
  if (prepared.is_used) begin_in_child();
  fork_is_over();
}

/// Some hundred nanoseconds at the start of the program.
__attribute__((constructor)) static void register_handlers(void) {
  // ENOMEM, its only failure, leaves a process whose children may not use the
  // library, and which will not get far.
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
