// CPictures: JPEG and PNG files read into, and written from, pixels in memory.
//
// libjpeg and libpng report errors by `longjmp`, which Swift cannot cross.

#ifndef CPICTURES_H
#define CPICTURES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum cpictures_format { cpictures_jpeg = 1, cpictures_png = 2 } cpictures_format;

typedef enum cpictures_outcome {
  cpictures_ok,
  // The system refused; `code` is the errno.
  cpictures_system_error,
  cpictures_empty,
  // Neither JPEG nor PNG.
  cpictures_not_a_picture,
  // More pixels than allowed; `width` and `height` tell how many.
  cpictures_too_large,
  // The file ends before the picture does.
  cpictures_cut_short,
  // The bytes contradict the format; `detail` says how.
  cpictures_damaged,
  cpictures_no_memory,
} cpictures_outcome;

// Pixels are 0xAARRGGBB in the machine's byte order, colours multiplied by
// alpha, rows `width` * 4 bytes apart and the right way up.
typedef struct cpictures_picture {
  int32_t width;
  int32_t height;
  cpictures_format format;
  // Not zero if some pixel lets the ground through.
  int32_t transparent;
  // From `malloc`.
  uint8_t *pixels;
  // The ICC colour profile of the pixels, or NULL; from `malloc`.
  uint8_t *profile;
  uint32_t profile_size;
} cpictures_picture;

typedef struct cpictures_report {
  int code;
  int64_t width;
  int64_t height;
  char detail[200];
} cpictures_report;

// Reads the picture that `file` holds from its beginning. No pixel is allocated
// for a picture of more than `most_pixels`, or one side longer than `longest_side`.
cpictures_outcome cpictures_read(
    FILE *file, int64_t most_pixels, int64_t longest_side, cpictures_picture *picture,
    cpictures_report *report);

// Reads of that picture only what stands before its pixels: its size, upright, and its format.
cpictures_outcome cpictures_measure(
    FILE *file, int64_t most_pixels, int64_t longest_side, cpictures_picture *picture,
    cpictures_report *report);

// Frees what `cpictures_read` allocated.
void cpictures_free(cpictures_picture *picture);

// Writes the picture to `file`, `quality` (0 to 100) being for JPEG only.
cpictures_outcome cpictures_write(
    FILE *file, const cpictures_picture *picture, cpictures_format format, int quality,
    cpictures_report *report);

// From now on memory of the size of pictures goes back to the system when it is freed. Without
// this the C library learns to keep it, for each thread.
void cpictures_return_memory(void);

#endif
