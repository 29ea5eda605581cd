// hint.h — hints to the processor, for every architecture in one file.
#pragma once

/// Tells the processor that this is a spin loop.
static inline void csb_spin_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/// Makes the processor fetch the cache line at `address`, for an access soon.
/// Any address is valid.
static inline void csb_prefetch(const void *_Nullable address) {
  __builtin_prefetch(address, 1);
}
