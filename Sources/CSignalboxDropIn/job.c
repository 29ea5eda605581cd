#define _GNU_SOURCE
#include "CSignalboxDropIn/job.h"

#include <dlfcn.h>

#include "CSignalbox/tasks.h"

/// What a job runs on; zeros mean no serial executor.
struct executor {
  void *identity, *implementation;
};

// A function of Swift's concurrency runtime. Without that runtime there are no jobs.
extern __attribute__((swiftcall)) void swift_job_run(void *job, struct executor executor)
    __attribute__((weak));

void csd_job_run(void *job) {
  struct executor none = {0, 0};
  if (!swift_job_run) return;
  struct csb_running_job outer = csb_job_begin(job);
  swift_job_run(job, none);
  csb_job_end(outer);
}

void csd_job_forward(void *queue, void *job) {
  typedef void submit_function(void *queue, void *context, void (*work)(void *));
  static submit_function *submit;
  // order: relaxed; the function is a constant and depends on no earlier write.
  submit_function *found = __atomic_load_n(&submit, __ATOMIC_RELAXED);
  if (!found) {
    found = (submit_function *)dlsym(RTLD_DEFAULT, "dispatch_async_f");
    // order: relaxed; as above.
    __atomic_store_n(&submit, found, __ATOMIC_RELAXED);
  }
  found(queue, job, csd_job_run);
}
