#include <Block.h>
#include <unistd.h>

#include "expect.h"

// Blocks on the stack that count how often they are copied and freed. Each is
// passed on by a function whose stack is overwritten before the block is called.

extern void *_NSConcreteStackBlock[];

enum { has_copy_dispose = 1 << 25 };

struct counted_block {
  void *isa;
  int flags, reserved;
  void *invoke;
  const void *descriptor;
  const char *word;
};

static const char *const word = "a capture";
static int copies, calls;
static dispatch_semaphore_t freed;
static dispatch_queue_t queue;

static void copy(struct counted_block *to, const struct counted_block *from) {
  to->word = from->word;
  __atomic_add_fetch(&copies, 1, __ATOMIC_RELAXED);
}

/// Reads a captured word. ThreadSanitizer does not see the count of references in Swift's runtime
/// that orders this before `dispose`.
static const char *word_of(struct counted_block *block) {
  return __atomic_load_n(&block->word, __ATOMIC_RELAXED);
}

static void dispose(struct counted_block *block) {
  expect(word_of(block) == word);
  __atomic_store_n(&block->word, NULL, __ATOMIC_RELAXED);
  dispatch_semaphore_signal(freed);
}

static const struct {
  unsigned long reserved, size;
  void (*copy)(struct counted_block *, const struct counted_block *);
  void (*dispose)(struct counted_block *);
} description = {0, sizeof(struct counted_block), copy, dispose};

static void called(struct counted_block *block) {
  expect(word_of(block) == word);
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

static void called_at_end(struct counted_block *block, int error) {
  expect(error == 0);
  called(block);
}

static void called_once(struct counted_block *block, dispatch_data_t data, int error) {
  expect(error == 0);
  (void)data;
  called(block);
}

static void called_often(struct counted_block *block, bool done, dispatch_data_t data, int error) {
  expect(error == 0);
  (void)done, (void)data;
  called(block);
}

/// A block for the stack of the caller.
#define COUNTED(function) \
  (&(struct counted_block){_NSConcreteStackBlock, has_copy_dispose, 0, (void *)function, &description, word})

/// Overwrites what functions that have returned left on the stack.
static __attribute__((noinline)) void overwrite(void) {
  volatile char bytes[4096];
  for (size_t index = 0; index < sizeof bytes; index++) bytes[index] = 0x55;
}

/// Expects one copy of the block, which is freed when it was called so often.
static void expect_copy(int count) {
  dispatch_semaphore_wait(freed, DISPATCH_TIME_FOREVER);
  expect(__atomic_exchange_n(&copies, 0, __ATOMIC_RELAXED) == 1);
  expect(__atomic_exchange_n(&calls, 0, __ATOMIC_RELAXED) >= count);
}

static __attribute__((noinline)) dispatch_io_t make_channel(int descriptor) {
  return dispatch_io_create(DISPATCH_IO_STREAM, descriptor, queue,
                            (void (^)(int))COUNTED(called_at_end));
}

static __attribute__((noinline)) void submit(int which, dispatch_io_t channel, int descriptor) {
  dispatch_data_t data = dispatch_data_create("data", 4, NULL, NULL);
  void *often = COUNTED(called_often), *once = COUNTED(called_once), *plain = COUNTED(called);
  switch (which) {
    case 0: dispatch_io_read(channel, 0, 4, queue, (dispatch_io_handler_t)often); break;
    case 1: dispatch_io_write(channel, 0, data, queue, (dispatch_io_handler_t)often); break;
    case 2: dispatch_io_barrier(channel, (dispatch_block_t)plain); break;
    case 3: dispatch_read(descriptor, 4, queue, (void (^)(dispatch_data_t, int))once); break;
    case 4: dispatch_write(descriptor, data, queue, (void (^)(dispatch_data_t, int))once); break;
    case 5: dispatch_release(dispatch_data_create("data", 4, queue, (dispatch_block_t)plain)); break;
    case 6: dispatch_async(queue, (dispatch_block_t)plain); break;
    case 7:
      dispatch_after(dispatch_time(DISPATCH_TIME_NOW, 1000000), queue, (dispatch_block_t)plain);
      break;
  }
  dispatch_release(data);
}

static __attribute__((noinline)) dispatch_block_t make_item(void) {
  return dispatch_block_create(0, (dispatch_block_t)COUNTED(called));
}

static __attribute__((noinline)) void notify(dispatch_block_t item) {
  dispatch_block_notify(item, queue, (dispatch_block_t)COUNTED(called));
}

void use_copies(void) {
  freed = dispatch_semaphore_create(0);
  queue = dispatch_queue_create("org.example.copies", NULL);
  int ends[2];
  expect(pipe(ends) == 0);
  dispatch_io_t input = make_channel(ends[0]);
  copies = 0;
  dispatch_io_t output = make_channel(ends[1]);
  expect(copies == 1);
  overwrite();
  copies = 0;
  // In pairs, so that what reads finds bytes.
  static const struct {
    int which, writes;
  } rounds[] = {{1, 1}, {0, 0}, {4, 1}, {3, 0}, {2, 1}, {2, 0}, {5, 0}, {6, 0}, {7, 0}};
  for (size_t round = 0; round < sizeof rounds / sizeof *rounds; round++) {
    dispatch_suspend(queue);
    submit(rounds[round].which, rounds[round].writes ? output : input, ends[rounds[round].writes]);
    overwrite();
    dispatch_resume(queue);
    expect_copy(1);
  }
  dispatch_block_t item = make_item();
  expect(copies == 1);
  overwrite();
  item();
  item();
  Block_release(item);
  expect_copy(2);
  // The item keeps its block no longer than it exists.
  item = dispatch_block_create(0, ^{});
  notify(item);
  overwrite();
  item();
  expect_copy(1);
  Block_release(item);
  // The blocks of both channels.
  dispatch_release(input);
  dispatch_release(output);
  for (int index = 0; index < 2; index++) dispatch_semaphore_wait(freed, DISPATCH_TIME_FOREVER);
  // The last reference to a block may be given up by another thread than the one that called it. A
  // sanitizer does not see that the first gave up its own before, because the runtime counts them.
  expect(copies == 0 && __atomic_load_n(&calls, __ATOMIC_RELAXED) == 2);
  close(ends[0]);
  close(ends[1]);
}
