// For pipe2 and mkostemp.
#define _GNU_SOURCE

#include "source.h"

#include <Block.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

#define DATA_ADD DISPATCH_SOURCE_TYPE_DATA_ADD
#define TIMER DISPATCH_SOURCE_TYPE_TIMER

static dispatch_semaphore_t told;

static void await(int count) {
  while (count-- > 0) dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
}

static dispatch_source_t make(dispatch_source_type_t type) {
  return dispatch_source_create(type, 0, 0, NULL);
}

static uint64_t uptime(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

/// Which handles and masks make a source.
static void use_creation(void) {
  static const struct {
    dispatch_source_type_t type;
    uintptr_t handle, mask;
    int is_valid;
  } cases[] = {
      {TIMER, 0, 0, 1}, {TIMER, 0, 3, 1}, {TIMER, 0, 4, 0}, {TIMER, 5, 0, 0},
      {DATA_ADD, 0, 0, 1}, {DATA_ADD, 5, 0, 0}, {DATA_ADD, 0, 5, 0},
      {DISPATCH_SOURCE_TYPE_DATA_OR, 0, 0, 1}, {DISPATCH_SOURCE_TYPE_DATA_REPLACE, 0, 0, 1},
      {DISPATCH_SOURCE_TYPE_READ, 0, 0, 1}, {DISPATCH_SOURCE_TYPE_READ, 0, 7, 0},
      {DISPATCH_SOURCE_TYPE_READ, UINTPTR_MAX, 0, 0}, {DISPATCH_SOURCE_TYPE_WRITE, 1, 0, 1},
      {DISPATCH_SOURCE_TYPE_WRITE, 1ul << 32, 0, 0}, {DISPATCH_SOURCE_TYPE_SIGNAL, 0, 0, 0},
      {DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 0, 1}, {DISPATCH_SOURCE_TYPE_SIGNAL, 65, 0, 0},
      {DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 1, 0},
      {&_dispatch_source_type_interval, 0, 0, 0}, {&_dispatch_source_type_interval, 10, 3, 1},
      {&_dispatch_source_type_interval, INTPTR_MAX, 0, 1},
      {&source_type_proc, 1, DISPATCH_PROC_EXIT, 1}, {&source_type_proc, 0, DISPATCH_PROC_EXIT, 0},
      {&source_type_vnode, 0, DISPATCH_VNODE_WRITE, 1}, {&source_type_vnode, 0, 1 << 20, 0},
      {&source_type_memory, 0, DISPATCH_MEMORYPRESSURE_WARN, 1}, {&source_type_memory, 0, 8, 0},
  };
  for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
    dispatch_source_t source =
        dispatch_source_create(cases[index].type, cases[index].handle, cases[index].mask, NULL);
    expect(!source == !cases[index].is_valid);
    if (!source) continue;
    expect(dispatch_source_get_handle(source) == cases[index].handle);
    expect(dispatch_source_get_mask(source) == cases[index].mask);
    expect(dispatch_source_get_data(source) == 0);
    expect(dispatch_source_testcancel(source) == 0);
    dispatch_source_cancel(source);
    expect(dispatch_source_testcancel(source) == 1);
    dispatch_activate(source);
    dispatch_release(source);
  }
}

static void note(void *context) {
  ++*(atomic_int *)context;
  dispatch_semaphore_signal(told);
}

static void use_data_sources(void) {
  dispatch_source_type_t types[] = {
      DATA_ADD, DISPATCH_SOURCE_TYPE_DATA_OR, DISPATCH_SOURCE_TYPE_DATA_REPLACE};
  for (int index = 0; index < 3; index++) {
    uintptr_t sum = index == 0 ? 8 : index == 1 ? 7 : 3;
    dispatch_queue_t queue = dispatch_queue_create("org.example.data", NULL);
    dispatch_source_t source = dispatch_source_create(types[index], 0, 0, queue);
    dispatch_source_set_event_handler(source, ^{
      expect(dispatch_source_get_data(source) == sum);
      dispatch_assert_queue(queue);
      dispatch_semaphore_signal(told);
    });
    dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(told); });
    dispatch_source_set_cancel_handler(source, ^{
      expect(dispatch_source_testcancel(source) == 1);
      dispatch_semaphore_signal(told);
    });
    dispatch_resume(source);
    await(1);
    // A run that has begun goes on after a suspension. It would take what is merged then.
    dispatch_sync(queue, ^{});
    dispatch_source_merge_data(source, 0);
    dispatch_sync(queue, ^{});
    dispatch_suspend(source);
    dispatch_source_merge_data(source, 5);
    dispatch_source_merge_data(source, 3);
    dispatch_sync(queue, ^{});
    dispatch_resume(source);
    await(1);
    struct source_record record[2];
    for (size_t size = 0; size <= sizeof record; size += sizeof(long)) {
      memset(record, 7, sizeof record);
      size_t told_size = dispatch_source_get_extended_data(source, record, size);
      expect(told_size == (size < sizeof *record ? size : sizeof *record));
      expect(size == 0 || record[0].data == sum);
      expect(size < sizeof *record || record[0].status == 0);
    }
    dispatch_source_cancel(source);
    // The cancel handler uses the source nevertheless.
    dispatch_release(source);
    await(1);
    dispatch_release(queue);
  }
}

/// Functions get the source's context, also when C code has released the source,
/// and the finalizer comes after all of them.
static void use_contexts(void) {
  for (int round = 0; round < 200; round++) {
    atomic_int count = 0;
    dispatch_queue_t queue = dispatch_queue_create("org.example.context", NULL);
    dispatch_source_t source = dispatch_source_create(DATA_ADD, 0, 0, queue);
    dispatch_set_context(source, &count);
    dispatch_set_finalizer_f(source, note);
    expect(dispatch_get_context(source) == &count);
    dispatch_source_set_registration_handler_f(source, note);
    dispatch_source_set_event_handler_f(source, note);
    if (round % 2) dispatch_source_set_cancel_handler_f(source, note);
    else dispatch_source_set_mandatory_cancel_handler_f(source, note);
    dispatch_activate(source);
    await(1);
    dispatch_source_merge_data(source, 1);
    await(1);
    dispatch_source_cancel(source);
    dispatch_release(source);
    await(2);
    expect(count == 4);
    dispatch_release(queue);
  }
}

struct own_release {
  dispatch_source_t source;
  atomic_int ended;
};

static void release_own(void *context) {
  struct own_release *own = context;
  dispatch_release(own->source);
  // The handler that released it may use it until it returns.
  expect(dispatch_get_context(own->source) == own && own->ended == 0);
}

static void end_own(void *context) {
  ((struct own_release *)context)->ended++;
  dispatch_semaphore_signal(told);
}

/// The last reference goes in a handler of the source itself.
static void release_in_handlers(void) {
  for (int round = 0; round < 600; round++) {
    struct own_release own = {.ended = 0};
    own.source = dispatch_source_create(DATA_ADD, 0, 0, round % 2 ? NULL : dispatch_get_main_queue());
    if (!(round % 2)) dispatch_set_target_queue(own.source, dispatch_get_global_queue(0, 0));
    dispatch_set_context(own.source, &own);
    dispatch_set_finalizer_f(own.source, end_own);
    switch (round % 3) {
    case 0: dispatch_source_set_event_handler_f(own.source, release_own); break;
    case 1: dispatch_source_set_cancel_handler_f(own.source, release_own); break;
    case 2: dispatch_source_set_registration_handler_f(own.source, release_own); break;
    }
    dispatch_activate(own.source);
    if (round % 3 == 0) dispatch_source_merge_data(own.source, 1);
    if (round % 3 == 1) dispatch_source_cancel(own.source);
    await(1);
    expect(own.ended == 1);
  }
}

/// The last reference goes on another thread while a handler runs or is about to:
/// once the release has returned, none begins, and the source exists until the
/// one that runs has returned.
static void release_during_handler(void) {
  for (int round = 0; round < 500; round++) {
    dispatch_queue_t queue = dispatch_queue_create("org.example.race", NULL);
    dispatch_source_t source = dispatch_source_create(DATA_ADD, 0, 0, queue);
    atomic_int *state = calloc(1, sizeof *state);
    dispatch_source_set_event_handler(source, ^{
      expect(atomic_fetch_add(state, 1) % 2 == 0);
      expect(dispatch_source_get_data(source) > 0);
      atomic_fetch_add(state, 1);
    });
    dispatch_activate(source);
    for (int count = 0; count < round % 5; count++) dispatch_source_merge_data(source, 1);
    dispatch_release(source);
    dispatch_sync(queue, ^{});
    int last = *state;
    expect(last % 2 == 0);
    dispatch_sync(queue, ^{ expect(*state == last); });
    dispatch_release(queue);
    free(state);
  }
}

static void use_waiting(void) {
  // A source that was never activated.
  dispatch_source_t source = make(TIMER);
  dispatch_source_cancel_and_wait(source);
  expect(dispatch_source_testcancel(source));
  dispatch_source_cancel_and_wait(source);
  dispatch_release(source);
  // On the queue of the source, before a handler that is due.
  dispatch_queue_t queue = dispatch_queue_create("org.example.waiting", NULL);
  source = dispatch_source_create(DATA_ADD, 0, 0, queue);
  dispatch_source_set_event_handler(source, ^{ expect(!"called after the end"); });
  dispatch_activate(source);
  dispatch_sync(queue, ^{
    dispatch_source_merge_data(source, 1);
    dispatch_source_cancel_and_wait(source);
  });
  dispatch_release(source);
  // While a handler runs or is about to.
  for (int round = 0; round < 500; round++) {
    source = dispatch_source_create(DATA_ADD, 0, 0, round % 2 ? queue : NULL);
    atomic_int *state = calloc(1, sizeof *state);
    dispatch_source_set_event_handler(source, ^{
      atomic_fetch_add(state, 1);
      for (int count = 0; count < round % 7 * 100; count++) atomic_load(state);
      atomic_fetch_add(state, 1);
    });
    dispatch_activate(source);
    for (int count = 0; count < round % 4; count++) dispatch_source_merge_data(source, 1);
    if (round % 5 == 0) {
      // Several threads may wait.
      dispatch_apply(4, NULL, ^(size_t index) {
        (void)index;
        dispatch_source_cancel_and_wait(source);
        expect(*state % 2 == 0);
      });
    } else {
      dispatch_source_cancel_and_wait(source);
    }
    expect(*state % 2 == 0);
    dispatch_release(source);
    free(state);
  }
  dispatch_release(queue);
}

static void use_handlers(void) {
  dispatch_queue_t queue = dispatch_queue_create("org.example.handlers", NULL);
  dispatch_source_t source = dispatch_source_create(DATA_ADD, 0, 0, queue);
  __block int first = 0, second = 0;
  dispatch_source_set_event_handler(source, ^{
    first++;
    // It replaces itself, and runs to its end.
    dispatch_source_set_event_handler(source, ^{
      second++;
      dispatch_semaphore_signal(told);
    });
    dispatch_semaphore_signal(told);
  });
  dispatch_activate(source);
  dispatch_source_merge_data(source, 1);
  await(1);
  dispatch_source_merge_data(source, 1);
  await(1);
  dispatch_sync(queue, ^{ expect(first == 1 && second == 1); });
  // Without a handler the event stays.
  dispatch_source_set_event_handler(source, NULL);
  dispatch_source_merge_data(source, 1);
  dispatch_sync(queue, ^{});
  dispatch_block_t item = dispatch_block_create_with_qos_class(0, QOS_CLASS_USER_INITIATED, 0, ^{
    dispatch_semaphore_signal(told);
  });
  dispatch_source_set_event_handler(source, item);
  Block_release(item);
  await(1);
  // A registration handler for a source that is registered already.
  dispatch_source_set_registration_handler(source, ^{ dispatch_semaphore_signal(told); });
  await(1);
  // Another queue, and no queue.
  dispatch_queue_t other = dispatch_queue_create("org.example.other", NULL);
  dispatch_set_target_queue(source, other);
  dispatch_source_set_event_handler(source, ^{
    dispatch_assert_queue(other);
    dispatch_semaphore_signal(told);
  });
  dispatch_source_merge_data(source, 1);
  await(1);
  dispatch_set_target_queue(source, NULL);
  dispatch_source_set_event_handler(source, ^{
    dispatch_assert_queue_not(other);
    dispatch_source_cancel(source);
    dispatch_semaphore_signal(told);
  });
  dispatch_source_t unused = make(TIMER);
  dispatch_source_set_mandatory_cancel_handler(unused, NULL);
  dispatch_activate(unused);
  dispatch_release(unused);
  dispatch_source_set_cancel_handler(source, ^{ dispatch_semaphore_signal(told); });
  dispatch_source_merge_data(source, 1);
  await(2);
  dispatch_release(source);
  dispatch_release(other);
  dispatch_release(queue);
}

/// What a timer with this schedule is due for, until `count` times have passed.
static void use_timer(dispatch_time_t start, uint64_t interval, uintptr_t count) {
  dispatch_queue_t queue = dispatch_queue_create("org.example.timer", NULL);
  dispatch_source_t timer = dispatch_source_create(TIMER, 0, DISPATCH_TIMER_STRICT, queue);
  __block uintptr_t due = 0;
  dispatch_source_set_event_handler(timer, ^{
    expect(dispatch_source_get_data(timer) > 0);
    due += dispatch_source_get_data(timer);
    if (due < count) return;
    dispatch_source_cancel(timer);
    dispatch_semaphore_signal(told);
  });
  dispatch_source_set_timer(timer, start, interval, 0);
  dispatch_activate(timer);
  await(1);
  expect(due >= count && (interval < DISPATCH_TIME_FOREVER >> 1 || due == 1));
  dispatch_release(timer);
  dispatch_release(queue);
}

enum { later = 5 * NSEC_PER_MSEC, starts_now = 3, starts_later = 6, starts = 8 };

/// The times at which a timer may start: now, later, and before now, each on
/// several clocks.
static dispatch_time_t start(int index) {
  switch (index) {
  case 0: return DISPATCH_TIME_NOW;
  case 1: return ~1ull;
  case 2: return 1ull << 63;
  case 3: return dispatch_time(DISPATCH_TIME_NOW, later);
  case 4: return dispatch_walltime(NULL, later);
  case 5: return dispatch_time(1ull << 63, later);
  case 6: return dispatch_time(DISPATCH_TIME_NOW, -later);
  default: return dispatch_walltime(NULL, -later);
  }
}

static void use_timers(void) {
  for (int index = 0; index < starts; index++) {
    uint64_t begin = uptime();
    use_timer(start(index), DISPATCH_TIME_FOREVER, 1);
    // The clocks need not agree to the last microsecond.
    expect(index < starts_now || index >= starts_later ||
           uptime() - begin + NSEC_PER_MSEC >= later);
    use_timer(start(index), INT64_MAX, 1);
    use_timer(start(index), 2 * NSEC_PER_MSEC, 4);
    use_timer(start(index), 0, 1000);
  }
  // A start of now counts from now on, and not from the clock's beginning.
  uint64_t begin = uptime();
  use_timer(DISPATCH_TIME_NOW, 10 * NSEC_PER_MSEC, 3);
  expect(uptime() - begin >= 20 * NSEC_PER_MSEC);

  // Enormous leeways, a schedule that replaces another, and one that stops the timer.
  dispatch_source_t timer = make(TIMER);
  atomic_int *count = calloc(1, sizeof *count);
  dispatch_set_context(timer, count);
  dispatch_source_set_event_handler_f(timer, note);
  dispatch_activate(timer);
  dispatch_source_set_timer(timer, dispatch_time(DISPATCH_TIME_NOW, NSEC_PER_SEC * 3600), 1, 0);
  dispatch_source_set_timer(timer, DISPATCH_TIME_NOW, NSEC_PER_MSEC, UINT64_MAX);
  await(2);
  dispatch_source_set_timer(timer, DISPATCH_TIME_FOREVER, NSEC_PER_MSEC, 0);
  dispatch_source_cancel_and_wait(timer);
  dispatch_release(timer);
  while (!dispatch_semaphore_wait(told, DISPATCH_TIME_NOW)) continue;
  free(count);

  uint64_t period = 5 * NSEC_PER_MSEC;
  // The first multiple is the next one after the source is made, not after it is activated.
  begin = uptime();
  dispatch_source_t interval = dispatch_source_create(&_dispatch_source_type_interval, 5, 0, NULL);
  dispatch_source_set_event_handler(interval, ^{
    expect(dispatch_source_get_data(interval) > 0);
    dispatch_semaphore_signal(told);
  });
  dispatch_activate(interval);
  await(3);
  // Three multiples of the period have passed.
  expect(uptime() / period >= begin / period + 3);
  // A handler that still runs would signal what others wait for.
  dispatch_source_cancel_and_wait(interval);
  dispatch_release(interval);
  while (!dispatch_semaphore_wait(told, DISPATCH_TIME_NOW)) continue;
}

static void use_descriptors(void) {
  int ends[2];
  expect(!pipe2(ends, O_CLOEXEC | O_NONBLOCK));
  dispatch_source_t reading =
      dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)ends[0], 0, NULL);
  dispatch_source_t writing =
      dispatch_source_create(DISPATCH_SOURCE_TYPE_WRITE, (uintptr_t)ends[1], 0, NULL);
  dispatch_source_set_event_handler(reading, ^{
    char byte;
    // The other end is closed, and the byte has been read.
    if (dispatch_source_get_data(reading) == 0) return;
    expect(dispatch_source_get_data(reading) == 1);
    expect(read((int)dispatch_source_get_handle(reading), &byte, 1) == 1);
    dispatch_semaphore_signal(told);
  });
  dispatch_source_set_event_handler(writing, ^{
    expect(dispatch_source_get_data(writing) > 0);
    expect(write((int)dispatch_source_get_handle(writing), "x", 1) == 1);
    dispatch_source_cancel(writing);
  });
  dispatch_source_set_cancel_handler(reading, ^{
    close((int)dispatch_source_get_handle(reading));
    dispatch_semaphore_signal(told);
  });
  dispatch_source_set_cancel_handler(writing, ^{
    close((int)dispatch_source_get_handle(writing));
    dispatch_semaphore_signal(told);
  });
  dispatch_activate(reading);
  dispatch_activate(writing);
  await(2);
  dispatch_source_cancel(reading);
  dispatch_release(reading);
  dispatch_release(writing);
  await(1);

  char path[] = "/tmp/dispatch-source-XXXXXX";
  int file = mkostemp(path, O_CLOEXEC);
  expect(file >= 0);
  dispatch_source_t vnode = dispatch_source_create(
      &source_type_vnode, (uintptr_t)file, DISPATCH_VNODE_WRITE, NULL);
  dispatch_source_set_event_handler(vnode, ^{
    expect(dispatch_source_get_data(vnode) == DISPATCH_VNODE_WRITE);
    dispatch_semaphore_signal(told);
  });
  dispatch_activate(vnode);
  expect(write(file, "x", 1) == 1);
  await(1);
  dispatch_source_cancel_and_wait(vnode);
  dispatch_release(vnode);
  close(file);
  unlink(path);
}

static void use_signals(void) {
  // Whoever started this program may have left it blocked.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  signal(SIGUSR1, SIG_IGN);
  dispatch_source_t source =
      dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR1, 0, NULL);
  dispatch_source_set_event_handler(source, ^{
    expect(dispatch_source_get_data(source) >= 1);
    dispatch_semaphore_signal(told);
  });
  dispatch_activate(source);
  kill(getpid(), SIGUSR1);
  await(1);
  dispatch_source_cancel(source);
  dispatch_release(source);

  int gate[2];
  expect(!pipe2(gate, O_CLOEXEC));
  pid_t child = fork();
  if (!child) {
    char byte;
    (void)!read(gate[0], &byte, 1);
    _exit(0);
  }
  source = dispatch_source_create(&source_type_proc, (uintptr_t)child, DISPATCH_PROC_EXIT, NULL);
  dispatch_source_set_event_handler(source, ^{
    expect(dispatch_source_get_data(source) == DISPATCH_PROC_EXIT);
    expect(waitpid(child, NULL, 0) == child);
    dispatch_semaphore_signal(told);
  });
  dispatch_activate(source);
  expect(write(gate[1], "x", 1) == 1);
  await(1);
  dispatch_source_cancel_and_wait(source);
  dispatch_release(source);
}

void use_source(void) {
  told = dispatch_semaphore_create(0);
  use_creation();
  use_data_sources();
  use_contexts();
  release_in_handlers();
  release_during_handler();
  use_waiting();
  use_handlers();
  use_timers();
  use_descriptors();
  use_signals();
  dispatch_release(told);
}
