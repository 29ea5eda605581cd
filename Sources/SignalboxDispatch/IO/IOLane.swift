// IOLane — operations of one descriptor that take turns: its reads, its writes, or on a disk both.
//
// The operation at the front transfers until it has ended. If the descriptor is not ready, the
// lane asks the driver for a call, and no thread waits. A thread of a global queue waits for a
// disk, so that the descriptor queue does not.
//
// States      of `watch`: none, registered. `isArmed`: the driver will call.
// Touching    everything: only on the descriptor queue, except `isReady` and `isGone`, which
//             submit to it.
// Invariants  I1  an operation is blocked ⇒ the watch is armed, or `isReady` or `isGone` is on
//                 its way to the descriptor queue.
//             I2  at most `width` operations are running; one that ends makes way at once.

import CSignalbox
import SignalboxRuntime

final class IOLane: @unchecked Sendable {  // SAFETY: see Touching.
  private let descriptor: IODescriptor
  private let width: Int
  private let interest: Readiness
  private var waiting = IOLine<IOOperation>()
  private var running: [IOOperation] = []
  private var watch: DescriptorWatch?
  private var isArmed = false

  /// The maximum number of transfers in a row before the descriptor queue looks at other
  /// work: a stop, a barrier, the other direction.
  private static var mostTransfers: Int { 16 }

  init(_ descriptor: IODescriptor, width: Int, interest: Readiness) {
    self.descriptor = descriptor
    self.width = width
    self.interest = interest
  }

  func add(_ operation: IOOperation) {
    waiting.append(operation)
    fill()
  }

  private func fill() {
    while running.count < width, let operation = waiting.popFirst() {
      operation.state = .working
      running.append(operation)
      drive(operation)
    }
  }

  // MARK: Driving

  private enum Step { case again, rests, ended }

  /// Continues an operation as far as possible now.
  private func drive(_ operation: IOOperation) {
    for _ in 0..<IOLane.mostTransfers {
      switch step(operation) {
      case .again: continue
      case .rests: return
      case .ended: return makeWay(operation)
      }
    }
    descriptor.onDescriptorQueue { self.goOn(operation) }
  }

  /// Continues an operation that had to wait, unless it has since ended.
  func goOn(_ operation: IOOperation) {
    if operation.isEnded { return }
    operation.state = .working
    drive(operation)
    fill()
  }

  private func makeWay(_ operation: IOOperation) { running.removeAll { $0 === operation } }

  private func step(_ operation: IOOperation) -> Step {
    if operation.isComplete { return end(operation, 0) }
    if operation.isFull {
      operation.state = .paused
      return .rests
    }
    if descriptor.isUnwritten && operation.direction == .read {
      return hasNoMore(operation, orElse: nil)
    }
    let transfer: IOTransfer
    switch operation.nextTransfer() {
    case .success(let next): transfer = next
    case .failure(let error): return end(operation, error.code)
    }
    if operation.isOnDisk {
      operation.state = .underWay
      descriptor.perform(transfer, for: operation.channel) { result in
        self.cameBack(operation, transfer, result)
      }
      return .rests
    }
    return settle(operation, transfer, transfer.perform())
  }

  private func end(_ operation: IOOperation, _ error: Int32, isAtEnd: Bool = false) -> Step {
    operation.end(error, isAtEnd: isAtEnd)
    return .ended
  }

  /// Receives the result of a transfer that another thread made.
  private func cameBack(_ operation: IOOperation, _ transfer: IOTransfer, _ result: Int) {
    operation.state = .working
    switch settle(operation, transfer, result) {
    case .again: drive(operation)
    case .rests: break
    case .ended: makeWay(operation)
    }
    fill()
  }

  /// Applies the result of a transfer to its operation.
  private func settle(_ operation: IOOperation, _ transfer: IOTransfer, _ result: Int) -> Step {
    if result > 0 { operation.advance(result, by: transfer) }
    if operation.isComplete { return end(operation, 0) }
    if operation.stopError != 0 { return end(operation, operation.stopError) }
    if result < 0 { return failed(operation, Int32(-result)) }
    if result == 0 {
      // A write that transfers nothing would be repeated forever.
      return operation.direction == .read
        ? end(operation, 0, isAtEnd: true) : end(operation, EIO)
    }
    operation.deliverIfDue()
    // Fewer bytes than asked for: no more are available now.
    if result == transfer.size || operation.isOnDisk { return .again }
    return hasNoMore(operation, orElse: .again)
  }

  private func failed(_ operation: IOOperation, _ error: Int32) -> Step {
    if error == EAGAIN { return hasNoMore(operation, orElse: nil) }
    operation.end(error)
    // A descriptor that is not open in this direction may still be open in the other.
    if error == EBADF && csb_io_is_open(descriptor.number) == 0 { descriptor.fail(EBADF) }
    return .ended
  }

  /// Waits for the descriptor.
  ///
  /// - Parameter step: what to do if the kernel cannot report when the descriptor is ready. Nil
  ///   ends the operation with an error, because repeating it might never succeed.
  private func hasNoMore(_ operation: IOOperation, orElse step: Step?) -> Step {
    if operation.isOnce && operation.direction == .read && operation.total > 0 {
      return end(operation, 0)
    }
    let error = waitUntilReady()
    if error == EPERM { return step ?? end(operation, EAGAIN) }
    if error != 0 { return end(operation, error) }
    operation.state = .blocked
    return .rests
  }

  // MARK: Waiting for the descriptor

  /// Arms the watch. Returns EPERM if the kernel cannot report the descriptor's readiness.
  private func waitUntilReady() -> Int32 {
    if isArmed { return 0 }
    if let watch {
      Engine.current.driver.arm(watch)
    } else {
      let made = DescriptorWatch(descriptor.number, for: interest, client: self)
      let error = Engine.current.driver.watch(made)
      if error != 0 { return error }
      watch = made
    }
    isArmed = true
    return 0
  }

  private func becameReady() {
    isArmed = false
    if interest == .readable { descriptor.isUnwritten = false }
    for operation in running.filter({ $0.state == .blocked }) { goOn(operation) }
  }

  /// Removes the watch, because the descriptor is no longer needed.
  func unwatch() {
    guard let watch else { return }
    Engine.current.driver.unwatch(watch)
    self.watch = nil
  }

  // MARK: Stopping

  /// Ends all operations that satisfy the condition.
  func stop(_ error: Int32, where condition: (IOOperation) -> Bool) {
    for operation in waiting.removeAll(where: condition) + running.filter(condition)
    where !operation.isEnded {
      if operation.stop(error) { makeWay(operation) }
    }
    // Let the descriptor queue return first; then operations that wait for the lane move up.
    descriptor.onDescriptorQueue { self.fill() }
  }
}

extension IOLane: DescriptorClient {
  func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    descriptor.onDescriptorQueue { self.becameReady() }
  }

  func isGone(_ watch: DescriptorWatch) {
    descriptor.onDescriptorQueue { self.descriptor.fail(EBADF) }
  }
}
