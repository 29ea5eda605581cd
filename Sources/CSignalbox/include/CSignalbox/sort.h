// sort.h — sorts numbers, fast also in a program that is built without
// optimization.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Sorts numbers in ascending order.
void csb_sort(int64_t *_Nonnull numbers, size_t count);

/// Writes the indices of `numbers` in the ascending order of the numbers. Equal
/// numbers keep their order. Returns 0 or ENOMEM.
int csb_sort_indices(const int64_t *_Nonnull numbers, size_t count, intptr_t *_Nonnull indices);
