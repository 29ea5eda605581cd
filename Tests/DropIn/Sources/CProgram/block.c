#include <Block.h>
#include <string.h>

#include "expect.h"

extern void (*const _dispatch_block_special_invoke)(void *);

/// The function that a block calls.
static void (*invoke(dispatch_block_t block))(void *) {
  void (*function)(void *);
  memcpy(&function, (char *)block + 16, sizeof function);
  return function;
}

/// Its block lies in this function's frame, which is gone when the copy is called.
static dispatch_block_t __attribute__((noinline)) make_from_frame(int *count, int amount) {
  return dispatch_block_create(0, ^{ *count += amount; });
}

static void __attribute__((noinline)) notify_from_frame(
    dispatch_block_t block, dispatch_queue_t queue, int *count, int amount) {
  dispatch_block_notify(block, queue, ^{ *count += amount; });
}

/// Fills the part of the stack where those frames were.
static int __attribute__((noinline)) use_stack(int value) {
  volatile char bytes[4096];
  memset((void *)bytes, value, sizeof bytes);
  return bytes[value];
}

static void blocks_outlive_frames(dispatch_queue_t queue) {
  int count = 0;
  dispatch_block_t block = make_from_frame(&count, 3);
  notify_from_frame(block, queue, &count, 4);
  expect(use_stack(7) == 7);
  block();
  const int *counted = &count;
  dispatch_sync(queue, ^{ expect(*counted == 7); });
  Block_release(block);
}

void use_block(void) {
  dispatch_queue_t queue = dispatch_queue_create("org.example.blocks", NULL);
  dispatch_queue_t global = dispatch_get_global_queue(0, 0);
  dispatch_group_t group = dispatch_group_create();
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  __block int ran = 0;
  expect(dispatch_block_create(0x1000, ^{}) == NULL);
  expect(dispatch_block_create_with_qos_class(0, 0x22, 0, ^{}) == NULL);
  expect(dispatch_block_create_with_qos_class(0, QOS_CLASS_UTILITY, 1, ^{}) == NULL);

  dispatch_block_t block = dispatch_block_create(DISPATCH_BLOCK_INHERIT_QOS_CLASS, ^{ ran++; });
  expect(invoke(block) == _dispatch_block_special_invoke);
  expect(dispatch_block_testcancel(block) == 0);
  expect(dispatch_block_wait(block, DISPATCH_TIME_NOW) != 0);
  dispatch_block_notify(block, global, ^{ dispatch_semaphore_signal(told); });
  expect(dispatch_semaphore_wait(told, DISPATCH_TIME_NOW) != 0);
  dispatch_async(queue, block);
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  expect(dispatch_block_wait(block, DISPATCH_TIME_FOREVER) == 0 && ran == 1);
  Block_release(block);

  // Each way to submit a block knows it again.
  dispatch_semaphore_t each = dispatch_semaphore_create(0);
  block = dispatch_block_create_with_qos_class(0, QOS_CLASS_UTILITY, -1, ^{
    ran++;
    dispatch_semaphore_signal(each);
  });
  dispatch_sync(queue, block);
  dispatch_barrier_sync(queue, block);
  dispatch_async(queue, block);
  dispatch_barrier_async(queue, block);
  dispatch_group_async(group, queue, block);
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  dispatch_group_notify(group, queue, block);
  dispatch_after(dispatch_time(DISPATCH_TIME_NOW, 1000), queue, block);
  dispatch_after(DISPATCH_TIME_NOW, queue, block);
  for (int count = 0; count < 8; count++) dispatch_semaphore_wait(each, DISPATCH_TIME_FOREVER);
  block();
  dispatch_block_perform(DISPATCH_BLOCK_DETACHED, block);
  expect(ran == 11);
  dispatch_block_cancel(block);
  expect(dispatch_block_testcancel(block) != 0);
  dispatch_sync(queue, block);
  dispatch_async(queue, block);
  dispatch_sync(queue, ^{});
  block();
  expect(ran == 11);
  Block_release(block);
  dispatch_block_perform(0, ^{ ran++; });
  expect(ran == 12);

  // A notification that can be cancelled itself; a copy is the same block.
  block = dispatch_block_create(0, ^{});
  dispatch_block_t copy = Block_copy(block);
  dispatch_block_t notification = dispatch_block_create(0, ^{ dispatch_semaphore_signal(told); });
  dispatch_block_notify(copy, global, notification);
  Block_release(copy);
  dispatch_async(global, block);
  dispatch_semaphore_wait(told, DISPATCH_TIME_FOREVER);
  Block_release(block);
  Block_release(notification);
  blocks_outlive_frames(queue);
  // A block that is freed without a run frees what it captured.
  dispatch_group_t captured = dispatch_group_create();
  block = dispatch_block_create(0, ^{ dispatch_group_leave(captured); });
  Block_release(block);
  dispatch_release(captured);
  dispatch_release(group);
  dispatch_release(queue);
  dispatch_release(told);
  dispatch_release(each);
}
