// Gallery+Internet — "Le Internet": downloads with their progress, and a notice when all have come.

import Glibc
import GooglyPhotos
import SignalboxDispatch

extension Gallery {
  /// Background: the addresses of the command line, or those of a server that is started for them.
  func findInternet() -> Result<[String], PhotoFailure> {
    guard options.internet.isEmpty else { return .success(options.internet) }
    let result = Result { () throws(PhotoFailure) in try LeInternet.shared.addresses() }
    if case .success(let addresses) = result {
      DispatchQueue.main.async {
        self.internetAddresses = addresses
        self.state.internet = .own
        self.changed()
      }
    }
    return result
  }

  /// Downloads the photos of "Le Internet".
  func internet(_ reply: @escaping Reply<Void>) {
    dispatchPrecondition(condition: .onQueue(.main))
    let addresses = internetAddresses
    guard !addresses.isEmpty else {
      return reply(
        .failure(
          Refusal(
            status: 404,
            sentence: "There are no addresses: the program has no server of its own yet.")))
    }
    guard state.downloads == nil else {
      return reply(.failure(Refusal(status: 409, sentence: "The photos are coming already.")))
    }
    guard addresses.count <= room else { return reply(.failure(Self.tooMany(limits.photos))) }
    coming += addresses.count
    download(addresses)
    reply(.success(()))
  }

  /// The photos have their places already.
  func download(_ addresses: [String]) {
    state.downloads = GalleryState.Downloads(outstanding: addresses.count, total: addresses.count)
    publishNow()
    manager.downloadPhotos(
      from: addresses, into: folder.path, limit: options.limit, limits: options.download,
      progress: { photo in self.endDownload(photo) },
      completion: { photos in
        let came = photos.count { $0.hasArrived }
        self.state.downloads = nil
        let failed = photos.count - came
        let text = came == 1 ? "1 photo came" : "\(came) photos came"
        self.notify(failed == 0 ? text : "\(text), \(failed) failed")
      })
    watchProgress()
  }

  func takeInDownload(_ id: Int, _ photo: DownloadPhoto) {
    if photo.status == .downloading { downloads.append(photo) } else { endDownload(photo) }
  }

  /// Bytes come at any time; the page is told of them a few times a second.
  private func watchProgress() {
    guard state.downloads != nil else { return }
    for photo in downloads {
      guard let id = number(of: photo), let entry = state.photo(id) else { continue }
      let progress = photo.progress
      guard progress.received != entry.received || progress.expected != entry.expected else {
        continue
      }
      update(id) { ($0.received, $0.expected) = (progress.received, progress.expected) }
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(100)) { self.watchProgress() }
  }

  /// The photo is no longer downloading. It has a number, unless its notice comes after this.
  private func endDownload(_ photo: DownloadPhoto) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard let id = number(of: photo), state.photo(id)?.status == .downloading,
      sources[id] == nil
    else { return }
    downloads.removeAll { $0 === photo }
    if let under = state.downloads { state.downloads?.outstanding = max(0, under.outstanding - 1) }
    let progress = photo.progress
    update(id) { ($0.received, $0.expected) = (progress.received, progress.expected) }
    if case .failed(let failure) = photo.status { return fail(id, failure) }
    // The photo's own file has no name; the page asks for it by ours.
    let path = folder.originals.appending("address.\(id)")
    let limit = options.limit
    DispatchQueue.global(qos: .userInitiated).async {
      let result = Result { () throws(PhotoFailure) in
        defer { photo.releaseImage() }
        let file = try PendingFile(path)
        try photo.copy(to: file)
        try file.publish()
      }
      DispatchQueue.main.async {
        switch result {
        case .success:
          self.update(id) { $0.status = .ready }
          self.begin(id, FilePhoto(path: path, label: photo.name, limit: limit))
        case .failure(let failure): self.fail(id, failure)
        }
      }
    }
  }

  private func fail(_ id: Int, _ failure: PhotoFailure) {
    update(id) {
      $0.status = .failed
      $0.error = failure.description
    }
  }
}
