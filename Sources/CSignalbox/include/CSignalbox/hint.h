// hint.h — hints to the processor, one place for every architecture.
#pragma once

/// Tells the processor that this is a spin loop.
static inline void csb_spin_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

/// Has the processor fetch the line at `address`, to be read or written soon. Any
/// address will do.
static inline void csb_prefetch(const void *_Nullable address) {
  __builtin_prefetch(address, 1);
}
