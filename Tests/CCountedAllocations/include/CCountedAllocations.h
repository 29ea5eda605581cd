// CCountedAllocations.h — how often this program's threads asked the allocator for memory.
#pragma once

/// How often memory was asked for so far, by any thread.
long cca_count(void);
/// Whether it is counted: not under a sanitizer, which brings an allocator of its own.
int cca_is_counting(void);
