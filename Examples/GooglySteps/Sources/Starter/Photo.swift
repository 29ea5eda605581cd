// Photo — a photo, and what takes time: its download, and its eyes.

import Glibc
import SignalboxDispatch

// block: BuildingGooglyPuff/photo
/// A photo: its name, and how its download ended.
struct Photo: Sendable, Equatable {
  enum Status: Sendable { case ready, failed }
  let name: String
  let status: Status
}

/// Takes the place of a download.
func fetch(_ name: String) -> Photo {
  usleep(UInt32(20_000 * name.utf8.count))
  return Photo(name: name, status: name == "alan" ? .failed : .ready)
}

/// Takes the place of finding the faces and drawing the eyes. It keeps a processor busy.
func withEyes(_ photo: Photo) -> String {
  let end = DispatchTime.now() + .milliseconds(200)
  while DispatchTime.now() < end {}
  return "\(photo.name) with googly eyes"
}
// end
