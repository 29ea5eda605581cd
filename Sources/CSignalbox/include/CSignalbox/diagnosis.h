// diagnosis.h — what the engine asks of the modules above it when a wait lasts.
//
// The functions are in Swift, in the modules that each comment names. The engine
// refers to them by name, so the linker connects them, statically or not, and a
// program in which one is missing does not link. Nothing must be installed.
#pragma once

/// Searches for a deadlock that the waiting thread of this wait record is in or
/// waits for, and reports it. In `SignalboxDiagnostics`.
///
/// Returns whether the search was complete. If not, call it again soon.
int csb_diagnose_wait(void *_Nonnull record);

/// Reports a pool whose workers all wait. Call it on a worker that has waited
/// for long. In `SignalboxDispatch`.
void csb_diagnose_pool(void);
