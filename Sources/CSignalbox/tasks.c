// tasks.c — reads a task's words in the memory of Swift's runtime.
//
// Functions of the runtime return the number, kind and priority of a job that does not run. No
// function returns the name of a task that does not run on this thread, or anything about a job
// that runs on another thread. These are read from the job's memory, and only if the runtime states
// the known layout: see task_layout.h.
#include "CSignalbox/tasks.h"

#include <stddef.h>
#include <string.h>

#include "CSignalbox/look.h"
#include "task_layout.h"

extern __attribute__((swiftcall)) uint64_t swift_task_getJobTaskId(const void *job)
    __attribute__((weak));
extern __attribute__((swiftcall)) size_t swift_task_getJobFlags(const void *job)
    __attribute__((weak));

enum { MOST_RECORDS = 64 };

static int layout_is_known(void) {
  return &_swift_concurrency_debug_internal_layout_version &&
         _swift_concurrency_debug_internal_layout_version == KNOWN_LAYOUT;
}

/// Whether an object with this metadata is a task whose memory has the known layout.
static int is_known_task(const void *metadata) {
  return layout_is_known() && &_swift_concurrency_debug_asyncTaskMetadata &&
         metadata == _swift_concurrency_debug_asyncTaskMetadata;
}

static const char *name_of(const void *task) {
  if (!is_known_task(*(const void *const *)task)) return NULL;
  const struct status_record *record =
      *(const struct status_record *const *)((const char *)task + RECORDS);
  // Only the task itself adds and removes records, and it does not run.
  for (int i = 0; record && i < MOST_RECORDS; record = record->outer, i++)
    if ((record->kind & 0xFF) == NAME_RECORD) return record->name;
  return NULL;
}

/// Copies as many whole characters as fit.
static void copy_name(char *to, const char *from) {
  size_t length = strnlen(from, CSB_TASK_NAME);
  if (length == CSB_TASK_NAME) {
    length--;
    while (length > 0 && (from[length] & 0xC0) == 0x80) length--;
  }
  memcpy(to, from, length);
  to[length] = 0;
}

/// Copies the name of a task that another thread runs. The kernel reads it.
static void peek_name(const struct status_record *next, char *name) {
  struct status_record record;
  for (int i = 0; next && i < MOST_RECORDS; next = record.outer, i++) {
    if (csb_look_at_memory(next, &record, sizeof record) != 0) return;
    if ((record.kind & 0xFF) != NAME_RECORD) continue;
    char bytes[CSB_TASK_NAME + 1] = {0};
    // Piece by piece, because the memory behind the name may be unmapped.
    for (size_t at = 0; at < CSB_TASK_NAME; at += 8) {
      if (csb_look_at_memory(record.name + at, bytes + at, 8) != 0) break;
      if (memchr(bytes + at, 0, 8)) break;
    }
    return copy_name(name, bytes);
  }
}

int csb_task_of(const struct csb_thread *thread, struct csb_task *task) {
  memset(task, 0, sizeof *task);
  // order: relaxed; the thread waits, and stored this before it published its wait.
  const char *job = __atomic_load_n(&thread->job, __ATOMIC_RELAXED);
  // order: relaxed; as above.
  uint32_t expected = __atomic_load_n(&thread->job_number, __ATOMIC_RELAXED);
  if (!job || !layout_is_known()) return 0;
  // The job of an actor has no number. The runtime frees it before it does the actor's work.
  if (expected == 0) return 1;
  struct job copy;
  if (csb_look_at_memory(job, &copy, sizeof copy) != 0) return 0;
  if (copy.number != expected || (copy.flags & 0xFF) != TASK_KIND) return 0;
  task->class_of_service = csb_task_class((uint8_t)(copy.flags >> 8));
  task->number = copy.number;
  if (!is_known_task(copy.metadata)) return 1;
  uint32_t upper = 0;
  if (csb_look_at_memory(job + UPPER_NUMBER, &upper, sizeof upper) == 0)
    task->number |= (uint64_t)upper << 32;
  const struct status_record *records;
  int is_named = copy.flags & HAS_NAME &&
                 csb_look_at_memory(job + RECORDS, &records, sizeof records) == 0;
  if (is_named) peek_name(records, task->name);
  return 1;
}

void csb_task_read(const void *job, struct csb_task *task) {
  task->number = 0;
  task->class_of_service = 0;
  task->name[0] = 0;
  if (!swift_task_getJobTaskId || !swift_task_getJobFlags) return;
  size_t flags = swift_task_getJobFlags(job);
  task->class_of_service = csb_task_class((uint8_t)(flags >> 8));
  if ((flags & 0xFF) != TASK_KIND) return;
  task->number = swift_task_getJobTaskId(job);
  const char *name = flags & HAS_NAME ? name_of(job) : NULL;
  if (name) copy_name(task->name, name);
}
