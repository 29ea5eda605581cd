// diagnosis.h — functions of higher modules that the engine calls when a wait
// is long.
//
// The functions are in Swift, in the modules that each comment names. The engine
// refers to them by name, so the linker connects them, statically or not, and a
// program in which one is missing does not link. Nothing needs to be installed.
#pragma once

/// Searches for a deadlock that this wait record's thread is part of or waits
/// for, and reports it. In `SignalboxDiagnostics`.
///
/// Returns whether the search was complete. If not, call it again soon.
int csb_diagnose_wait(void *_Nonnull record);

/// Reports a pool in which every worker waits. Call it on a worker that has
/// waited for a long time. In `SignalboxDispatch`.
void csb_diagnose_pool(void);
