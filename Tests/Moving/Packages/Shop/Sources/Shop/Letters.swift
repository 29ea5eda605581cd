import Middleware

/// A file that has Foundation from the framework alone.
struct Letters: Sendable {
  func read() {
    let pipe = Pipe()
    let handle = pipe.fileHandleForReading
    pipe.fileHandleForWriting.write(Data("letter".utf8))
    for modes in [nil, [RunLoop.Mode.default]] {
      expect(.NSFileHandleDataAvailable) {
        handle.waitForDataInBackgroundAndNotify(forModes: modes)
      }
    }
    expect(.NSFileHandleDataAvailable) { handle.waitForDataInBackgroundAndNotify() }
    expect(FileHandle.readCompletionNotification) { handle.readInBackgroundAndNotify() }
    pipe.fileHandleForWriting.write(Data("second".utf8))
    expect(FileHandle.readCompletionNotification) {
      handle.readInBackgroundAndNotify(forModes: [.default])
    }
    try? pipe.fileHandleForWriting.close()
    expect(.NSFileHandleReadToEndOfFileCompletion) {
      handle.readToEndOfFileInBackgroundAndNotify(forModes: nil)
    }
  }

  /// Waits for one notification, in the run loop of this thread.
  private func expect(_ name: Notification.Name, _ start: () -> Void) {
    let lines = Lines()
    let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      lines.add($0.name.rawValue)
    }
    start()
    while lines.isEmpty, RunLoop.current.run(mode: .default, before: .distantFuture) {}
    NotificationCenter.default.removeObserver(observer)
    print(lines.all)
  }
}

// SAFETY: the lines are touched under the lock only.
private final class Lines: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private var lines: [String] = []

  func add(_ line: String) { lock.withLock { lines.append(line) } }

  var all: [String] { lock.withLock { lines } }

  var isEmpty: Bool { all.isEmpty }
}
