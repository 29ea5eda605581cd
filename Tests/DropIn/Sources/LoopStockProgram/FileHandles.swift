// FileHandles — Foundation's handles, which read in the background through channels.

import Foundation

/// What a child process has written, read in the background and at once.
enum FileHandles {
  // SAFETY: only the main thread uses them.
  nonisolated(unsafe) private static var received = Data()
  nonisolated(unsafe) private static var calls = 0

  static func run() {
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading
    let name = FileHandle.readCompletionNotification
    _ = NotificationCenter.default.addObserver(forName: name, object: reading, queue: nil) {
      guard let data = $0.userInfo?[NSFileHandleNotificationDataItem] as? Data else { exit(1) }
      receive(data, from: reading)
    }
    reading.readInBackgroundAndNotify()
    DispatchQueue.global().async {
      for word in ["one", "two", "three"] { pipe.fileHandleForWriting.write(Data(word.utf8)) }
      try? pipe.fileHandleForWriting.close()
    }
  }

  private static func receive(_ data: Data, from handle: FileHandle) {
    guard Thread.isMainThread else { exit(1) }
    calls += 1
    received += data
    if !data.isEmpty { return handle.readInBackgroundAndNotify() }
    let words = String(decoding: received, as: UTF8.self)
    print(words == "onetwothree" && calls >= 2 ? "done" : "received \(words)")
    exit(0)
  }
}
