#include "Formats.h"

#include <string.h>

// A number of `size` (2 or 4) bytes at `offset`, or 0 beyond the end.
static uint32_t number_at(
    const uint8_t *bytes, size_t length, size_t offset, size_t size, bool little) {
  if (offset > length || length - offset < size) return 0;
  uint32_t value = 0;
  for (size_t index = 0; index < size; ++index) {
    size_t place = little ? size - 1 - index : index;
    value = value << 8 | bytes[offset + place];
  }
  return value;
}

int exif_orientation(const uint8_t *bytes, size_t length) {
  enum { header = 6, entry_size = 12, orientation_tag = 0x0112, short_type = 3 };
  if (length < header + 8 || memcmp(bytes, "Exif\0\0", header) != 0) return 1;
  const uint8_t *tiff = bytes + header;
  size_t size = length - header;
  bool little;
  if (memcmp(tiff, "II*\0", 4) == 0) {
    little = true;
  } else if (memcmp(tiff, "MM\0*", 4) == 0) {
    little = false;
  } else {
    return 1;
  }
  size_t directory = number_at(tiff, size, 4, 4, little);
  uint32_t entries = number_at(tiff, size, directory, 2, little);
  for (uint32_t index = 0; index < entries; ++index) {
    size_t entry = directory + 2 + (size_t)index * entry_size;
    if (number_at(tiff, size, entry, 2, little) != orientation_tag) continue;
    if (number_at(tiff, size, entry + 2, 2, little) != short_type) return 1;
    uint32_t value = number_at(tiff, size, entry + 8, 2, little);
    return value >= 1 && value <= 8 ? (int)value : 1;
  }
  return 1;
}
