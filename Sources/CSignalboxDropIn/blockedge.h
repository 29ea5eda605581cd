// blockedge.h — BL1 (block.h) for ThreadSanitizer, which does not see the runtime count references.
//
// A thread gives up its reference inside the runtime, and the runtime frees the block on the thread
// that gives up the last one. Without these two functions, ThreadSanitizer would report the next
// use of the block's memory as a race with what the first thread did. Without ThreadSanitizer they
// do nothing.
#pragma once

#if __has_feature(thread_sanitizer)
void __tsan_release(void *address);
void __tsan_acquire(void *address);

/// BL1 begins: this thread gives up its reference.
static inline void csd_edge_begins(void *block) { __tsan_release(block); }
/// BL1 ends: nobody else has a reference.
static inline void csd_edge_ends(void *block) { __tsan_acquire(block); }
#else
static inline void csd_edge_begins(void *block) { (void)block; }
static inline void csd_edge_ends(void *block) { (void)block; }
#endif
