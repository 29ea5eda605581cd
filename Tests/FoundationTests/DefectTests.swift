import SignalboxFoundation
import SignalboxTestSupport
import Testing

/// D9: the toolchain never posts thread notifications. (DefectTests covers the rest of D9.)
struct DefectTests {
  /// Runs in a process of its own, in which no thread has been started.
  @Test func theFirstThreadIsAnnouncedOnceOnTheStartingThread() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let told = EventLog<Int>()
      _ = NotificationCenter.default.addObserver(
        forName: .NSWillBecomeMultiThreaded, object: nil, queue: nil
      ) { note in
        if note.object == nil { told.append(kernelThreadNumber()) }
      }
      let here = kernelThreadNumber()
      for _ in 0..<2 { Thread {}.start() }
      exit(told.all == [here] ? 7 : 1)
    }
  }

  @Test(.observingOneObject) func theEndOfAThreadIsAnnouncedOnThatThread() throws {
    let seen = EventLog<String>()
    let thread = Thread {}
    thread.name = "ending"
    let token = NotificationCenter.default.addObserver(
      forName: .NSThreadWillExit, object: thread, queue: nil
    ) { note in
      let ended = note.object as? Thread
      seen.append("\(ended?.name ?? "?") \(ended == Thread.current) \(Thread.current.isFinished)")
    }
    defer { NotificationCenter.default.removeObserver(token) }
    thread.start()
    #expect(try seen.wait(forCount: 1) == ["ending true false"])
  }

  @Test(.observingOneObject) func theExitOfAThreadIsAnnounced() throws {
    let seen = EventLog<String>()
    let thread = Thread { Thread.exit() }
    let token = NotificationCenter.default.addObserver(
      forName: .NSThreadWillExit, object: thread, queue: nil
    ) { _ in seen.append("exit") }
    defer { NotificationCenter.default.removeObserver(token) }
    thread.start()
    try seen.wait(forCount: 1)
  }

  @Test(.observingOneObject) func anInvalidPortIsAnnouncedOnce() {
    let seen = EventLog<Bool>()
    let port = Port()
    let token = NotificationCenter.default.addObserver(
      forName: Port.didBecomeInvalidNotification, object: port, queue: nil
    ) { note in seen.append((note.object as? Port)?.isValid == false) }
    defer { NotificationCenter.default.removeObserver(token) }
    port.invalidate()
    port.invalidate()
    #expect(seen.all == [true])
  }
}
