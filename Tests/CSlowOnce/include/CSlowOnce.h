// CSlowOnce.h — makes the creation of one lazy value of the Swift runtime slow, so that a process
// forks during the creation, or another thread waits for it.
#pragma once

/// Delays the creation of the `number`th lazy value that threads other than the first create
/// from now on while `counts` returns 1 for them. The delay lasts until the process forks and for the duration of a fork that
/// does not wait for it, or for some seconds. Call it once in a process.
void cso_hold(int number, int (*_Nonnull counts)(void));

/// Whether the process began to fork while a value was delayed.
int cso_was_met(void);

/// Creates a lazy value on this thread, which goes on when another thread waits for the value.
/// Returns whether both then had it. Call it once in a process.
int cso_make_while_another_waits(void);
