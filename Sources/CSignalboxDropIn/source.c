#include "CSignalboxDropIn/source.h"

/// A type for C code, which uses only the address. It has the size that the
/// toolchain's library gives it.
struct dispatch_source_type_s {
  uint32_t mark;
  enum csd_source_kind kind;
  char rest[40];
};

enum { mark = 0x53424F54 };

#define TYPE(name, number)                             \
  extern const struct dispatch_source_type_s name;     \
  const struct dispatch_source_type_s name = {.mark = mark, .kind = number}

TYPE(_dispatch_source_type_data_add, CSD_SOURCE_DATA_ADD);
TYPE(_dispatch_source_type_data_or, CSD_SOURCE_DATA_OR);
TYPE(_dispatch_source_type_data_replace, CSD_SOURCE_DATA_REPLACE);
TYPE(_dispatch_source_type_read, CSD_SOURCE_READ);
TYPE(_dispatch_source_type_write, CSD_SOURCE_WRITE);
TYPE(_dispatch_source_type_signal, CSD_SOURCE_SIGNAL);
TYPE(_dispatch_source_type_timer, CSD_SOURCE_TIMER);
TYPE(_dispatch_source_type_interval, CSD_SOURCE_INTERVAL);
// The toolchain's library for Linux does not have these.
TYPE(_dispatch_source_type_proc, CSD_SOURCE_PROC);
TYPE(_dispatch_source_type_vnode, CSD_SOURCE_VNODE);
TYPE(_dispatch_source_type_memorypressure, CSD_SOURCE_MEMORYPRESSURE);

enum csd_source_kind csd_source_kind_at(const void *type) {
  const struct dispatch_source_type_s *found = type;
  return found->mark == mark ? found->kind : CSD_SOURCE_NONE;
}
