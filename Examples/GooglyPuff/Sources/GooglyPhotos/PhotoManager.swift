// PhotoManager — all photos, for every thread.
//
// The photos stand behind a concurrent queue: reads side by side, writes alone.
//
// Touching    `contents`: in items of `photoQueue` only, written under a barrier.
// Invariants  A notice reaches the main queue after `photos` holds the new photo.
//             The completion of a download of several comes after the last of them.

package import SignalboxDispatch

// SAFETY: `contents` is confined to `photoQueue`, see Touching above.
package final class PhotoManager: @unchecked Sendable {
  /// The one manager of the program. Swift makes it once, whoever asks first.
  package static let shared = PhotoManager()

  package typealias Observer = @Sendable () -> Void

  private struct Contents {
    var photos: [any Photo] = []
    var observers: [Observer] = []
  }

  private var contents = Contents()
  private let photoQueue = DispatchQueue(label: "GooglyPuff.photos", attributes: .concurrent)

  /// Where notices and completions run.
  private let noticeQueue: DispatchQueue

  private let downloader = Downloader()

  package init(noticeQueue: DispatchQueue = .main) {
    self.noticeQueue = noticeQueue
  }

  /// A copy of the photos, oldest first.
  package var photos: [any Photo] {
    photoQueue.sync { contents.photos }
  }

  /// Has `observer` called on the main queue after each photo added from now on.
  package func observeAddedContent(_ observer: @escaping Observer) {
    photoQueue.async(flags: .barrier) { self.contents.observers.append(observer) }
  }

  /// Adds a photo; returns before it is there.
  package func addPhoto(_ photo: any Photo) {
    photoQueue.async(flags: .barrier) {
      self.contents.photos.append(photo)
      let observers = self.contents.observers
      self.noticeQueue.async {
        for observer in observers { observer() }
      }
    }
  }

  /// Takes a photo away; returns before it is gone.
  package func removePhoto(_ photo: any Photo) {
    photoQueue.async(flags: .barrier) {
      self.contents.photos.removeAll { $0 === photo }
    }
  }

  /// "Le Internet": adds a photo for each address and downloads them all.
  ///
  /// `completion` runs on the main queue when no photo is downloading any more.
  /// `progress` runs there too, after each of them.
  package func downloadPhotos(
    from addresses: [String], into folder: FilePath, limit: PhotoLimit = .standard,
    limits: DownloadLimits = .standard, progress: @escaping @Sendable (DownloadPhoto) -> Void,
    completion: @escaping @Sendable ([DownloadPhoto]) -> Void
  ) {
    let group = DispatchGroup()
    let photos = addresses.map { DownloadPhoto(address: $0, limit: limit) }
    for photo in photos {
      group.enter()
      photo.download(by: downloader, into: folder, limits: limits) { [noticeQueue] in
        noticeQueue.async { progress(photo) }
        group.leave()
      }
      addPhoto(photo)
    }
    group.notify(queue: noticeQueue) { completion(photos) }
  }
}
