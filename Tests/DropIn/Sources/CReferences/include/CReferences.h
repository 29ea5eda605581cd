// CReferences.h — counts C's references to an object: Swift may not call these functions itself.
#pragma once

/// A `dispatch_queue_t`, a `dispatch_group_t` and so on.
struct dispatch_handle;

void retain_for_c(struct dispatch_handle *_Nonnull object);
void release_for_c(struct dispatch_handle *_Nonnull object);
