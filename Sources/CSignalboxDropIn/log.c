// _dispatch_log, which has variable arguments, and _dispatch_bug. The
// toolchain's own code reports unexpected events with them, and other code may.
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "CSignalbox/trap.h"

void _dispatch_log(const char *format, ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  csb_warn(message);
}

void _dispatch_bug(size_t line, long value) {
  _dispatch_log("BUG in libdispatch: line %zu, value 0x%lx", line, value);
}
