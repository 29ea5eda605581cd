// ScheduledStream — a stream in a loop: calls the stream's delegate when there is an event.
//
// Before the sources of each pass, an observer checks whether the stream has an event. If so,
// it signals a source of version 0, which the same pass performs. A change while the loop sleeps
// must wake it: the stream's descriptor does so, or a timer if the stream has no descriptor.
//
// Touching    `told`: the loop's own thread. `waker`, `pace`: under `lock`; set only by the
//             loop's own thread. `modes`: under `lock`. The rest: set by the initializer.
// Invariants  I1  the waker and the timer are in no mode that the stream has left: a thread
//                 that adds them checks again afterwards, and a thread that leaves a mode
//                 updates `modes` before it removes the waker and the timer.

import Foundation
import SignalboxRunLoop
import SignalboxRuntime

final class ScheduledStream: @unchecked Sendable {  // SAFETY: see Touching.
  let identity: ObjectIdentifier
  private weak var stream: Stream?
  private let loop: CFRunLoop
  private var source: CFRunLoopSource!
  private var observer: CFRunLoopObserver!

  private let lock = EngineLock()
  private var modes: Set<CFRunLoopMode> = []

  private var told = Told()
  private var waker: StreamWaker?
  private var pace: CFRunLoopTimer?

  /// The events that the delegate has received.
  private struct Told {
    var opening = false
    var end = false
    /// The stream's position when the delegate was last notified of bytes or
    /// space.
    var position: StreamPosition?
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

  // MARK: Entering and leaving modes

  func enter(_ mode: CFRunLoopMode) {
    CFRunLoopAddSource(loop, source, mode)
    lock.withLock { _ = modes.insert(mode) }
    CFRunLoopAddObserver(loop, observer, mode)
    // The loop's thread checks the stream, and adds the waker or the timer to this mode too.
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

  /// Called after the source has left a mode.
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

  /// Makes sure that the stream's events wake the loop, in all modes.
  private func arrange() {
    guard let stream, stream.isServed, !told.end else { return }
    makeWaking(for: stream)
    let (waker, pace, wanted) = lock.withLock { (self.waker, self.pace, modes) }
    for mode in wanted {
      if let waker { CFRunLoopAddSource(loop, waker.source, mode) }
      if let pace { CFRunLoopAddTimer(loop, pace, mode) }
    }
    // Another thread may have left a mode in the meantime.
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

  /// Creates a timer whose only purpose is to make the loop run a pass.
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
    default: told.position = stream.position
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
      if let position = told.position, position == stream.position { return nil }
      return event
    @unknown default: return nil
    }
  }
}
