#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "expect.h"

// Functions that the library exports and its headers for Linux do not declare.
typedef bool (*applier_function)(void *, dispatch_data_t, size_t, const void *, size_t);
extern dispatch_data_t dispatch_data_create_f(const void *, size_t, dispatch_queue_t, dispatch_function_t);
extern dispatch_data_t dispatch_data_create_alloc(size_t, void **);
extern bool dispatch_data_apply_f(dispatch_data_t, void *, applier_function);
extern const dispatch_block_t _dispatch_data_destructor_none;

static dispatch_semaphore_t ended;
static int finalized;

static void finalize(void *context) {
  (void)context;
  __atomic_add_fetch(&finalized, 1, __ATOMIC_RELAXED);
  dispatch_semaphore_signal(ended);
}

/// Has the object counted when it is freed.
static dispatch_data_t counted(dispatch_data_t data) {
  dispatch_set_context(data, &finalized);
  dispatch_set_finalizer_f(data, finalize);
  return data;
}

/// Waits until `count` more objects are freed.
static void expect_freed(int count) {
  static int before;
  for (int index = 0; index < count; index++) dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
  before += count;
  expect(finalized == before);
}

static dispatch_data_t text(const char *words) {
  return dispatch_data_create(words, strlen(words), NULL, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
}

/// Whether the data has these bytes, read in one stretch.
static int has(dispatch_data_t data, const char *words) {
  const void *bytes = NULL;
  size_t size = 0;
  dispatch_data_t map = dispatch_data_create_map(data, &bytes, &size);
  int same = size == strlen(words) && dispatch_data_get_size(data) == size &&
             (size == 0 ? bytes == NULL : !memcmp(bytes, words, size));
  dispatch_release(map);
  return same;
}

static void use_empty(void) {
  dispatch_data_t empty = dispatch_data_empty;
  for (int round = 0; round < 3; round++) dispatch_release(empty);
  dispatch_retain(empty);
  dispatch_set_context(empty, &finalized);
  expect(dispatch_get_context(empty) == NULL);
  expect(dispatch_data_get_size(empty) == 0 && has(empty, ""));
  expect(text("") == empty);
  expect(dispatch_data_create_f(NULL, 5, NULL, NULL) == empty);
  expect(dispatch_data_apply(empty, ^bool(dispatch_data_t region, size_t offset, const void *bytes,
                                          size_t size) {
    (void)region, (void)offset, (void)bytes, (void)size;
    exit(1);
  }));
  expect(dispatch_data_create_concat(empty, empty) == empty);
  expect(dispatch_data_create_subrange(empty, 0, 1) == empty);
  size_t offset = 1;
  expect(dispatch_data_copy_region(empty, 7, &offset) == empty && offset == 0);
  void *buffer = &offset;
  expect(dispatch_data_create_alloc(0, &buffer) == empty && buffer == NULL);
}

static void end(void *buffer) {
  memset(buffer, 0, 1);
  dispatch_semaphore_signal(ended);
}

/// Each destructor, called once, when nothing needs the memory any more.
static void use_destructors(void) {
  dispatch_queue_t queue = dispatch_queue_create("org.example.destructors", NULL);
  char bytes[] = "bytes";
  __block int calls = 0;
  dispatch_data_t data = dispatch_data_create(bytes, 5, queue, ^{
    dispatch_assert_queue(queue);
    calls++;
    dispatch_semaphore_signal(ended);
  });
  dispatch_data_t part = dispatch_data_create_subrange(data, 1, 3);
  dispatch_data_t both = dispatch_data_create_concat(part, data);
  const void *address = NULL;
  dispatch_data_t map = dispatch_data_create_map(part, &address, NULL);
  expect(address == bytes + 1);
  dispatch_release(data);
  dispatch_release(map);
  dispatch_release(part);
  dispatch_sync(queue, ^{ expect(calls == 0); });
  expect(has(both, "ytebytes"));
  dispatch_release(both);
  dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
  dispatch_sync(queue, ^{ expect(calls == 1); });

  // A block that owns a work item, and a function, on the default queue.
  dispatch_block_t item = dispatch_block_create(0, ^{ calls++; });
  dispatch_release(dispatch_data_create(bytes, 5, NULL, item));
  dispatch_block_wait(item, DISPATCH_TIME_FOREVER);
  expect(calls == 2);
  dispatch_release(dispatch_data_create_f(bytes, 5, NULL, end));
  dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
  expect(bytes[0] == 0);
  // Without bytes there is nothing to wait for.
  expect(dispatch_data_create_f(bytes + 1, 0, queue, end) == dispatch_data_empty);
  dispatch_semaphore_wait(ended, DISPATCH_TIME_FOREVER);
  expect(bytes[1] == 0);
  bytes[0] = 'b', bytes[1] = 'y';

  dispatch_release(dispatch_data_create(strdup("memory"), 6, NULL, DISPATCH_DATA_DESTRUCTOR_FREE));
  dispatch_release(dispatch_data_create_f(
      strdup("memory"), 6, NULL, (dispatch_function_t)(void *)DISPATCH_DATA_DESTRUCTOR_FREE));
  // Pages between others that stay: what another thread maps meanwhile is larger than the gap.
  size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
  char *around = mmap(NULL, 3 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(around != MAP_FAILED);
  char *pages = around + size;
  data = dispatch_data_create(pages, size, NULL, DISPATCH_DATA_DESTRUCTOR_MUNMAP);
  expect(msync(pages, size, MS_ASYNC) == 0);
  dispatch_release(data);
  expect(msync(pages, size, MS_ASYNC) != 0);
  data = dispatch_data_create(bytes, 5, NULL, _dispatch_data_destructor_none);
  expect(has(data, "bytes"));
  dispatch_release(data);
  data = dispatch_data_create_f(bytes, 5, NULL, NULL);
  bytes[0] = 'B';
  expect(has(data, "bytes"));
  dispatch_release(data);
  dispatch_release(queue);
}

/// Parts of "onetwothree", in three regions.
static void use_parts(dispatch_data_t all) {
  expect(has(all, "onetwothree"));
  dispatch_data_t part = dispatch_data_create_subrange(all, 2, 5);
  expect(has(part, "etwot"));
  dispatch_release(part);
  // What is outside is left out.
  part = dispatch_data_create_subrange(all, 6, SIZE_MAX);
  expect(has(part, "three"));
  dispatch_release(part);
  expect(dispatch_data_create_subrange(all, 11, 1) == dispatch_data_empty);
  expect(dispatch_data_create_subrange(all, SIZE_MAX, SIZE_MAX) == dispatch_data_empty);
  expect(dispatch_data_create_subrange(all, 3, 0) == dispatch_data_empty);
  part = dispatch_data_create_subrange(all, 0, SIZE_MAX);
  expect(has(part, "onetwothree"));
  dispatch_release(part);

  static const struct {
    const char *words;
    size_t offset;
  } regions[] = {{"one", 0}, {"one", 0}, {"one", 0}, {"two", 3}, {"two", 3}, {"two", 3},
                 {"three", 6}, {"three", 6}, {"three", 6}, {"three", 6}, {"three", 6}};
  for (size_t location = 0; location < 11; location++) {
    size_t offset = 99;
    part = dispatch_data_copy_region(all, location, &offset);
    expect(has(part, regions[location].words) && offset == regions[location].offset);
    dispatch_release(part);
  }
  size_t offset = 0;
  expect(dispatch_data_copy_region(all, 11, &offset) == dispatch_data_empty && offset == 11);
  expect(dispatch_data_copy_region(all, SIZE_MAX, &offset) == dispatch_data_empty && offset == 11);
}

static bool second_ends(void *context, dispatch_data_t region, size_t offset, const void *bytes, size_t size) {
  expect(dispatch_data_get_size(region) == size && bytes);
  *(size_t *)context = offset;
  return offset == 0;
}

static void use_apply(dispatch_data_t all) {
  __block dispatch_data_t kept = dispatch_data_empty;
  __block const void *address = NULL;
  __block size_t next = 0;
  bool whole = dispatch_data_apply(all, ^bool(dispatch_data_t region, size_t offset,
                                              const void *bytes, size_t size) {
    expect(offset == next);
    next += size;
    const void *own = NULL;
    dispatch_release(dispatch_data_create_map(region, &own, NULL));
    expect(own == bytes);
    if (offset == 3) {
      dispatch_retain(region);
      kept = region;
      address = bytes;
    }
    return true;
  });
  expect(whole && next == 11);
  size_t seen = 99;
  expect(!dispatch_data_apply_f(all, &seen, second_ends) && seen == 3);
  // A region that was retained keeps its memory.
  dispatch_release(all);
  expect(has(kept, "two") && !memcmp(address, "two", 3));
  dispatch_release(kept);
  dispatch_data_t single = text("single");
  expect(dispatch_data_apply_f(single, &seen, second_ends) && seen == 0);
  dispatch_release(single);
}

void use_data(void) {
  ended = dispatch_semaphore_create(0);
  use_empty();
  use_destructors();

  dispatch_data_t one = counted(text("one")), two = counted(text("two"));
  dispatch_data_t three = counted(text("three"));
  dispatch_data_t front = counted(dispatch_data_create_concat(one, two));
  dispatch_data_t all = counted(dispatch_data_create_concat(front, three));
  dispatch_data_t same = dispatch_data_create_concat(dispatch_data_empty, one);
  expect(has(same, "one"));
  dispatch_release(same);
  same = dispatch_data_create_concat(one, dispatch_data_empty);
  expect(has(same, "one"));
  dispatch_release(same);
  dispatch_set_target_queue(one, dispatch_get_global_queue(0, 0));
  dispatch_release(one);
  dispatch_release(two);
  dispatch_release(front);
  // They may be freed only when the data of all is.
  use_parts(all);
  dispatch_retain(all);
  dispatch_release(all);
  use_apply(all);
  dispatch_release(three);
  expect_freed(5);

  void *buffer = NULL;
  dispatch_data_t room = counted(dispatch_data_create_alloc(6, &buffer));
  memcpy(buffer, "filled", 6);
  expect(has(room, "filled"));
  dispatch_release(room);
  room = counted(dispatch_data_create_alloc(6, NULL));
  expect(dispatch_data_get_size(room) == 6);
  dispatch_release(room);
  expect_freed(2);

  // Many pieces, each an object that is freed.
  dispatch_data_t long_data = dispatch_data_empty;
  for (int index = 0; index < 1000; index++) {
    dispatch_data_t piece = counted(text("0123456789"));
    dispatch_data_t longer = counted(dispatch_data_create_concat(long_data, piece));
    dispatch_release(piece);
    dispatch_release(long_data);
    long_data = longer;
  }
  expect(dispatch_data_get_size(long_data) == 10000);
  const char *bytes = NULL, *again = NULL;
  dispatch_data_t map = dispatch_data_create_map(long_data, (const void **)&bytes, NULL);
  dispatch_data_t other = dispatch_data_create_map(long_data, (const void **)&again, NULL);
  for (int index = 0; index < 10000; index++) expect(bytes[index] == '0' + index % 10);
  dispatch_release(long_data);
  dispatch_release(map);
  expect(again[9999] == '9');
  dispatch_release(other);
  expect_freed(1999);
  dispatch_release(ended);
}
