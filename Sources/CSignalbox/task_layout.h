// task_layout.h — variables of Swift's runtime that debuggers read, null if the program does not link
// its tasks.
#pragma once

#include <stdint.h>

/// The number of the layout of tasks in memory.
extern const uint32_t _swift_concurrency_debug_internal_layout_version __attribute__((weak));

/// What each task begins with.
extern const void *const _swift_concurrency_debug_asyncTaskMetadata __attribute__((weak));
