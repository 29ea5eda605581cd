// tasks.c — reads a task's words in the memory of Swift's runtime.
//
// Number, kind and priority come from functions of the runtime. No function tells the name of a task that does not
// run on this thread. Its name is read only if the runtime says that its memory has the layout described
// here: see Internals/Concurrency.md.
#include "CSignalbox/tasks.h"

#include <string.h>

#include "task_layout.h"

extern __attribute__((swiftcall)) uint64_t swift_task_getJobTaskId(const void *job)
    __attribute__((weak));
extern __attribute__((swiftcall)) size_t swift_task_getJobFlags(const void *job)
    __attribute__((weak));

/// The layout, by the runtime's number of it.
#define KNOWN_LAYOUT 1

/// The kind of a job that is a task's, in the lowest byte of its flags.
#define TASK_KIND 0
#define HAS_NAME (1u << 30)

/// A record in the list that begins at a task's `records`.
struct status_record {
  size_t kind;
  const struct status_record *outer;
  const char *name;
};

enum { RECORDS = 0x68, NAME_RECORD = 6, MOST_RECORDS = 64 };

static const char *name_of(const void *task) {
  if (!&_swift_concurrency_debug_internal_layout_version ||
      !&_swift_concurrency_debug_asyncTaskMetadata ||
      _swift_concurrency_debug_internal_layout_version != KNOWN_LAYOUT ||
      *(const void *const *)task != _swift_concurrency_debug_asyncTaskMetadata)
    return NULL;
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
