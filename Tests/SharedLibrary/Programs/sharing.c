// Several threads change one variable, in order or not. ThreadSanitizer looks into the library's
// objects to see which items run one after the other.
#include <dispatch/dispatch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int shared;
static dispatch_group_t group;

/// This thread changes it too.
static void change_in(dispatch_queue_t queue) {
  for (int count = 0; count < 100; count++) {
    dispatch_group_async(group, queue, ^{ shared++; });
    if (count % 10 == 0) dispatch_sync(queue, ^{ shared++; });
  }
}

/// Two concurrent queues, whose items run one after the other at their common target.
static void change_above(dispatch_queue_t target) {
  for (int count = 0; count < 2; count++) {
    dispatch_queue_t queue =
        dispatch_queue_create_with_target("org.example.above", DISPATCH_QUEUE_CONCURRENT, target);
    change_in(queue);
    dispatch_release(queue);
  }
}

/// The handlers of a source run one after the other, though its queue is concurrent.
static void change_in_handlers(dispatch_queue_t queue) {
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
  dispatch_group_enter(group);
  dispatch_source_set_event_handler(source, ^{
    if (++shared < 100)
      dispatch_source_merge_data(source, 1);
    else
      dispatch_source_cancel(source);
  });
  dispatch_source_set_cancel_handler(source, ^{
    shared++;
    dispatch_group_leave(group);
  });
  dispatch_activate(source);
  dispatch_source_merge_data(source, 1);
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  dispatch_release(source);
}

/// Two items that run at the same time. They wait for each other by an atomic that orders nothing.
static void change_at_once(dispatch_queue_t queue) {
  static atomic_int running;
  for (int count = 0; count < 2; count++)
    dispatch_group_async(group, queue, ^{
      atomic_fetch_add_explicit(&running, 1, memory_order_relaxed);
      while (atomic_load_explicit(&running, memory_order_relaxed) < 2) usleep(100);
      shared++;
    });
}

int main(int count, char **arguments) {
  if (count < 2) return 64;
  group = dispatch_group_create();
  dispatch_queue_t serial = dispatch_queue_create("org.example.serial", NULL);
  dispatch_queue_t wide = dispatch_queue_create("org.example.wide", DISPATCH_QUEUE_CONCURRENT);
  if (!strcmp(arguments[1], "serial")) change_in(serial);
  if (!strcmp(arguments[1], "target")) change_above(serial);
  if (!strcmp(arguments[1], "handlers")) change_in_handlers(wide);
  if (!strcmp(arguments[1], "atOnce")) change_at_once(wide);
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  printf("shared=%d\n", shared);
  dispatch_release(serial);
  dispatch_release(wide);
  dispatch_release(group);
  return 0;
}
