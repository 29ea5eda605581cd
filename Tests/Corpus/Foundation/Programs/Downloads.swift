// Downloads — a program: operations that depend on each other fetch files in parallel, parse and
// merge them, and report the result on the main queue.

import Foundation

/// The base class that most programs with asynchronous operations have.
// SAFETY: the comments below say how its state changes.
class AsyncOperation: Operation, @unchecked Sendable {
  enum State { case ready, executing, finished }

  private let stateQueue = DispatchQueue(label: "downloads.state", attributes: .concurrent)
  // SAFETY: changed on `stateQueue` in barriers only.
  private var _state = State.ready

  var state: State {
    get { stateQueue.sync { _state } }
    set {
      willChangeValue(forKey: "isExecuting")
      willChangeValue(forKey: "isFinished")
      stateQueue.sync(flags: .barrier) { _state = newValue }
      didChangeValue(forKey: "isFinished")
      didChangeValue(forKey: "isExecuting")
    }
  }

  override var isExecuting: Bool { state == .executing }
  override var isFinished: Bool { state == .finished }
  override var isAsynchronous: Bool { true }

  override func start() {
    guard !isCancelled else {
      state = .finished
      return
    }
    state = .executing
    main()
  }
}

// SAFETY: the comments below say how its state changes.
final class FetchOperation: AsyncOperation, @unchecked Sendable {
  let url: URL
  // SAFETY: set before the state is `finished`, read after.
  private(set) var result: Result<Data, any Error>?

  init(url: URL) {
    self.url = url
    super.init()
    name = url.lastPathComponent
    qualityOfService = .utility
  }

  override func main() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(2)) {
      [self] in
      if !isCancelled { result = Result { try Data(contentsOf: url) } }
      state = .finished
    }
  }
}

struct Item: Codable {
  let id: Int
  let title: String
}

final class ParseOperation: Operation, @unchecked Sendable {
  // SAFETY: `main` sets it; dependent operations read it.
  private(set) var items: [Item] = []

  override func main() {
    guard let fetch = dependencies.compactMap({ $0 as? FetchOperation }).first,
      case .success(let data)? = fetch.result
    else { return cancel() }
    items = (try? JSONDecoder().decode([Item].self, from: data)) ?? []
  }
}

final class Downloader {
  private let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.name = "downloads"
    queue.maxConcurrentOperationCount = 2
    queue.qualityOfService = .userInitiated
    return queue
  }()

  var pending: Int { queue.operationCount }

  func download(_ urls: [URL], completion: @escaping @Sendable ([Item], Int) -> Void) {
    let merge = BlockOperation()
    var parses: [ParseOperation] = []
    for url in urls {
      let fetch = FetchOperation(url: url)
      let parse = ParseOperation()
      parse.addDependency(fetch)
      merge.addDependency(parse)
      parses.append(parse)
      queue.addOperations([fetch, parse], waitUntilFinished: false)
    }
    let all = parses
    merge.addExecutionBlock {
      let items = all.flatMap(\.items).sorted { $0.id < $1.id }
      let failed = all.filter(\.isCancelled).count
      OperationQueue.main.addOperation { completion(items, failed) }
    }
    merge.queuePriority = .high
    queue.addOperation(merge)
  }
}

enum Downloads {
  static func run() {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("downloads-\(ProcessInfo.processInfo.globallyUniqueString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let urls = (0..<5).map { folder.appendingPathComponent("\($0).json") }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (number, url) in urls.enumerated() where number != 3 {
        try JSONEncoder().encode([Item(id: 10 - number, title: "item \(number)")]).write(to: url)
      }
    } catch { return print("no files") }

    let downloader = Downloader()
    let lines = Lines()
    downloader.download(urls) { items, failed in
      for item in items { lines.add("\(item.id): \(item.title)") }
      lines.add("failed: \(failed), on main: \(Thread.isMainThread)")
    }
    runLoop { lines.count == 5 }
    lines.show()
    sleep { downloader.pending == 0 }
    print("pending:", downloader.pending)
  }
}
