#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "expect.h"

// Exported by the library, and declared by none of its installed headers.
extern void dispatch_queue_set_width(dispatch_queue_t queue, long width);
extern void dispatch_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
extern void dispatch_async_and_wait_f(dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_barrier_async_and_wait(dispatch_queue_t queue, dispatch_block_t block);
extern void dispatch_barrier_async_and_wait_f(
    dispatch_queue_t queue, void *context, dispatch_function_t work);
extern dispatch_queue_attr_t dispatch_queue_attr_make_with_overcommit(
    dispatch_queue_attr_t attributes, bool overcommit);
extern dispatch_queue_t dispatch_workloop_create(const char *label);
extern dispatch_queue_t dispatch_workloop_create_inactive(const char *label);
extern dispatch_queue_t dispatch_workloop_copy_current(void);
extern bool dispatch_workloop_is_current(dispatch_queue_t workloop);
extern void dispatch_workloop_set_autorelease_frequency(
    dispatch_queue_t workloop, dispatch_autorelease_frequency_t frequency);
extern void dispatch_workloop_set_cpupercent(
    dispatch_queue_t workloop, uint8_t percent, uint32_t refill);
extern void dispatch_workloop_set_qos_class(
    dispatch_queue_t workloop, dispatch_qos_class_t qos_class, unsigned long flags);
extern void dispatch_workloop_set_qos_class_floor(
    dispatch_queue_t workloop, dispatch_qos_class_t qos_class, int priority, unsigned long flags);
extern bool _dispatch_workloop_should_yield_4NW(void);
extern void dispatch_set_qos_class(
    dispatch_object_t object, dispatch_qos_class_t qos_class, int priority);
extern void dispatch_set_qos_class_floor(
    dispatch_object_t object, dispatch_qos_class_t qos_class, int priority);
extern void dispatch_set_qos_class_fallback(
    dispatch_object_t object, dispatch_qos_class_t qos_class);
extern void dispatch_async_enforce_qos_class_f(
    dispatch_queue_t queue, void *context, dispatch_function_t work);
extern void dispatch_queue_set_label_nocopy(dispatch_queue_t queue, const char *label);

static atomic_int ran;

static void add(void *amount) { ran += (int)(intptr_t)amount; }

static void add_one_and_signal(void *semaphore) {
  ran++;
  dispatch_semaphore_signal((dispatch_semaphore_t)semaphore);
}

static void add_index(void *context, size_t index) {
  (void)context;
  ran += (int)index;
}

static void use_creation(void) {
  dispatch_queue_t unnamed = dispatch_queue_create(NULL, NULL);
  expect(!strcmp(dispatch_queue_get_label(unnamed), ""));
  dispatch_release(unnamed);
  // A label that is not UTF-8 stays as it is.
  dispatch_queue_t latin = dispatch_queue_create("caf\xe9", NULL);
  expect(!strcmp(dispatch_queue_get_label(latin), "caf\xe9"));
  dispatch_release(latin);

  dispatch_queue_attr_t attributes = dispatch_queue_attr_make_with_qos_class(
      DISPATCH_QUEUE_CONCURRENT, QOS_CLASS_USER_INITIATED, -3);
  expect(attributes == dispatch_queue_attr_make_with_qos_class(
                           DISPATCH_QUEUE_CONCURRENT, QOS_CLASS_USER_INITIATED, -3));
  expect(attributes != DISPATCH_QUEUE_CONCURRENT);
  // Unknown classes and priorities change nothing.
  expect(dispatch_queue_attr_make_with_qos_class(NULL, 0x22, 0) == NULL);
  expect(dispatch_queue_attr_make_with_qos_class(DISPATCH_QUEUE_CONCURRENT, 0x19, 1) ==
         DISPATCH_QUEUE_CONCURRENT);
  attributes = dispatch_queue_attr_make_with_autorelease_frequency(
      attributes, DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM);
  attributes = dispatch_queue_attr_make_with_overcommit(attributes, true);
  attributes = dispatch_queue_attr_make_initially_inactive(attributes);
  dispatch_queue_t queue =
      dispatch_queue_create_with_target("org.example.queue", attributes, DISPATCH_TARGET_QUEUE_DEFAULT);
  int priority = 1;
  expect(dispatch_queue_get_qos_class(queue, &priority) == QOS_CLASS_USER_INITIATED);
  expect(priority == -3);
  dispatch_activate(queue);
  dispatch_queue_set_width(queue, -3);
  dispatch_release(queue);

  expect(!strcmp(dispatch_queue_get_label(dispatch_get_global_queue(0, 0)),
                 "com.apple.root.default-qos"));
  expect(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0) ==
         dispatch_get_global_queue(QOS_CLASS_USER_INITIATED, 0));
  expect(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0) ==
         dispatch_get_global_queue(QOS_CLASS_UTILITY, 0));
  expect(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_BACKGROUND, 0) ==
         dispatch_get_global_queue(QOS_CLASS_BACKGROUND, 0));
  expect(dispatch_get_global_queue(1, 0) == NULL);
  expect(dispatch_get_global_queue(0, 1) == NULL);
  expect(dispatch_get_global_queue(0, 2) != NULL);
  expect(dispatch_get_current_queue() == dispatch_get_main_queue());
  expect(!strcmp(dispatch_queue_get_label(NULL), "com.apple.main-thread"));
}

static void use_submission(void) {
  dispatch_queue_t queue = dispatch_queue_create("org.example.order", DISPATCH_QUEUE_SERIAL);
  dispatch_queue_t wide = dispatch_queue_create("org.example.wide", DISPATCH_QUEUE_CONCURRENT);
  ran = 0;
  __block int next = 0;
  for (int index = 0; index < 1000; index++) dispatch_async(queue, ^{ expect(next++ == index); });
  dispatch_async_f(queue, (void *)1, add);
  dispatch_sync(queue, ^{
    expect(next == 1000 && ran == 1);
    expect(dispatch_get_current_queue() == queue);
    expect(!strcmp(dispatch_queue_get_label(NULL), "org.example.order"));
    dispatch_assert_queue(queue);
    dispatch_assert_queue_barrier(queue);
    dispatch_assert_queue_not(wide);
  });
  dispatch_sync_f(queue, (void *)2, add);
  expect(ran == 3);
  for (int index = 0; index < 100; index++) dispatch_async_f(wide, (void *)1, add);
  dispatch_barrier_async(wide, ^{ expect(ran == 103); });
  dispatch_barrier_async_f(wide, (void *)1, add);
  dispatch_barrier_sync(wide, ^{
    expect(ran == 104);
    dispatch_assert_queue_barrier(wide);
  });
  dispatch_barrier_sync_f(wide, (void *)1, add);
  dispatch_async_and_wait(wide, ^{ ran++; });
  dispatch_async_and_wait_f(wide, (void *)1, add);
  dispatch_barrier_async_and_wait(wide, ^{ ran++; });
  dispatch_barrier_async_and_wait_f(wide, (void *)1, add);
  expect(ran == 109);

  dispatch_queue_t targets[] = {DISPATCH_APPLY_AUTO, wide, queue, dispatch_get_global_queue(0, 0)};
  for (int index = 0; index < 4; index++) {
    ran = 0;
    dispatch_apply(100, targets[index], ^(size_t number) { ran += (int)number; });
    expect(ran == 4950);
    dispatch_apply_f(100, targets[index], NULL, add_index);
    expect(ran == 9900);
    dispatch_apply(0, targets[index], ^(size_t number) { expect(number != number); });
  }

  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  dispatch_time_t times[] = {DISPATCH_TIME_NOW, dispatch_time(DISPATCH_TIME_NOW, 1000000),
                             dispatch_walltime(NULL, 1000000), dispatch_time(1ull << 63, 1000000)};
  for (int index = 0; index < 4; index++) {
    dispatch_after(times[index], queue, ^{ dispatch_semaphore_signal(told); });
    dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
    expect(index == 0 || dispatch_time(times[index], 0) == times[index]);
  }
  ran = 0;
  dispatch_after_f(DISPATCH_TIME_FOREVER, queue, (void *)100, add);
  dispatch_after(DISPATCH_TIME_FOREVER, queue, ^{ ran = 100; });
  // Two items that are due at different times may be submitted by two threads.
  dispatch_after_f(
      dispatch_time(DISPATCH_TIME_NOW, 1000000), queue, told, add_one_and_signal);
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  dispatch_after(dispatch_time(DISPATCH_TIME_NOW, 20000000), queue,
                 ^{ dispatch_semaphore_signal(told); });
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  expect(ran == 1);
  dispatch_release(told);
  dispatch_release(queue);
  dispatch_release(wide);
}

static dispatch_semaphore_t destroyed;

static void destroy(void *context) {
  ran += (int)(intptr_t)context;
  dispatch_semaphore_signal(destroyed);
}

static void use_specifics(void) {
  static char key, other;
  destroyed = dispatch_semaphore_create(0);
  dispatch_queue_t target = dispatch_queue_create("org.example.target", NULL);
  dispatch_queue_t queue = dispatch_queue_create_with_target("org.example.specific", NULL, target);
  ran = 0;
  dispatch_queue_set_specific(queue, &key, (void *)1, destroy);
  dispatch_queue_set_specific(target, &other, (void *)10, destroy);
  expect(dispatch_queue_get_specific(queue, &key) == (void *)1);
  expect(dispatch_queue_get_specific(queue, &other) == NULL);
  expect(dispatch_get_specific(&key) == NULL);
  dispatch_sync(queue, ^{
    expect(dispatch_get_specific(&key) == (void *)1);
    expect(dispatch_get_specific(&other) == (void *)10);
  });
  dispatch_queue_set_specific(queue, &key, (void *)2, destroy);
  dispatch_semaphore_wait(destroyed, DISPATCH_TIME_FOREVER);
  expect(ran == 1);
  dispatch_release(target);
  dispatch_release(queue);
  for (int count = 0; count < 2; count++)
    dispatch_semaphore_wait(destroyed, DISPATCH_TIME_FOREVER);
  expect(ran == 13);
  dispatch_release(destroyed);
}

static void use_workloops(void) {
  dispatch_queue_t loop = dispatch_workloop_create("org.example.loop");
  dispatch_queue_t queue = dispatch_queue_create_with_target("org.example.on-loop", NULL, loop);
  __block int last = 0;
  dispatch_async(queue, ^{ last = 1; });
  dispatch_sync(queue, ^{ expect(last == 1); });
  dispatch_release(queue);
  dispatch_release(loop);
  loop = dispatch_workloop_create_inactive("org.example.inactive-loop");
  dispatch_workloop_set_autorelease_frequency(loop, DISPATCH_AUTORELEASE_FREQUENCY_NEVER);
  dispatch_workloop_set_cpupercent(loop, 50, 1);
  dispatch_workloop_set_qos_class(loop, QOS_CLASS_USER_INITIATED, 0);
  expect(dispatch_queue_get_qos_class(loop, NULL) == QOS_CLASS_USER_INITIATED);
  int priority;
  dispatch_workloop_set_qos_class_floor(loop, QOS_CLASS_UTILITY, -2, 0);
  expect(dispatch_queue_get_qos_class(loop, &priority) == QOS_CLASS_UTILITY && priority == -2);
  expect(!dispatch_workloop_is_current(loop) && !dispatch_workloop_copy_current());
  dispatch_queue_t above = dispatch_queue_create_with_target("org.example.above", NULL, loop);
  dispatch_async(above, ^{
    expect(dispatch_workloop_is_current(loop) && !_dispatch_workloop_should_yield_4NW());
    dispatch_queue_t current = dispatch_workloop_copy_current();
    expect(current == loop);
    dispatch_release(current);
    last = 2;
  });
  dispatch_activate(loop);
  dispatch_sync(above, ^{ expect(last == 2); });
  dispatch_release(above);
  dispatch_sync(loop, ^{ expect(last == 2); });
  dispatch_release(loop);
}

static void use_classes(void) {
  dispatch_queue_attr_t inactive = dispatch_queue_attr_make_initially_inactive(NULL);
  dispatch_queue_t queue = dispatch_queue_create("org.example.class", inactive);
  int priority;
  dispatch_set_qos_class(queue, QOS_CLASS_UTILITY, -3);
  expect(dispatch_queue_get_qos_class(queue, &priority) == QOS_CLASS_UTILITY && priority == -3);
  dispatch_set_qos_class_floor(queue, QOS_CLASS_USER_INITIATED, 0);
  dispatch_set_qos_class_fallback(queue, QOS_CLASS_BACKGROUND);
  dispatch_set_qos_class(queue, 0x22, 0);
  expect(dispatch_queue_get_qos_class(queue, &priority) == QOS_CLASS_USER_INITIATED);
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
  dispatch_set_qos_class(source, QOS_CLASS_UTILITY, 0);
  dispatch_source_cancel(source);
  dispatch_activate(source);
  dispatch_release(source);
  dispatch_activate(queue);
  ran = 0;
  dispatch_async_enforce_qos_class_f(queue, (void *)1, add);
  dispatch_sync(queue, ^{ expect(ran == 1); });
  dispatch_release(queue);

  queue = dispatch_queue_create(NULL, NULL);
  expect(!strcmp(dispatch_queue_get_label(queue), ""));
  dispatch_queue_set_label_nocopy(queue, "first");
  expect(!strcmp(dispatch_queue_get_label(queue), "first"));
  dispatch_queue_set_label_nocopy(queue, "second");
  expect(!strcmp(dispatch_queue_get_label(queue), "second"));
  dispatch_queue_set_label_nocopy(queue, NULL);
  expect(!strcmp(dispatch_queue_get_label(queue), ""));
  dispatch_release(queue);
  dispatch_queue_set_label_nocopy(dispatch_get_global_queue(0, 0), "mine");
  expect(!strcmp(dispatch_queue_get_label(dispatch_get_global_queue(0, 0)),
                 "com.apple.root.default-qos"));
}

void use_queue(void) {
  use_creation();
  use_submission();
  use_specifics();
  use_workloops();
  use_classes();
}
