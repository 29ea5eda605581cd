#define _GNU_SOURCE
#include "CSignalbox/toolchain.h"

#include <dlfcn.h>

#include "CSignalbox/environment.h"

// A function of SignalboxConcurrency, in Swift. Its address is null if the
// program does not link that module.
extern void csb_executors_begin(void) __attribute__((weak));

/// Runs before an `async` main begins, because afterwards it is too late.
__attribute__((constructor)) static void begin_executors(void) {
  const char *wanted = csb_environment("SIGNALBOX_EXECUTORS");
  if (wanted && wanted[0] == '1' && !wanted[1] && csb_executors_begin) csb_executors_begin();
}

// Also a function of SignalboxConcurrency, in Swift.
extern void csb_job_submit(void *job) __attribute__((weak));

typedef __attribute__((swiftcall)) void csb_enqueue_original(void *job);
typedef __attribute__((swiftcall)) void csb_enqueue_hook(
    void *job, csb_enqueue_original *original);

static __attribute__((swiftcall)) void enqueue(
    void *job, csb_enqueue_original *original) {
  (void)original;
  csb_job_submit(job);
}

const void *csb_toolchain_hook_jobs(void) {
  csb_enqueue_hook **hook = (csb_enqueue_hook **)dlsym(
      RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
  csb_enqueue_hook *holder = NULL;
  // order: relaxed; the function is a constant and depends on no earlier write.
  if (!hook || __atomic_compare_exchange_n(hook, &holder, enqueue, 0, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED))
    return NULL;
  return (const void *)holder;
}
