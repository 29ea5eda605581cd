// data.h — the constant addresses of data in the C interface: empty data, destructors, formats.
#pragma once

#include <stdint.h>

#include "CSignalboxDropIn/block.h"

/// The size that the toolchain's library gives this object.
#define CSD_EMPTY_DATA_SIZE 80

/// Data without bytes for C code, which uses only the address.
struct csd_empty_data {
  void *_Nullable header[2];
  /// The kind, as in an object of Dispatch (see `ObjectHandle`).
  uint32_t kind;
  char rest[CSD_EMPTY_DATA_SIZE - 2 * sizeof(void *) - sizeof(uint32_t)];
};
extern struct csd_empty_data _dispatch_data_empty;

static inline void *_Nonnull csd_empty_data_address(void) { return &_dispatch_data_empty; }

/// Destructors that say how to free memory. C code passes the blocks on and
/// does not call them.
extern const void *_Nonnull const _dispatch_data_destructor_free;
extern const void *_Nonnull const _dispatch_data_destructor_munmap;
extern const void *_Nonnull const _dispatch_data_destructor_none;

/// What a destructor's address means.
enum csd_destructor {
  CSD_DESTRUCTOR_DEFAULT,
  CSD_DESTRUCTOR_FREE,
  CSD_DESTRUCTOR_MUNMAP,
  CSD_DESTRUCTOR_NONE,
  CSD_DESTRUCTOR_CUSTOM,
};

static inline enum csd_destructor csd_destructor_at(const void *_Nullable address) {
  if (!address) return CSD_DESTRUCTOR_DEFAULT;
  if (address == _dispatch_data_destructor_free) return CSD_DESTRUCTOR_FREE;
  if (address == _dispatch_data_destructor_munmap) return CSD_DESTRUCTOR_MUNMAP;
  if (address == _dispatch_data_destructor_none) return CSD_DESTRUCTOR_NONE;
  return CSD_DESTRUCTOR_CUSTOM;
}

/// The size that the toolchain's library gives a format.
#define CSD_FORMAT_SIZE 40

/// Formats of bytes, of which C code uses only the addresses.
struct csd_format {
  char unused[CSD_FORMAT_SIZE];
};
extern const struct csd_format _dispatch_data_format_type_none;
extern const struct csd_format _dispatch_data_format_type_base32;
extern const struct csd_format _dispatch_data_format_type_base32hex;
extern const struct csd_format _dispatch_data_format_type_base64;
extern const struct csd_format _dispatch_data_format_type_utf8;
extern const struct csd_format _dispatch_data_format_type_utf16le;
extern const struct csd_format _dispatch_data_format_type_utf16be;
extern const struct csd_format _dispatch_data_format_type_utf_any;

/// What a format's address means.
enum csd_format_kind {
  CSD_FORMAT_NONE,
  CSD_FORMAT_BASE32,
  CSD_FORMAT_BASE32HEX,
  CSD_FORMAT_BASE64,
  CSD_FORMAT_UTF8,
  CSD_FORMAT_UTF16LE,
  CSD_FORMAT_UTF16BE,
  CSD_FORMAT_UTF_ANY,
  CSD_FORMAT_UNKNOWN,
};

enum csd_format_kind csd_format_at(const void *_Nullable address);
