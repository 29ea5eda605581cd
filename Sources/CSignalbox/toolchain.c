#define _GNU_SOURCE
#include "CSignalbox/toolchain.h"

#include <dlfcn.h>
#include <stddef.h>

int csb_toolchain_main_queue_descriptor(void) {
  int (*port)(void) =
      (int (*)(void))dlsym(RTLD_DEFAULT, "_dispatch_get_main_queue_port_4CF");
  return port ? port() : -1;
}

void csb_toolchain_main_queue_drain(void) {
  void (*drain)(void *) = (void (*)(void *))dlsym(
      RTLD_DEFAULT, "_dispatch_main_queue_callback_4CF");
  if (drain) drain(NULL);
}
