// DescriptorSource — the kinds of sources that a descriptor wakes: it can be read, or
// written.
//
// An event disarms the watch; when the handler has returned it is armed again, so that
// the handler is called for as long as the descriptor is ready. A hang-up with nothing
// left to read is told once; then the watch waits for news: a pipe that gets a new
// writer.
//
// A regular file cannot be watched. It is ready as long as something is left of it, once
// more at its end, and then again when it has grown.
//
// Touching    `watch`, `growth`: by whoever installs, then whoever uninstalls; `watch` is
//             read on the target queue in between. `mode`: on the target queue, where
//             the source's runs follow each other. `pending` says that something came.

import CSignalbox
import SignalboxRuntime

final class DescriptorSource: SourceCore, DescriptorClient, FileWatchClient, @unchecked Sendable {
  // SAFETY: see Touching.
  enum Direction { case reading, writing }

  private let direction: Direction
  private let descriptor: Int32
  private var watch: DescriptorWatch?
  private var growth: FileWatch?
  /// What `rearm` is to do.
  private var mode = Mode.pollable
  private var isFile = false

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

  /// A system call each time.
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

  /// What cannot be polled is always ready: a file, which tells when it grows.
  private func beginFile() {
    isFile = true
    mode = .file
    wake()
    guard direction == .reading, csb_file_left(descriptor) != CSB_FILE_ENDLESS else { return }
    let growth = FileWatch(descriptor, for: .modified, client: self)
    let error = Engine.current.driver.files.add(growth)
    if error == 0 { return self.growth = growth }
    complain(
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

  /// On the target queue, as whatever frees what the program's handlers hold.
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

  // What the watch was told may be of the past by now, and events may have fallen together:
  // the descriptor itself is asked.

  private func bytesToRead() -> UInt? {
    let finding = ReadFinding(AskedDescriptor(number: descriptor))
    if finding == .end { return tellEnd() }
    mode = .pollable
    return switch finding {
    case .bytes(let count): count
    case .empty: 0
    case .nothing, .end: nil
    }
  }

  private func bytesToWrite() -> UInt? {
    let now = DescriptorLook.readiness(descriptor, for: .writable)
    if now.isEnd { return tellEnd() }
    mode = .pollable
    return now.contains(.writable) ? UInt(max(1, DescriptorLook.space(descriptor))) : nil
  }

  /// Tells an end that was not told before. The watch is for news then, which come when
  /// the end has passed: the error was fetched, a pipe has a new writer.
  private func tellEnd() -> UInt? {
    if mode == .news { return nil }
    mode = .news
    return 0
  }

  private func bytesLeft() -> UInt? {
    let left = csb_file_left(descriptor)
    if left == CSB_FILE_ENDLESS { return 1 }
    if left > 0 {
      mode = .file
      return UInt(left)
    }
    if mode == .fileAtEnd { return nil }
    mode = .fileAtEnd
    return 0
  }

  override func rearm() {
    switch mode {
    case .pollable: Engine.current.driver.arm(watch!)
    case .news: armUnlessPassed()
    case .file: wake()
    case .fileAtEnd: break
    }
  }

  private func armUnlessPassed() {
    // What the handler did may have ended it: an error is gone once it is fetched.
    let interest: Readiness = direction == .reading ? .readable : .writable
    if !DescriptorLook.readiness(descriptor, for: interest).isEnd { mode = .pollable }
    Engine.current.driver.arm(watch!, forNews: mode == .news)
  }
}

/// The kernel's answers about a descriptor of this process.
private struct AskedDescriptor: ReadableDescriptor {
  let number: Int32

  var available: Int64 { DescriptorLook.available(number) }
  var isAtUrgentByte: Bool { DescriptorLook.isAtUrgentByte(number) }
  var readiness: Readiness { DescriptorLook.readiness(number, for: .readable) }
}
