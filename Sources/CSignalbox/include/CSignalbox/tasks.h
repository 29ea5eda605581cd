// tasks.h — what Swift's runtime knows of a task, given one of the task's jobs, and which job a
// thread runs. See Internals/Concurrency.md.
//
// A job is what the runtime submits: a part of a task, up to the task's next suspension, or a part of
// an actor's work. Nothing here needs the runtime, whose functions are missing in a program without
// tasks.
#pragma once

#include <stdint.h>

#include "CSignalbox/thread.h"

/// The size of the copy of a task's name, with a terminating zero. A longer name is cut.
#define CSB_TASK_NAME 128

/// The offset of a job's number, which is the lower half of its task's number.
#define CSB_JOB_NUMBER 36

/// What is known of the task to which a job belongs.
struct csb_task {
  /// The task's number; the same for all of its jobs. 0 if the job belongs to no task.
  uint64_t number;
  /// The job's class: from 1, background, to 5, user-interactive; 0 if it has none.
  uint32_t class_of_service;
  /// A C string of UTF-8; empty if the task has no name, or this runtime's names cannot be read.
  char name[CSB_TASK_NAME];
};

/// Reads what is known. `job` must not run during this call: call it before the job is submitted.
void csb_task_read(const void *_Nonnull job, struct csb_task *_Nonnull task);

/// The name, for Swift, which sees a C array as a tuple.
static inline const char *_Nonnull csb_task_name(const struct csb_task *_Nonnull task) {
  return task->name;
}

/// The class of a priority of the runtime, numbered as in `csb_task`.
static inline uint32_t csb_task_class(uint8_t priority) {
  return priority == 0 ? 0 : priority < 17 ? 1 : priority < 21 ? 2 : priority < 25 ? 3
       : priority < 33 ? 4 : 5;
}

/// The job that a thread runs: for reports, which read it from other threads and processes.
struct csb_running_job {
  const void *_Nullable job;
  uint32_t number;
};

/// Notes that this thread runs the job.
///
/// - Returns: the job that it ran before, for `csb_job_end`.
static inline struct csb_running_job csb_job_begin(const void *_Nonnull job) {
  struct csb_thread *thread = csb_thread_self();
  struct csb_running_job outer = {thread->job, thread->job_number};
  uint32_t number = *(const uint32_t *)((const char *)job + CSB_JOB_NUMBER);
  // order: relaxed; a reader compares both words with what is at the job's address.
  __atomic_store_n(&thread->job_number, number, __ATOMIC_RELAXED);
  // order: relaxed; as above, in whichever order a reader sees the two.
  __atomic_store_n(&thread->job, job, __ATOMIC_RELAXED);
  return outer;
}

/// Reads what is known of the job that another thread of this process runs. That thread must wait
/// until this call returns. Returns whether it runs a job that is known. The kernel reads the
/// memory, because the runtime frees the job of an actor before it does the actor's work.
int csb_task_of(const struct csb_thread *_Nonnull thread, struct csb_task *_Nonnull task);

static inline void csb_job_end(struct csb_running_job outer) {
  struct csb_thread *thread = csb_thread_self();
  // order: relaxed; as in `csb_job_begin`.
  __atomic_store_n(&thread->job, outer.job, __ATOMIC_RELAXED);
  // order: relaxed; as in `csb_job_begin`.
  __atomic_store_n(&thread->job_number, outer.number, __ATOMIC_RELAXED);
}
