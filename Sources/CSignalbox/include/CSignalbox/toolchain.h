// toolchain.h — what the toolchain's own libraries have and do not declare:
// found by name at run time, never linked. Where a name is missing, the rest
// works without it.
#pragma once

/// Has the Swift runtime stop counting references to `object`, which then lives
/// as long as the process. Does nothing where the runtime has no such function.
void csb_immortalize(void *_Nonnull object);

/// A descriptor that is readable while the toolchain's main queue has work,
/// or -1 where its libdispatch is not loaded.
int csb_toolchain_main_queue_descriptor(void);

/// Runs what is pending on the toolchain's main queue. Main thread only.
void csb_toolchain_main_queue_drain(void);

/// Has Foundation's main run loop serve our main queue and main run loop from now
/// on, where the program is linked with the module that can: SignalboxFoundation.
/// Any thread; to be called once.
void csb_foundation_loop_begin(void);

/// Has Swift's runtime hand each job that asks for no executor straight to
/// SignalboxConcurrency, past its own executors, by a hook that it keeps for that. Where
/// it has none that can be found, jobs go on as before. Any thread; to be called once.
///
/// A hook that is taken is left as it is: the function that has it is returned, and null
/// otherwise.
const void *_Nullable csb_toolchain_hook_jobs(void);
