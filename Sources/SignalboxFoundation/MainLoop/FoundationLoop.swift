// FoundationLoop — makes Foundation's own main run loop the host of ours. Code that runs
// Foundation's loop (a wait in XCTest, `Process.waitUntilExit`, a library with streams) then also
// serves the main queue and the main run loop.
//
// The common modes of Foundation's loop contain two sources of version 1 and an observer. One
// source watches the epoll set in which our loop sleeps, the other a kernel timer. The observer
// begins and ends the guest's run with the host's run, and sets the timer before each sleep. See
// Internals/FoundationLoop.md.
//
// Touching    `guests`, `timer`: the main thread. Everything else: the thread that calls
//             `arrange`, once.

import CoreFoundation
import Foundation
import SignalboxRunLoop
import SignalboxRuntime

final class FoundationLoop: @unchecked Sendable {  // SAFETY: see Touching.
  /// Lives as long as the process: Foundation's loop refers to it.
  private static let shared = FoundationLoop()

  /// One guest for each run of Foundation's loop in a common mode, the innermost last.
  private var guests: [RunLoopHost] = []
  private var timer = DeadlineDescriptor()
  private let loop: CoreFoundation.CFRunLoop = CoreFoundation.CFRunLoopGetMain()

  private init() {}

  /// Call from any thread; the loop may be in a run.
  static func arrange() {
    let main = shared.loop
    shared.addSource(RunLoopHost.mainDescriptor) { _ in FoundationLoop.shared.drain() }
    shared.addSource(shared.timer.descriptor) { _ in
      FoundationLoop.shared.timer.noteRead()
      FoundationLoop.shared.drain()
    }
    shared.addObserver()
    // A sleeping loop passes the observer when it wakes, and finds the pending work.
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
      // SAFETY: Core Foundation takes a context of either version through this pointer, and
      // reads as much of it as the version has.
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
    // This observer comes after all others, so that it sees the effects of what they do.
    let observer = CoreFoundation.CFRunLoopObserverCreateWithHandler(
      nil, CFOptionFlags(activities.rawValue), true, .max
    ) { _, activity in FoundationLoop.shared.observe(activity) }
    CoreFoundation.CFRunLoopAddObserver(loop, observer, CoreFoundation.kCFRunLoopCommonModes)
  }

  // MARK: On the main thread

  private func observe(_ activity: CoreFoundation.CFRunLoopActivity) {
    // A forked child's loop shares its epoll sets with the parent.
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

  /// The guest of the innermost run. Created now if that run began before `arrange`.
  private var guest: RunLoopHost {
    if guests.isEmpty { enter() }
    return guests[guests.count - 1]
  }

  /// A source calls this, not the observer, so that a nested run of Foundation's loop works like
  /// any other: an observer is not called for a run that begins inside its own call.
  private func drain() {
    if Fork.hasHappened { return }
    if guest.drainForFoundation() { CoreFoundation.CFRunLoopStop(loop) }
  }
}

/// Called through `csb_foundation_loop_begin`, once, at the first use of the main queue or the
/// main run loop.
@_cdecl("csb_foundation_loop_arrange")
package func arrangeFoundationLoop() { FoundationLoop.arrange() }
