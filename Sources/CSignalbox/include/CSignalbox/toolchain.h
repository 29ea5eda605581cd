// toolchain.h — the main queue of the toolchain's own libdispatch, where that
// library is loaded: found by name at run time, never linked.
#pragma once

/// A descriptor that is readable while the toolchain's main queue has work,
/// or -1 where its libdispatch is not loaded.
int csb_toolchain_main_queue_descriptor(void);

/// Runs what is pending on the toolchain's main queue. Main thread only.
void csb_toolchain_main_queue_drain(void);
