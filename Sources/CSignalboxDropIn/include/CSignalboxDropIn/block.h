// block.h — blocks, and the blocks that own a work item.
//
// Sources     "Block Implementation Specification", Clang's documentation.
#pragma once

#include <stddef.h>

/// A block, whose captures follow.
struct csd_block {
  void *_Nullable isa;
  int flags;
  int reserved;
  void (*_Nonnull invoke)(void *_Nullable block);
  const void *_Nonnull descriptor;
};

/// The classes of blocks, in libBlocksRuntime.
extern void *_Nullable _NSConcreteStackBlock[];
extern void *_Nullable _NSConcreteMallocBlock[];
extern void *_Nullable _NSConcreteGlobalBlock[];

/// Whether there is a block at this address.
static inline int csd_is_block(const struct csd_block *_Nonnull block) {
  return block->isa == (void *)_NSConcreteMallocBlock ||
         block->isa == (void *)_NSConcreteStackBlock ||
         block->isa == (void *)_NSConcreteGlobalBlock;
}

/// Functions of libBlocksRuntime.
void *_Nonnull _Block_copy(const void *_Nonnull block);

/// `_Block_release`, as a function that Dispatch can call.
void csd_block_release(void *_Nullable block);

/// Makes a block that owns `item`, a DispatchWorkItem, and performs it when it
/// is called. The block belongs to the caller.
void *_Nonnull csd_block_make(void *_Nonnull item);

/// What a block of `csd_block_make` calls. C code compares blocks with this
/// word, so it has the toolchain's name.
extern void (*_Nonnull const _dispatch_block_special_invoke)(void *_Nullable block);
void csd_block_invoke(void *_Nullable block);

/// The work item that the block owns; null for any other block.
static inline void *_Nullable csd_block_item(const struct csd_block *_Nonnull block) {
  return block->invoke == csd_block_invoke ? *(void *const *)(block + 1) : NULL;
}
