// closure.h — calls a Swift closure without holding a reference to it.
#pragma once

/// Calls the closure of type `() throws(Failure) -> Success` at this address.
/// Both types are generic in the code that stored the closure.
///
/// On success, sets `*has_thrown` to null and initializes the memory at
/// `result`. If the closure throws, sets `*has_thrown` to another value and
/// initializes the memory at `thrown`.
void csb_closure_call(const void *_Nonnull closure, void *_Nonnull result,
                      void *_Nonnull thrown, void *_Nullable *_Nonnull has_thrown);
