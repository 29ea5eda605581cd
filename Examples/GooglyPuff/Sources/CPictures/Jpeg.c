// JPEG by libjpeg-turbo, whose `JCS_EXT_…` colour spaces are our pixels.

#include "Formats.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PIXELS_WITH_ALPHA JCS_EXT_BGRA
#define PIXELS JCS_EXT_BGRX
#else
#define PIXELS_WITH_ALPHA JCS_EXT_ARGB
#define PIXELS JCS_EXT_XRGB
#endif

// A real progressive file has about ten scans; thousands over a large picture
// are a trap that takes hours.
enum { most_scans = 200 };

struct trouble {
  struct jpeg_error_mgr base;
  jmp_buf escape;
  cpictures_outcome outcome;
  cpictures_report *report;
};

static void give_up(j_common_ptr codec) {
  struct trouble *trouble = (struct trouble *)codec->err;
  switch (codec->err->msg_code) {
    case JERR_INPUT_EOF:
    case JERR_INPUT_EMPTY:
    case JWRN_JPEG_EOF:
      trouble->outcome = cpictures_cut_short;
      break;
    case JERR_OUT_OF_MEMORY:
      trouble->outcome = cpictures_no_memory;
      break;
    case JERR_FILE_READ:
    case JERR_FILE_WRITE:
      trouble->outcome = cpictures_system_error;
      break;
    default: {
      char text[JMSG_LENGTH_MAX];
      codec->err->format_message(codec, text);
      snprintf(trouble->report->detail, sizeof trouble->report->detail, "%s", text);
      trouble->outcome = cpictures_damaged;
    }
  }
  longjmp(trouble->escape, 1);
}

// Warnings that mean missing pixels, which libjpeg would paint grey, are errors.
static void hear(j_common_ptr codec, int level) {
  int code = codec->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) give_up(codec);
}

static void say_nothing(j_common_ptr codec) { (void)codec; }

static void watch_scans(j_common_ptr codec) {
  struct trouble *trouble = (struct trouble *)codec->err;
  if (((j_decompress_ptr)codec)->input_scan_number <= most_scans) return;
  snprintf(
      trouble->report->detail, sizeof trouble->report->detail, "more than %d scans", most_scans);
  trouble->outcome = cpictures_damaged;
  longjmp(trouble->escape, 1);
}

static struct jpeg_error_mgr *prepare(struct trouble *trouble, cpictures_report *report) {
  trouble->outcome = cpictures_ok;
  trouble->report = report;
  jpeg_std_error(&trouble->base);
  trouble->base.error_exit = give_up;
  trouble->base.emit_message = hear;
  trouble->base.output_message = say_nothing;
  return &trouble->base;
}

// Where the pixel of column `x` in row `y` of the file belongs: the pixel of
// column 0, and how far apart columns are.
struct course {
  ptrdiff_t start;
  ptrdiff_t step;
};

static struct course course_of_row(
    int orientation, ptrdiff_t y, ptrdiff_t file_width, ptrdiff_t file_height) {
  ptrdiff_t last_x = file_width - 1, last_y = file_height - 1;
  ptrdiff_t width = orientation >= 5 ? file_height : file_width;
  switch (orientation) {
    case 2: return (struct course){y * width + last_x, -1};
    case 3: return (struct course){(last_y - y) * width + last_x, -1};
    case 4: return (struct course){(last_y - y) * width, 1};
    case 5: return (struct course){y, width};
    case 6: return (struct course){last_y - y, width};
    case 7: return (struct course){last_x * width + last_y - y, -width};
    case 8: return (struct course){last_x * width + y, -width};
    default: return (struct course){y * width, 1};
  }
}

// Photoshop and its kin store the inks inverted and say so in an Adobe marker.
static uint32_t pixel_of_inks(const uint8_t *inks, bool inverted) {
  uint32_t share[4];
  for (int ink = 0; ink < 4; ++ink) share[ink] = inverted ? inks[ink] : 255u - inks[ink];
  uint32_t red = share[0] * share[3] / 255, green = share[1] * share[3] / 255;
  uint32_t blue = share[2] * share[3] / 255;
  return 0xFF000000u | red << 16 | green << 8 | blue;
}

struct reading {
  struct jpeg_decompress_struct codec;
  struct trouble trouble;
  struct jpeg_progress_mgr progress;
  uint8_t *row;
};

static cpictures_outcome read_with(
    struct reading *reading, FILE *file, int64_t most_pixels, int64_t longest_side,
    bool only_size, cpictures_picture *picture, cpictures_report *report) {
  struct jpeg_decompress_struct *codec = &reading->codec;
  codec->err = prepare(&reading->trouble, report);
  if (setjmp(reading->trouble.escape) != 0) return reading->trouble.outcome;
  jpeg_create_decompress(codec);
  reading->progress.progress_monitor = watch_scans;
  codec->progress = &reading->progress;
  jpeg_stdio_src(codec, file);
  jpeg_save_markers(codec, JPEG_APP0 + 1, 0xFFFF);
  jpeg_save_markers(codec, JPEG_APP0 + 2, 0xFFFF);
  picture->format = cpictures_jpeg;
  jpeg_read_header(codec, TRUE);

  int orientation = 1;
  for (jpeg_saved_marker_ptr marker = codec->marker_list; marker != NULL; marker = marker->next) {
    if (marker->marker != JPEG_APP0 + 1) continue;
    int found = exif_orientation(marker->data, marker->data_length);
    if (found != 1) orientation = found;
  }
  bool turned = orientation >= 5;
  cpictures_outcome outcome = picture_allocate(
      picture, turned ? codec->image_height : codec->image_width,
      turned ? codec->image_width : codec->image_height, most_pixels, longest_side, only_size,
      report);
  if (outcome != cpictures_ok || only_size) return outcome;

  bool inks = codec->jpeg_color_space == JCS_CMYK || codec->jpeg_color_space == JCS_YCCK;
  codec->out_color_space = inks ? JCS_CMYK : PIXELS_WITH_ALPHA;
  // A profile for inks or greys says nothing about our red, green and blue.
  if (codec->jpeg_color_space == JCS_YCbCr || codec->jpeg_color_space == JCS_RGB) {
    JOCTET *profile = NULL;
    unsigned int size = 0;
    if (jpeg_read_icc_profile(codec, &profile, &size)) {
      picture->profile = profile;
      picture->profile_size = size;
    }
  }
  jpeg_start_decompress(codec);
  reading->row = malloc((size_t)codec->output_width * 4);
  if (reading->row == NULL) return cpictures_no_memory;
  while (codec->output_scanline < codec->output_height) {
    struct course course = course_of_row(
        orientation, codec->output_scanline, codec->output_width, codec->output_height);
    JSAMPROW rows[] = {reading->row};
    if (jpeg_read_scanlines(codec, rows, 1) != 1) return cpictures_cut_short;
    for (size_t x = 0; x < codec->output_width; ++x) {
      uint32_t pixel;
      if (inks) {
        pixel = pixel_of_inks(reading->row + 4 * x, codec->saw_Adobe_marker);
      } else {
        memcpy(&pixel, reading->row + 4 * x, 4);
      }
      ptrdiff_t place = course.start + (ptrdiff_t)x * course.step;
      memcpy(picture->pixels + 4 * place, &pixel, 4);
    }
  }
  jpeg_finish_decompress(codec);
  return cpictures_ok;
}

cpictures_outcome jpeg_read(
    FILE *file, int64_t most_pixels, int64_t longest_side, bool only_size,
    cpictures_picture *picture, cpictures_report *report) {
  // On the heap, since `longjmp` spoils locals that changed after `setjmp`.
  struct reading *reading = calloc(1, sizeof *reading);
  if (reading == NULL) return cpictures_no_memory;
  cpictures_outcome outcome =
      read_with(reading, file, most_pixels, longest_side, only_size, picture, report);
  // libjpeg takes a failed read for the end of the file.
  if (outcome != cpictures_ok && ferror(file)) {
    report->code = errno;
    outcome = cpictures_system_error;
  }
  jpeg_destroy_decompress(&reading->codec);
  free(reading->row);
  free(reading);
  return outcome;
}

struct writing {
  struct jpeg_compress_struct codec;
  struct trouble trouble;
};

static cpictures_outcome write_with(
    struct writing *writing, FILE *file, const cpictures_picture *picture, int quality,
    cpictures_report *report) {
  struct jpeg_compress_struct *codec = &writing->codec;
  codec->err = prepare(&writing->trouble, report);
  if (setjmp(writing->trouble.escape) != 0) return writing->trouble.outcome;
  jpeg_create_compress(codec);
  jpeg_stdio_dest(codec, file);
  codec->image_width = (JDIMENSION)picture->width;
  codec->image_height = (JDIMENSION)picture->height;
  codec->input_components = 4;
  codec->in_color_space = PIXELS;
  jpeg_set_defaults(codec);
  jpeg_set_quality(codec, quality, TRUE);
  jpeg_start_compress(codec, TRUE);
  if (picture->profile != NULL)
    jpeg_write_icc_profile(codec, picture->profile, picture->profile_size);
  while (codec->next_scanline < codec->image_height) {
    size_t offset = (size_t)codec->next_scanline * (size_t)picture->width * 4;
    JSAMPROW rows[] = {picture->pixels + offset};
    jpeg_write_scanlines(codec, rows, 1);
  }
  jpeg_finish_compress(codec);
  return cpictures_ok;
}

cpictures_outcome jpeg_write(
    FILE *file, const cpictures_picture *picture, int quality, cpictures_report *report) {
  struct writing *writing = calloc(1, sizeof *writing);
  if (writing == NULL) return cpictures_no_memory;
  cpictures_outcome outcome = write_with(writing, file, picture, quality, report);
  int code = errno;
  jpeg_destroy_compress(&writing->codec);
  free(writing);
  errno = code;
  return outcome;
}
