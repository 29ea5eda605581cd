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

/// Makes the processor fetch the cache line at `address`, to be written soon.
/// Any address is valid.
static inline void csb_prefetch(const void *_Nullable address) {
#if defined(__x86_64__)
  // The compiler's own asks for a line to read, because the first processors of this architecture
  // lack this instruction: they ignore it.
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
  __builtin_prefetch(address, 1);
#endif
}
