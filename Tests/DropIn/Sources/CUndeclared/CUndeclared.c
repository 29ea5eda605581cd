#include "CUndeclared.h"

#include <dispatch/dispatch.h>

void *undeclared_global_queue(void) { return dispatch_get_global_queue(0, 0); }

void *undeclared_main_queue(void) { return dispatch_get_main_queue(); }
