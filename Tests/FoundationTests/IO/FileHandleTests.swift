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
    let pipe = makePipe()
    pipe.fileHandleForWriting.write(Data("abc".utf8))
    let told = try told(
      FileHandle.readCompletionNotification, of: pipe.fileHandleForReading
    ) { $0.readInBackgroundAndNotify() }
    #expect(told == ["abc true", "true"])
  }

  @Test func resultsArePostedInTheNamedModes() throws {
    let pipe = makePipe()
    pipe.fileHandleForWriting.write(Data("abc".utf8))
    let told = try told(
      FileHandle.readCompletionNotification, of: pipe.fileHandleForReading, in: .eventTracking
    ) { $0.readInBackgroundAndNotify(forModes: [.eventTracking]) }
    #expect(told == ["abc true", "true"])
  }

  @Test func theLoopWaitsUntilDataArrives() throws {
    let pipe = makePipe()
    let writer = DispatchQueue(label: "writer")
    let told = try told(.NSFileHandleDataAvailable, of: pipe.fileHandleForReading) {
      $0.waitForDataInBackgroundAndNotify()
      writer.async { pipe.fileHandleForWriting.write(Data("late".utf8)) }
    }
    #expect(told == ["- true", "true"])
  }

  @Test func allIsReadToTheEnd() throws {
    let pipe = makePipe()
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
    let pipe = makePipe()
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
        let pipe = makePipe()
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
      let pipe = makePipe()
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
    let pipe = makePipe()
    let read = EventLog<String>()
    pipe.fileHandleForReading.readabilityHandler = { handle in
      read.append(String(decoding: handle.availableData, as: UTF8.self))
      handle.readabilityHandler = nil
    }
    pipe.fileHandleForWriting.write(Data("abc".utf8))
    #expect(try read.wait(forCount: 1) == ["abc"])
  }
}

/// Makes a pipe that no child of another test inherits, because a child would keep its end
/// open.
private func makePipe() -> Pipe {
  let pipe = Pipe()
  for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
    _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
  }
  return pipe
}
