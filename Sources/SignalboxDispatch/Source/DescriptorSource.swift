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
// Touching    `readiness`: any thread, atomically. `mode`, `toldEnd`: on the target
//             queue, where the source's runs follow each other.
// Ordering    DS1  who adds readiness, then wakes; who runs takes it: ordered by the
//                  state.

import CSignalbox
import SignalboxRuntime
import Synchronization

final class DescriptorSource: SourceCore, DescriptorClient, @unchecked Sendable {
  // SAFETY: see Touching.
  enum Direction { case reading, writing }

  private let direction: Direction
  private let descriptor: Int32
  private let readiness = Atomic<UInt32>(0)
  private var watch: DescriptorWatch?
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

  override func install() -> Int32 {
    let watch = DescriptorWatch(
      descriptor, for: direction == .reading ? .readable : .writable, client: self)
    self.watch = watch
    let error = Engine.current.driver.watch(watch)
    guard error == EPERM else { return error }
    // Always ready: a file.
    self.watch = nil
    isFile = true
    mode = .file
    wake()
    return 0
  }

  override func uninstall() {
    if let watch { Engine.current.driver.unwatch(watch) }
  }

  func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    // order: relaxed; DS1
    readiness.bitwiseOr(events.rawValue, ordering: .relaxed)
    wake()
  }

  func isGone(_ watch: DescriptorWatch) {
    cancelBecause("was closed or re-used before the source was cancelled")
  }

  // MARK: Running

  override func takeData() -> UInt? {
    // order: relaxed; DS1
    let events = Readiness(rawValue: readiness.exchange(0, ordering: .relaxed))
    return switch (direction, isFile) {
    case (.reading, false): bytesToRead(events)
    case (.writing, false): bytesToWrite(events)
    case (.reading, true): bytesLeft()
    case (.writing, true): 1
    }
  }

  private func bytesToRead(_ events: Readiness) -> UInt? {
    let available = DescriptorLook.available(descriptor)
    let isOver = !events.isDisjoint(with: [.hangUp, .error])
    if available > 0 {
      mode = .pollable
      return UInt(available)
    }
    if isOver {
      // Told once.
      if mode == .news { return nil }
      mode = .news
      return 0
    }
    mode = .pollable
    if available < 0 { return 1 }
    // Another may have read it; or there is nothing in what there is: an empty datagram,
    // the end that a terminal's user has typed.
    return DescriptorLook.isReadable(descriptor) ? 0 : nil
  }

  private func bytesToWrite(_ events: Readiness) -> UInt? {
    if !events.isDisjoint(with: [.hangUp, .error]) {
      if mode == .news { return nil }
      mode = .news
      return 0
    }
    mode = .pollable
    return UInt(max(1, DescriptorLook.space(descriptor)))
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
    case .news: Engine.current.driver.arm(watch!, forNews: true)
    case .file: wake()
    case .fileAtEnd: break
    }
  }
}
