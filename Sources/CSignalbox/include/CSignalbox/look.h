// look.h — what can be seen of a thread from another one.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The word on which a thread sleeps. Whoever changed it is about to wake that
/// thread.
static inline uint32_t csb_look_at_word(const void *_Nonnull word) {
  // order: relaxed; a look that comes too early only finds a wait that is over.
  return __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED);
}

/// Copies `size` bytes of this process's memory from `address`, where anything or nothing
/// may be by now: the kernel reads them, and says if there is nothing. Returns 0 or an
/// errno: EFAULT for nothing there, ENOSYS or EPERM in a sandbox that refuses the call.
int csb_look_at_memory(const void *_Nonnull address, void *_Nonnull copy, size_t size);

/// Writes the kernel's ids of this process's threads, at most `capacity` of them.
/// Returns how many there are, or -errno.
long csb_look_at_threads(int32_t *_Nonnull kernel_ids, size_t capacity);

/// Writes the name in the kernel's list of the thread with this kernel id into
/// 16 bytes; nothing where it cannot be read.
void csb_look_at_name(int32_t kernel_id, char *_Nonnull name);
