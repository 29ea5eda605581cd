// DescriptorSource — the sources for a descriptor that can be read or written.
//
// An event disarms the watch; it is armed again when the handler has returned, so the handler is
// called as long as the descriptor is ready. A hang-up with nothing left to read is reported
// once. The watch then waits for a change, such as a new writer of a pipe.
//
// A regular file cannot be watched. It is ready as long as bytes are left, once more at its end,
// and again when it has grown.
//
// A handler may suspend the source instead of reading the end. So each resumption makes the source
// report an end once more.
//
// Touching    `watch`, `growth`: by the installing thread, then the uninstalling one; `watch` is
//             read on the target queue in between. `mode`: on the target queue, where only one run
//             of the source happens at a time. `pending` means that an event has occurred.
//             `hasToldEnd`: set on the target queue, and cleared by any thread that resumes the
//             source.
// Invariants  I1  a run that begins after a resumption finds `hasToldEnd` cleared, or another run
//                 follows. The resuming thread clears it, then writes the word (SS1 of
//                 `SourceState`), even if the word says already that an event has occurred; a run
//                 clears `event`, then looks at `hasToldEnd`.
// Rejected    `wake` for a resumption: it only reads the word if an event is due already, and the
//             run that takes that event may still find the flag set.

import CSignalbox
import SignalboxRuntime

final class DescriptorSource: SourceCore, DescriptorClient, FileWatchClient, @unchecked Sendable {
  // SAFETY: see Touching.
  enum Direction { case reading, writing }

  private let direction: Direction
  private let descriptor: Int32
  private var watch: DescriptorWatch?
  private var growth: FileWatch?
  /// What `rearm` must do.
  private var mode = Mode.pollable
  private var isFile = false
  /// Whether an end was reported and the source was not resumed since. That end may have passed:
  /// `mode` tells.
  private let hasToldEnd = Relaxed(false)

  private enum Mode { case pollable, news, file, fileAtEnd }

  init(_ direction: Direction, _ descriptor: Int32, queue: DispatchQueue?) {
    self.direction = direction
    self.descriptor = descriptor
    super.init(handle: UInt(bitPattern: Int(descriptor)), mask: 0, queue: queue)
  }

  override var kindName: String {
    "\(direction == .reading ? "read" : "write") source for descriptor \(descriptor)"
  }

  // MARK: Installing

  /// Installing and uninstalling each take a system call.
  override var isHeavy: Bool { true }

  override func install() -> Int32 {
    let watch = DescriptorWatch(
      descriptor, for: direction == .reading ? .readable : .writable, client: self)
    self.watch = watch
    let error = Engine.current.driver.watch(watch)
    guard error == EPERM else { return error }
    self.watch = nil
    beginFile()
    return 0
  }

  /// Begins a source for a descriptor that cannot be polled because it is always ready. A regular
  /// file is also watched for growth.
  private func beginFile() {
    isFile = true
    mode = .file
    wake()
    guard direction == .reading, csb_file_left(descriptor) != CSB_FILE_ENDLESS else { return }
    let growth = FileWatch(descriptor, for: .modified, client: self)
    let error = Engine.current.driver.files.add(growth)
    if error == 0 { return self.growth = growth }
    warn(
      "the \(kindName) will not report that the file has grown: \(FileWatches.reason(error))")
  }

  override func uninstall() {
    if let watch { Engine.current.driver.unwatch(watch) }
    if let growth { Engine.current.driver.files.remove(growth) }
    growth = nil
  }

  func fileHasNews(_ watch: FileWatch, _ news: FileNews) { merge(or: 1) }

  func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    merge(or: UInt(events.rawValue))
  }

  /// Cancels the source on the target queue, not on this thread, because that frees captures of the
  /// program's handlers.
  func isGone(_ watch: DescriptorWatch) {
    let cancelling = ClosureItem.make(
      { [self] in
        cancelBecause("lost its descriptor, which was closed before the source was cancelled")
      }, flags: [], group: nil)
    target.queue.push(cancelling)
  }

  // MARK: Running

  override func takeData() -> UInt? {
    _ = takePending()
    return switch (direction, isFile) {
    case (.reading, false): bytesToRead()
    case (.writing, false): bytesToWrite()
    case (.reading, true): bytesLeft()
    case (.writing, true): 1
    }
  }

  // The events of the watch may be out of date or combined by now, so ask the descriptor itself.

  private func bytesToRead() -> UInt? {
    let finding = ReadFinding(AskedDescriptor(number: descriptor))
    if finding == .end { return tellEnd(.news) }
    mode = .pollable
    return switch finding {
    case .bytes(let count): count
    case .empty: 0
    case .nothing, .end: nil
    }
  }

  private func bytesToWrite() -> UInt? {
    let now = DescriptorLook.readiness(descriptor, for: .writable)
    if now.isEnd { return tellEnd(.news) }
    mode = .pollable
    return now.contains(.writable) ? UInt(max(1, DescriptorLook.space(descriptor))) : nil
  }

  /// Reports an end, unless it was reported before and the source was not resumed since. From then
  /// on, the source waits for a change, which occurs when that state ends: the error is fetched, a
  /// pipe gets a new writer, or a file grows.
  private func tellEnd(_ end: Mode) -> UInt? {
    let hasTold = hasToldEnd.exchange(true)
    if hasTold && mode == end { return nil }
    mode = end
    return 0
  }

  /// Reports an end once more. One resumption causes one run, so the source does not spin.
  override func wasResumed() {
    if hasToldEnd.exchange(false), state.enqueueForEvent() { push() }
  }

  private func bytesLeft() -> UInt? {
    let left = csb_file_left(descriptor)
    if left == CSB_FILE_ENDLESS { return 1 }
    if left > 0 {
      mode = .file
      return UInt(left)
    }
    return tellEnd(.fileAtEnd)
  }

  override func rearm() {
    switch mode {
    case .pollable: Engine.driver._withUnsafeGuaranteedRef { $0.arm(watch!) }
    case .news: armUnlessPassed()
    case .file: wake()
    case .fileAtEnd: break
    }
  }

  private func armUnlessPassed() {
    // The handler may have cleared the state that was reported, for example by reading the socket's
    // error.
    let interest: Readiness = direction == .reading ? .readable : .writable
    if !DescriptorLook.readiness(descriptor, for: interest).isEnd { mode = .pollable }
    Engine.driver._withUnsafeGuaranteedRef { $0.arm(watch!, forNews: mode == .news) }
  }
}

/// The kernel's answers about a descriptor of this process.
private struct AskedDescriptor: ReadableDescriptor {
  let number: Int32

  var available: Int64 { DescriptorLook.available(number) }
  var isAtUrgentByte: Bool { DescriptorLook.isAtUrgentByte(number) }
  var readiness: Readiness { DescriptorLook.readiness(number, for: .readable) }
}
