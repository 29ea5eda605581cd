#include <string.h>

#include "expect.h"
#include "source.h"

// The header has inline forms of both; this is about the functions behind them.
#undef dispatch_once
#undef dispatch_once_f

static void nothing(void *context) { (void)context; }

static void wait_for(void *semaphore) {
  dispatch_semaphore_wait((dispatch_semaphore_t)semaphore, DISPATCH_TIME_FOREVER);
}

static dispatch_once_t predicate;
static void ask_again(void *context) { dispatch_once_f(&predicate, context, nothing); }

static void *const null = NULL;

static int is(const char *name, const char *other) { return !strcmp(name, other); }

static void misuse_arguments(const char *name, dispatch_queue_t queue, dispatch_group_t group) {
  // Volatile, so that the compiler does not see the NULL.
  void *volatile nil = null;
  if (is(name, "nullQueue")) dispatch_async((dispatch_queue_t)nil, ^{});
  if (is(name, "nullBlock")) dispatch_async(queue, (dispatch_block_t)nil);
  if (is(name, "nullFunction")) dispatch_async_f(queue, NULL, (dispatch_function_t)nil);
  if (is(name, "nullObject")) dispatch_release((dispatch_queue_t)nil);
  if (is(name, "nullPredicate")) dispatch_once_f((dispatch_once_t *)nil, NULL, nothing);
  if (is(name, "groupAsQueue")) dispatch_async((dispatch_queue_t)group, ^{});
  if (is(name, "queueAsGroup")) dispatch_group_enter((dispatch_group_t)queue);
  if (is(name, "queueAsSemaphore")) dispatch_semaphore_signal((dispatch_semaphore_t)queue);
  if (is(name, "mainQueueAsGroup"))
    dispatch_group_leave((dispatch_group_t)dispatch_get_main_queue());
  if (is(name, "noObject")) dispatch_retain((dispatch_queue_t)calloc(8, 8));
  if (is(name, "noBlock")) dispatch_sync(queue, (dispatch_block_t)calloc(8, 8));
  if (is(name, "unknownAttribute")) (void)!dispatch_queue_create("", (dispatch_queue_attr_t)calloc(8, 8));
}

static void misuse_references(const char *name, dispatch_queue_t queue) {
  dispatch_queue_attr_t inactive = dispatch_queue_attr_make_initially_inactive(NULL);
  if (is(name, "released")) {
    dispatch_release(queue);
    dispatch_release(queue);
  }
  if (is(name, "usedAfterRelease")) {
    dispatch_release(queue);
    dispatch_async(queue, ^{});
  }
  if (is(name, "releasedWhilePending")) {
    dispatch_queue_t pending = dispatch_queue_create("org.example.pending", NULL);
    dispatch_async_f(pending, dispatch_semaphore_create(0), wait_for);
    dispatch_release(pending);
    dispatch_release(pending);
  }
  if (is(name, "releasedSuspended")) {
    dispatch_queue_t suspended = dispatch_queue_create("org.example.suspended", NULL);
    dispatch_suspend(suspended);
    dispatch_release(suspended);
  }
  if (is(name, "releasedInactive"))
    dispatch_release(dispatch_queue_create("org.example.inactive", inactive));
  if (is(name, "releasedUsedSemaphore")) {
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(1);
    dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
    dispatch_release(semaphore);
  }
}

static void misuse_blocks(const char *name, dispatch_queue_t queue) {
  if (is(name, "plainBlockAwaited")) dispatch_block_wait(^{}, DISPATCH_TIME_FOREVER);
  if (is(name, "itemAwaitedTwice")) {
    dispatch_block_t block = dispatch_block_create(0, ^{});
    dispatch_async(queue, block);
    dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
    dispatch_block_wait(block, DISPATCH_TIME_FOREVER);
  }
  if (is(name, "unknownFlags")) dispatch_block_perform(0x1000, ^{});
  if (is(name, "onceWithinItself")) dispatch_once_f(&predicate, NULL, ask_again);
  if (is(name, "negativeLoop")) dispatch_apply((size_t)-1, queue, ^(size_t index) { (void)index; });
}

extern void dispatch_set_qos_class(dispatch_object_t, dispatch_qos_class_t, int);
extern void dispatch_queue_set_label_nocopy(dispatch_queue_t, const char *);
extern void dispatch_workloop_set_qos_class(dispatch_queue_t, dispatch_qos_class_t, unsigned long);
extern dispatch_queue_t dispatch_workloop_create(const char *);

static void misuse_queues(const char *name) {
  dispatch_queue_t active = dispatch_queue_create_with_target("org.example.active", NULL, NULL);
  dispatch_queue_t self = dispatch_queue_create("org.example.self", NULL);
  dispatch_queue_t other = dispatch_queue_create("org.example.other", DISPATCH_QUEUE_CONCURRENT);
  if (is(name, "resumedSemaphore")) dispatch_resume(dispatch_semaphore_create(0));
  if (is(name, "suspendedGroup")) dispatch_suspend(dispatch_group_create());
  if (is(name, "resumedActive")) dispatch_resume(active);
  if (is(name, "targetOfActive")) dispatch_set_target_queue(active, other);
  if (is(name, "targetOfItself")) {
    dispatch_queue_t first = dispatch_queue_create("org.example.first", NULL);
    dispatch_queue_t second = dispatch_queue_create_with_target("org.example.second", NULL, first);
    dispatch_set_target_queue(first, second);
  }
  if (is(name, "classOfActive")) dispatch_set_qos_class(active, QOS_CLASS_UTILITY, 0);
  if (is(name, "classOfGroup")) dispatch_set_qos_class(dispatch_group_create(), QOS_CLASS_UTILITY, 0);
  if (is(name, "secondLabel")) dispatch_queue_set_label_nocopy(active, "again");
  if (is(name, "queueAsWorkloop")) dispatch_workloop_set_qos_class(active, QOS_CLASS_UTILITY, 0);
  if (is(name, "classOfActiveWorkloop"))
    dispatch_workloop_set_qos_class(dispatch_workloop_create("org.example.loop"), QOS_CLASS_UTILITY, 0);
  if (is(name, "leftEmptyGroup")) dispatch_group_leave(dispatch_group_create());
  if (is(name, "syncWithinItself")) dispatch_sync(self, ^{ dispatch_sync(self, ^{}); });
  if (is(name, "offQueue")) dispatch_sync(self, ^{ dispatch_assert_queue(other); });
  if (is(name, "notAlone")) dispatch_sync(other, ^{ dispatch_assert_queue_barrier(other); });
  if (is(name, "onQueue")) dispatch_sync(self, ^{ dispatch_assert_queue_not(self); });
}

static void cancel_and_wait(void *source) { dispatch_source_cancel_and_wait(source); }

static void misuse_sources(const char *name, dispatch_queue_t queue) {
  void *volatile nil = null;
  dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
  dispatch_source_t data = dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, queue);
  if (is(name, "nullType")) (void)!dispatch_source_create((dispatch_source_type_t)nil, 0, 0, queue);
  if (is(name, "unknownType"))
    (void)!dispatch_source_create((dispatch_source_type_t)calloc(8, 8), 0, 0, queue);
  if (is(name, "queueAsSource")) dispatch_source_cancel((dispatch_source_t)queue);
  if (is(name, "mergedTimer")) dispatch_source_merge_data(source, 1);
  if (is(name, "scheduledData")) dispatch_source_set_timer(data, 0, 1, 0);
  if (is(name, "scheduledInterval"))
    dispatch_source_set_timer(
        dispatch_source_create(&_dispatch_source_type_interval, 1, 0, queue), 0, 1, 0);
  if (is(name, "releasedInactiveSource")) dispatch_release(source);
  dispatch_activate(data);
  if (is(name, "lateMandatoryHandler")) dispatch_source_set_mandatory_cancel_handler(data, ^{});
  if (is(name, "resumedActiveSource")) dispatch_resume(data);
  if (is(name, "releasedSuspendedSource")) {
    dispatch_suspend(data);
    dispatch_release(data);
  }
  if (is(name, "awaitedSuspended")) {
    dispatch_suspend(data);
    dispatch_source_cancel_and_wait(data);
  }
  if (is(name, "awaitedInHandler")) {
    dispatch_set_context(data, data);
    dispatch_source_set_event_handler_f(data, cancel_and_wait);
    dispatch_source_merge_data(data, 1);
    dispatch_sync(queue, ^{});
  }
  if (is(name, "awaitedWithHandler")) {
    dispatch_source_set_cancel_handler(data, ^{});
    dispatch_source_cancel_and_wait(data);
  }
  if (is(name, "releasedUncancelled")) {
    dispatch_source_set_mandatory_cancel_handler(source, ^{});
    dispatch_activate(source);
    dispatch_release(source);
  }
}

void misuse(const char *name) {
  dispatch_queue_t queue = dispatch_queue_create("org.example.misused", NULL);
  misuse_arguments(name, queue, dispatch_group_create());
  misuse_references(name, queue);
  misuse_blocks(name, queue);
  misuse_queues(name);
  misuse_sources(name, queue);
  misuse_data(name, queue);
  misuse_channels(name, queue);
}
