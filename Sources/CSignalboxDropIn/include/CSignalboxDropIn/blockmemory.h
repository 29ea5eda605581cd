// blockmemory.h — the memory of blocks.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Makes the Blocks runtime call the two functions below in place of the C library's.
/// Does nothing if the words through which the runtime calls them cannot be found or
/// written.
void csd_block_memory_begin(void);

/// The number of the thread that made a block, stored behind the block: see BlockNode.
static inline uint32_t csd_load_maker(const uint32_t *_Nonnull maker) {
  // order: relaxed; a thread finds its own number only if it stored it itself.
  return __atomic_load_n(maker, __ATOMIC_RELAXED);
}
static inline void csd_store_maker(uint32_t *_Nonnull maker, uint32_t thread) {
  // order: relaxed; as above.
  __atomic_store_n(maker, thread, __ATOMIC_RELAXED);
}

// Functions of SignalboxDropIn, in Swift.
void *_Nullable csd_block_allocate(size_t size);
void csd_block_free(void *_Nullable memory);

/// The C library's allocator.
void *_Nullable csd_allocate(size_t size);
size_t csd_allocated_size(void *_Nonnull memory);
void csd_free(void *_Nullable memory);
