#include "CSystemCalls.h"

extern __attribute__((swiftcall)) void *swift_task_getCurrent(void) __attribute__((weak));
extern __attribute__((swiftcall)) uint64_t swift_task_getJobTaskId(void *job)
    __attribute__((weak));

uint64_t csc_task_number(void) {
  if (!swift_task_getCurrent || !swift_task_getJobTaskId) return 0;
  void *task = swift_task_getCurrent();
  return task ? swift_task_getJobTaskId(task) : 0;
}
