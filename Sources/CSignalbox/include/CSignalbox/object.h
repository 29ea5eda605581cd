// object.h — references to Swift objects that the compiler does not see.
#pragma once

/// Retains an object for a call that received it without a reference. Swift
/// assumes that the caller has one and would optimize away a retain that it can
/// see.
void csb_object_retain(void *_Nonnull object);

/// Releases that reference, which may free the object.
void csb_object_release(void *_Nonnull object);
