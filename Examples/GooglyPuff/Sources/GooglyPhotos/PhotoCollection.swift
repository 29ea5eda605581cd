// PhotoCollection — the program's controller: takes what the photo manager holds
// and sees to it that every photo gets its eyes, and the page its photos.
//
// Touching  everything here: main queue only. What runs elsewhere gets values.

import Glibc
import SignalboxDispatch
import SignalboxTrace

// SAFETY: what varies is confined to the main queue, see Touching above.
package final class PhotoCollection: @unchecked Sendable {
  private let options: Options
  private let manager: PhotoManager
  private let display: ProgressDisplay
  private let folder: OutputFolder
  private let detector: FaceDetector
  private let detailWork: DetailWork
  /// Ends the program.
  private let exit: @Sendable (Int32) -> Void

  /// Each photo at work is held in memory whole; more than one a core is no faster.
  private let details: LimitedWork

  private var prompt: AddPhotosPrompt!
  private var names = ResultNames()
  /// Photos of the manager that `reload` has looked at: the first so many.
  private var seen = 0
  private var begun: Set<ObjectIdentifier> = []
  private var working: [String] = []
  private var outcomes: [Outcome] = []
  private var problems: [PhotoPage.Failure] = []
  private var downloadsUnderWay = 0
  private var inputsEnded = false

  private struct Outcome {
    let photo: any Photo
    let result: Result<PhotoDetail, PhotoFailure>
  }

  package init(
    options: Options, manager: PhotoManager = .shared, display: ProgressDisplay,
    exit: @escaping @Sendable (Int32) -> Void
  ) {
    self.options = options
    self.manager = manager
    self.display = display
    self.exit = exit
    folder = OutputFolder(options.folder)
    detector = FaceDetector(model: options.model)
    detailWork = DetailWork(detector: detector, folder: folder)
    let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    details = LimitedWork(
      limit: min(options.atATime, cores), label: "GooglyPuff.details",
      workers: options.workQueue)
  }

  /// Called once, on the main queue.
  package func viewDidLoad() {
    dispatchPrecondition(condition: .onQueue(.main))
    do throws(PhotoFailure) {
      try folder.prepare()
    } catch {
      display.failure(folder.path.description, error.description)
      exit(1)
      return
    }
    if let timeline = options.timeline, timeline.isPage(of: folder.path) {
      display.failure(
        timeline.path.description, "the page of the photos would replace the timeline")
      exit(1)
      return
    }
    guard options.model.status != nil else {
      display.failure(
        options.model.description,
        "the model of faces is missing (on Debian: package libdlib-data)")
      exit(1)
      return
    }
    prompt = AddPhotosPrompt(manager: manager) { self.showPrompt($0) }
    manager.observeAddedContent { self.reload() }
    prompt.showOrHide()
    DispatchQueue.global(qos: .userInitiated).async { self.readInputs() }
  }

  // MARK: - Photos come in

  /// Background: folders may be large.
  private func readInputs() {
    TraceRecorder.mark("reads inputs")
    if options.inputs.isEmpty {
      InputLines(of: STDIN_FILENO) { event in
        switch event {
        case .line(let line): self.add([PhotoInput(line)])
        case .end: self.endInputs()
        }
      }.start()
    } else {
      add(options.inputs.map { PhotoInput($0) })
      endInputs()
    }
  }

  private func endInputs() {
    DispatchQueue.main.async {
      self.inputsEnded = true
      self.finishIfDone()
    }
  }

  private func add(_ inputs: [PhotoInput]) {
    var addresses: [String] = []
    for input in inputs {
      switch input {
      case .file(let path):
        manager.addPhoto(FilePhoto(path: path, limit: options.limit))
      case .address(let address):
        addresses.append(address)
      case .leInternet:
        do throws(PhotoFailure) {
          addresses +=
            options.internet.isEmpty ? try LeInternet.shared.addresses() : options.internet
        } catch {
          DispatchQueue.main.async { self.inputFailed(FilePath(LeInternet.name), error) }
        }
      case .folder(let path):
        do throws(PhotoFailure) {
          let photos = try PhotoInput.photos(in: path)
          for photo in photos { manager.addPhoto(FilePhoto(path: photo, limit: options.limit)) }
          if photos.isEmpty {
            DispatchQueue.main.async { self.display.line("\(path): no photos in this folder") }
          }
        } catch {
          DispatchQueue.main.async { self.inputFailed(path, error) }
        }
      }
    }
    if !addresses.isEmpty { addLeInternet(addresses) }
  }

  private func addLeInternet(_ addresses: [String]) {
    DispatchQueue.main.async { self.downloadsUnderWay += 1 }
    manager.downloadPhotos(
      from: addresses, into: folder.path, limit: options.limit, limits: options.download,
      progress: { photo in self.begin(photo) },
      completion: { photos in
        let count = photos.count { $0.hasArrived }
        self.display.line("Le Internet: \(count) of \(photos.count) downloaded")
        self.downloadsUnderWay -= 1
        self.finishIfDone()
      })
  }

  private func inputFailed(_ path: FilePath, _ failure: PhotoFailure) {
    problems.append(PhotoPage.Failure(name: path.description, reason: failure.description))
    display.failure(path.description, failure.description)
  }

  private func reload() {
    dispatchPrecondition(condition: .onQueue(.main))
    TraceRecorder.mark("takes in photos")
    let photos = manager.photos
    for photo in photos[seen...] { begin(photo) }
    seen = photos.count
    prompt.showOrHide()
    refreshStatus()
  }

  private func showPrompt(_ text: String?) {
    if let text {
      display.line((text, .bold))
      if !inputsEnded, options.inputs.isEmpty, isatty(STDIN_FILENO) == 1 {
        display.line(("a file, a folder or an address a line, or: \(LeInternet.name)", .dim))
        display.line(("Ctrl-D when that is all", .dim))
      }
    }
    finishIfDone()
  }

  // MARK: - Photos get their eyes

  /// Begins the work on a photo that is no longer downloading; once.
  private func begin(_ photo: any Photo) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard photo.status != .downloading else { return }
    guard begun.insert(ObjectIdentifier(photo)).inserted else { return }
    if case .failed(let failure) = photo.status {
      end(photo, .failure(failure))
      return
    }
    detector.prepare()
    let resultName = names.name(for: photo.stem)
    let shortName = FileName.lastPart(of: photo.name)
    working.append(photo.name)
    details.async(on: resultName) { [detailWork] in
      TraceRecorder.mark(shortName)
      let result = Result { () throws(PhotoFailure) in
        try detailWork.perform(on: photo, resultName: resultName)
      }
      DispatchQueue.main.async { self.end(photo, result) }
    }
  }

  private func end(_ photo: any Photo, _ result: Result<PhotoDetail, PhotoFailure>) {
    dispatchPrecondition(condition: .onQueue(.main))
    TraceRecorder.mark("shows \(FileName.lastPart(of: photo.name))")
    if let index = working.firstIndex(of: photo.name) { working.remove(at: index) }
    outcomes.append(Outcome(photo: photo, result: result))
    switch result {
    case .success(let detail):
      let faces = counted(detail.faceCount, "face", "faces", none: "no face")
      display.line(
        (detail.faceCount > 0 ? "✓ " : "– ", detail.faceCount > 0 ? .green : .dim),
        ("\(detail.name): ", .plain), (faces, detail.faceCount > 0 ? .bold : .dim),
        (" · \(detail.width) × \(detail.height) · \(folder.path.appending(detail.result))", .dim))
    case .failure(let failure):
      display.failure(photo.name, failure.description)
    }
    refreshStatus()
    finishIfDone()
  }

  private func refreshStatus() {
    let total = manager.photos.count
    let current = working.first.map { FilePath($0).lastComponent.description }
    guard let current = current ?? (downloadsUnderWay > 0 ? LeInternet.name : nil) else {
      return display.status(nil)
    }
    display.status("  \(outcomes.count) of \(total) photos · \(current)")
  }

  // MARK: - The end

  private func finishIfDone() {
    let photos = manager.photos
    guard inputsEnded, downloadsUnderWay == 0, outcomes.count == photos.count else { return }
    if photos.isEmpty {
      // Whoever sees nothing happen shall read why.
      if prompt.isShown { exit(1) }
      return
    }
    display.status(nil)
    let page = makePage(of: photos)
    DispatchQueue.global(qos: .userInitiated).async { [folder, timeline = options.timeline] in
      TraceRecorder.mark("writes the page")
      var page = page
      // First, as the page has a link to it only where it is there.
      let timelineResult = timeline.map { timeline in
        Result { () throws(PhotoFailure) in
          try timeline.write()
          page.timeline = timeline.address(in: folder.path)
        }
      }
      let target = folder.path.appending(OutputFolder.pageName)
      let result = Result { () throws(PhotoFailure) in
        let file = try PendingFile(target)
        try file.write(Array(page.html.utf8))
        try file.publish()
      }
      DispatchQueue.main.async { [page] in self.finish(page, target, result, timelineResult) }
    }
  }

  /// The page shows photos in the order in which they were added.
  private func makePage(of photos: [any Photo]) -> PhotoPage {
    var results: [ObjectIdentifier: Result<PhotoDetail, PhotoFailure>] = [:]
    for outcome in outcomes { results[ObjectIdentifier(outcome.photo)] = outcome.result }
    var page = PhotoPage(details: [], failures: problems)
    for photo in photos {
      switch results[ObjectIdentifier(photo)] {
      case .success(let detail): page.details.append(detail)
      case .failure(let failure):
        page.failures.append(.init(name: photo.name, reason: failure.description))
      case nil: break
      }
    }
    return page
  }

  private func finish(
    _ page: PhotoPage, _ target: FilePath, _ result: Result<Void, PhotoFailure>,
    _ timelineResult: Result<Void, PhotoFailure>?
  ) {
    let faces = page.details.reduce(0) { $0 + $1.faceCount }
    var summary = counted(page.details.count, "photo", "photos", none: "no photo")
    summary += ", " + counted(faces, "face", "faces", none: "no face")
    if !page.failures.isEmpty { summary += ", \(page.failures.count) failed" }
    var isComplete = page.failures.isEmpty
    switch result {
    case .success:
      display.line((summary, .bold), (" · \(target)", .plain))
    case .failure(let failure):
      display.line((summary, .bold))
      display.failure(target.description, failure.description)
      isComplete = false
    }
    if !tell(timelineResult) { isComplete = false }
    exit(isComplete ? 0 : 1)
  }

  /// Whether the timeline is there, if one was wanted.
  private func tell(_ result: Result<Void, PhotoFailure>?) -> Bool {
    guard let result, let timeline = options.timeline else { return true }
    switch result {
    case .success:
      display.line(("timeline of the run · \(timeline.path)", .dim))
      return true
    case .failure(let failure):
      display.failure(timeline.path.description, failure.description)
      return false
    }
  }
}

/// `1 face`, `2 faces`, or what to say of none.
func counted(_ count: Int, _ one: String, _ several: String, none: String) -> String {
  switch count {
  case 0: none
  case 1: "1 \(one)"
  default: "\(count) \(several)"
  }
}
