// FaceImage — a picture as dlib wants it.

import CFaces

final class FaceImage {
  let image: OpaquePointer

  init(_ picture: Picture) throws(PhotoFailure) {
    let storage = picture.storage
    image = try made {
      cfaces_image_make(
        storage.pixels, storage.width, storage.height, storage.width * 4, $0, $1)
    }
  }

  deinit { cfaces_image_free(image) }
}
