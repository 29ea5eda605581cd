// Functions and data that the toolchain's library exports and its headers do not declare.
#include <Block.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

extern uint64_t dispatch_benchmark(size_t count, dispatch_block_t block);
extern uint64_t dispatch_benchmark_f(size_t count, void *context, dispatch_function_t function);
extern bool _dispatch_is_multithreaded(void);
extern bool _dispatch_is_fork_of_multithreaded_parent(void);
extern void _dispatch_prohibit_transition_to_multithreaded(bool prohibits);
extern void _dispatch_poll_for_events_4launchd(void);
extern void _dispatch_iocntl(uint32_t parameter, uint64_t value);
extern void *_os_object_retain(void *object);
extern void *_os_object_retain_with_resurrect(void *object);
extern void _os_object_release(void *object);
extern void *_os_object_retain_internal(void *object);
extern void *_os_object_retain_internal_n(void *object, uint16_t count);
extern void _os_object_release_internal(void *object);
extern void _os_object_release_internal_n(void *object, uint16_t count);
extern dispatch_block_t dispatch_block_create_with_voucher(
    dispatch_block_flags_t flags, void *voucher, dispatch_block_t block);
extern dispatch_block_t dispatch_block_create_with_voucher_and_qos_class(
    dispatch_block_flags_t flags, void *voucher, unsigned qos, int priority, dispatch_block_t block);
extern dispatch_block_t _dispatch_block_create(
    dispatch_block_flags_t flags, void *voucher, unsigned long priority, dispatch_block_t block);
extern dispatch_queue_t dispatch_workloop_create(const char *label);
extern dispatch_queue_t dispatch_workloop_create_inactive(const char *label);
extern dispatch_queue_t dispatch_workloop_copy_current(void);
extern bool dispatch_workloop_is_current(dispatch_queue_t workloop);
extern bool _dispatch_workloop_should_yield_4NW(void);
extern void dispatch_workloop_set_autorelease_frequency(dispatch_queue_t workloop, unsigned long frequency);
extern void dispatch_workloop_set_cpupercent(dispatch_queue_t workloop, uint8_t percent, uint32_t refill);
extern void dispatch_workloop_set_qos_class(dispatch_queue_t workloop, unsigned qos, unsigned long flags);
extern void dispatch_workloop_set_qos_class_floor(
    dispatch_queue_t workloop, unsigned qos, int priority, unsigned long flags);
extern void dispatch_set_qos_class(dispatch_object_t object, unsigned qos, int priority);
extern void dispatch_set_qos_class_floor(dispatch_object_t object, unsigned qos, int priority);
extern void dispatch_set_qos_class_fallback(dispatch_object_t object, unsigned qos);
extern void dispatch_queue_set_label_nocopy(dispatch_queue_t queue, const char *label);
extern void dispatch_async_enforce_qos_class_f(
    dispatch_queue_t queue, void *context, dispatch_function_t function);
extern const uint16_t dispatch_queue_offsets[17];
extern void *(*_dispatch_begin_NSAutoReleasePool)(void);
extern void (*_dispatch_end_NSAutoReleasePool)(void *);

static void count(void *counted) { __atomic_add_fetch((int *)counted, 1, __ATOMIC_RELEASE); }

static unsigned class_of(dispatch_queue_t queue) {
  return dispatch_queue_get_qos_class(queue, NULL);
}

/// A program that has submitted no work yet.
static void use_threading(void) {
  expect(!_dispatch_is_multithreaded() && !_dispatch_is_fork_of_multithreaded_parent());
  _dispatch_prohibit_transition_to_multithreaded(true);
  _dispatch_prohibit_transition_to_multithreaded(false);
  _dispatch_poll_for_events_4launchd();
  _dispatch_iocntl(1, 4);
  int counted = 0;
  dispatch_queue_t queue = dispatch_queue_create("org.example.exported", NULL);
  dispatch_async_enforce_qos_class_f(queue, &counted, count);
  dispatch_sync_f(queue, &counted, count);
  expect(counted == 2 && _dispatch_is_multithreaded());
  dispatch_release(queue);
  if (!CHILDREN_MAY_GO_ON) return;
  pid_t child = fork();
  if (child == 0) _exit(_dispatch_is_fork_of_multithreaded_parent() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  expect(status == 0 && !_dispatch_is_fork_of_multithreaded_parent());
}

static void use_references(void) {
  __block int freed = 0;
  dispatch_queue_t queue = dispatch_queue_create("org.example.references", NULL);
  dispatch_set_context(queue, &freed);
  dispatch_set_finalizer_f(queue, count);
  expect(_os_object_retain(queue) == queue);
  expect(_os_object_retain_with_resurrect(queue) == queue);
  expect(_os_object_retain_internal(queue) == queue);
  expect(_os_object_retain_internal_n(queue, 2) == queue);
  dispatch_release(queue);
  _os_object_release(queue);
  _os_object_release(queue);
  expect(freed == 0);
  _os_object_release_internal(queue);
  _os_object_release_internal_n(queue, 2);
  // The finalizer runs on the queue's target.
  while (__atomic_load_n(&freed, __ATOMIC_ACQUIRE) == 0) usleep(100);
}

static void use_blocks(void) {
  __block int ran = 0;
  dispatch_block_t blocks[] = {
      dispatch_block_create_with_voucher(0, NULL, ^{ ran++; }),
      dispatch_block_create_with_voucher_and_qos_class(0, NULL, QOS_CLASS_UTILITY, 0, ^{ ran++; }),
      _dispatch_block_create(0, NULL, 0, ^{ ran++; }),
  };
  for (int i = 0; i < 3; i++) {
    blocks[i]();
    expect(dispatch_block_wait(blocks[i], DISPATCH_TIME_FOREVER) == 0 && ran == i + 1);
    Block_release(blocks[i]);
  }
}

static void use_workloops(void) {
  expect(dispatch_workloop_copy_current() == NULL && !_dispatch_workloop_should_yield_4NW());
  dispatch_queue_t workloop = dispatch_workloop_create_inactive("org.example.workloop");
  dispatch_workloop_set_autorelease_frequency(workloop, 1);
  dispatch_workloop_set_cpupercent(workloop, 50, 100);
  dispatch_workloop_set_qos_class(workloop, QOS_CLASS_UTILITY, 0);
  expect(class_of(workloop) == QOS_CLASS_UTILITY);
  dispatch_workloop_set_qos_class_floor(workloop, QOS_CLASS_BACKGROUND, 0, 0);
  expect(class_of(workloop) == QOS_CLASS_BACKGROUND);
  dispatch_activate(workloop);
  dispatch_queue_t queue =
      dispatch_queue_create_with_target("org.example.above", NULL, workloop);
  dispatch_sync(queue, ^{
    expect(dispatch_workloop_is_current(workloop));
    dispatch_queue_t current = dispatch_workloop_copy_current();
    expect(current == workloop);
    dispatch_release(current);
  });
  expect(!dispatch_workloop_is_current(workloop));
  dispatch_release(queue);
  dispatch_release(workloop);
}

static void use_settings(void) {
  dispatch_queue_t queue = dispatch_queue_create(
      NULL, dispatch_queue_attr_make_initially_inactive(DISPATCH_QUEUE_SERIAL));
  dispatch_set_qos_class_fallback(queue, QOS_CLASS_BACKGROUND);
  expect(class_of(queue) == 0);
  dispatch_set_qos_class_floor(queue, QOS_CLASS_UTILITY, 0);
  expect(class_of(queue) == QOS_CLASS_UTILITY);
  dispatch_set_qos_class(queue, QOS_CLASS_USER_INITIATED, -3);
  int priority = 0;
  expect(dispatch_queue_get_qos_class(queue, &priority) == QOS_CLASS_USER_INITIATED);
  expect(priority == -3);
  dispatch_queue_set_label_nocopy(queue, "org.example.named");
  expect(!strcmp(dispatch_queue_get_label(queue), "org.example.named"));
  dispatch_queue_set_label_nocopy(dispatch_get_main_queue(), "org.example.main");
  expect(!strcmp(dispatch_queue_get_label(dispatch_get_main_queue()), "com.apple.main-thread"));
  dispatch_activate(queue);
  dispatch_release(queue);
}

/// What others read of an object: the number of a field in the list of offsets.
enum { WIDTH = 7, TARGET = 13 };

static unsigned width_of(const void *queue) {
  return *(const uint16_t *)((const char *)queue + dispatch_queue_offsets[WIDTH]);
}

static const void *target_of(const void *object) {
  return *(const void *const *)((const char *)object + dispatch_queue_offsets[TARGET]);
}

static void use_offsets(void) {
  for (int field = 1; field < 17; field += 2)
    expect(dispatch_queue_offsets[field + 1] == (field == WIDTH ? 2 : field == TARGET ? 8 : 0));
  dispatch_queue_t serial = dispatch_queue_create("org.example.serial", NULL);
  dispatch_queue_t wide =
      dispatch_queue_create_with_target("org.example.wide", DISPATCH_QUEUE_CONCURRENT, serial);
  dispatch_queue_t loop = dispatch_workloop_create("org.example.loop");
  dispatch_queue_t global = dispatch_get_global_queue(0, 0), main = dispatch_get_main_queue();
  expect(width_of(serial) == 1 && width_of(loop) == 1 && width_of(main) == 1);
  expect(width_of(wide) > 1 && width_of(global) > 1);
  expect(target_of(wide) == serial && !target_of(serial) && !target_of(global) && !target_of(main));
  dispatch_set_target_queue(serial, loop);
  expect(target_of(serial) == loop);
  // A source has a target for its handlers, of which one runs at a time.
  dispatch_source_t source =
      dispatch_source_create(DISPATCH_SOURCE_TYPE_DATA_ADD, 0, 0, wide);
  const void *handlers = target_of(source);
  expect(width_of(handlers) == 1 && target_of(handlers) == wide);
  dispatch_set_target_queue(source, serial);
  expect(target_of(source) == handlers && target_of(handlers) == serial);
  dispatch_activate(source);
  dispatch_release(source);
  dispatch_release(wide);
  dispatch_release(serial);
  dispatch_release(loop);
}

void use_exported(void) {
  use_threading();
  use_references();
  use_blocks();
  use_workloops();
  use_settings();
  __block int runs = 0;
  int calls = 0;
  expect(dispatch_benchmark(100, ^{ runs++; }) < 1000000000 && runs == 100);
  expect(dispatch_benchmark_f(100, &calls, count) < 1000000000 && calls == 100);
  expect(dispatch_benchmark(0, ^{ runs++; }) == 0 && runs == 100);
  use_offsets();
  expect(!_dispatch_begin_NSAutoReleasePool && !_dispatch_end_NSAutoReleasePool);
}
