#include "CSignalboxDropIn/block.h"

#include <stdint.h>

#include "blockedge.h"

extern void _Block_release(const void *block);

// Functions of SignalboxDropIn, in Swift.
extern void csd_item_perform(void *item);
extern void csd_item_release(void *item);

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

static const struct csd_block_descriptor descriptor = {0, sizeof(struct item_block), copy, dispose};

void csd_block_invoke(void *block) { csd_item_perform(((struct item_block *)block)->item); }

void (*const _dispatch_block_special_invoke)(void *) = csd_block_invoke;

void *csd_block_make(void *item) {
  struct item_block block = {
      {_NSConcreteStackBlock, CSD_BLOCK_HAS_COPY_DISPOSE, 0, csd_block_invoke, &descriptor}, item};
  return _Block_copy(&block);
}

void csd_block_release(void *block) {
  csd_edge_begins(block);
  _Block_release(block);
}

int csd_block_end(struct csd_block *block) {
  // order: acquiring, BL1
  int flags = __atomic_load_n(&block->flags, __ATOMIC_ACQUIRE);
  if ((flags & CSD_BLOCK_REFERENCES) != CSD_BLOCK_ONE_REFERENCE) {
    csd_block_release(block);
    return 0;
  }
  csd_edge_ends(block);
  // Nobody else has a reference, so nobody can take one. The runtime also marks a block that ends.
  // order: relaxed; no other thread reads it.
  __atomic_store_n(&block->flags, flags - CSD_BLOCK_ONE_REFERENCE + CSD_BLOCK_ENDS, __ATOMIC_RELAXED);
  if (flags & CSD_BLOCK_HAS_COPY_DISPOSE) block->descriptor->dispose(block);
  return 1;
}
