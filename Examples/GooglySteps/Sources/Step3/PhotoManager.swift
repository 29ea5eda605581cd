// PhotoManager — all photos. Any thread uses it, and nothing guards it.

import SignalboxDispatch

/// All photos.
// SAFETY: none. It says that threads may share it, and they may not.
final class PhotoManager: @unchecked Sendable {
  // block: BuildingGooglyPuff/shared
  static let shared = PhotoManager()
  // end

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
