// Gallery+Work — thumbnails, and eyes: on background queues, a few photos at a time.

import Glibc
import GooglyPhotos
import SignalboxDispatch
import SignalboxTrace

extension Gallery {
  /// What is known of a photo when its thumbnail is there.
  private struct Look: Sendable {
    let measures: Picture.Measures
    let path: String
  }

  /// The photo has come: its bytes are those of `source`.
  func begin(_ id: Int, _ source: FilePhoto) {
    dispatchPrecondition(condition: .onQueue(.main))
    sources[id] = source
    update(id) { $0.original = source.path }
    details.async(on: "look.\(id)") { [folder, limit = options.limit] in
      let result = Result { () throws(PhotoFailure) in
        try Self.look(at: source, id, in: folder, limit)
      }
      DispatchQueue.main.async { self.end(id, source, result) }
    }
  }

  /// Background: reads the photo whole.
  private static func look(
    at source: FilePhoto, _ id: Int, in folder: PrivateFolder, _ limit: PhotoLimit
  ) throws(PhotoFailure) -> Look {
    TraceRecorder.mark("looks at photo \(id)")
    defer { source.releaseThumbnail() }
    let measures = try Picture.measure(source.path, limit: limit)
    _ = try source.image()
    guard let thumbnail = source.thumbnail else { throw .outOfMemory }
    let path = "\(OutputFolder.thumbnailsName)/\(id).before.\(thumbnail.format.fileExtension)"
    let file = try PendingFile(folder.results.path.appending(path))
    try file.write(thumbnail.bytes)
    try file.publish()
    return Look(measures: measures, path: path)
  }

  private func end(_ id: Int, _ source: FilePhoto, _ result: Result<Look, PhotoFailure>) {
    guard sources[id] === source else {
      // Taken away meanwhile.
      if case .success(let look) = result { remove(["results/\(look.path)"]) }
      return
    }
    update(id) { entry in
      switch result {
      case .success(let look):
        entry.width = look.measures.width
        entry.height = look.measures.height
        entry.format = look.measures.format
        entry.received = look.measures.bytes
        entry.expected = look.measures.bytes
        entry.before = look.path
        if entry.edition == 0 { entry.edition = 1 }
      case .failure(let failure):
        entry.status = .failed
        entry.error = failure.description
      }
    }
  }

  private func remove(_ names: [String]) {
    DispatchQueue.global(qos: .utility).async { [folder] in folder.remove(names) }
  }

  // MARK: - Eyes

  /// Begins the work on a photo, once; again if it failed.
  func work(on id: Int, _ reply: @escaping Reply<Void>) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard let entry = state.photo(id) else { return reply(.failure(.noPhoto)) }
    guard entry.status == .ready, let source = sources[id] else {
      let sentence =
        entry.status == .downloading ? "The photo is still coming." : "The photo failed."
      return reply(.failure(Refusal(status: 409, sentence: sentence)))
    }
    guard entry.work == .none || entry.work == .failed else { return reply(.success(())) }
    detector.prepare()
    update(id) {
      $0.work = .waiting
      $0.error = nil
    }
    publishNow()
    reply(.success(()))
    details.async(on: "\(id)", isUrgent: true) { [detector, results = folder.results] in
      TraceRecorder.mark("photo \(id)")
      DispatchQueue.main.async { self.update(id) { $0.work = .running } }
      let result = Result { () throws(PhotoFailure) in
        defer { source.releaseThumbnail() }
        return try DetailWork(detector: detector, folder: results)
          .perform(on: source, resultName: "\(id)")
      }
      DispatchQueue.main.async { self.endWork(on: id, result) }
    }
  }

  private func endWork(on id: Int, _ result: Result<PhotoDetail, PhotoFailure>) {
    dispatchPrecondition(condition: .onQueue(.main))
    TraceRecorder.mark("shows photo \(id)")
    update(id) { entry in
      switch result {
      case .success(let detail):
        entry.work = .done
        entry.faces = detail.faceCount
        entry.width = detail.width
        entry.height = detail.height
        entry.before = detail.before.path
        entry.after = detail.after.path
        entry.result = detail.result
        // Another picture, so another address: the old one is kept forever.
        entry.edition = 2
      case .failure(let failure):
        entry.work = .failed
        entry.error = failure.description
      }
    }
  }
}
