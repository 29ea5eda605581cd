// PhotoManager — all photos. Any thread uses it, and nothing guards it.

import SignalboxDispatch

// block: BuildingGooglyPuff/starter-manager
/// All photos.
// SAFETY: none. It says that threads may share it, and they may not.
final class PhotoManager: @unchecked Sendable {
  nonisolated(unsafe) private static var made: PhotoManager?

  static var shared: PhotoManager {
    if made == nil { made = PhotoManager() }
    return made!
  }

  private var contents: [Photo] = []
  private var observers: [@Sendable () -> Void] = []

  var photos: [Photo] { contents }

  /// Has `observer` called on the main queue for each photo that comes.
  func observe(_ observer: @escaping @Sendable () -> Void) {
    observers.append(observer)
  }

  func add(_ photo: Photo) {
    contents.append(photo)
    let observers = self.observers
    DispatchQueue.main.async { for observer in observers { observer() } }
  }
}
// end
