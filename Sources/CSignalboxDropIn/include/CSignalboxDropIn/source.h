// source.h — the types of sources. In the C interface each type is a constant
// address.
#pragma once

#include <stdint.h>

/// What a source watches.
enum csd_source_kind {
  CSD_SOURCE_NONE,
  CSD_SOURCE_DATA_ADD,
  CSD_SOURCE_DATA_OR,
  CSD_SOURCE_DATA_REPLACE,
  CSD_SOURCE_READ,
  CSD_SOURCE_WRITE,
  CSD_SOURCE_SIGNAL,
  CSD_SOURCE_TIMER,
  CSD_SOURCE_INTERVAL,
  CSD_SOURCE_PROC,
  CSD_SOURCE_VNODE,
  CSD_SOURCE_MEMORYPRESSURE,
};

/// The kind of sources whose type is at this address; `CSD_SOURCE_NONE` if no
/// type is there. It reads the memory at the address.
enum csd_source_kind csd_source_kind_at(const void *_Nonnull type);
