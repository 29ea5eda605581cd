#include <pthread.h>
#include <stdatomic.h>

#include "expect.h"

static atomic_int ran;

static void add(void *amount) { ran += (int)(intptr_t)amount; }

static void signal_semaphore(void *semaphore) {
  dispatch_semaphore_signal((dispatch_semaphore_t)semaphore);
}

enum { groups_each = 500, members_each = 8, users = 4 };

/// A wedge ends there; in nanoseconds.
static const int64_t limit = 120 * 1000000000LL;

static atomic_int members_run;
static dispatch_semaphore_t group_freed;

static void count(void *counter) { ++*(atomic_int *)counter; }

/// Makes groups and gives them up while their members enter and leave.
static void *use_brief_groups(void *unused) {
  dispatch_queue_t global = dispatch_get_global_queue(0, 0);
  for (int round = 0; round < groups_each; round++) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_set_context(group, group_freed);
    dispatch_set_finalizer_f(group, signal_semaphore);
    for (int member = 0; member < members_each; member++) {
      dispatch_group_async_f(group, global, &members_run, count);
      // A member that is in the group when it may become empty at any time.
      dispatch_group_enter(group);
      dispatch_async(global, ^{
        members_run++;
        dispatch_group_leave(group);
      });
    }
    if (round % 2) dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
    dispatch_release(group);
  }
  return unused;
}

/// Each group is freed, after its members have run and not before.
static void free_each_group_once(void) {
  group_freed = dispatch_semaphore_create(0);
  pthread_t threads[users];
  for (int i = 0; i < users; i++) pthread_create(&threads[i], NULL, use_brief_groups, NULL);
  for (int i = 0; i < users; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < users * groups_each; i++)
    expect(dispatch_semaphore_wait(group_freed, dispatch_time(DISPATCH_TIME_NOW, limit)) == 0);
  expect(dispatch_semaphore_wait(group_freed, DISPATCH_TIME_NOW) != 0);
  dispatch_release(group_freed);
  expect(members_run == users * groups_each * members_each * 2);
}

void use_group(void) {
  dispatch_group_t group = dispatch_group_create();
  dispatch_queue_t global = dispatch_get_global_queue(0, 0);
  for (int index = 0; index < 100; index++) {
    dispatch_group_async(group, global, ^{ ran++; });
    dispatch_group_async_f(group, global, (void *)1, add);
  }
  expect(dispatch_group_wait(group, DISPATCH_TIME_FOREVER) == 0);
  expect(ran == 200);
  dispatch_group_enter(group);
  expect(dispatch_group_wait(group, DISPATCH_TIME_NOW) != 0);
  expect(dispatch_group_wait(group, dispatch_time(DISPATCH_TIME_NOW, 1000000)) != 0);
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  dispatch_group_notify(group, global, ^{ dispatch_semaphore_signal(told); });
  dispatch_group_notify_f(group, global, told, signal_semaphore);
  expect(dispatch_semaphore_wait(told, DISPATCH_TIME_NOW) != 0);
  dispatch_group_leave(group);
  for (int count = 0; count < 2; count++) dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  dispatch_release(group);

  // The members keep a group that nobody else does.
  for (int round = 0; round < 100; round++) {
    group = dispatch_group_create();
    dispatch_group_enter(group);
    dispatch_group_notify(group, global, ^{ dispatch_semaphore_signal(told); });
    dispatch_group_t last = group;
    dispatch_release(group);
    dispatch_async(global, ^{ dispatch_group_leave(last); });
    dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  }
  // The waiting thread releases a group while the last member still leaves it.
  for (int round = 0; round < 1000; round++) {
    dispatch_group_t brief = dispatch_group_create();
    dispatch_group_enter(brief);
    dispatch_async(global, ^{ dispatch_group_leave(brief); });
    dispatch_group_wait(brief, DISPATCH_TIME_FOREVER);
    dispatch_release(brief);
  }
  dispatch_release(told);
  free_each_group_once();
}
