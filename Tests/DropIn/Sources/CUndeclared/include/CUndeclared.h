// CUndeclared.h — names of the interface that no installed header declares.
#pragma once

/// Submits a job of Swift's runtime.
void dispatch_async_swift_job(void *_Nonnull queue, void *_Nonnull job, unsigned qos_class);

/// The address that dispatch_get_global_queue returns.
void *_Nonnull undeclared_global_queue(void);

/// The address that dispatch_get_main_queue returns.
void *_Nonnull undeclared_main_queue(void);

/// How many bytes the allocator has given to the copy of a block with one capture.
unsigned long bytes_of_small_block(void);

/// The copy of a block with so many captures, which add up to `sum` times their number.
void *_Nonnull block_with_captures(int count, long sum);

/// What the block's captures add up to. Frees the block.
long call_and_free_block(void *_Nonnull block);
