// task_layout.h — a task in the memory of Swift's runtime: the one layout that is known.
//
// The runtime numbers its layouts for debuggers. With any other number than `KNOWN_LAYOUT` nothing described
// here is read, and a job has no details. `TaskReader` knows the same layout for readers in other processes.
// Sources     Task.h and TaskStatusRecord.h of Swift's runtime.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CSignalbox/tasks.h"

// Variables of the runtime that debuggers read, null if the program does not link its tasks.

/// The number of the layout of tasks in memory.
extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));

/// What each task begins with.
extern const void *const _swift_concurrency_debug_asyncTaskMetadata __attribute__((weak));

#define KNOWN_LAYOUT 1

/// The kind of a job that belongs to a task, in the lowest byte of the job's flags.
#define TASK_KIND 0
#define HAS_NAME (1u << 30)

/// What every job begins with.
struct job {
  const void *metadata;
  const void *unused[3];
  uint32_t flags;
  uint32_t number;
};
_Static_assert(offsetof(struct job, number) == CSB_JOB_NUMBER, "as in tasks.h");

/// A record in the list that begins at a task's `records`.
struct status_record {
  size_t kind;
  const struct status_record *outer;
  const char *name;
};

/// The offsets of a task's list of records and of the upper half of its number; and the kind of the
/// record that holds its name.
enum { RECORDS = 0x68, UPPER_NUMBER = 0x90, NAME_RECORD = 6 };
