#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "CSystemCalls.h"

typedef __attribute__((swiftcall)) void enqueue_original(void *job);
typedef __attribute__((swiftcall)) void enqueue_hook(void *job, enqueue_original *original);

static int jobs;

// Not static, because its name must be found.
__attribute__((swiftcall)) void csc_event_loops_enqueue(void *job, enqueue_original *original) {
  __atomic_fetch_add(&jobs, 1, __ATOMIC_RELAXED);
  original(job);
}

int csc_take_job_hook(void) {
  enqueue_hook **hook = (enqueue_hook **)dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
  enqueue_hook *none = NULL;
  return hook && __atomic_compare_exchange_n(hook, &none, csc_event_loops_enqueue, 0,
                                             __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

int csc_hooked_jobs(void) { return __atomic_load_n(&jobs, __ATOMIC_RELAXED); }
