// CFaces: faces and their eyes in a picture, found by dlib.
//
// A C interface to C++; no exception leaves it. A detector is made once and may
// then be used by several threads at the same time.

#ifndef CFACES_H
#define CFACES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cfaces_detector cfaces_detector;

// An eye: the middle of its outline and the distance between its corners.
typedef struct cfaces_eye {
  double x;
  double y;
  double width;
} cfaces_eye;

// A face: its box, the eye further left in the picture and the one further right.
typedef struct cfaces_face {
  double left;
  double top;
  double width;
  double height;
  cfaces_eye left_eye;
  cfaces_eye right_eye;
} cfaces_face;

// Makes a detector that reads the landmark model from the file at `model` when it
// has found its first face. Returns NULL and writes why to `reason` on failure.
cfaces_detector *cfaces_detector_make(const char *model, char *reason, size_t reason_size);

void cfaces_detector_free(cfaces_detector *detector);

// Finds faces in 32-bit pixels 0xAARRGGBB in the machine's byte order, rows
// `stride` bytes apart. Writes the first `capacity` faces, the surest first, and
// returns how many it wrote, or -1 with the reason.
int cfaces_find(
    const cfaces_detector *detector, const uint8_t *pixels, int32_t width, int32_t height,
    int32_t stride, cfaces_face *faces, int32_t capacity, char *reason, size_t reason_size);

#ifdef __cplusplus
}
#endif

#endif
