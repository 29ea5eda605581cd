#include "CSignalboxDropIn/block.h"

#include <stdint.h>

extern void _Block_release(const void *block);

// Functions of SignalboxDropIn, in Swift.
extern void csd_item_perform(void *item);
extern void csd_item_release(void *item);

enum { has_copy_dispose = 1 << 25 };

/// A block that owns a work item.
struct item_block {
  struct csd_block block;
  void *item;
};

static void copy(void *to, const void *from) {
  // The runtime has copied the fields, and the reference moves with them. Only
  // `csd_block_make` copies a block that is not on the heap yet.
  (void)to;
  (void)from;
}

static void dispose(const void *block) {
  csd_item_release(((const struct item_block *)block)->item);
}

static const struct {
  uintptr_t reserved, size;
  void (*copy)(void *, const void *);
  void (*dispose)(const void *);
} descriptor = {0, sizeof(struct item_block), copy, dispose};

void csd_block_invoke(void *block) { csd_item_perform(((struct item_block *)block)->item); }

void (*const _dispatch_block_special_invoke)(void *) = csd_block_invoke;

void *csd_block_make(void *item) {
  struct item_block block = {
      {_NSConcreteStackBlock, has_copy_dispose, 0, csd_block_invoke, &descriptor}, item};
  return _Block_copy(&block);
}

void csd_block_release(void *block) { _Block_release(block); }
