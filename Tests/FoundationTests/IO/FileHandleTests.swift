import Glibc
import SignalboxFoundation
import SignalboxTestSupport
import Testing

struct FileHandleTests {
  /// Makes a request on a thread with a run loop of its own, and returns the notifications.
  private func told(
    _ name: Notification.Name, of handle: FileHandle, in mode: RunLoop.Mode = .default,
    _ ask: @escaping @Sendable (FileHandle) -> Void
  ) throws -> [String] {
    try onPlainThread {
      var told: [String] = []
      let thread = kernelThreadNumber()
      let seen = EventLog<String>()
      let token = NotificationCenter.default.addObserver(forName: name, object: handle, queue: nil)
      {
        note in
        let data = note.userInfo?[NSFileHandleNotificationDataItem] as? Data
        seen.append(
          "\(data.map { String(decoding: $0, as: UTF8.self) } ?? "-") \(kernelThreadNumber() == thread)"
        )
      }
      ask(handle)
      let ran = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: loopLimit))
      NotificationCenter.default.removeObserver(token)
      told = seen.all
      told.append("\(ran)")
      return told
    }
  }

  @Test func backgroundResultsArePostedInTheRequestingLoop() throws {
    let pipe = try PipeEnds()
    pipe.fileHandleForWriting.write(Data("abc".utf8))
    let told = try told(
      FileHandle.readCompletionNotification, of: pipe.fileHandleForReading
    ) { $0.readInBackgroundAndNotify() }
    #expect(told == ["abc true", "true"])
  }

  @Test func resultsArePostedInTheNamedModes() throws {
    let pipe = try PipeEnds()
    pipe.fileHandleForWriting.write(Data("abc".utf8))
    let told = try told(
      FileHandle.readCompletionNotification, of: pipe.fileHandleForReading, in: .eventTracking
    ) { $0.readInBackgroundAndNotify(forModes: [.eventTracking]) }
    #expect(told == ["abc true", "true"])
  }

  @Test func theLoopWaitsUntilDataArrives() throws {
    let pipe = try PipeEnds()
    let writer = DispatchQueue(label: "writer")
    let told = try told(.NSFileHandleDataAvailable, of: pipe.fileHandleForReading) {
      $0.waitForDataInBackgroundAndNotify()
      writer.async { pipe.fileHandleForWriting.write(Data("late".utf8)) }
    }
    #expect(told == ["- true", "true"])
  }

  @Test func allIsReadToTheEnd() throws {
    let pipe = try PipeEnds()
    pipe.fileHandleForWriting.write(Data("abc".utf8))
    let told = try told(
      .NSFileHandleReadToEndOfFileCompletion, of: pipe.fileHandleForReading
    ) {
      $0.readToEndOfFileInBackgroundAndNotify()
      pipe.fileHandleForWriting.write(Data("def".utf8))
      try? pipe.fileHandleForWriting.close()
    }
    #expect(told == ["abcdef true", "true"])
  }

  @Test func theEndIsReportedAsEmptyData() throws {
    let pipe = try PipeEnds()
    try pipe.fileHandleForWriting.close()
    let told = try told(
      FileHandle.readCompletionNotification, of: pipe.fileHandleForReading
    ) { $0.readInBackgroundAndNotify() }
    #expect(told == [" true", "true"])
  }

  @Test func theHandleIsFreedAfterwards() throws {
    let freed = try onPlainThread { () -> Bool in
      weak var handle: FileHandle?
      do {
        let pipe = try PipeEnds()
        try pipe.fileHandleForWriting.close()
        handle = pipe.fileHandleForReading
        pipe.fileHandleForReading.readInBackgroundAndNotify()
        pipe.fileHandleForReading.readToEndOfFileInBackgroundAndNotify()
      }
      let limit = Date(timeIntervalSinceNow: loopLimit)
      while RunLoop.current.run(mode: .default, before: limit) {}
      // Workers close the channel and the source.
      while handle != nil && Date() < limit { letRealTimePass(.microseconds(200)) }
      return handle == nil
    }
    #expect(freed)
  }

  /// The kernel reports nothing about a closed descriptor.
  @Test(arguments: [false, true]) func aHandleThatIsClosedKeepsNoLoopRunning(toEnd: Bool) throws {
    let (isInTime, isFreed) = try onPlainThread { () -> (Bool, Bool) in
      let limit = Date(timeIntervalSinceNow: loopLimit)
      weak var handle: FileHandle?
      let pipe = try PipeEnds()
      do {
        let reading = FileHandle(
          fileDescriptor: dup(pipe.fileHandleForReading.fileDescriptor), closeOnDealloc: true)
        handle = reading
        if toEnd {
          reading.readToEndOfFileInBackgroundAndNotify()
        } else {
          reading.readInBackgroundAndNotify()
        }
        // The loop's own thread closes the handle while the loop runs.
        RunLoop.current.perform { [weak reading] in try? reading?.close() }
      }
      while RunLoop.current.run(mode: .default, before: limit) && Date() < limit {}
      let isInTime = Date() < limit
      // Workers close the channel and the source.
      while handle != nil && Date() < limit { letRealTimePass(.microseconds(200)) }
      withExtendedLifetime(pipe) {}
      return (isInTime, handle == nil)
    }
    #expect(isInTime)
    #expect(isFreed)
  }

  @Test func aReadabilityHandlerIsCalled() throws {
    let pipe = try PipeEnds()
    let read = EventLog<String>()
    pipe.fileHandleForReading.readabilityHandler = { handle in
      read.append(String(decoding: handle.availableData, as: UTF8.self))
      handle.readabilityHandler = nil
    }
    pipe.fileHandleForWriting.write(Data("abc".utf8))
    #expect(try read.wait(forCount: 1) == ["abc"])
  }
}

/// A pipe that no child of another test inherits, because a child would keep its end open. A child
/// that starts while `Pipe` makes its ends inherits them.
private final class PipeEnds: Sendable {
  let fileHandleForReading: FileHandle
  let fileHandleForWriting: FileHandle

  init() throws {
    let ends = try Ends()
    fileHandleForReading = try PipeEnds.makeHandle(ends.input)
    fileHandleForWriting = try PipeEnds.makeHandle(ends.output)
    withExtendedLifetime(ends) {}
  }

  /// Makes a handle that closes a descriptor of its own.
  private static func makeHandle(_ end: Int32) throws -> FileHandle {
    let own = fcntl(end, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { throw SystemCallFailure(call: "fcntl", code: errno) }
    return FileHandle(fileDescriptor: own, closeOnDealloc: true)
  }
}
