// CFaces: faces in a picture and their eyes, found by dlib.
//
// A C interface to C++; no exception leaves it. What is made here is made once and may then be
// used by several threads at the same time. Where making fails, the result is NULL and `reason`
// says why.

#ifndef CFACES_H
#define CFACES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Finds faces. Making it costs half a second.
typedef struct cfaces_detector cfaces_detector;
cfaces_detector *cfaces_detector_make(char *reason, size_t reason_size);
void cfaces_detector_free(cfaces_detector *detector);

// Finds the eyes of a face. Making it reads the file at `model`, which costs a second and
// 100 MB.
typedef struct cfaces_landmarks cfaces_landmarks;
cfaces_landmarks *cfaces_landmarks_make(const char *model, char *reason, size_t reason_size);
void cfaces_landmarks_free(cfaces_landmarks *landmarks);

// A copy of 32-bit pixels 0xAARRGGBB in the machine's byte order, rows `stride` bytes apart.
typedef struct cfaces_image cfaces_image;
cfaces_image *cfaces_image_make(
    const uint8_t *pixels, int32_t width, int32_t height, int32_t stride, char *reason,
    size_t reason_size);
void cfaces_image_free(cfaces_image *image);

// Around a face, in pixels.
typedef struct cfaces_box {
  int64_t left;
  int64_t top;
  int64_t right;
  int64_t bottom;
} cfaces_box;

// An eye: the middle of its outline and the distance between its corners.
typedef struct cfaces_eye {
  double x;
  double y;
  double width;
} cfaces_eye;

// The eye further left in the picture and the one further right.
typedef struct cfaces_eyes {
  cfaces_eye left;
  cfaces_eye right;
} cfaces_eyes;

// Writes the first `capacity` faces, the surest first, and returns how many it wrote, or -1
// with the reason.
int cfaces_find(
    const cfaces_detector *detector, const cfaces_image *image, cfaces_box *faces,
    int32_t capacity, char *reason, size_t reason_size);

// Finds the eyes of a face. Returns 0, or -1 with the reason.
int cfaces_find_eyes(
    const cfaces_landmarks *landmarks, const cfaces_image *image, cfaces_box face,
    cfaces_eyes *eyes, char *reason, size_t reason_size);

#ifdef __cplusplus
}
#endif

#endif
