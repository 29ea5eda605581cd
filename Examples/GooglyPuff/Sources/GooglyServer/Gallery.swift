// Gallery — the app's controller: takes what the photo manager holds, has thumbnails made and eyes
// drawn, and tells the page.
//
// Touching  everything that varies: main queue only. What runs elsewhere gets values.

import Glibc
import GooglyPhotos
import SignalboxDispatch
import SignalboxTrace

// SAFETY: what varies is confined to the main queue, see Touching above.
final class Gallery: @unchecked Sendable {
  typealias Reply<Value> = @Sendable (Result<Value, Refusal>) -> Void

  let options: Options
  let limits: ServerLimits
  let manager: PhotoManager
  let folder: PrivateFolder
  let detector: FaceDetector
  /// At most so many photos are in memory.
  let details: LimitedWork
  /// Hands the state on, to the server's queue.
  private let publish: @Sendable (GalleryState) -> Void

  var state = GalleryState()
  private var prompt: AddPhotosPrompt!
  /// The photos of the manager by the page's number, and the numbers by photo.
  private(set) var photos: [Int: any Photo] = [:]
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// What work on a photo reads: the photo itself, or our copy of what was downloaded.
  var sources: [Int: FilePhoto] = [:]
  var uploads: [Int: UploadFile] = [:]
  /// Photos of uploads that the manager has not yet told of, with who waits for their numbers.
  private var admitted: [ObjectIdentifier: (upload: UploadFile, reply: Reply<Int>)] = [:]
  /// How many photos of files and addresses it has not yet told of.
  var coming = 0
  private var lastNumber = 0
  private var willPublish = false
  var downloads: [DownloadPhoto] = []
  /// Of "Le Internet".
  var internetAddresses: [String]

  /// Changes that come in swarms are told together.
  private static let pause = DispatchTimeInterval.milliseconds(50)

  init(
    options: Options, limits: ServerLimits, folder: PrivateFolder, manager: PhotoManager,
    publish: @escaping @Sendable (GalleryState) -> Void
  ) {
    self.options = options
    self.limits = limits
    self.folder = folder
    self.manager = manager
    self.publish = publish
    detector = FaceDetector(model: options.model)
    let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    details = LimitedWork(
      limit: min(options.atATime, cores), label: "GooglyPuff.details",
      workers: options.workQueue)
    internetAddresses = options.internet
    if !internetAddresses.isEmpty { state.internet = .given }
    state.megapixels = options.limit.megapixels
  }

  /// Called once, on the main queue.
  func viewDidLoad() {
    dispatchPrecondition(condition: .onQueue(.main))
    prompt = AddPhotosPrompt(manager: manager) { text in
      self.state.prompt = text
      self.publishNow()
    }
    manager.observeAddedContent { self.reload() }
    prompt.showOrHide()
    publishNow()
    let inputs = options.inputs
    DispatchQueue.global(qos: .userInitiated).async { self.readInputs(inputs) }
  }

  // MARK: - Telling

  /// Something changed that is told soon.
  func changed() {
    dispatchPrecondition(condition: .onQueue(.main))
    guard !willPublish else { return }
    willPublish = true
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.pause) {
      if self.willPublish { self.publishNow() }
    }
  }

  /// Whoever is answered after this finds the state as it is now.
  func publishNow() {
    willPublish = false
    state.version += 1
    publish(state)
  }

  func update(_ id: Int, _ change: (inout GalleryPhoto) -> Void) {
    guard let index = state.index(of: id) else { return }
    change(&state.photos[index])
    changed()
  }

  // MARK: - Photos come in

  /// Background: folders may be large.
  private func readInputs(_ inputs: [FilePath]) {
    var files: [FilePath] = []
    var addresses: [String] = []
    var problems: [String] = []
    let internet = findInternet()
    for input in inputs.map({ PhotoInput($0) }) {
      switch input {
      case .file(let path): files.append(path)
      case .address(let address): addresses.append(address)
      case .leInternet: addresses += (try? internet.get()) ?? []
      case .folder(let path):
        do throws(PhotoFailure) {
          files += try PhotoInput.photos(in: path)
        } catch {
          problems.append("\(path): \(error)")
        }
      }
    }
    if case .failure(let failure) = internet { problems.append("\(LeInternet.name): \(failure)") }
    DispatchQueue.main.async { [files, addresses, problems] in
      self.take(files, addresses, problems)
    }
  }

  /// As many as there is room for, files first.
  private func take(_ files: [FilePath], _ addresses: [String], _ problems: [String]) {
    dispatchPrecondition(condition: .onQueue(.main))
    let taken = files.prefix(room)
    let fetched = addresses.prefix(room - taken.count)
    coming += taken.count + fetched.count
    let left = files.count - taken.count + addresses.count - fetched.count
    var problems = problems
    if left > 0 {
      problems.append(
        "\(Self.tooMany(limits.photos).sentence) \(left) of the command line "
          + "\(left == 1 ? "was" : "were") left out.")
    }
    if !problems.isEmpty { notify(problems.joined(separator: " ")) }
    DispatchQueue.global(qos: .userInitiated).async { [manager, limit = options.limit] in
      for file in taken { manager.addPhoto(FilePhoto(path: file, limit: limit)) }
      guard !fetched.isEmpty else { return }
      DispatchQueue.main.async { self.download(Array(fetched)) }
    }
  }

  /// Takes in the photos that have been added, which stand at the end.
  private func reload() {
    dispatchPrecondition(condition: .onQueue(.main))
    TraceRecorder.mark("takes in photos")
    let added = manager.photos.reversed().prefix { numbers[ObjectIdentifier($0)] == nil }
    for photo in added.reversed() { takeIn(photo) }
    prompt.showOrHide()
  }

  private func takeIn(_ photo: any Photo) {
    lastNumber += 1
    let id = lastNumber
    photos[id] = photo
    numbers[ObjectIdentifier(photo)] = id
    let upload = admitted.removeValue(forKey: ObjectIdentifier(photo))
    if upload == nil { coming -= 1 }
    let isAddress = photo is DownloadPhoto
    var entry = GalleryPhoto(
      id: id,
      name: isAddress || upload != nil
        ? photo.name : FilePath(photo.name).lastComponent.description,
      kind: isAddress ? .address : upload != nil ? .upload : .file)
    if isAddress {
      entry.status = .downloading
    } else {
      entry.original = photo.original
    }
    state.photos.append(entry)
    if let source = photo as? FilePhoto { begin(id, source) }
    if let download = photo as? DownloadPhoto { takeInDownload(id, download) }
    if let upload {
      uploads[id] = upload.upload
      publishNow()
      upload.reply(.success(id))
    } else {
      changed()
    }
  }

  /// A photo that was sent to us: `name` is what its owner calls it.
  func add(_ upload: UploadFile, name: String, _ reply: @escaping Reply<Int>) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard room > 0 else { return reply(.failure(Self.tooMany(limits.photos))) }
    let photo = FilePhoto(path: upload.path, label: name, limit: options.limit)
    admitted[ObjectIdentifier(photo)] = (upload, reply)
    manager.addPhoto(photo)
  }

  static func tooMany(_ most: Int) -> Refusal {
    Refusal(
      status: 507,
      sentence: "There may be \(most) photo\(most == 1 ? "" : "s"), and there is no room for more.")
  }

  /// How many photos may still be added: those that are to come have their places.
  var room: Int { max(0, limits.photos - state.photos.count - admitted.count - coming) }

  func number(of photo: any Photo) -> Int? { numbers[ObjectIdentifier(photo)] }

  // MARK: - Photos go

  func delete(_ id: Int, _ reply: @escaping Reply<Void>) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard let index = state.index(of: id), let photo = photos[id] else {
      return reply(.failure(.noPhoto))
    }
    let entry = state.photos[index]
    guard entry.work != .waiting, entry.work != .running, entry.status != .downloading else {
      return reply(.failure(Refusal(status: 409, sentence: "The photo is worked on.")))
    }
    state.photos.remove(at: index)
    photos[id] = nil
    numbers[ObjectIdentifier(photo)] = nil
    manager.removePhoto(photo)
    prompt.showOrHide()
    publishNow()
    reply(.success(()))
    // The upload goes with whoever reads it last.
    let upload = uploads.removeValue(forKey: id)
    let copy = sources.removeValue(forKey: id).map { $0 !== photo ? $0.path : nil } ?? nil
    DispatchQueue.global(qos: .utility).async { [folder] in
      folder.remove(
        [entry.before, entry.after, entry.result].compactMap { $0.map { "results/\($0)" } })
      _ = copy?.withCString { unlink($0) }
      upload?.discard()
    }
  }

  // MARK: - Notices

  func notify(_ text: String) {
    state.notice = GalleryState.Notice(id: (lastNotice ?? 0) + 1, text: text)
    lastNotice = state.notice?.id
    publishNow()
  }

  private var lastNotice: Int?

  func seen(_ id: Int, _ reply: @escaping Reply<Void>) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard id >= 1, id <= lastNotice ?? 0 else {
      return reply(.failure(Refusal(status: 404, sentence: "There is no such notice.")))
    }
    if state.notice?.id == id {
      state.notice = nil
      publishNow()
    }
    reply(.success(()))
  }
}
