// Detail — what happens when someone opens a photo.

import SignalboxDispatch

// block: BuildingGooglyPuff/detail
/// Finds the eyes on a global queue, and shows the picture on the main queue.
func detail(of photo: Photo, show: @escaping @Sendable (String) -> Void) {
  DispatchQueue.global(qos: .userInitiated).async {
    let picture = withEyes(photo)
    DispatchQueue.main.async { show(picture) }
  }
}
// end
