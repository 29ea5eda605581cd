// IOOperation — one read or write of a channel: its request, its progress, and what its handler
// has received.
//
// States      waiting   behind a barrier, or in its lane.
//             working   in its lane: about to transfer, or asked to continue.
//             under way another thread makes its transfer, for a disk.
//             blocked   until its descriptor is ready.
//             paused    the maximum number of its handler's calls is pending, so it transfers no
//                       more until one has returned.
//             ended     its last call is pending.
//             over      the last call has returned: barriers and the channel's end no longer wait
//                       for it.
// Touching    everything: only on the descriptor queue.
// Invariants  I1  a handler's calls are items of one serial queue: none begins before the
//                 previous one has returned.
//             I2  an operation ends once: at its last byte, an error or a stop, whichever comes
//                 first. It waits for a transfer that is under way, because the kernel uses the
//                 transfer's memory. The handler receives what the transfer brought before it
//                 learns of the stop.

import CSignalbox
import SignalboxRuntime

final class IOOperation: @unchecked Sendable {  // SAFETY: see Touching.
  enum Direction { case read, write }
  enum State { case waiting, working, underWay, blocked, paused, ended }

  /// A function that receives a handler's arguments.
  typealias Handler = (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void

  /// The maximum number of pending calls of a handler: one that runs and one that waits keep
  /// both sides busy, and a third covers a delay.
  static var mostDeliveries: Int { 3 }

  let direction: Direction
  let channel: IOChannel
  /// How many bytes, or `Int.max` for everything up to the end.
  let length: Int
  /// Relative to the channel's beginning; for random channels.
  let offset: Int64
  /// Whether it delivers everything at once, on the descriptor queue; a read ends as soon as no
  /// more bytes are available.
  let isOnce: Bool
  private let handler: Handler
  private let queue: DispatchQueue
  /// A serial queue that targets `queue`, unless `queue` is serial or there is only one call.
  private var order: DispatchQueue?
  /// The channel's limits when the operation was submitted.
  var limits = IOLimits()

  var state = State.waiting
  /// Whether its descriptor counts it as running.
  var isAdmitted = false
  /// The error with which it ends when its transfer returns; 0 for none.
  private(set) var stopError: Int32 = 0
  private(set) var total = 0
  /// The bytes that were read and have not been delivered.
  private var data = DispatchData.empty
  private var bytes: IOBytes?
  private var undelivered = 0
  private var deliveries = 0
  private var timer: DispatchWorkItem?

  init(
    read length: Int, at offset: Int64, of channel: IOChannel, isOnce: Bool,
    queue: DispatchQueue, handler: @escaping Handler
  ) {
    direction = .read
    self.length = IOLimits.size(length)
    self.offset = offset
    self.channel = channel
    self.isOnce = isOnce
    self.queue = queue
    self.handler = handler
  }

  init(
    write data: DispatchData, at offset: Int64, of channel: IOChannel, isOnce: Bool,
    queue: DispatchQueue, handler: @escaping Handler
  ) {
    direction = .write
    length = data.count
    self.data = data
    self.offset = offset
    self.channel = channel
    self.isOnce = isOnce
    self.queue = queue
    self.handler = handler
  }

  var isEnded: Bool { state == .ended }
  /// Whether nothing is left to do.
  var isComplete: Bool { total == length }
  var isFull: Bool { deliveries >= IOOperation.mostDeliveries }
  /// Whether its last call has returned.
  var isOver: Bool { isEnded && deliveries == 0 }

  // MARK: Transferring

  /// Whether its transfers wait for a disk and not for another process. A descriptor with
  /// positions is treated as a disk.
  var isOnDisk: Bool { channel.type == .random || channel.descriptor.isDisk }

  /// The next transfer, or the error that prevents it.
  func nextTransfer() -> Result<IOTransfer, IOError> {
    let descriptor = channel.descriptor
    var absolute: Int64 = -1
    if channel.type == .random {
      let (sum, tooFar) = channel.position.addingReportingOverflow(offset)
      let (next, farther) = sum.addingReportingOverflow(Int64(total))
      if tooFar || farther || next < 0 { return .failure(IOError(EINVAL)) }
      absolute = next
    }
    let most = isOnDisk ? IOOperation.diskChunk : IOOperation.streamChunk
    let size = min(length - total, limits.high - undelivered, most)
    return .success(
      IOTransfer(
        descriptor: descriptor.number, offset: absolute, manner: descriptor.manner,
        work: direction == .read ? .read(room(size), size: size) : nextBytes(size)))
  }

  /// The maximum number of bytes in one call. Chosen by measurements with a file of 1 GiB in the
  /// page cache; see Internals/IO.md.
  static var diskChunk: Int { 512 * 1024 }
  /// The default capacity of a pipe.
  private static var streamChunk: Int { 64 * 1024 }

  /// The memory for the next read. Memory for disk reads is reused; a descriptor that must be
  /// waited for keeps none during the wait.
  private func room(_ size: Int) -> IOChunk {
    isOnDisk && size > IOOperation.diskChunk / 2
      ? channel.descriptor.diskChunks.take() : IOChunk(size: size)
  }

  private func nextBytes(_ size: Int) -> IOTransfer.Work {
    if bytes == nil { bytes = IOBytes(data) }
    return bytes!.next(size)
  }

  /// Records a transfer of `count` bytes, at least one.
  func advance(_ count: Int, by transfer: IOTransfer) {
    total += count
    undelivered += count
    switch transfer.work {
    case .read(let chunk, _): data.append(chunk.data(count))
    case .write: bytes!.advance(count)
    }
  }

  /// Calls the handler if enough bytes have arrived.
  func deliverIfDue() {
    if undelivered >= limits.low || undelivered >= limits.high { deliver() }
  }

  // MARK: Telling

  private func deliver() {
    let news = takeNews()
    tell { $0(false, news, 0) }
  }

  /// The argument of a call before the last: the bytes read since the previous call, or those
  /// still to be written.
  private func takeNews() -> DispatchData {
    undelivered = 0
    guard direction == .read else { return rest }
    defer { data = .empty }
    return data
  }

  private var rest: DispatchData { bytes?.rest ?? data }

  /// Ends the operation: it transfers no more data.
  ///
  /// - Parameters:
  ///   - error: the reason; 0 for the regular end.
  ///   - isAtEnd: whether the file has ended, which the last call shows by having no data.
  func end(_ error: Int32, isAtEnd: Bool = false) {
    if isEnded { internalBug("an operation of \(channel) has ended twice") }
    state = .ended
    timer?.cancel()
    timer = nil
    if direction == .write {
      let left = error == 0 ? nil : rest
      data = .empty
      bytes = nil
      return tell { $0(true, left, error) }
    }
    let news = takeNews()
    if error == 0 && (!isAtEnd || news.isEmpty || isOnce) { return tell { $0(true, news, 0) } }
    tell { handler in
      if !news.isEmpty { handler(false, news, 0) }
      handler(true, error == 0 ? .empty : nil, error)
    }
  }

  /// Ends the operation as soon as possible: at once, unless a transfer is under way.
  ///
  /// - Returns: whether it has ended.
  func stop(_ error: Int32) -> Bool {
    if state == .underWay {
      stopError = error
      return false
    }
    end(error)
    return true
  }

  private func tell(_ call: @escaping (Handler) -> Void) {
    deliveries += 1
    let handler = handler
    if isOnce {
      call(handler)
      return channel.onDescriptorQueue { self.returned() }
    }
    orderedQueue.push {
      call(handler)
      self.channel.onDescriptorQueue { self.returned() }
    }
  }

  /// The queue for the handler's calls. Several calls need an order; a single one does not. A
  /// workloop would not keep them in order: it runs the more urgent item first, and each call has
  /// the urgency of the event that caused it.
  private var orderedQueue: DispatchQueue {
    if queue.shape == .serial || queue.shape == .main { return queue }
    if let order { return order }
    if isEnded { return queue }
    let made = DispatchQueue(label: "a handler of \(channel.name)", target: queue)
    order = made
    return made
  }

  /// Ends an operation in a forked child, whose channels belong to the parent.
  func endInChild() {
    let (handler, left) = (handler, direction == .write ? data : nil)
    queue.push { handler(true, left, ECANCELED) }
  }

  private func returned() {
    deliveries -= 1
    channel.descriptor.handlerReturned(of: self)
  }

  // MARK: By time

  /// Starts the interval timer.
  func startTimer(on descriptorQueue: DispatchQueue) {
    if limits.interval > 0 { setTimer(.now(), on: descriptorQueue) }
  }

  private func setTimer(_ last: DispatchTime, on descriptorQueue: DispatchQueue) {
    // If it is late by more than an interval, the next interval counts from now.
    let next = max(last + .nanoseconds(Int(limits.interval)), .now())
    let item = DispatchWorkItem { [unowned self] in self.intervalIsOver(next, on: descriptorQueue) }
    timer = item
    descriptorQueue.asyncAfter(deadline: next, execute: item)
  }

  private func intervalIsOver(_ time: DispatchTime, on descriptorQueue: DispatchQueue) {
    if isEnded { return }
    // A handler that has not returned from its last call is not called again at a strict interval.
    let isDue = limits.isStrict ? deliveries == 0 : undelivered > 0 && undelivered >= limits.low
    if isDue && !isFull { deliver() }
    setTimer(time, on: descriptorQueue)
  }
}

/// An error with an errno.
struct IOError: Error {
  let code: Int32
  init(_ code: Int32) { self.code = code }
}

extension DispatchQueue {
  /// Submits work whose closure is not `Sendable`.
  final func push(_ work: @escaping () -> Void) {
    push(ClosureItem.make(work, flags: marks(.unspecified, []), group: nil))
  }
}
