#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

// Functions that the library exports and its headers for Linux do not declare.
typedef void (*cleanup_function)(void *, int);
typedef void (*once_function)(void *, dispatch_data_t, int);
typedef void (*channel_function)(void *, bool, dispatch_data_t, int);
extern dispatch_io_t dispatch_io_create_f(dispatch_io_type_t, dispatch_fd_t, dispatch_queue_t, void *, cleanup_function);
extern dispatch_io_t dispatch_io_create_with_path_f(dispatch_io_type_t, const char *, int, mode_t, dispatch_queue_t, void *, cleanup_function);
extern dispatch_io_t dispatch_io_create_with_io_f(dispatch_io_type_t, dispatch_io_t, dispatch_queue_t, void *, cleanup_function);
extern void dispatch_io_read_f(dispatch_io_t, off_t, size_t, dispatch_queue_t, void *, channel_function);
extern void dispatch_io_write_f(dispatch_io_t, off_t, dispatch_data_t, dispatch_queue_t, void *, channel_function);
extern void dispatch_io_barrier_f(dispatch_io_t, void *, dispatch_function_t);
extern void dispatch_read_f(dispatch_fd_t, size_t, dispatch_queue_t, void *, once_function);
extern void dispatch_write_f(dispatch_fd_t, dispatch_data_t, dispatch_queue_t, void *, once_function);

static dispatch_queue_t queue;

static void wait_for(dispatch_semaphore_t semaphore) {
  dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
}

static dispatch_data_t text(const char *words) {
  return dispatch_data_create(words, strlen(words), NULL, DISPATCH_DATA_DESTRUCTOR_DEFAULT);
}

static int has(dispatch_data_t data, const char *words) {
  const void *bytes = NULL;
  size_t size = 0;
  dispatch_data_t map = dispatch_data_create_map(data, &bytes, &size);
  int same = size == strlen(words) && (size == 0 || !memcmp(bytes, words, size));
  dispatch_release(map);
  return same;
}

/// What the handlers of one operation, or of a channel's end, have received.
struct outcome {
  dispatch_semaphore_t ended;
  dispatch_data_t data;
  int calls, error, largest;
};

static struct outcome begin(void) {
  return (struct outcome){.ended = dispatch_semaphore_create(0), .data = dispatch_data_empty};
}

/// Adds what a handler receives.
static void add(struct outcome *outcome, dispatch_data_t data) {
  dispatch_assert_queue(queue);
  outcome->calls++;
  if (!data) return;
  size_t size = dispatch_data_get_size(data);
  if ((int)size > outcome->largest) outcome->largest = (int)size;
  dispatch_data_t more = dispatch_data_create_concat(outcome->data, data);
  dispatch_release(outcome->data);
  outcome->data = more;
}

static void ended_once(void *context, dispatch_data_t data, int error) {
  struct outcome *outcome = context;
  add(outcome, data);
  outcome->error = error;
  dispatch_semaphore_signal(outcome->ended);
}

static void continued(void *context, bool done, dispatch_data_t data, int error) {
  struct outcome *outcome = context;
  add(outcome, data);
  expect(done || error == 0);
  if (!done) return;
  outcome->error = error;
  dispatch_semaphore_signal(outcome->ended);
}

static void cleaned_up(void *context, int error) {
  struct outcome *outcome = context;
  add(outcome, NULL);
  outcome->error = error;
  dispatch_semaphore_signal(outcome->ended);
}

/// Waits for the end, and expects it to be the only one.
static void expect_end(struct outcome *outcome, int error, const char *words) {
  wait_for(outcome->ended);
  dispatch_sync(queue, ^{});
  expect(outcome->error == error);
  expect(has(outcome->data, words));
  dispatch_release(outcome->data);
  dispatch_release(outcome->ended);
}

// MARK: Without a channel

static void use_once_functions(void) {
  int ends[2];
  expect(pipe(ends) == 0);
  struct outcome wrote = begin(), read = begin();
  dispatch_data_t data = text("hello");
  dispatch_write_f(ends[1], data, queue, &wrote, ended_once);
  expect_end(&wrote, 0, "");
  dispatch_read_f(ends[0], 3, queue, &read, ended_once);
  expect_end(&read, 0, "hel");

  __block struct outcome blocks = begin();
  dispatch_read(ends[0], SIZE_MAX, queue, ^(dispatch_data_t more, int error) {
    ended_once(&blocks, more, error);
  });
  expect_end(&blocks, 0, "lo");
  blocks = begin();
  dispatch_write(ends[1], data, queue, ^(dispatch_data_t rest, int error) {
    expect(rest == NULL);
    ended_once(&blocks, rest, error);
  });
  dispatch_release(data);
  expect_end(&blocks, 0, "");
  close(ends[1]);
  struct outcome all = begin(), end = begin();
  dispatch_read_f(ends[0], SIZE_MAX, queue, &all, ended_once);
  expect_end(&all, 0, "hello");
  dispatch_read_f(ends[0], SIZE_MAX, queue, &end, ended_once);
  expect_end(&end, 0, "");
  close(ends[0]);

  struct outcome nothing = begin(), unread = begin();
  dispatch_read_f(-1, 1, queue, &nothing, ended_once);
  expect_end(&nothing, EBADF, "");
  expect(pipe(ends) == 0);
  close(ends[0]);
  data = text("unread");
  dispatch_write_f(ends[1], data, queue, &unread, ended_once);
  dispatch_release(data);
  expect_end(&unread, EPIPE, "unread");
  close(ends[1]);
}

// MARK: Streams

static void use_streams(void) {
  int ends[2];
  expect(pipe(ends) == 0);
  __block struct outcome closed = begin();
  int end = ends[1];
  dispatch_io_t output = dispatch_io_create(DISPATCH_IO_STREAM, end, queue, ^(int error) {
    close(end);
    cleaned_up(&closed, error);
  });
  expect(dispatch_io_get_descriptor(output) == end);
  __block struct outcome first = begin();
  struct outcome second = begin();
  dispatch_data_t data = text("one");
  dispatch_io_write(output, 0, data, queue, ^(bool done, dispatch_data_t rest, int error) {
    continued(&first, done, rest, error);
  });
  dispatch_release(data);
  __block int barriers = 0;
  dispatch_io_barrier(output, ^{
    expect(dispatch_io_get_descriptor(output) == end);
    barriers++;
  });
  data = text("two");
  dispatch_io_write_f(output, 0, data, queue, &second, continued);
  dispatch_release(data);
  expect_end(&first, 0, "");
  expect_end(&second, 0, "");
  expect(barriers == 1);
  dispatch_io_close(output, 0);
  expect(dispatch_io_get_descriptor(output) == -1);
  // A closed channel takes no more.
  struct outcome late = begin();
  data = text("late");
  dispatch_io_write_f(output, 0, data, queue, &late, continued);
  dispatch_release(data);
  expect_end(&late, ECANCELED, "late");
  expect_end(&closed, 0, "");
  dispatch_release(output);

  struct outcome shut = begin(), read = begin();
  dispatch_io_t input = dispatch_io_create_f(DISPATCH_IO_STREAM, ends[0], queue, &shut, cleaned_up);
  dispatch_io_set_high_water(input, 2);
  dispatch_io_read_f(input, 0, SIZE_MAX, queue, &read, continued);
  expect_end(&read, 0, "onetwo");
  expect(read.largest == 2 && read.calls >= 3);
  // The last reference closes the channel.
  dispatch_release(input);
  expect_end(&shut, 0, "");
  close(ends[0]);
}

static void signal_semaphore(void *semaphore) {
  dispatch_semaphore_signal((dispatch_semaphore_t)semaphore);
}

/// A close that stops a read which waits for more.
static void use_stop(void) {
  int ends[2];
  expect(pipe(ends) == 0);
  struct outcome shut = begin(), late = begin();
  __block struct outcome stopped = begin();
  dispatch_io_t input = dispatch_io_create_f(DISPATCH_IO_STREAM, ends[0], queue, &shut, cleaned_up);
  dispatch_io_set_low_water(input, 1);
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  dispatch_io_read(input, 0, SIZE_MAX, queue, ^(bool done, dispatch_data_t data, int error) {
    continued(&stopped, done, data, error);
    if (!done) dispatch_semaphore_signal(told);
  });
  expect(write(ends[1], "some", 4) == 4);
  wait_for(told);
  dispatch_io_close(input, DISPATCH_IO_STOP);
  expect_end(&stopped, ECANCELED, "some");
  dispatch_io_read_f(input, 0, 1, queue, &late, continued);
  expect_end(&late, ECANCELED, "");
  // A barrier runs on a closed channel too.
  dispatch_io_barrier_f(input, told, signal_semaphore);
  wait_for(told);
  dispatch_release(input);
  expect_end(&shut, 0, "");
  expect(shut.calls == 1);
  dispatch_release(told);
  close(ends[0]);
  close(ends[1]);
}

/// At a strict interval a handler is called without bytes.
static void use_intervals(void) {
  int ends[2];
  expect(pipe(ends) == 0);
  struct outcome shut = begin();
  dispatch_io_t input = dispatch_io_create_f(DISPATCH_IO_STREAM, ends[0], queue, &shut, cleaned_up);
  dispatch_io_set_interval(input, UINT64_MAX, 0);
  dispatch_io_set_interval(input, 1000000, DISPATCH_IO_STRICT_INTERVAL);
  dispatch_semaphore_t told = dispatch_semaphore_create(0);
  __block struct outcome last = begin();
  dispatch_io_read(input, 0, SIZE_MAX, queue, ^(bool done, dispatch_data_t data, int error) {
    continued(&last, done, data, error);
    if (!done) dispatch_semaphore_signal(told);
  });
  wait_for(told);
  wait_for(told);
  dispatch_io_close(input, DISPATCH_IO_STOP);
  expect_end(&last, ECANCELED, "");
  dispatch_release(input);
  // Until then the library watches the descriptor, whose number the next file gets.
  expect_end(&shut, 0, "");
  dispatch_release(told);
  close(ends[0]);
  close(ends[1]);
}

// MARK: Files

/// Reads and writes a file at positions, by a path that is not UTF-8.
static void use_files(void) {
  char path[] = "/tmp/dropin-\xFF-XXXXXX";
  int descriptor = mkstemp(path);
  expect(descriptor >= 0);
  __block struct outcome closed = begin();
  dispatch_io_t file = dispatch_io_create_with_path(
      DISPATCH_IO_RANDOM, path, O_RDWR, 0, queue, ^(int error) { cleaned_up(&closed, error); });
  expect(file && dispatch_io_get_descriptor(file) == -1);
  struct outcome wrote = begin(), read = begin(), part = begin(), end = begin(), before = begin();
  dispatch_data_t data = text("0123456789");
  dispatch_io_write_f(file, 0, data, queue, &wrote, continued);
  dispatch_release(data);
  expect_end(&wrote, 0, "");
  expect(lseek(descriptor, 0, SEEK_END) == 10);
  dispatch_io_read_f(file, 4, 3, queue, &part, continued);
  expect_end(&part, 0, "456");
  dispatch_io_read_f(file, 10, SIZE_MAX, queue, &end, continued);
  expect_end(&end, 0, "");
  dispatch_io_read_f(file, -1, 1, queue, &before, continued);
  expect_end(&before, EINVAL, "");

  struct outcome ends[2] = {begin(), begin()}, reads[2] = {begin(), begin()};
  dispatch_io_t second =
      dispatch_io_create_with_io_f(DISPATCH_IO_STREAM, file, queue, &ends[0], cleaned_up);
  __block struct outcome *last = &ends[1];
  dispatch_io_t third = dispatch_io_create_with_io(
      DISPATCH_IO_RANDOM, file, queue, ^(int error) { cleaned_up(last, error); });
  dispatch_io_read_f(second, 5, 4, queue, &reads[0], continued);
  dispatch_io_read_f(third, 5, 4, queue, &reads[1], continued);
  expect_end(&reads[0], 0, "0123");
  expect_end(&reads[1], 0, "5678");
  dispatch_set_target_queue(third, dispatch_get_global_queue(QOS_CLASS_UTILITY, 0));
  dispatch_release(third);
  dispatch_release(second);
  dispatch_io_read_f(file, 0, SIZE_MAX, queue, &read, continued);
  dispatch_io_close(file, 0);
  expect_end(&read, 0, "0123456789");
  expect_end(&closed, 0, "");
  expect_end(&ends[0], 0, "");
  expect_end(&ends[1], 0, "");
  struct outcome closed_before = begin();
  dispatch_io_t fourth = dispatch_io_create_with_io_f(
      DISPATCH_IO_STREAM, file, queue, &closed_before, cleaned_up);
  expect_end(&closed_before, ECANCELED, "");
  dispatch_release(fourth);
  dispatch_release(file);
  unlink(path);
  close(descriptor);

  struct outcome missing = begin(), unread = begin();
  file = dispatch_io_create_with_path_f(
      DISPATCH_IO_STREAM, path, O_RDONLY, 0, queue, &missing, cleaned_up);
  dispatch_io_read_f(file, 0, 1, queue, &unread, continued);
  expect_end(&unread, ENOENT, "");
  expect_end(&missing, ENOENT, "");
  dispatch_release(file);
}

/// What there is no channel for.
static void use_refusals(void) {
  struct outcome nothing = begin(), pipe_end = begin();
  expect(dispatch_io_create_f(7, 0, queue, &nothing, cleaned_up) == NULL);
  expect(dispatch_io_create_with_path_f(0, "relative", 0, 0, queue, &nothing, cleaned_up) == NULL);
  dispatch_io_t channel = dispatch_io_create_f(DISPATCH_IO_STREAM, -1, queue, &nothing, cleaned_up);
  expect(channel && dispatch_io_get_descriptor(channel) == -1);
  expect_end(&nothing, EBADF, "");
  dispatch_release(channel);
  int ends[2];
  expect(pipe(ends) == 0);
  channel = dispatch_io_create_f(DISPATCH_IO_RANDOM, ends[0], queue, &pipe_end, cleaned_up);
  expect_end(&pipe_end, ESPIPE, "");
  dispatch_release(channel);
  close(ends[0]);
  close(ends[1]);
}

static dispatch_semaphore_t freed;

static void keep(void *kept, bool done, dispatch_data_t data, int error) {
  expect(error == 0 && data);
  dispatch_set_context(data, freed);
  dispatch_set_finalizer_f(data, signal_semaphore);
  if (!done) return;
  dispatch_retain(data);
  *(dispatch_data_t *)kept = data;
}

/// The data of a handler is freed after the call, or when the program that
/// retained it releases it.
static void use_data_of_handlers(void) {
  int ends[2];
  expect(pipe(ends) == 0);
  freed = dispatch_semaphore_create(0);
  dispatch_data_t kept = NULL;
  dispatch_io_t input = dispatch_io_create_f(DISPATCH_IO_STREAM, ends[0], queue, NULL, NULL);
  dispatch_io_set_high_water(input, 1);
  dispatch_io_read_f(input, 0, 5, queue, &kept, keep);
  expect(write(ends[1], "12345", 5) == 5);
  // The barrier comes after the last call has returned.
  dispatch_semaphore_t read = dispatch_semaphore_create(0);
  dispatch_io_barrier_f(input, read, signal_semaphore);
  wait_for(read);
  dispatch_release(read);
  for (int count = 0; count < 4; count++) wait_for(freed);
  expect(has(kept, "5"));
  expect(dispatch_semaphore_wait(freed, DISPATCH_TIME_NOW) != 0);
  dispatch_release(kept);
  wait_for(freed);
  dispatch_release(freed);
  dispatch_release(input);
  close(ends[0]);
  close(ends[1]);
}

void use_io(void) {
  queue = dispatch_queue_create("org.example.io", NULL);
  use_once_functions();
  use_streams();
  use_stop();
  use_intervals();
  use_files();
  use_refusals();
  use_data_of_handlers();
  dispatch_release(queue);
}
