// What the files of this target share.

#ifndef FORMATS_H
#define FORMATS_H

#include "CPictures.h"

#include <stdbool.h>

// Checks the size and allocates the pixels of `picture`, unless only its size is wanted.
cpictures_outcome picture_allocate(
    cpictures_picture *picture, int64_t width, int64_t height, int64_t most_pixels,
    int64_t longest_side, bool only_size, cpictures_report *report);

cpictures_outcome jpeg_read(
    FILE *file, int64_t most_pixels, int64_t longest_side, bool only_size,
    cpictures_picture *picture, cpictures_report *report);
cpictures_outcome jpeg_write(
    FILE *file, const cpictures_picture *picture, int quality, cpictures_report *report);

cpictures_outcome png_read(
    FILE *file, int64_t most_pixels, int64_t longest_side, bool only_size,
    cpictures_picture *picture, cpictures_report *report);
cpictures_outcome png_write(
    FILE *file, const cpictures_picture *picture, cpictures_report *report);

// The EXIF orientation (1 to 8) in the payload of a JPEG's APP1 marker; 1 where
// there is none.
int exif_orientation(const uint8_t *bytes, size_t length);

#endif
