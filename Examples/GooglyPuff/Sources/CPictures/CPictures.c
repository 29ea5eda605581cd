#include "Formats.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t jpeg_signature[] = {0xFF, 0xD8, 0xFF};
static const uint8_t png_signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

cpictures_outcome picture_allocate(
    cpictures_picture *picture, int64_t width, int64_t height, int64_t most_pixels,
    int64_t longest_side, bool only_size, cpictures_report *report) {
  report->width = width;
  report->height = height;
  // Neither product overflows: a side has at most 31 bits in both formats.
  if (width > longest_side || height > longest_side || width * height > most_pixels)
    return cpictures_too_large;
  picture->width = (int32_t)width;
  picture->height = (int32_t)height;
  if (only_size) return cpictures_ok;
  picture->pixels = malloc((size_t)(width * height) * 4);
  return picture->pixels == NULL ? cpictures_no_memory : cpictures_ok;
}

static cpictures_outcome look(
    FILE *file, int64_t most_pixels, int64_t longest_side, bool only_size,
    cpictures_picture *picture, cpictures_report *report) {
  memset(picture, 0, sizeof *picture);
  memset(report, 0, sizeof *report);
  uint8_t start[sizeof png_signature];
  rewind(file);
  errno = 0;
  size_t length = fread(start, 1, sizeof start, file);
  if (ferror(file)) {
    report->code = errno;
    return cpictures_system_error;
  }
  if (length == 0) return cpictures_empty;
  rewind(file);
  cpictures_outcome outcome = cpictures_not_a_picture;
  if (length >= sizeof jpeg_signature
      && memcmp(start, jpeg_signature, sizeof jpeg_signature) == 0) {
    outcome = jpeg_read(file, most_pixels, longest_side, only_size, picture, report);
  } else if (length == sizeof png_signature && memcmp(start, png_signature, length) == 0) {
    outcome = png_read(file, most_pixels, longest_side, only_size, picture, report);
  }
  if (outcome != cpictures_ok) cpictures_free(picture);
  return outcome;
}

cpictures_outcome cpictures_read(
    FILE *file, int64_t most_pixels, int64_t longest_side, cpictures_picture *picture,
    cpictures_report *report) {
  return look(file, most_pixels, longest_side, false, picture, report);
}

cpictures_outcome cpictures_measure(
    FILE *file, int64_t most_pixels, int64_t longest_side, cpictures_picture *picture,
    cpictures_report *report) {
  return look(file, most_pixels, longest_side, true, picture, report);
}

void cpictures_free(cpictures_picture *picture) {
  free(picture->pixels);
  free(picture->profile);
  picture->pixels = NULL;
  picture->profile = NULL;
}

cpictures_outcome cpictures_write(
    FILE *file, const cpictures_picture *picture, cpictures_format format, int quality,
    cpictures_report *report) {
  memset(report, 0, sizeof *report);
  errno = 0;
  cpictures_outcome outcome = format == cpictures_jpeg
      ? jpeg_write(file, picture, quality, report)
      : png_write(file, picture, report);
  if (outcome == cpictures_ok && fflush(file) != 0) outcome = cpictures_system_error;
  if (outcome == cpictures_system_error) report->code = errno;
  return outcome;
}

void cpictures_return_memory(void) { mallopt(M_MMAP_THRESHOLD, 1 << 20); }
