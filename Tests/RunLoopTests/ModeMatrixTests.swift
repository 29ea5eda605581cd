// ModeMatrixTests — each kind of thing that a loop calls is held back by another mode and let
// through later.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import SignalboxThreads
import Testing

/// One kind of thing that fires in its modes.
struct ModalThing: Sendable, CustomTestStringConvertible {
  let name: String
  /// Adds one to a mode of the calling thread's loop, ready to fire. Returns a closure that
  /// removes it.
  let place: @Sendable (CFRunLoopMode, _ fires: @escaping @Sendable () -> Void) -> () -> Void
  var testDescription: String { name }

  static let source = ModalThing(name: "source of version 0") { mode, fires in
    let source = makeSource { fires() }
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
    CFRunLoopSourceSignal(source)
    return { CFRunLoopSourceInvalidate(source) }
  }

  static let descriptor = ModalThing(name: "source of version 1") { mode, fires in
    guard let ends = try? Ends() else { return {} }
    ends.put([1])
    let source = CFRunLoopSource.watching(ends.input) {
      fires()
      _ = ends.take(atMost: 1)
    }
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
    return { CFRunLoopSourceInvalidate(source) }
  }

  static let port = ModalThing(name: "port") { mode, fires in
    let port = Port()
    let recorder = Recorder { _ in fires() }
    port.setDelegate(recorder)
    RunLoop.current.add(port, forMode: RunLoop.Mode(mode))
    port.post(1)
    return { withExtendedLifetime(recorder) { port.invalidate() } }
  }

  static let observer = ModalThing(name: "observer") { mode, fires in
    let observer = makeObserver(of: .beforeSources, repeats: false) { _ in fires() }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, mode)
    return { CFRunLoopObserverInvalidate(observer) }
  }

  static let timer = ModalThing(name: "timer") { mode, fires in
    let timer = Timer(fire: .distantPast, interval: 0, repeats: false) { _ in fires() }
    RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
    return { timer.invalidate() }
  }

  static let block = ModalThing(name: "block") { mode, fires in
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), mode) { fires() }
    return {}
  }

  static let perform = ModalThing(name: "perform from thread to thread") { mode, fires in
    try? Thread.perform(
      on: .current, waitUntilDone: false, modes: [RunLoop.Mode(mode)], block: fires)
    return {}
  }

  static let orderedPerform = ModalThing(name: "perform in an order") { mode, fires in
    let target = Target()
    RunLoop.current.perform("x", target: target, modes: [RunLoop.Mode(mode)], block: fires)
    return { RunLoop.current.cancelPerformSelectors(withTarget: target) }
  }

  static let delayedPerform = ModalThing(name: "perform after a delay") { mode, fires in
    let target = Target()
    RunLoop.current.perform(
      target: target, afterDelay: 0, inModes: [RunLoop.Mode(mode)], block: fires)
    return { RunLoop.cancelPreviousPerformRequests(withTarget: target) }
  }

  private final class Target: Sendable {}

  /// The kinds that the loop keeps until they are removed.
  static let items = [source, descriptor, port, observer, timer]
  static let all = items + [block, perform, orderedPerform, delayedPerform]
  static let retractable = items + [orderedPerform, delayedPerform]
}

@Suite struct ModeMatrixTests {
  /// Runs a pass in a mode that contains something else.
  private static func pass(_ name: String) -> CFRunLoopMode {
    let mode = CFRunLoopMode(name)
    let keeper = makeSource()
    CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, mode)
    CFRunLoopRunInMode(mode, 0, false)
    CFRunLoopSourceInvalidate(keeper)
    return mode
  }

  @Test(arguments: ModalThing.all)
  func itWaitsInAnotherModeAndRunsLaterInItsOwn(_ thing: ModalThing) throws {
    try onPlainThread {
      let fired = EventCounter(thing.name)
      let take = thing.place(CFRunLoopMode("own")) { fired.increment() }
      for other in ["other", "kCFRunLoopDefaultMode", "NSEventTrackingRunLoopMode"] {
        _ = Self.pass(other)
        #expect(fired.value == 0, "in \(other)")
      }
      _ = Self.pass("own")
      #expect(fired.value == 1)
      _ = Self.pass("own")
      #expect(fired.value == 1)
      take()
    }
  }

  @Test(arguments: ModalThing.all)
  func itemOfTheCommonModesFiresInEachOfThemAndInNoOther(_ thing: ModalThing) throws {
    let modes = [
      "kCFRunLoopDefaultMode", "NSEventTrackingRunLoopMode", "NSModalPanelRunLoopMode", "joined",
    ]
    for mode in modes {
      try onPlainThread {
        CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), CFRunLoopMode("joined"))
        let fired = EventCounter(thing.name)
        let take = thing.place(.commonModes) { fired.increment() }
        _ = Self.pass("NSConnectionReplyMode")
        _ = Self.pass("other")
        #expect(fired.value == 0)
        _ = Self.pass(mode)
        #expect(fired.value == 1, "in \(mode)")
        take()
      }
    }
  }

  @Test(arguments: ModalThing.all)
  func aModeThatJoinsTheCommonModesLaterGetsTheirItems(_ thing: ModalThing) throws {
    try onPlainThread {
      let fired = EventCounter(thing.name)
      let take = thing.place(.commonModes) { fired.increment() }
      _ = Self.pass("late")
      #expect(fired.value == 0)
      CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), CFRunLoopMode("late"))
      _ = Self.pass("late")
      #expect(fired.value == 1)
      take()
    }
  }

  @Test(arguments: ModalThing.retractable)
  func removedItemNeverFires(_ thing: ModalThing) throws {
    try onPlainThread {
      let fired = EventCounter(thing.name)
      for mode in ["own", "kCFRunLoopCommonModes"] {
        let take = thing.place(CFRunLoopMode(mode)) { fired.increment() }
        take()
      }
      _ = Self.pass("own")
      _ = Self.pass("kCFRunLoopDefaultMode")
      #expect(fired.value == 0)
    }
  }
}
