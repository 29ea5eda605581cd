#include <string.h>

#include "expect.h"

static void *const null = NULL;

static int is(const char *name, const char *other) { return !strcmp(name, other); }

extern dispatch_data_t dispatch_data_create_f(const void *, size_t, dispatch_queue_t, dispatch_function_t);
extern dispatch_data_t dispatch_data_create_with_transform(dispatch_data_t, const void *, const void *);
extern bool dispatch_data_apply_f(dispatch_data_t, void *, bool (*)(void *, dispatch_data_t, size_t, const void *, size_t));
extern void dispatch_io_read_f(dispatch_io_t, off_t, size_t, dispatch_queue_t, void *, void (*)(void *, bool, dispatch_data_t, int));

void misuse_data(const char *name, dispatch_queue_t queue) {
  void *volatile nil = null;
  dispatch_data_t data = dispatch_data_create("data", 4, NULL, NULL);
  size_t offset;
  if (is(name, "nullData")) exit((int)dispatch_data_get_size((dispatch_data_t)nil));
  if (is(name, "queueAsData")) (void)!dispatch_data_create_concat(data, (dispatch_data_t)queue);
  if (is(name, "dataAsQueue")) dispatch_async((dispatch_queue_t)data, ^{});
  if (is(name, "emptyDataAsQueue")) dispatch_async((dispatch_queue_t)dispatch_data_empty, ^{});
  if (is(name, "suspendedData")) dispatch_suspend((dispatch_queue_t)data);
  if (is(name, "releasedData")) {
    dispatch_release(data);
    dispatch_release(data);
  }
  if (is(name, "dataUsedAfterRelease")) {
    dispatch_release(data);
    (void)!dispatch_data_copy_region(data, 0, &offset);
  }
  if (is(name, "nullOffset")) (void)!dispatch_data_copy_region(data, 0, (size_t *)nil);
  if (is(name, "nullApplier")) dispatch_data_apply(data, (dispatch_data_applier_t)nil);
  if (is(name, "nullApplierFunction")) dispatch_data_apply_f(data, NULL, NULL);
  if (is(name, "hugeData")) (void)!dispatch_data_create_f("data", SIZE_MAX, NULL, NULL);
  if (is(name, "calledDestructor")) DISPATCH_DATA_DESTRUCTOR_FREE();
  if (is(name, "noDestructor")) (void)!dispatch_data_create("data", 4, NULL, (dispatch_block_t)calloc(8, 8));
  if (is(name, "noFormat")) (void)!dispatch_data_create_with_transform(data, "", "");
  if (is(name, "noMapping")) {
    char *inside = (char *)malloc(100) + 1;
    dispatch_release(dispatch_data_create(inside, 4, NULL, DISPATCH_DATA_DESTRUCTOR_MUNMAP));
  }
}

void misuse_channels(const char *name, dispatch_queue_t queue) {
  void *volatile nil = null;
  typedef void (^handler_t)(bool, dispatch_data_t, int);
  handler_t handler = ^(bool done, dispatch_data_t data, int error) { (void)done, (void)data, (void)error; };
  dispatch_data_t data = dispatch_data_create("data", 4, NULL, NULL);
  dispatch_io_t channel = dispatch_io_create(DISPATCH_IO_STREAM, 0, queue, ^(int error) { (void)error; });
  if (is(name, "nullChannel")) dispatch_io_close((dispatch_io_t)nil, 0);
  if (is(name, "queueAsChannel")) dispatch_io_read((dispatch_io_t)queue, 0, 1, queue, handler);
  if (is(name, "channelAsData")) dispatch_io_write(channel, 0, (dispatch_data_t)channel, queue, handler);
  if (is(name, "dataAsChannel")) dispatch_io_set_low_water((dispatch_io_t)data, 1);
  if (is(name, "channelAsQueue")) dispatch_io_read(channel, 0, 1, (dispatch_queue_t)channel, handler);
  if (is(name, "nullHandler")) dispatch_io_read(channel, 0, 1, queue, (handler_t)nil);
  if (is(name, "noHandler")) dispatch_io_read(channel, 0, 1, queue, (handler_t)calloc(8, 8));
  if (is(name, "nullHandlerFunction")) dispatch_io_read_f(channel, 0, 1, queue, NULL, NULL);
  if (is(name, "nullHandlerQueue")) dispatch_read(0, 1, (dispatch_queue_t)nil, (void (^)(dispatch_data_t, int))handler);
  if (is(name, "nullDataToWrite")) dispatch_write(1, (dispatch_data_t)nil, queue, (void (^)(dispatch_data_t, int))handler);
  if (is(name, "nullBarrier")) dispatch_io_barrier(channel, (dispatch_block_t)nil);
  if (is(name, "nullPath"))
    (void)!dispatch_io_create_with_path(DISPATCH_IO_STREAM, (const char *)nil, 0, 0, queue, ^(int error) { (void)error; });
  if (is(name, "releasedChannel")) {
    dispatch_release(channel);
    dispatch_release(channel);
  }
}
