// heap.h — what the C library's allocator has given out.
#pragma once

#include <stdint.h>

/// Bytes that the program holds, in all arenas.
uint64_t cheap_bytes_in_use(void);
