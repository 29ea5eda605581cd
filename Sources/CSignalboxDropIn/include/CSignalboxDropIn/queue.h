// queue.h — the main queue's address and the addresses of queue attributes.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The sizes that the toolchain's library gives these objects.
#define CSD_MAIN_QUEUE_SIZE 128
#define CSD_ATTRIBUTE_SIZE 16
#define CSD_ATTRIBUTE_COUNT 4032

/// The main queue for C code, which uses only the address.
struct csd_main_queue {
  void *_Nullable header[2];
  /// The kind, as in an object of Dispatch (see `ObjectHandle`).
  uint32_t kind;
  uint32_t references;
  void *_Nullable attachment;
  /// The target and the width, as in a queue (see `QueueHead.widthForC`).
  void *_Nullable target;
  uint32_t fork_count;
  uint16_t width;
  char rest[CSD_MAIN_QUEUE_SIZE - 46];
};
extern struct csd_main_queue _dispatch_main_q;

static inline void *_Nonnull csd_main_queue_address(void) { return &_dispatch_main_q; }

/// All combinations of attributes, each one an address. The first one is
/// DISPATCH_QUEUE_CONCURRENT, and null is DISPATCH_QUEUE_SERIAL.
extern char _dispatch_queue_attr_concurrent[CSD_ATTRIBUTE_COUNT * CSD_ATTRIBUTE_SIZE];

/// The attributes with this number.
static inline void *_Nonnull csd_attribute_address(size_t index) {
  return (void *)(uintptr_t)&_dispatch_queue_attr_concurrent[index * CSD_ATTRIBUTE_SIZE];
}

/// The number of the attributes at this address; -1 if there are none.
static inline ptrdiff_t csd_attribute_index(const void *_Nonnull address) {
  ptrdiff_t distance = (const char *)address - _dispatch_queue_attr_concurrent;
  if (distance < 0 || distance >= CSD_ATTRIBUTE_COUNT * CSD_ATTRIBUTE_SIZE) return -1;
  return distance % CSD_ATTRIBUTE_SIZE == 0 ? distance / CSD_ATTRIBUTE_SIZE : -1;
}
