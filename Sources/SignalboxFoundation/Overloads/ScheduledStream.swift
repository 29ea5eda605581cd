// ScheduledStream — a stream in a loop: what its delegate is told, and when.
//
// Before each pass comes to its sources, an observer looks whether the stream has something to
// tell; if so a source of version 0 is signalled, which performs in the same pass. What can
// change while the loop sleeps wakes it: a descriptor, or a timer for a stream that has none.
//
// Touching    `told`: the loop's own thread. `waker`, `pace`: under `lock`; set by the loop's own
//             thread only. `modes`: under `lock`. The rest: set by the initializer.
// Invariants  I1  what wakes the loop is in no mode that was left: who adds it looks again
//                 afterwards, and who leaves a mode says so before it removes it there.

import Foundation
import SignalboxRunLoop
import SignalboxRuntime

final class ScheduledStream: @unchecked Sendable {  // SAFETY: see Touching.
  let identity: ObjectIdentifier
  private weak let stream: Stream?
  private let loop: CFRunLoop
  private var source: CFRunLoopSource!
  private var observer: CFRunLoopObserver!

  private let lock = EngineLock()
  private var modes: Set<CFRunLoopMode> = []

  private var told = Told()
  private var waker: StreamWaker?
  private var pace: CFRunLoopTimer?

  /// What the delegate has heard.
  private struct Told {
    var opening = false
    var end = false
    /// Where the stream was when the delegate last heard that there is something.
    var place: StreamPlace?
  }

  init(_ stream: Stream, _ loop: CFRunLoop) {
    identity = ObjectIdentifier(stream)
    self.stream = stream
    self.loop = loop
    var context = CFRunLoopSourceContext()
    context.perform = { [weak self] _ in self?.perform() }
    // The loop's thread may end before the stream does.
    context.cancel = { [weak self] _, _, _ in self?.endIfOut() }
    source = CFRunLoopSourceCreate(nil, 0, &context)
    observer = CFRunLoopObserverCreateWithHandler(
      nil, CFRunLoopActivity.beforeSources.rawValue, true, 0
    ) { [weak self] _, _ in self?.look() }
  }

  func isOf(_ stream: Stream, _ loop: CFRunLoop) -> Bool {
    self.stream === stream && self.loop === loop
  }

  // MARK: Coming and going

  func enter(_ mode: CFRunLoopMode) {
    CFRunLoopAddSource(loop, source, mode)
    lock.withLock { _ = modes.insert(mode) }
    CFRunLoopAddObserver(loop, observer, mode)
    // Its thread looks, and has the rest of what it needs in this mode too.
    CFRunLoopPerformBlock(loop, mode) { [weak self] in self?.arrange() }
    CFRunLoopWakeUp(loop)
  }

  func leave(_ mode: CFRunLoopMode) {
    CFRunLoopRemoveObserver(loop, observer, mode)
    lock.withLock { _ = modes.remove(mode) }
    removeWaking(from: mode)
    CFRunLoopRemoveSource(loop, source, mode)
  }

  private func removeWaking(from mode: CFRunLoopMode) {
    let (waker, pace) = lock.withLock { (self.waker, self.pace) }
    if let waker { CFRunLoopRemoveSource(loop, waker.source, mode) }
    if let pace { CFRunLoopRemoveTimer(loop, pace, mode) }
  }

  /// Its source has left a mode.
  private func endIfOut() {
    let modes = lock.withLock { self.modes }
    if !modes.contains(where: { CFRunLoopContainsSource(loop, source, $0) }) { end() }
  }

  private func end() {
    CFRunLoopObserverInvalidate(observer)
    CFRunLoopSourceInvalidate(source)
    StreamSchedules.shared.forget(self)
  }

  deinit {
    waker?.end()
    if let pace { CFRunLoopTimerInvalidate(pace) }
  }

  // MARK: On the loop's thread

  private func look() {
    guard let stream else { return end() }
    if stream.streamStatus == .closed { return end() }
    arrange()
    if nextEvent(of: stream) != nil { CFRunLoopSourceSignal(source) }
  }

  /// Has the loop woken when the stream has something, in all modes.
  private func arrange() {
    guard let stream, stream.isServed, !told.end else { return }
    makeWaking(for: stream)
    let (waker, pace, wanted) = lock.withLock { (self.waker, self.pace, modes) }
    for mode in wanted {
      if let waker { CFRunLoopAddSource(loop, waker.source, mode) }
      if let pace { CFRunLoopAddTimer(loop, pace, mode) }
    }
    // Another thread may have left one meanwhile.
    for mode in wanted where !lock.withLock({ modes.contains(mode) }) { removeWaking(from: mode) }
  }

  private func makeWaking(for stream: Stream) {
    if lock.withLock({ waker != nil || pace != nil }) { return }
    if let descriptor = stream.nativeDescriptor {
      let new = StreamWaker(descriptor, forWriting: stream is OutputStream) { [weak self] in
        self?.perform()
      }
      lock.withLock { waker = new }
    } else if !stream.isFoundations {
      let new = makePace()
      lock.withLock { pace = new }
    }
  }

  /// Only to have the loop make a pass.
  private func makePace() -> CFRunLoopTimer {
    let interval = 0.01
    return CFRunLoopTimerCreateWithHandler(
      nil, CFAbsoluteTimeGetCurrent() + interval, interval, 0, 0
    ) { _ in }
  }

  private func perform() {
    guard let stream, let event = nextEvent(of: stream) else { return }
    switch event {
    case .openCompleted: told.opening = true
    case .endEncountered, .errorOccurred:
      told.end = true
      stopWaking()
    default: told.place = stream.place
    }
    stream.delegate?.stream(stream, handle: event)
  }

  private func stopWaking() {
    let (waker, pace) = lock.withLock {
      let old = (self.waker, self.pace)
      (self.waker, self.pace) = (nil, nil)
      return old
    }
    waker?.end()
    if let pace { CFRunLoopTimerInvalidate(pace) }
  }

  private func nextEvent(of stream: Stream) -> Stream.Event? {
    switch stream.streamStatus {
    case .notOpen, .opening, .closed: return nil
    case .error: return told.end ? nil : .errorOccurred
    case .atEnd:
      if !told.opening { return .openCompleted }
      return told.end ? nil : .endEncountered
    case .open, .reading, .writing:
      if !told.opening { return .openCompleted }
      guard let event = stream.readiness else { return nil }
      if let place = told.place, place == stream.place { return nil }
      return event
    @unknown default: return nil
    }
  }
}
