// IOChannel — the implementation of a `DispatchIO`: a way to use a descriptor, and its end.
//
// States      open → closed → ended. Closed by the program, by the end of the public object, or by
//             an error from which the descriptor does not recover. Ended when the last operation
//             and barrier have ended: the cleanup handler is then submitted, or waits for the
//             descriptor's other channels to end.
// Touching    `shown`, `isUsable`, `waiting`, constants: any thread. The rest: only on the
//             descriptor queue.
// Invariants  I1  the step to ended submits the cleanup handler, once.
//             I2  an operation that reaches the descriptor queue before a close continues; one that
//                 comes later ends with ECANCELED: the descriptor queue's order decides.

import CSignalbox
import SignalboxRuntime

final class IOChannel: @unchecked Sendable {  // SAFETY: see Touching.
  let type: DispatchIO.StreamType
  /// The file's position when the channel was created.
  let position: Int64
  let descriptor: IODescriptor
  /// Whether it was created for one operation of the class methods. Such a channel does not wait
  /// for other channels.
  private let isOnce: Bool
  private let queue: DispatchQueue
  private var cleanup: ((Int32) -> Void)?

  /// The descriptor that it was created with; -1 for a path.
  private let given: Int32
  /// The descriptor that the program sees; -1 for none. Any thread writes it; the number
  /// publishes no other data.
  private let shown: Relaxed<Int32>
  /// Whether the program has not closed it yet. Written by the thread that closes it. Another
  /// thread that reads at the same time may find either value.
  private let isUsable = Relaxed(true)

  /// A copy of `pending`, for descriptions, which may find an old number. Written on the descriptor
  /// queue.
  private let waiting: SingleWriter<Int>

  private var limits = IOLimits()
  private var isClosed = false
  private var isEnded = false
  private var error: Int32 = 0
  /// The number of operations and barriers that have not finished. A channel for one operation
  /// counts that operation from the start: if the channel fails before the operation arrives, the
  /// handler must still come after it, because the handler reads its result.
  private var pending: Int {
    didSet { waiting.store(pending) }
  }
  /// Where barriers run, and transfers that must wait for a disk.
  private(set) var workQueue = DispatchQueue.global()

  private init(
    _ type: DispatchIO.StreamType, _ descriptor: IODescriptor, given: Int32, position: Int64 = 0,
    isOnce: Bool = false, _ queue: DispatchQueue, _ cleanup: @escaping (Int32) -> Void
  ) {
    self.type = type
    self.given = given
    self.descriptor = descriptor
    self.position = position
    self.isOnce = isOnce
    self.queue = queue
    self.cleanup = cleanup
    pending = isOnce ? 1 : 0
    waiting = SingleWriter(isOnce ? 1 : 0)
    shown = Relaxed(descriptor.number)
  }

  // MARK: Making

  /// Creates a channel for a descriptor. The descriptor is examined now, because its position may
  /// change later.
  static func make(
    _ type: DispatchIO.StreamType, _ number: Int32, isOnce: Bool = false, _ queue: DispatchQueue,
    _ cleanup: @escaping (Int32) -> Void
  ) -> IOChannel {
    var facts = csb_io_facts()
    var error = csb_io_look(number, &facts)
    if error == 0 && type == .random { error = facts.position_error }
    if error != 0 { return makeFailed(type, number, error, isOnce: isOnce, queue, cleanup) }
    let descriptor = IODescriptors.join(number, facts)
    let channel = IOChannel(
      type, descriptor, given: number, position: facts.position, isOnce: isOnce, queue, cleanup)
    channel.onDescriptorQueue { channel.descriptor.opened(channel) }
    return channel
  }

  /// Creates a channel for a file that is opened at first use.
  static func make(
    _ type: DispatchIO.StreamType, _ path: IOPath, _ queue: DispatchQueue,
    _ cleanup: @escaping (Int32) -> Void
  ) -> IOChannel {
    let channel = IOChannel(type, IODescriptor(path), given: -1, queue, cleanup)
    channel.onDescriptorQueue {
      channel.descriptor.opened(channel)
      let error = path.look(needsOffset: type == .random)
      if error != 0 { channel.descriptor.fail(error) }
    }
    return channel
  }

  private static func makeFailed(
    _ type: DispatchIO.StreamType, _ number: Int32, _ error: Int32, isOnce: Bool,
    _ queue: DispatchQueue,
    _ cleanup: @escaping (Int32) -> Void
  ) -> IOChannel {
    let channel = IOChannel(
      type, IODescriptor(error), given: number, isOnce: isOnce, queue, cleanup)
    channel.onDescriptorQueue { channel.failed(error) }
    return channel
  }

  /// Creates another channel for the same descriptor or path.
  func makeAnother(
    _ type: DispatchIO.StreamType, _ queue: DispatchQueue, _ cleanup: @escaping (Int32) -> Void
  ) -> IOChannel {
    guard isUsable.load() else {
      return IOChannel.makeFailed(type, given, ECANCELED, isOnce: false, queue, cleanup)
    }
    if let path = descriptor.path { return IOChannel.make(type, path, queue, cleanup) }
    return IOChannel.make(type, given, queue, cleanup)
  }

  func onDescriptorQueue(_ work: @escaping () -> Void) { descriptor.onDescriptorQueue(work) }

  // MARK: Operations

  func submit(_ operation: IOOperation) {
    guard descriptor.isOfThisProcess else { return operation.endInChild() }
    onDescriptorQueue {
      operation.limits = operation.isOnce ? .whole : self.limits
      if !self.isOnce { self.pending += 1 }
      if self.error != 0 || self.isClosed {
        operation.end(self.error != 0 ? self.error : ECANCELED)
      } else {
        self.descriptor.submit(operation)
      }
    }
  }

  /// Submits a barrier. The barrier runs even if the channel is closed by then, because its
  /// submitter relies on that.
  func submitBarrier(_ work: @escaping () -> Void) {
    guard descriptor.isOfThisProcess else { return DispatchQueue.global().push(work) }
    onDescriptorQueue {
      self.pending += 1
      self.descriptor.submitBarrier(of: self, work)
    }
  }

  /// Records that an operation or a barrier has ended and that its handler has returned.
  func over() {
    pending -= 1
    endIfDone()
  }

  // MARK: Policies

  /// How many operations and barriers are not over. A hint.
  var pendingHint: Int { waiting.load() }

  func changeLimits(_ change: @escaping (inout IOLimits) -> Void) {
    onDescriptorQueue { change(&self.limits) }
  }

  func setWorkQueue(_ queue: DispatchQueue) { onDescriptorQueue { self.workQueue = queue } }

  // MARK: The end

  /// Closes the channel for the program.
  func close(stops: Bool) {
    isUsable.store(false)
    hide()
    release(stops: stops)
  }

  /// Accepts no further operations.
  func release(stops: Bool) {
    onDescriptorQueue {
      self.isClosed = true
      if stops { self.descriptor.stopAll(ECANCELED) { $0.channel === self } }
      self.endIfDone()
    }
  }

  /// Ends the channel because its descriptor is unusable.
  func failed(_ error: Int32) {
    if isEnded { return }
    if self.error == 0 { self.error = error }
    isClosed = true
    hide()
    endIfDone()
  }

  private func endIfDone() {
    guard isClosed, pending == 0, !isEnded else { return }
    isEnded = true
    hide()
    guard let cleanup else { internalBug("a channel has ended twice") }
    self.cleanup = nil
    let (queue, error) = (queue, error)
    descriptor.ended(self, { queue.push { cleanup(error) } }, atOnce: isOnce || error != 0)
  }

  // MARK: The number

  var shownNumber: Int32 {
    // Another thread may publish the number of a channel that has just been closed.
    guard descriptor.isOfThisProcess, isUsable.load() else { return -1 }
    return shown.load()
  }

  /// Publishes the descriptor of a file that has just been opened.
  func publish(_ number: Int32) {
    if isUsable.load() { shown.store(number) }
  }

  private func hide() { shown.store(-1) }

  /// A name for messages and reports.
  var name: String {
    if let path = descriptor.path { return "the file \(path.name)" }
    return "the descriptor \(shownNumber)"
  }
}
