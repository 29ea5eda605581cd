// CCountedAllocations.h — how often this program's threads requested memory from the allocator.
#pragma once

/// The number of requests for memory so far, by any thread.
long cca_count(void);
/// Whether requests are counted. They are not under a sanitizer, which has an allocator of its
/// own.
int cca_is_counting(void);
