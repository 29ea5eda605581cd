// source.h — what the library exports about sources, and none of its installed
// headers declares.
#pragma once

#include <dispatch/dispatch.h>

extern const struct dispatch_source_type_s _dispatch_source_type_interval;

/// The headers for Linux declare these names as unavailable.
extern const struct dispatch_source_type_s source_type_proc __asm__("_dispatch_source_type_proc");
extern const struct dispatch_source_type_s source_type_vnode __asm__("_dispatch_source_type_vnode");
extern const struct dispatch_source_type_s source_type_memory
    __asm__("_dispatch_source_type_memorypressure");

struct source_record {
  unsigned long data, status;
};

extern void dispatch_source_cancel_and_wait(dispatch_source_t source);
extern void dispatch_source_set_mandatory_cancel_handler(
    dispatch_source_t source, dispatch_block_t handler);
extern void dispatch_source_set_mandatory_cancel_handler_f(
    dispatch_source_t source, dispatch_function_t handler);
extern size_t dispatch_source_get_extended_data(
    dispatch_source_t source, struct source_record *record, size_t size);
