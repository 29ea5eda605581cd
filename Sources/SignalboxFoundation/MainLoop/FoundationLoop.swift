// FoundationLoop — Foundation's own main run loop, as the host of ours: whoever spins it (a
// wait of XCTest's, `Process.waitUntilExit`, a library with streams) serves the main queue
// and the main run loop.
//
// Two sources of version 1 and an observer stand in its common modes. One source has the
// set of descriptors in which our loop sleeps, the other a timer of the kernel's; the observer
// begins and ends the guest's run with that of the host, and sets the timer before each sleep.
// See Internals/FoundationLoop.md.
//
// Touching    `guests`, `timer`: the main thread. All else: whoever arranges it, once.

import CoreFoundation
import Foundation
import SignalboxRunLoop
import SignalboxRuntime

final class FoundationLoop: @unchecked Sendable {  // SAFETY: see Touching.
  /// What is there for as long as the process: Foundation's loop keeps it.
  private static let shared = FoundationLoop()

  /// One for each run of Foundation's loop in a common mode, the innermost last.
  private var guests: [RunLoopHost] = []
  private var timer = DeadlineDescriptor()
  private let loop: CoreFoundation.CFRunLoop = CoreFoundation.CFRunLoopGetMain()

  private init() {}

  /// Any thread: the loop may be in a run.
  static func arrange() {
    let main = shared.loop
    shared.addSource(RunLoopHost.mainDescriptor) { _ in FoundationLoop.shared.drain() }
    shared.addSource(shared.timer.descriptor) { _ in
      FoundationLoop.shared.timer.noteRead()
      FoundationLoop.shared.drain()
    }
    shared.addObserver()
    // One that sleeps comes by the observer, and finds what there is.
    CoreFoundation.CFRunLoopWakeUp(main)
  }

  private func addSource(
    _ descriptor: Int32, _ perform: @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) {
    var context = CoreFoundation.CFRunLoopSourceContext1()
    context.version = 1
    context.info = UnsafeMutableRawPointer(bitPattern: Int(descriptor) + 1)
    context.getPort = { info in Int32(Int(bitPattern: info) - 1) }
    context.perform = perform
    let source = withUnsafeMutablePointer(to: &context) { context in
      // SAFETY: Core Foundation takes a context of either version by this pointer, and reads
      // as much of it as its version has.
      CoreFoundation.CFRunLoopSourceCreate(
        nil, 0,
        UnsafeMutableRawPointer(context).assumingMemoryBound(
          to: CoreFoundation.CFRunLoopSourceContext.self))
    }
    CoreFoundation.CFRunLoopAddSource(loop, source, CoreFoundation.kCFRunLoopCommonModes)
  }

  private func addObserver() {
    let activities: CoreFoundation.CFRunLoopActivity = [
      .entry, .beforeSources, .beforeWaiting, .exit,
    ]
    // Behind all other observers: what they do here is seen.
    let observer = CoreFoundation.CFRunLoopObserverCreateWithHandler(
      nil, CFOptionFlags(activities.rawValue), true, .max
    ) { _, activity in FoundationLoop.shared.observe(activity) }
    CoreFoundation.CFRunLoopAddObserver(loop, observer, CoreFoundation.kCFRunLoopCommonModes)
  }

  // MARK: On the main thread

  private func observe(_ activity: CoreFoundation.CFRunLoopActivity) {
    // A child's loop has its sets of descriptors with the parent in common.
    if Fork.hasHappened { return }
    switch activity {
    case .entry: enter()
    case .exit: guests.popLast()?.end()
    case .beforeWaiting:
      guest.announce()
      timer.set(guest.deadline)
    default: guest.announce()
    }
  }

  private func enter() {
    let mode = Foundation.RunLoop.main.currentMode ?? .default
    guests.append(.ofFoundation(.init(mode.rawValue)))
  }

  /// That of the innermost run; begun now if that began before anything was arranged.
  private var guest: RunLoopHost {
    if guests.isEmpty { enter() }
    return guests[guests.count - 1]
  }

  /// Called by a source, so that a run of Foundation's loop within it is like any other: an
  /// observer is told nothing of runs within its own call.
  private func drain() {
    if Fork.hasHappened { return }
    if guest.drainForFoundation() { CoreFoundation.CFRunLoopStop(loop) }
  }
}

/// Called through `csb_foundation_loop_begin`, once, when the main queue or the main run loop
/// is first used.
@c(csb_foundation_loop_arrange)
package func arrangeFoundationLoop() { FoundationLoop.arrange() }
