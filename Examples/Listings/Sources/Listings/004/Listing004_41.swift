import SignalboxDispatch
import SignalboxRunLoop

extension Listing {
  static let number004_41 = Listing(
    "004-41", heading: "The sample: custom sources in use",
    shows: "on registration main puts its context into the other's command buffer and signals it",
    outcome: "the exchange starts",
    truth: "two threads use the buffer: without a lock, a command can be lost",
    rows: ["W2", "R3"]
  ) { story in
    // The fault, safely: each step of an append is a read or a write of its own.
    let unguarded = Cell<[Int]>([])
    let meeting = Rendezvous(of: 2)
    runSideBySide(2) { thread in
      let old = unguarded.value
      meeting.arrive()
      unguarded.value = old + [thread]
    }
    story.check(unguarded.value.count, is: 1, "the fault: of two commands one is lost")

    let received = Cell<[String]>([])
    let done = DispatchSemaphore(value: 0)
    let delegate = Document004.SampleDelegate()
    let mainSource = delegate.makeMainSource()
    let made = Document004.WeakSource()
    let secondarySource = Document004.SampleSource(
      "secondary",
      perform: {
        let commands = made.source?.commandBuffer.withValue { buffer in
          defer { buffer = [] }
          return buffer
        }
        received.value = (commands ?? []).map(\.runloopSource.name)
        done.signal()
      })
    made.source = secondarySource
    let main = LoopThread { _ in mainSource.addToCurrentRunLoop() }
    let secondary = LoopThread { _ in secondarySource.addToCurrentRunLoop() }
    delegate.registerSecondaryThreadRunLoopSource(
      Document004.SampleContext(runloop: secondary.loop, runloopSource: secondarySource))
    main.run { Document004.sendCommandToSecondaryThread(delegate) }
    done.wait()
    main.end()
    secondary.end()
    story.check(
      received.value, is: ["main"], "the second thread finds main's context in its buffer")
  }
}

extension Document004 {
  static func sendCommandToSecondaryThread(_ delegate: SampleDelegate) {
    guard let main = delegate.main, let secondary = delegate.secondary else { return }
    secondary.runloopSource.commandBuffer.withValue { $0.append(main) }
    secondary.runloopSource.signalSourceAndWakeUpRunloop(secondary.runloop)
  }
}
