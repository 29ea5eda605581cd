// Detail — what happens when someone opens a photo.

// block: BuildingGooglyPuff/starter-detail
/// Shows a photo with its eyes. For the main thread.
func detail(of photo: Photo, show: @escaping @Sendable (String) -> Void) {
  show(withEyes(photo))
}
// end
