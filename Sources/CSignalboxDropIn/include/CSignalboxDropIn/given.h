// given.h — the object that the next dispatch_…_create of a thread returns.
#pragma once

/// Null, except while SignalboxBridges makes a toolchain object over an existing
/// object.
extern _Thread_local void *_Nullable csd_given_storage
    __attribute__((tls_model("initial-exec")));

/// The object that this thread's next creation returns; null for a new one.
static inline void *_Nullable csd_given(void) { return csd_given_storage; }

static inline void csd_give(void *_Nullable object) { csd_given_storage = object; }
