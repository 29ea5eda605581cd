// IOOperation — one read or write of a channel: what was asked, how far it has come, what its
// handler was told.
//
// States      waiting   behind a barrier, or in its lane.
//             working   its lane's: about to transfer, or asked to go on.
//             under way its transfer is made on another thread, for a disk.
//             blocked   until its descriptor is ready.
//             paused    so many calls of its handler are on their way that it transfers no more
//                       before one has returned.
//             ended     its last call is on its way.
//             over      that has returned: barriers and the channel's end no longer wait for it.
// Touching    everything: on the descriptor's desk only.
// Invariants  I1  a handler's calls are items of one serial queue: none begins before the one
//                 before it has returned.
//             I2  `end` is passed once, whoever comes first: the last byte, an error, a stop. A
//                 transfer that is under way then is waited for: its memory is the kernel's. What it
//                 brought is told before the stop.

import CSignalbox
import SignalboxRuntime

final class IOOperation: @unchecked Sendable {  // SAFETY: see Touching.
  enum Direction { case read, write }
  enum State { case waiting, working, underWay, blocked, paused, ended }

  /// What is told, and how: as a handler's arguments.
  typealias Handler = (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void

  /// So many calls of a handler are on their way at once at most: one that works and one
  /// that waits for it keep both sides busy, and a third covers a hiccup.
  static var mostDeliveries: Int { 3 }

  let direction: Direction
  let channel: IOChannel
  /// How much, or `Int.max` for all there is until the end.
  let length: Int
  /// Relative to where the channel began; for random channels.
  let offset: Int64
  /// For one that tells everything at once, on the desk: a read as soon as no more is there.
  let isOnce: Bool
  private let handler: Handler
  private let queue: DispatchQueue
  /// A serial queue upon `queue`, unless that is one or only one call is made.
  private var order: DispatchQueue?
  /// The channel's when it was submitted.
  var limits = IOLimits()

  var state = State.waiting
  /// Counted by its descriptor as one that runs.
  var isAdmitted = false
  /// Why it is to end when its transfer has come back.
  private(set) var stopError: Int32 = 0
  private(set) var total = 0
  /// Read and not told yet.
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
  /// Nothing is left to do.
  var isComplete: Bool { total == length }
  var isFull: Bool { deliveries >= IOOperation.mostDeliveries }
  /// Its last call has returned.
  var isOver: Bool { isEnded && deliveries == 0 }

  // MARK: Transferring

  /// Its transfers do not wait for another side but for a disk. What has places to read from
  /// is treated as one.
  var isOnDisk: Bool { channel.type == .random || channel.descriptor.isDisk }

  /// What is to be transferred next, or why nothing can be.
  func nextTransfer() -> Result<IOTransfer, IOError> {
    let descriptor = channel.descriptor
    var place: Int64 = -1
    if channel.type == .random {
      let (sum, tooFar) = channel.position.addingReportingOverflow(offset)
      let (next, farther) = sum.addingReportingOverflow(Int64(total))
      if tooFar || farther || next < 0 { return .failure(IOError(EINVAL)) }
      place = next
    }
    let most = isOnDisk ? IOOperation.diskChunk : IOOperation.streamChunk
    let size = min(length - total, limits.high - undelivered, most)
    return .success(
      IOTransfer(
        descriptor: descriptor.number, offset: place, manner: descriptor.manner,
        work: direction == .read ? .read(room(size), size: size) : nextBytes(size)))
  }

  /// How much is transferred by one call at most. Measured with a file of 1 GiB in the page cache;
  /// see Internals/IO.md.
  static var diskChunk: Int { 512 * 1024 }
  /// What a pipe holds unless it was told otherwise.
  private static var streamChunk: Int { 64 * 1024 }

  /// Memory for the next read. That for a disk is used again; a descriptor that has to be
  /// waited for keeps none meanwhile.
  private func room(_ size: Int) -> IOChunk {
    isOnDisk && size > IOOperation.diskChunk / 2
      ? channel.descriptor.diskChunks.take() : IOChunk(size: size)
  }

  private func nextBytes(_ size: Int) -> IOTransfer.Work {
    if bytes == nil { bytes = IOBytes(data) }
    return bytes!.next(size)
  }

  /// A transfer moved `count` bytes, more than none.
  func advance(_ count: Int, by transfer: IOTransfer) {
    total += count
    undelivered += count
    switch transfer.work {
    case .read(let chunk, _): data.append(chunk.data(count))
    case .write: bytes!.advance(count)
    }
  }

  /// Tells the handler, if there is as much as it wants to hear of at a time.
  func deliverIfDue() {
    if undelivered >= limits.low || undelivered >= limits.high { deliver() }
  }

  // MARK: Telling

  private func deliver() {
    let news = takeNews()
    tell { $0(false, news, 0) }
  }

  /// What a call before the last tells: what was read since, or is still to be written.
  private func takeNews() -> DispatchData {
    undelivered = 0
    guard direction == .read else { return rest }
    defer { data = .empty }
    return data
  }

  private var rest: DispatchData { bytes?.rest ?? data }

  /// Nothing more will be transferred.
  ///
  /// - Parameters:
  ///   - error: why; 0 for its end.
  ///   - isAtEnd: nothing follows in the file, which the last call says by having no data.
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

  /// It ends as soon as it can: at once, unless its transfer is under way.
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
      return channel.onDesk { self.returned() }
    }
    orderedQueue.push {
      call(handler)
      self.channel.onDesk { self.returned() }
    }
  }

  /// The first call of several needs an order; a single one does not. A workloop takes the
  /// more urgent first, and these are as urgent as whatever brought the desk to them.
  private var orderedQueue: DispatchQueue {
    if queue.shape == .serial || queue.shape == .main { return queue }
    if let order { return order }
    if isEnded { return queue }
    let made = DispatchQueue(label: "a handler of \(channel.name)", target: queue)
    order = made
    return made
  }

  /// In a forked child, where the channel is the parent's.
  func endInChild() {
    let (handler, left) = (handler, direction == .write ? data : nil)
    queue.push { handler(true, left, ECANCELED) }
  }

  private func returned() {
    deliveries -= 1
    channel.descriptor.handlerReturned(of: self)
  }

  // MARK: By time

  /// It runs from now on.
  func startTimer(on desk: DispatchQueue) {
    if limits.interval > 0 { setTimer(.now(), on: desk) }
  }

  private func setTimer(_ last: DispatchTime, on desk: DispatchQueue) {
    // Late by more than an interval: the next one counts from now.
    let next = max(last + .nanoseconds(Int(limits.interval)), .now())
    let item = DispatchWorkItem { [unowned self] in self.intervalIsOver(next, on: desk) }
    timer = item
    desk.asyncAfter(deadline: next, execute: item)
  }

  private func intervalIsOver(_ time: DispatchTime, on desk: DispatchQueue) {
    if isEnded { return }
    // A handler that has not come back from the last call is not told of another interval.
    let isDue = limits.isStrict ? deliveries == 0 : undelivered > 0 && undelivered >= limits.low
    if isDue && !isFull { deliver() }
    setTimer(time, on: desk)
  }
}

/// An errno, as what did not work.
struct IOError: Error {
  let code: Int32
  init(_ code: Int32) { self.code = code }
}

extension DispatchQueue {
  /// Submits work that need not be of a kind that the compiler would let cross threads.
  final func push(_ work: @escaping () -> Void) {
    push(ClosureItem.make(work, flags: marks(.unspecified, []), group: nil))
  }
}
