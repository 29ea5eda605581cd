// PhotoManager — all photos, for every thread.

import SignalboxDispatch

// block: BuildingGooglyPuff/manager
/// All photos, for every thread: reads side by side, writes alone.
// SAFETY: `contents` and `observers` are written under a barrier of `queue`, read in its items.
final class PhotoManager: @unchecked Sendable {
  static let shared = PhotoManager()

  private let queue = DispatchQueue(label: "googly.photos", attributes: .concurrent)
  private var contents: [Photo] = []
  private var observers: [@Sendable () -> Void] = []

  /// A copy of the photos, oldest first.
  var photos: [Photo] { queue.sync { contents } }

  /// Has `observer` called on the main queue for each photo that comes.
  func observe(_ observer: @escaping @Sendable () -> Void) {
    queue.async(flags: .barrier) { self.observers.append(observer) }
  }

  /// Adds a photo. The notice comes when `photos` holds it.
  func add(_ photo: Photo) {
    queue.async(flags: .barrier) {
      self.contents.append(photo)
      let observers = self.observers
      DispatchQueue.main.async { for observer in observers { observer() } }
    }
  }
}
// end
