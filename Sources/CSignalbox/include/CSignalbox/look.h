// look.h — inspects a thread or memory from another thread.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The word on which a thread sleeps. A thread that has changed it is about to
/// wake the sleeper.
static inline uint32_t csb_look_at_word(const void *_Nonnull word) {
  // order: relaxed; an early read only finds a wait that is already over.
  return __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED);
}

/// Copies `size` bytes of this process's memory from `address`, which may be
/// unmapped or reused by now: the kernel reads the bytes and reports unmapped
/// memory. Returns 0 or an errno: EFAULT for unmapped memory, ENOSYS or EPERM
/// in a sandbox that refuses the call.
int csb_look_at_memory(const void *_Nonnull address, void *_Nonnull copy, size_t size);

/// Writes the kernel ids of this process's threads, at most `capacity` of them.
/// Returns the number of threads, or -errno.
long csb_look_at_threads(int32_t *_Nonnull kernel_ids, size_t capacity);

/// Writes the name of the thread with this kernel id into 16 bytes. Writes
/// nothing if the name can't be read.
void csb_look_at_name(int32_t kernel_id, char *_Nonnull name);
