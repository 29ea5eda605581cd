#include "CSignalbox/sort.h"

#include <errno.h>
#include <stdlib.h>

static int is_sorted(const int64_t *numbers, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (numbers[i - 1] > numbers[i]) return 0;
  }
  return 1;
}

static int compare_numbers(const void *one, const void *other) {
  int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
  return (a > b) - (a < b);
}

void csb_sort(int64_t *numbers, size_t count) {
  // Times of a recording are usually sorted.
  if (!is_sorted(numbers, count)) qsort(numbers, count, sizeof *numbers, compare_numbers);
}

struct placed {
  int64_t number;
  intptr_t index;
};

static int compare_placed(const void *one, const void *other) {
  const struct placed *a = one, *b = other;
  if (a->number != b->number) return a->number > b->number ? 1 : -1;
  return (a->index > b->index) - (a->index < b->index);
}

int csb_sort_indices(const int64_t *numbers, size_t count, intptr_t *indices) {
  if (is_sorted(numbers, count)) {
    for (size_t i = 0; i < count; i++) indices[i] = (intptr_t)i;
    return 0;
  }
  struct placed *all = malloc(count * sizeof *all);
  if (!all) return ENOMEM;
  for (size_t i = 0; i < count; i++) all[i] = (struct placed){numbers[i], (intptr_t)i};
  qsort(all, count, sizeof *all, compare_placed);
  for (size_t i = 0; i < count; i++) indices[i] = all[i].index;
  free(all);
  return 0;
}
