// toolchain.h — functions that the toolchain's own libraries contain and do not
// declare. They are found by name at run time, never linked. If a name is
// missing, everything else still works.
#pragma once

/// Makes the Swift runtime stop counting references to `object`, which then
/// lives as long as the process. Does nothing if the runtime has no such
/// function.
void csb_immortalize(void *_Nonnull object);

/// A descriptor that is readable while the toolchain's main queue has work, or
/// -1 if its libdispatch is not loaded or the program has ours in its place.
int csb_toolchain_main_queue_descriptor(void);

/// Runs what is pending on the toolchain's main queue. Call only on the main
/// thread.
void csb_toolchain_main_queue_drain(void);

/// Makes Foundation's main run loop drain our main queue and run our main run
/// loop from now on, if the program links SignalboxFoundation, which can do so.
/// Any thread may call this, once.
void csb_foundation_loop_begin(void);

/// Makes Swift's runtime hand each job without a preferred executor directly to
/// SignalboxConcurrency, bypassing its own executors, through a hook of the
/// runtime. If the runtime has no such hook, jobs run as before. Any thread may
/// call this, once.
///
/// Leaves a hook unchanged that is already set, and returns its function;
/// otherwise returns null.
const void *_Nullable csb_toolchain_hook_jobs(void);
