#define _GNU_SOURCE
#include "CSignalbox/toolchain.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

void csb_immortalize(void *object) {
  void (*immortalize)(void *) =
      (void (*)(void *))dlsym(RTLD_DEFAULT, "_swift_stdlib_immortalize");
  if (immortalize) immortalize(object);
}

// Defined by CSignalboxDropIn. Its address is null if the program does not link
// that module, which defines the functions of libdispatch itself: the main
// queue that they serve is ours.
extern const char csb_dispatch_is_ours __attribute__((weak));

int csb_toolchain_main_queue_descriptor(void) {
  if (&csb_dispatch_is_ours) return -1;
  int (*port)(void) =
      (int (*)(void))dlsym(RTLD_DEFAULT, "_dispatch_get_main_queue_port_4CF");
  return port ? port() : -1;
}

void csb_toolchain_main_queue_drain(void) {
  int descriptor = csb_toolchain_main_queue_descriptor();
  void (*drain)(void *) = (void (*)(void *))dlsym(
      RTLD_DEFAULT, "_dispatch_main_queue_callback_4CF");
  if (descriptor < 0 || !drain) return;
  // The descriptor is a non-blocking eventfd. Read it to clear the wake-up
  // before looking at the work, so that no wake-up is lost.
  uint64_t count;
  ssize_t size = read(descriptor, &count, sizeof count);
  (void)size;
  drain(NULL);
}

// A function of SignalboxFoundation, in Swift. Its address is null if the
// program does not link that module.
extern void csb_foundation_loop_arrange(void) __attribute__((weak));

void csb_foundation_loop_begin(void) {
  if (csb_foundation_loop_arrange) csb_foundation_loop_arrange();
}
