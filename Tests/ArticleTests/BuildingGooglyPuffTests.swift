// The code of "Building GooglyPuff", step by step, with made-up photos.

import SignalboxTestSupport
import Testing

// block: BuildingGooglyPuff/photo
import SignalboxDispatch

/// A photo: what it is called, and how far it has come.
struct Photo: Sendable, Equatable {
  enum Status: Sendable { case downloading, ready, failed }
  let name: String
  var status: Status
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

@Suite("Building GooglyPuff") struct BuildingGooglyPuffTests {
  private let screen = DispatchQueue(label: "stands for the main queue")

  @Test func detailWorkGoesToTheBackgroundAndComesBack() throws {
    let shown = EventLog<String>()
    let done = EventCounter()
    let screen = screen
    let findEyes: @Sendable (Photo) -> String = { "\($0.name) with googly eyes" }
    let show: @Sendable (String) -> Void = {
      shown.append($0)
      done.increment()
    }
    let photo = Photo(name: "ada", status: .ready)
    // block: BuildingGooglyPuff/detail
    DispatchQueue.global(qos: .userInitiated).async {
      let picture = findEyes(photo)  // may take seconds
      screen.async { show(picture) }  // in the program: DispatchQueue.main
    }
    // end
    try done.wait(for: 1)
    #expect(shown.all == ["ada with googly eyes"])
  }

  @Test func theNoticeComesWhenThePhotoIsThere() throws {
    let seen = EventLog<Int>()
    let told = EventCounter()
    let screen = screen
    // block: BuildingGooglyPuff/use
    let manager = PhotoManager(noticeQueue: screen)
    manager.observe {
      seen.append(manager.photos.count)
      told.increment()
    }
    for name in ["ada", "grace", "alan"] {
      manager.add(Photo(name: name, status: .ready))
    }
    // end
    try told.wait(for: 3)
    let counts = seen.all
    #expect(zip(counts, 1...).allSatisfy { $0 >= $1 } && manager.photos.count == 3)
  }

  @Test func completionComesAfterTheLast() throws {
    let manager = PhotoManager(noticeQueue: screen)
    let counts = EventLog<Int>()
    let done = EventCounter()
    // block: BuildingGooglyPuff/le-internet
    manager.download(["ada", "grace", "alan"]) { name in
      Photo(name: name, status: name == "alan" ? .failed : .ready)
    } completion: {
      counts.append(manager.photos.count)
      done.increment()
    }
    // end
    try done.wait(for: 1)
    #expect(counts.all == [3])
  }

  @Test func thePromptIsDecidedAtTheEnd() throws {
    let manager = PhotoManager(noticeQueue: screen)
    let prompt = Prompt(screen: screen, delay: .milliseconds(20))
    screen.sync { prompt.reload(of: manager) }
    screen.sync { prompt.pending }?.wait()
    #expect(screen.sync { prompt.text } == "Add photos with faces to Googlyify them!")
    manager.add(Photo(name: "ada", status: .ready))
    screen.sync { prompt.reload(of: manager) }
    screen.sync { prompt.pending }?.wait()
    #expect(screen.sync { prompt.text } == nil)
  }
}
