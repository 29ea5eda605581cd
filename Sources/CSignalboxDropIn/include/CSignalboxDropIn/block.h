// block.h — blocks, and the blocks that own a work item.
//
// Ordering    BL1  a thread gives up its reference to a block (`_Block_release`, which is
//                  sequentially consistent) → the thread with the last reference (acquiring):
//                  it sees what the first thread did with the block's captures.
// Sources     "Block Implementation Specification", Clang's documentation.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct csd_block_descriptor;

/// A block, whose captures follow.
struct csd_block {
  void *_Nullable isa;
  int flags;
  int reserved;
  void (*_Nonnull invoke)(void *_Nullable block);
  const struct csd_block_descriptor *_Nonnull descriptor;
};

/// Bits of `flags` of a block on the heap. The specification does not name the bits that
/// count references: `csd_block_memory_begin` checks that they are the ones here.
enum {
  CSD_BLOCK_ENDS = 1,
  CSD_BLOCK_ONE_REFERENCE = 2,
  CSD_BLOCK_REFERENCES = 0xfffe,
  CSD_BLOCK_ON_HEAP = 1 << 24,
  CSD_BLOCK_HAS_COPY_DISPOSE = 1 << 25
};

struct csd_block_descriptor {
  uintptr_t reserved, size;
  /// Only with CSD_BLOCK_HAS_COPY_DISPOSE.
  void (*_Nullable copy)(void *_Nonnull to, const void *_Nonnull from);
  void (*_Nullable dispose)(const void *_Nonnull block);
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

/// Whether the runtime has copied the block to the heap.
static inline int csd_block_is_on_heap(const struct csd_block *_Nonnull block) {
  // order: relaxed; other threads change the number of references in the same word.
  return (__atomic_load_n(&block->flags, __ATOMIC_RELAXED) & CSD_BLOCK_ON_HEAP) != 0;
}

/// `_Block_copy`, for code that knows that the block is on the heap.
static inline void csd_block_retain(struct csd_block *_Nonnull block) {
  // order: relaxed; the caller has a reference.
  __atomic_fetch_add(&block->flags, CSD_BLOCK_ONE_REFERENCE, __ATOMIC_RELAXED);
}

/// Gives up a reference to a block on the heap. Returns whether it was the last one. If so, the
/// block has ended, and the caller owns its memory.
int csd_block_end(struct csd_block *_Nonnull block);

/// Makes a block that owns `item`, a DispatchWorkItem, and performs it when it
/// is called. The block belongs to the caller.
void *_Nonnull csd_block_make(void *_Nonnull item);

/// The function of each block that `csd_block_make` makes. C code compares the
/// functions of blocks with this word, so the word has the toolchain's name.
extern void (*_Nonnull const _dispatch_block_special_invoke)(void *_Nullable block);
void csd_block_invoke(void *_Nullable block);

/// The work item that the block owns; null for any other block.
static inline void *_Nullable csd_block_item(const struct csd_block *_Nonnull block) {
  return block->invoke == csd_block_invoke ? *(void *const *)(block + 1) : NULL;
}
