#include "CReferences.h"

#include <dispatch/dispatch.h>

void retain_for_c(struct dispatch_handle *object) { dispatch_retain((dispatch_queue_t)object); }

void release_for_c(struct dispatch_handle *object) { dispatch_release((dispatch_queue_t)object); }
