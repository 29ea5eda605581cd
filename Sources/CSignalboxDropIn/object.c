// dispatch_debug and dispatch_debugv, which have variable arguments.
#include <stdarg.h>
#include <stdio.h>

// A function of SignalboxDropIn, in Swift.
extern void csd_debug(void *object, const char *message);

void dispatch_debugv(void *object, const char *format, va_list arguments) {
  char message[1024];
  vsnprintf(message, sizeof message, format, arguments);
  csd_debug(object, message);
}

void dispatch_debug(void *object, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  dispatch_debugv(object, format, arguments);
  va_end(arguments);
}
