// object.h — references to Swift objects that the compiler does not see.
#pragma once

/// Keeps an object for a call that was given it without a reference, where Swift takes
/// for granted that its caller has one: a reference that it can see it leaves out.
void csb_object_retain(void *_Nonnull object);

/// Gives that reference back; the object may be freed by it.
void csb_object_release(void *_Nonnull object);
