// IOLane — operations of one descriptor that take turns: its reads, its writes, or a file's.
//
// An operation at the front transfers again and again until it has ended. Where the
// descriptor is not ready, the lane asks the driver to be called, and no thread waits. A disk is
// waited for, by a thread of a global queue, not the desk's.
//
// States      of `watch`: none, registered. `isArmed`: the driver will call.
// Touching    everything: on the descriptor's desk only, but `isReady` and `isGone`, which go
//             there.
// Invariants  I1  an operation is blocked ⇒ the watch is armed, or `isReady` is on its way to the
//                 desk, or `isGone` is.
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

  /// So many transfers without a pause before the desk looks at what else there is: a stop, a
  /// barrier, the other direction.
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

  /// Goes on with an operation as far as it goes now.
  private func drive(_ operation: IOOperation) {
    for _ in 0..<IOLane.mostTransfers {
      switch step(operation) {
      case .again: continue
      case .rests: return
      case .ended: return makeWay(operation)
      }
    }
    descriptor.onDesk { self.goOn(operation) }
  }

  /// An operation that rested may go on, unless it was stopped meanwhile.
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

  /// A transfer was made by another thread.
  private func cameBack(_ operation: IOOperation, _ transfer: IOTransfer, _ result: Int) {
    operation.state = .working
    switch settle(operation, transfer, result) {
    case .again: drive(operation)
    case .rests: break
    case .ended: makeWay(operation)
    }
    fill()
  }

  /// What a transfer's result means for its operation.
  private func settle(_ operation: IOOperation, _ transfer: IOTransfer, _ result: Int) -> Step {
    if result > 0 { operation.advance(result, by: transfer) }
    if operation.isComplete { return end(operation, 0) }
    if operation.stopError != 0 { return end(operation, operation.stopError) }
    if result < 0 { return failed(operation, Int32(-result)) }
    if result == 0 {
      // A write of more than nothing that writes nothing would be tried for ever.
      return operation.direction == .read
        ? end(operation, 0, isAtEnd: true) : end(operation, EIO)
    }
    operation.deliverIfDue()
    // Less than there was room for: nothing more is there now.
    if result == transfer.size || operation.isOnDisk { return .again }
    return hasNoMore(operation, orElse: .again)
  }

  private func failed(_ operation: IOOperation, _ error: Int32) -> Step {
    if error == EAGAIN { return hasNoMore(operation, orElse: nil) }
    operation.end(error)
    // A descriptor that is not open for this direction is still one for the other.
    if error == EBADF && csb_io_is_open(descriptor.number) == 0 { descriptor.fail(EBADF) }
    return .ended
  }

  /// - Parameter step: what to do with a descriptor that the kernel cannot tell of, because
  ///   it never has to wait. Without it the operation has failed: it would be tried for ever.
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

  /// Has the driver call. Returns EPERM where the kernel has no way to tell of readiness.
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

  /// The descriptor is not needed any more.
  func unwatch() {
    guard let watch else { return }
    Engine.current.driver.unwatch(watch)
    self.watch = nil
  }

  // MARK: Stopping

  /// Ends all operations for which the condition holds.
  func stop(_ error: Int32, where condition: (IOOperation) -> Bool) {
    for operation in waiting.removeAll(where: condition) + running.filter(condition)
    where !operation.isEnded {
      if operation.stop(error) { makeWay(operation) }
    }
    // The desk has not returned to those who wait for the places.
    descriptor.onDesk { self.fill() }
  }
}

extension IOLane: DescriptorClient {
  func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    descriptor.onDesk { self.becameReady() }
  }

  func isGone(_ watch: DescriptorWatch) {
    descriptor.onDesk { self.descriptor.fail(EBADF) }
  }
}
