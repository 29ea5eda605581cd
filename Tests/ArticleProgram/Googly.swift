// Googly — the program of "Building GooglyPuff", step by step, with made-up photos.

// block: BuildingGooglyPuff/photo
import Glibc
import SignalboxDispatch

/// A photo: what it is called, and how far it has come.
struct Photo: Sendable, Equatable {
  enum Status: Sendable { case downloading, ready, failed }
  let name: String
  var status: Status
}
// end

// block: BuildingGooglyPuff/detail
/// Finds the eyes elsewhere, and shows what has come of it on the main queue.
func detail(
  of photo: Photo, screen: DispatchQueue = .main, show: @escaping @Sendable (String) -> Void
) {
  DispatchQueue.global(qos: .userInitiated).async {
    let picture = "\(photo.name) with googly eyes"  // with real photos, this takes seconds
    screen.async { show(picture) }
  }
}
// end

// block: BuildingGooglyPuff/manager
/// All photos, for every thread: reads side by side, writes alone.
// SAFETY: `contents` and `observers` are written under a barrier of `queue`, read in its items.
final class PhotoManager: @unchecked Sendable {
  static let shared = PhotoManager()  // made once, whoever asks first

  private let queue = DispatchQueue(label: "googly.photos", attributes: .concurrent)
  fileprivate let noticeQueue: DispatchQueue
  private var contents: [Photo] = []
  private var observers: [@Sendable () -> Void] = []

  init(noticeQueue: DispatchQueue = .main) { self.noticeQueue = noticeQueue }

  /// A copy of the photos, oldest first.
  var photos: [Photo] { queue.sync { contents } }

  func observe(_ observer: @escaping @Sendable () -> Void) {
    queue.async(flags: .barrier) { self.observers.append(observer) }
  }

  /// Adds a photo; the notice comes when `photos` holds it.
  func add(_ photo: Photo) {
    queue.async(flags: .barrier) {
      self.contents.append(photo)
      let observers = self.observers
      self.noticeQueue.async { for observer in observers { observer() } }
    }
  }
}
// end

// block: BuildingGooglyPuff/download
extension PhotoManager {
  /// Downloads all; `completion` runs once, after the last of them.
  func download(
    _ names: [String], by fetch: @escaping @Sendable (String) -> Photo,
    completion: @escaping @Sendable () -> Void
  ) {
    let group = DispatchGroup()
    for name in names {
      DispatchQueue.global(qos: .userInitiated).async(group: group) {
        self.add(fetch(name))
      }
    }
    group.notify(queue: noticeQueue) { completion() }
  }
}
// end

// block: BuildingGooglyPuff/prompt
/// The prompt: decided a second after the last reload.
// SAFETY: `text` and `pending` are confined to `screen`.
final class Prompt: @unchecked Sendable {
  private let screen: DispatchQueue
  private let delay: DispatchTimeInterval
  private(set) var pending: DispatchWorkItem?
  private(set) var text: String?

  init(screen: DispatchQueue = .main, delay: DispatchTimeInterval = .seconds(1)) {
    self.screen = screen
    self.delay = delay
  }

  /// On `screen`, whenever the photos have been loaded anew.
  func reload(of manager: PhotoManager) {
    dispatchPrecondition(condition: .onQueue(screen))
    pending?.cancel()
    let decision = DispatchWorkItem {
      let isEmpty = manager.photos.isEmpty  // now, not when the second began
      self.text = isEmpty ? "Add photos with faces to Googlyify them!" : nil
    }
    pending = decision
    screen.asyncAfter(deadline: .now() + delay, execute: decision)
  }
}
// end

func googly() -> Never {
  // block: BuildingGooglyPuff/program
  let manager = PhotoManager.shared
  let prompt = Prompt()
  manager.observe { print("a photo has come") }

  DispatchQueue.main.async {
    prompt.reload(of: manager)
    prompt.pending?.notify(queue: .main) {
      print(prompt.text ?? "no prompt")
      manager.download(["ada", "grace", "alan"]) { name in
        Photo(name: name, status: name == "alan" ? .failed : .ready)
      } completion: {
        let photos = manager.photos.sorted { $0.name < $1.name }
        detail(of: photos[0]) { picture in
          print(photos.map { "\($0.name) \($0.status)" }.joined(separator: ", "))
          print(picture)
          exit(EXIT_SUCCESS)
        }
      }
    }
  }
  dispatchMain()
  // end
}
