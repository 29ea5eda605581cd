// closure.h — calls a Swift closure without holding a reference to it.
#pragma once

/// Calls the closure of type `() throws(Failure) -> Success` at this address, where
/// both types are generic to whoever stored it.
///
/// Sets `*has_thrown` to null and initializes the memory at `result`, or to something
/// else and that at `thrown`.
void csb_closure_call(const void *_Nonnull closure, void *_Nonnull result,
                      void *_Nonnull thrown, void *_Nullable *_Nonnull has_thrown);
