// CSlowOnce.h — one of the values that the Swift runtime makes once takes its time, so that a
// process forks while it is being made.
#pragma once

/// Holds up the making of the `number`th value that other threads than the first make from now
/// on: until the process forks and for as long as a fork takes that does not wait for it, or for
/// some seconds. Once in a process.
void cso_hold(int number);

/// Whether the process began to fork while a value was held up.
int cso_was_met(void);
