#include "CFaces.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <dlib/image_processing.h>
#include <dlib/image_processing/frontal_face_detector.h>

namespace {

// dlib's own threshold is 0. In the sample photos the one face scores 1.5 and
// the best of what is not a face, enlarged or in grey, 0.12.
constexpr double least_score = 0.25;

// Landmarks of the 68-point model: six around each eye, from corner to corner.
constexpr unsigned long left_eye_first = 36;
constexpr unsigned long right_eye_first = 42;
constexpr unsigned long points_around_an_eye = 6;
constexpr unsigned long points_of_the_model = 68;

cfaces_eye eye_in(const dlib::full_object_detection &landmarks, unsigned long first) {
  cfaces_eye eye = {0, 0, 0};
  for (unsigned long index = first; index < first + points_around_an_eye; ++index) {
    eye.x += static_cast<double>(landmarks.part(index).x()) / points_around_an_eye;
    eye.y += static_cast<double>(landmarks.part(index).y()) / points_around_an_eye;
  }
  const dlib::point from = landmarks.part(first), to = landmarks.part(first + 3);
  eye.width = std::hypot(
      static_cast<double>(to.x() - from.x()), static_cast<double>(to.y() - from.y()));
  return eye;
}

// Runs `body`; what it throws becomes `failed`, and a reason.
template <typename Result, typename Body>
Result guarded(Result failed, char *reason, size_t reason_size, Body body) {
  try {
    return body();
  } catch (const std::exception &error) {
    std::snprintf(reason, reason_size, "%s", error.what());
  } catch (...) {
    std::snprintf(reason, reason_size, "dlib failed");
  }
  return failed;
}

}  // namespace

struct cfaces_detector {
  dlib::frontal_face_detector finder = dlib::get_frontal_face_detector();
};

struct cfaces_landmarks {
  dlib::shape_predictor predictor;
};

struct cfaces_image {
  dlib::array2d<dlib::rgb_pixel> pixels;
};

cfaces_detector *cfaces_detector_make(char *reason, size_t reason_size) {
  return guarded<cfaces_detector *>(
      nullptr, reason, reason_size, [] { return new cfaces_detector; });
}

void cfaces_detector_free(cfaces_detector *detector) { delete detector; }

cfaces_landmarks *cfaces_landmarks_make(const char *model, char *reason, size_t reason_size) {
  return guarded<cfaces_landmarks *>(nullptr, reason, reason_size, [model] {
    std::unique_ptr<cfaces_landmarks> landmarks(new cfaces_landmarks);
    dlib::deserialize(model) >> landmarks->predictor;
    if (landmarks->predictor.num_parts() != points_of_the_model)
      throw std::runtime_error("the model has other points than the 68 of a face");
    return landmarks.release();
  });
}

void cfaces_landmarks_free(cfaces_landmarks *landmarks) { delete landmarks; }

cfaces_image *cfaces_image_make(
    const uint8_t *pixels, int32_t width, int32_t height, int32_t stride, char *reason,
    size_t reason_size) {
  return guarded<cfaces_image *>(nullptr, reason, reason_size, [=] {
    std::unique_ptr<cfaces_image> image(new cfaces_image);
    image->pixels.set_size(height, width);
    for (int32_t y = 0; y < height; ++y) {
      const uint8_t *row = pixels + static_cast<size_t>(y) * static_cast<size_t>(stride);
      for (int32_t x = 0; x < width; ++x) {
        uint32_t pixel;
        std::memcpy(&pixel, row + 4 * static_cast<size_t>(x), sizeof pixel);
        image->pixels[y][x] = dlib::rgb_pixel(
            static_cast<unsigned char>(pixel >> 16), static_cast<unsigned char>(pixel >> 8),
            static_cast<unsigned char>(pixel));
      }
    }
    return image.release();
  });
}

void cfaces_image_free(cfaces_image *image) { delete image; }

int cfaces_find(
    const cfaces_detector *detector, const cfaces_image *image, cfaces_box *faces,
    int32_t capacity, char *reason, size_t reason_size) {
  return guarded(-1, reason, reason_size, [=] {
    // A detector works in itself: every call has its own copy (0.3 ms).
    dlib::frontal_face_detector finder = detector->finder;
    std::vector<std::pair<double, dlib::rectangle>> found;
    finder(image->pixels, found, least_score);
    int32_t count = 0;
    for (const auto &one : found) {
      if (count == capacity) break;
      const dlib::rectangle &box = one.second;
      faces[count++] = {box.left(), box.top(), box.right(), box.bottom()};
    }
    return count;
  });
}

int cfaces_find_eyes(
    const cfaces_landmarks *landmarks, const cfaces_image *image, cfaces_box face,
    cfaces_eyes *eyes, char *reason, size_t reason_size) {
  return guarded(-1, reason, reason_size, [=] {
    const dlib::full_object_detection points = landmarks->predictor(
        image->pixels, dlib::rectangle(face.left, face.top, face.right, face.bottom));
    *eyes = {eye_in(points, left_eye_first), eye_in(points, right_eye_first)};
    return 0;
  });
}
