#include <stdarg.h>
#include <string.h>

#include "expect.h"

static dispatch_semaphore_t finalized;

static void finalize(void *context) {
  *(int *)context += 1;
  dispatch_semaphore_signal(finalized);
}

static void debug(dispatch_object_t object, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  dispatch_debugv(object, format, arguments);
  va_end(arguments);
}

static void release_queue(void *queue) { dispatch_release((dispatch_queue_t)queue); }

/// The last reference goes in an item of the queue itself, while the thread that
/// submits may still be in dispatch_async_f.
static void release_in_own_item(void) {
  int ended = 0;
  for (int round = 0; round < 1000; round++) {
    dispatch_queue_t queue = dispatch_queue_create("org.example.own", DISPATCH_QUEUE_SERIAL);
    dispatch_set_context(queue, &ended);
    dispatch_set_finalizer_f(queue, finalize);
    dispatch_async_f(queue, queue, release_queue);
    dispatch_semaphore_wait(finalized, DISPATCH_TIME_FOREVER);
  }
  expect(ended == 1000);
}

void use_object(void) {
  finalized = dispatch_semaphore_create(0);
  int ended = 0;
  dispatch_queue_t queue = dispatch_queue_create("org.example.object", NULL);
  dispatch_set_context(queue, &ended);
  dispatch_set_finalizer_f(queue, finalize);
  expect(dispatch_get_context(queue) == &ended);
  dispatch_retain(queue);
  dispatch_release(queue);
  expect(ended == 0);
  // Its items keep it.
  for (int count = 0; count < 100; count++) dispatch_async(queue, ^{});
  dispatch_release(queue);
  dispatch_semaphore_wait(finalized, DISPATCH_TIME_FOREVER);
  expect(ended == 1);
  release_in_own_item();

  // Queues that every program has ignore all of this.
  dispatch_queue_t everlasting[] = {
      dispatch_get_main_queue(), dispatch_get_global_queue(QOS_CLASS_UTILITY, 0)};
  for (int index = 0; index < 2; index++) {
    dispatch_queue_t other = everlasting[index];
    dispatch_release(other);
    dispatch_retain(other);
    dispatch_release(other);
    dispatch_release(other);
    dispatch_set_context(other, &ended);
    expect(dispatch_get_context(other) == NULL);
    dispatch_set_finalizer_f(other, finalize);
    dispatch_suspend(other);
    dispatch_resume(other);
    dispatch_activate(other);
    dispatch_set_target_queue(other, queue == other ? NULL : dispatch_get_global_queue(0, 0));
  }
  expect(!strcmp(dispatch_queue_get_label(everlasting[1]), "com.apple.root.utility-qos"));

  dispatch_queue_t inactive = dispatch_queue_create(
      "org.example.inactive", dispatch_queue_attr_make_initially_inactive(DISPATCH_QUEUE_SERIAL));
  __block int ran = 0;
  dispatch_async(inactive, ^{ ran++; });
  dispatch_set_target_queue(inactive, NULL);
  dispatch_set_target_queue(inactive, dispatch_get_global_queue(0, 0));
  dispatch_activate(inactive);
  dispatch_activate(inactive);
  dispatch_sync(inactive, ^{ expect(ran == 1); });
  dispatch_suspend(inactive);
  dispatch_async(inactive, ^{ ran++; });
  expect(ran == 1);
  dispatch_resume(inactive);
  dispatch_sync(inactive, ^{ expect(ran == 2); });
  dispatch_debug(inactive, "%s %d", "debug", 1);
  debug(inactive, "%s %d", "debug", 2);
  dispatch_release(inactive);

  // A queue that is active gets a target, and another one.
  dispatch_queue_t first = dispatch_queue_create("org.example.first", NULL);
  dispatch_queue_t second = dispatch_queue_create("org.example.second", NULL);
  dispatch_queue_t changed = dispatch_queue_create("org.example.changed", DISPATCH_QUEUE_CONCURRENT);
  dispatch_set_target_queue(changed, first);
  dispatch_sync(changed, ^{
    dispatch_assert_queue(changed);
    dispatch_assert_queue(first);
    dispatch_assert_queue_not(second);
  });
  dispatch_set_target_queue(changed, second);
  dispatch_release(first);
  dispatch_release(second);
  dispatch_sync(changed, ^{ dispatch_assert_queue(second); });
  dispatch_set_target_queue(changed, NULL);
  dispatch_sync(changed, ^{ dispatch_assert_queue_not(second); });
  // While it is busy: the items before the change keep the old target.
  dispatch_semaphore_t gate = dispatch_semaphore_create(0);
  dispatch_queue_t third = dispatch_queue_create("org.example.third", NULL);
  dispatch_async(changed, ^{
    dispatch_semaphore_wait(gate, DISPATCH_TIME_FOREVER);
    dispatch_assert_queue_not(third);
  });
  dispatch_set_target_queue(changed, third);
  dispatch_async(changed, ^{ dispatch_assert_queue(third); });
  dispatch_semaphore_signal(gate);
  dispatch_sync(changed, ^{ dispatch_assert_queue(third); });
  dispatch_release(gate);
  dispatch_release(third);
  dispatch_release(changed);
  dispatch_set_target_queue(finalized, dispatch_get_global_queue(0, 0));
  dispatch_release(finalized);
}
