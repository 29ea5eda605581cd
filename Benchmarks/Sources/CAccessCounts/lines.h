// Who wrote each cache line last, and who has read it since.
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>

#include "access.h"

/// The bytes of a line.
enum { line_size = 64 };

/// Makes ready. Ends the process if the system has no room for the addresses.
void lines_prepare(void);

/// Not in a program without instrumentation, whose retains are reported all the same.
bool lines_are_prepared(void);

/// Thread `thread`, a number above 0, reads or writes the line that contains `address`.
enum move line_read(uintptr_t address, uint32_t thread);
enum move line_write(uintptr_t address, uint32_t thread);

#endif
