// PNG by libpng.

#include "Formats.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

// The most memory one text or profile chunk may unpack to.
enum { largest_chunk = 16 * 1024 * 1024 };

struct trouble {
  FILE *file;
  cpictures_outcome outcome;
  cpictures_report *report;
};

static void give_up(png_structp codec, png_const_charp text) {
  struct trouble *trouble = png_get_error_ptr(codec);
  if (trouble->outcome == cpictures_ok) {
    snprintf(trouble->report->detail, sizeof trouble->report->detail, "%s", text);
    trouble->outcome =
        strcmp(text, "Out of memory") == 0 ? cpictures_no_memory : cpictures_damaged;
  }
  png_longjmp(codec, 1);
}

static void say_nothing(png_structp codec, png_const_charp text) {
  (void)codec;
  (void)text;
}

static void take_bytes(png_structp codec, png_bytep bytes, size_t length) {
  struct trouble *trouble = png_get_io_ptr(codec);
  if (fread(bytes, 1, length, trouble->file) == length) return;
  trouble->outcome = ferror(trouble->file) ? cpictures_system_error : cpictures_cut_short;
  trouble->report->code = errno;
  png_error(codec, "read");
}

static void give_bytes(png_structp codec, png_bytep bytes, size_t length) {
  struct trouble *trouble = png_get_io_ptr(codec);
  if (fwrite(bytes, 1, length, trouble->file) == length) return;
  trouble->outcome = cpictures_system_error;
  png_error(codec, "write");
}

static void flush_bytes(png_structp codec) { (void)codec; }

struct reading {
  png_structp codec;
  png_infop info;
  struct trouble trouble;
  png_bytep *rows;
};

// Multiplies the colours by alpha, as the drawing library wants them.
static void multiply(cpictures_picture *picture) {
  size_t count = (size_t)picture->width * (size_t)picture->height;
  for (size_t index = 0; index < count; ++index) {
    uint32_t pixel;
    memcpy(&pixel, picture->pixels + 4 * index, 4);
    uint32_t alpha = pixel >> 24;
    if (alpha == 255) continue;
    picture->transparent = 1;
    uint32_t red = ((pixel >> 16 & 255) * alpha + 127) / 255;
    uint32_t green = ((pixel >> 8 & 255) * alpha + 127) / 255;
    uint32_t blue = ((pixel & 255) * alpha + 127) / 255;
    pixel = alpha << 24 | red << 16 | green << 8 | blue;
    memcpy(picture->pixels + 4 * index, &pixel, 4);
  }
}

static cpictures_outcome keep_profile(struct reading *reading, cpictures_picture *picture) {
  png_charp name;
  png_bytep profile;
  png_uint_32 size;
  int compression;
  if (png_get_iCCP(reading->codec, reading->info, &name, &compression, &profile, &size) == 0)
    return cpictures_ok;
  picture->profile = malloc(size);
  if (picture->profile == NULL) return cpictures_no_memory;
  memcpy(picture->profile, profile, size);
  picture->profile_size = size;
  return cpictures_ok;
}

static cpictures_outcome read_with(
    struct reading *reading, int64_t most_pixels, int64_t longest_side, bool only_size,
    cpictures_picture *picture, cpictures_report *report) {
  reading->codec = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, &reading->trouble, give_up, say_nothing);
  if (reading->codec == NULL) return cpictures_no_memory;
  if (setjmp(png_jmpbuf(reading->codec)) != 0) return reading->trouble.outcome;
  png_structp codec = reading->codec;
  reading->info = png_create_info_struct(codec);
  png_set_read_fn(codec, &reading->trouble, take_bytes);
  png_set_chunk_malloc_max(codec, largest_chunk);
  // The size is checked below, where the message can name it.
  png_set_user_limits(codec, 0x7FFFFFFF, 0x7FFFFFFF);
  picture->format = cpictures_png;
  png_read_info(codec, reading->info);
  png_infop info = reading->info;
  cpictures_outcome outcome = picture_allocate(
      picture, png_get_image_width(codec, info), png_get_image_height(codec, info), most_pixels,
      longest_side, only_size, report);
  if (outcome != cpictures_ok || only_size) return outcome;

  if (png_get_color_type(codec, info) & PNG_COLOR_MASK_COLOR) {
    outcome = keep_profile(reading, picture);
    if (outcome != cpictures_ok) return outcome;
  }
  png_set_expand(codec);
  png_set_scale_16(codec);
  png_set_gray_to_rgb(codec);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  png_set_bgr(codec);
  png_set_add_alpha(codec, 0xFF, PNG_FILLER_AFTER);
#else
  png_set_swap_alpha(codec);
  png_set_add_alpha(codec, 0xFF, PNG_FILLER_BEFORE);
#endif
  png_set_interlace_handling(codec);
  png_read_update_info(codec, info);
  size_t stride = (size_t)picture->width * 4;
  if (png_get_rowbytes(codec, info) != stride) png_error(codec, "unexpected row length");
  reading->rows = malloc((size_t)picture->height * sizeof *reading->rows);
  if (reading->rows == NULL) return cpictures_no_memory;
  for (int32_t y = 0; y < picture->height; ++y)
    reading->rows[y] = picture->pixels + (size_t)y * stride;
  png_read_image(codec, reading->rows);
  png_read_end(codec, NULL);
  multiply(picture);
  return cpictures_ok;
}

cpictures_outcome png_read(
    FILE *file, int64_t most_pixels, int64_t longest_side, bool only_size,
    cpictures_picture *picture, cpictures_report *report) {
  // On the heap, since `longjmp` spoils locals that changed after `setjmp`.
  struct reading *reading = calloc(1, sizeof *reading);
  if (reading == NULL) return cpictures_no_memory;
  reading->trouble = (struct trouble){file, cpictures_ok, report};
  cpictures_outcome outcome =
      read_with(reading, most_pixels, longest_side, only_size, picture, report);
  png_destroy_read_struct(&reading->codec, &reading->info, NULL);
  free(reading->rows);
  free(reading);
  return outcome;
}

struct writing {
  png_structp codec;
  png_infop info;
  struct trouble trouble;
  uint8_t *row;
};

// One row as PNG stores it: colours not multiplied, no alpha if none is needed.
static void unpack_row(const cpictures_picture *picture, int32_t y, uint8_t *row) {
  const uint8_t *source = picture->pixels + (size_t)y * (size_t)picture->width * 4;
  for (int32_t x = 0; x < picture->width; ++x) {
    uint32_t pixel;
    memcpy(&pixel, source + 4 * (size_t)x, 4);
    uint32_t alpha = picture->transparent ? pixel >> 24 : 255;
    for (int shift = 16; shift >= 0; shift -= 8) {
      uint32_t colour = pixel >> shift & 255;
      if (alpha != 255 && alpha != 0) {
        colour = (colour * 255 + alpha / 2) / alpha;
        if (colour > 255) colour = 255;
      }
      *row++ = (uint8_t)colour;
    }
    if (picture->transparent) *row++ = (uint8_t)alpha;
  }
}

static cpictures_outcome write_with(struct writing *writing, const cpictures_picture *picture) {
  writing->codec = png_create_write_struct(
      PNG_LIBPNG_VER_STRING, &writing->trouble, give_up, say_nothing);
  if (writing->codec == NULL) return cpictures_no_memory;
  if (setjmp(png_jmpbuf(writing->codec)) != 0) return writing->trouble.outcome;
  png_structp codec = writing->codec;
  writing->info = png_create_info_struct(codec);
  png_set_write_fn(codec, &writing->trouble, give_bytes, flush_bytes);
  // A profile that libpng finds fault with is left out; the picture is not.
  png_set_benign_errors(codec, 1);
  int channels = picture->transparent ? 4 : 3;
  png_set_IHDR(
      codec, writing->info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8,
      picture->transparent ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (picture->profile != NULL)
    png_set_iCCP(
        codec, writing->info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, picture->profile,
        picture->profile_size);
  png_write_info(codec, writing->info);
  writing->row = malloc((size_t)picture->width * (size_t)channels);
  if (writing->row == NULL) return cpictures_no_memory;
  for (int32_t y = 0; y < picture->height; ++y) {
    unpack_row(picture, y, writing->row);
    png_write_row(codec, writing->row);
  }
  png_write_end(codec, writing->info);
  return cpictures_ok;
}

cpictures_outcome png_write(
    FILE *file, const cpictures_picture *picture, cpictures_report *report) {
  struct writing *writing = calloc(1, sizeof *writing);
  if (writing == NULL) return cpictures_no_memory;
  writing->trouble = (struct trouble){file, cpictures_ok, report};
  cpictures_outcome outcome = write_with(writing, picture);
  int code = errno;
  png_destroy_write_struct(&writing->codec, &writing->info);
  free(writing->row);
  free(writing);
  errno = code;
  return outcome;
}
