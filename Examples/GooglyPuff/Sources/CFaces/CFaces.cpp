#include "CFaces.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
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

}  // namespace

struct cfaces_detector {
  dlib::frontal_face_detector faces;
  std::string model;

  // The landmark model costs a second and 100 MB: it is read for the first face.
  mutable std::once_flag landmarks_once;
  mutable dlib::shape_predictor landmarks_read;

  const dlib::shape_predictor &landmarks() const {
    // After an exception the next face tries again.
    std::call_once(landmarks_once, [this] {
      dlib::shape_predictor read;
      dlib::deserialize(model) >> read;
      if (read.num_parts() != points_of_the_model)
        throw std::runtime_error("the model has other points than the 68 of a face");
      landmarks_read = std::move(read);
    });
    return landmarks_read;
  }
};

cfaces_detector *cfaces_detector_make(const char *model, char *reason, size_t reason_size) {
  try {
    std::unique_ptr<cfaces_detector> detector(new cfaces_detector);
    detector->faces = dlib::get_frontal_face_detector();
    detector->model = model;
    return detector.release();
  } catch (const std::exception &error) {
    std::snprintf(reason, reason_size, "%s", error.what());
  } catch (...) {
    std::snprintf(reason, reason_size, "the detector cannot be made");
  }
  return nullptr;
}

void cfaces_detector_free(cfaces_detector *detector) { delete detector; }

int cfaces_find(
    const cfaces_detector *detector, const uint8_t *pixels, int32_t width, int32_t height,
    int32_t stride, cfaces_face *faces, int32_t capacity, char *reason, size_t reason_size) {
  try {
    dlib::array2d<dlib::rgb_pixel> image(height, width);
    for (int32_t y = 0; y < height; ++y) {
      const uint8_t *row = pixels + static_cast<size_t>(y) * static_cast<size_t>(stride);
      for (int32_t x = 0; x < width; ++x) {
        uint32_t pixel;
        std::memcpy(&pixel, row + 4 * static_cast<size_t>(x), sizeof pixel);
        image[y][x] = dlib::rgb_pixel(
            static_cast<unsigned char>(pixel >> 16), static_cast<unsigned char>(pixel >> 8),
            static_cast<unsigned char>(pixel));
      }
    }
    // A detector works in itself: every call has its own copy (0.3 ms).
    dlib::frontal_face_detector finder = detector->faces;
    std::vector<std::pair<double, dlib::rectangle>> found;
    finder(image, found, least_score);
    int32_t count = 0;
    for (const auto &one : found) {
      if (count == capacity) break;
      const dlib::rectangle &box = one.second;
      const dlib::full_object_detection landmarks = detector->landmarks()(image, box);
      cfaces_face &face = faces[count++];
      face.left = static_cast<double>(box.left());
      face.top = static_cast<double>(box.top());
      face.width = static_cast<double>(box.width());
      face.height = static_cast<double>(box.height());
      face.left_eye = eye_in(landmarks, left_eye_first);
      face.right_eye = eye_in(landmarks, right_eye_first);
    }
    return count;
  } catch (const std::exception &error) {
    std::snprintf(reason, reason_size, "%s", error.what());
  } catch (...) {
    std::snprintf(reason, reason_size, "the search failed");
  }
  return -1;
}
