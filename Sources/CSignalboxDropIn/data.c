#include "CSignalboxDropIn/data.h"

// A function of SignalboxDropIn, in Swift.
extern void csd_destructor_called(void *block);

struct csd_empty_data _dispatch_data_empty = {.kind = 0x53424F44};

enum { is_global = 1 << 28 };

static const struct csd_block_descriptor descriptor = {.size = sizeof(struct csd_block)};

#define DESTRUCTOR(name)                                                                  \
  static struct csd_block name = {_NSConcreteGlobalBlock, is_global, 0,                   \
                                  csd_destructor_called, &descriptor};                    \
  const void *const _dispatch_data_destructor_##name = &name

DESTRUCTOR(free);
DESTRUCTOR(munmap);
DESTRUCTOR(none);

const struct csd_format _dispatch_data_format_type_none;
const struct csd_format _dispatch_data_format_type_base32;
const struct csd_format _dispatch_data_format_type_base32hex;
const struct csd_format _dispatch_data_format_type_base64;
const struct csd_format _dispatch_data_format_type_utf8;
const struct csd_format _dispatch_data_format_type_utf16le;
const struct csd_format _dispatch_data_format_type_utf16be;
const struct csd_format _dispatch_data_format_type_utf_any;

enum csd_format_kind csd_format_at(const void *address) {
  static const struct csd_format *const formats[CSD_FORMAT_UNKNOWN] = {
      [CSD_FORMAT_NONE] = &_dispatch_data_format_type_none,
      [CSD_FORMAT_BASE32] = &_dispatch_data_format_type_base32,
      [CSD_FORMAT_BASE32HEX] = &_dispatch_data_format_type_base32hex,
      [CSD_FORMAT_BASE64] = &_dispatch_data_format_type_base64,
      [CSD_FORMAT_UTF8] = &_dispatch_data_format_type_utf8,
      [CSD_FORMAT_UTF16LE] = &_dispatch_data_format_type_utf16le,
      [CSD_FORMAT_UTF16BE] = &_dispatch_data_format_type_utf16be,
      [CSD_FORMAT_UTF_ANY] = &_dispatch_data_format_type_utf_any,
  };
  enum csd_format_kind kind = CSD_FORMAT_NONE;
  while (kind < CSD_FORMAT_UNKNOWN && formats[kind] != address) kind++;
  return kind;
}
