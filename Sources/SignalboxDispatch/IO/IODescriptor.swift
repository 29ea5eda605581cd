// IODescriptor — a descriptor under the control of channels: its queue, its lanes, its barriers.
//
// The descriptor queue, a serial queue, makes all decisions about a descriptor. So there is no
// lock, and a stop, a readiness event, a handler's return and a barrier come one after the other,
// in any order. A call that arrives after the end of its object learns that from the object's
// state. Slow work does not run on the descriptor queue: handlers run on their own queues, and
// transfers from and to a disk on a global queue.
//
// All channels of one descriptor share this object, which they find by its number: a barrier of
// one channel holds for all, and the descriptor is released when the last channel has ended. A
// channel with a path has an object of its own, which its first operation opens.
//
// States      idle → in use (channels > 0) → released. `error`: the descriptor is closed or could
//             not be opened, and every channel ends with that error.
// Touching    `channels`, of an object found by its number: under the lock of the engine's table.
//             The rest: only on the descriptor queue.
// Races       stop against readiness    a blocked operation that was stopped has ended; a readiness
//                                       event that was under way finds no blocked operation.
//             stop against a transfer   see `IOOperation`, I2.
//             barrier against operations  operations behind a barrier wait in `line` until it has
//                                       run; it runs when all admitted operations have ended.
//             release against all       operations retain their channel, which retains this
//                                       object. The public object is only a handle, and its end
//                                       closes the channel.
//             two channels, one ends    the table's lock decides whether the second channel comes
//                                       before the release of the descriptor, or gets a new object.
// Rejected    a lock in place of the descriptor queue: handlers' queues, drivers and disks would
//             all be called after its release, and each order of these calls would have to be
//             proved safe.

import CSignalbox
import SignalboxRuntime

final class IODescriptor: @unchecked Sendable {  // SAFETY: see Touching.
  let descriptorQueue: DispatchQueue
  /// The file that the first operation opens; nil for a descriptor of the program.
  let path: IOPath?
  /// The file that the descriptor referred to when it was first seen.
  private let file: (device: UInt64, number: UInt64)
  /// The process's fork count when the object was created.
  let forkCount = Fork.count
  /// -1 before the file is opened and after the descriptor is released.
  private(set) var number: Int32
  /// Whether the last channel has ended.
  private var isGivenBack = false
  private(set) var manner: Int32
  private(set) var error: Int32 = 0
  /// Whether this is a named pipe that may have had no writer since it was opened. Without a
  /// writer, a read would return the end of file. The kernel reports the pipe as ready once the
  /// first writer has written or closed it (fs/pipe.c: fifo_open, pipe_poll).
  var isUnwritten = false
  /// The number of channels that have not ended.
  private(set) var channels = 0

  private var lanes: Lanes?
  private var chunks: IOChunks?
  private var line = IOLine<Entry>()
  /// The number of operations that are admitted and not over.
  private var active = 0
  private var barrierRuns = false
  private var cleanups: [() -> Void] = []
  /// The channels that have not ended, to which an error is reported.
  private var open: [IOChannel] = []

  private enum Entry {
    case operation(IOOperation)
    case barrier(IOChannel, () -> Void)
  }

  /// The lanes of operations that take turns: reads and writes, or on a disk both together,
  /// because they share one position. The operations of random channels run concurrently.
  private struct Lanes {
    let reads: IOLane
    let writes: IOLane
    let random: IOLane
    var all: [IOLane] { reads === writes ? [reads, random] : [reads, writes, random] }
  }

  init(number: Int32, _ facts: csb_io_facts) {
    self.number = number
    manner = facts.manner
    file = (facts.device, facts.file)
    path = nil
    descriptorQueue = DispatchQueue(label: "descriptor \(number)")
  }

  /// A stand-in for a descriptor that cannot be used.
  init(_ error: Int32) {
    number = -1
    manner = Int32(CSB_IO_DISK)
    file = (0, 0)
    path = nil
    self.error = error
    descriptorQueue = DispatchQueue(label: "no descriptor")
    channels = 1
  }

  init(_ path: IOPath) {
    number = -1
    manner = Int32(CSB_IO_DISK)
    file = (0, 0)
    self.path = path
    descriptorQueue = DispatchQueue(label: "file \(path.name)")
    channels = 1
  }

  /// Runs `work` on the descriptor queue, after the work that was submitted before it. In a forked
  /// child, it does nothing: the descriptor queue, the driver's calls and the handlers' queues
  /// belong to the parent.
  func onDescriptorQueue(_ work: @escaping () -> Void) {
    if isOfThisProcess { descriptorQueue.push(work) }
  }

  var isOfThisProcess: Bool { forkCount == Fork.count }

  func isSameFile(as other: IODescriptor) -> Bool { file == other.file }

  // MARK: Channels

  /// Adds a channel. The caller holds the table's lock.
  func join() { channels += 1 }

  /// Removes a channel. The caller holds the table's lock.
  ///
  /// - Returns: whether it was the last one.
  func leave() -> Bool {
    channels -= 1
    return channels == 0
  }

  func opened(_ channel: IOChannel) { open.append(channel) }

  /// Removes a channel that has no operations left and accepts no further ones.
  func ended(_ channel: IOChannel, _ cleanup: @escaping () -> Void, atOnce: Bool) {
    open.removeAll { $0 === channel }
    // A handler that waited only for this channel is called now.
    let isLast = path != nil ? leave() : IODescriptors.leave(self)
    if !isLast {
      if atOnce { cleanup() } else { cleanups.append(cleanup) }
      return
    }
    giveBack()
    let all = cleanups + [cleanup]
    cleanups = []
    for cleanup in all { cleanup() }
  }

  private func giveBack() {
    for lane in lanes?.all ?? [] { lane.unwatch() }
    lanes = nil
    chunks = nil
    if path != nil && number >= 0 { csb_io_close(number) }
    number = -1
    isGivenBack = true
  }

  /// Ends every channel with `error`, because the descriptor is unusable.
  func fail(_ error: Int32) {
    if self.error != 0 || open.isEmpty { return }
    self.error = error
    // The number may refer to another file already.
    if path == nil { IODescriptors.forget(self) }
    for channel in open { channel.failed(error) }
    stopAll(error) { _ in true }
  }

  // MARK: Operations

  func submit(_ operation: IOOperation) {
    if line.isEmpty && !barrierRuns { return admit(operation) }
    line.append(.operation(operation))
  }

  private func admit(_ operation: IOOperation) {
    active += 1
    operation.isAdmitted = true
    guard openFile() else { return operation.end(error) }
    operation.startTimer(on: descriptorQueue)
    lane(for: operation).add(operation)
  }

  private func lane(for operation: IOOperation) -> IOLane {
    let lanes = self.lanes ?? makeLanes()
    if operation.channel.type == .random { return lanes.random }
    return operation.direction == .read ? lanes.reads : lanes.writes
  }

  private func makeLanes() -> Lanes {
    let reads = IOLane(self, width: 1, interest: .readable)
    let made = Lanes(
      reads: reads, writes: isDisk ? reads : IOLane(self, width: 1, interest: .writable),
      random: IOLane(self, width: IODescriptor.randomWidth, interest: .readable))
    lanes = made
    return made
  }

  /// How many random operations run at once: enough for a disk to reorder them.
  private static var randomWidth: Int { 4 }

  /// Records that a call of an operation's handler has returned.
  func handlerReturned(of operation: IOOperation) {
    guard operation.isOver else {
      if operation.state == .paused { lane(for: operation).goOn(operation) }
      return
    }
    if operation.isAdmitted { active -= 1 }
    operation.channel.over()
    advanceLine()
  }

  /// Ends the operations that satisfy the condition, wherever they are.
  func stopAll(_ error: Int32, where condition: (IOOperation) -> Bool) {
    let held = line.removeAll {
      if case .operation(let operation) = $0 { condition(operation) } else { false }
    }
    for case .operation(let operation) in held { operation.end(error) }
    for lane in lanes?.all ?? [] { lane.stop(error, where: condition) }
  }

  // MARK: Barriers

  func submitBarrier(of channel: IOChannel, _ work: @escaping () -> Void) {
    line.append(.barrier(channel, work))
    advanceLine()
  }

  /// Admits the entries that nothing delays now.
  private func advanceLine() {
    while !barrierRuns, let next = line.first {
      switch next {
      case .operation(let operation):
        _ = line.popFirst()
        admit(operation)
      case .barrier(let channel, let work):
        guard active == 0 else { return }
        _ = line.popFirst()
        run(work, of: channel)
      }
    }
  }

  /// Runs a barrier on the work queue of its channel. The barrier may use the descriptor, so a file
  /// is opened first; if that fails, the first operation reports the error.
  private func run(_ work: @escaping () -> Void, of channel: IOChannel) {
    barrierRuns = true
    _ = openFile()
    channel.workQueue.push {
      work()
      self.onDescriptorQueue {
        self.barrierRuns = false
        channel.over()
        self.advanceLine()
      }
    }
  }

  // MARK: The file

  /// Opens the file if necessary.
  ///
  /// - Returns: whether there is a descriptor to work on.
  private func openFile() -> Bool {
    // A barrier may come after the end. It must not open the file again.
    if error != 0 || isGivenBack { return false }
    guard let path, number < 0 else { return true }
    switch path.open() {
    case .failure(let error):
      fail(error.code)
      return false
    case .success(let opened):
      number = opened.number
      manner = opened.facts.manner
      isUnwritten = opened.facts.is_unwritten != 0
      for channel in open { channel.publish(number) }
      return true
    }
  }

  // MARK: Transfers

  var isDisk: Bool { manner == CSB_IO_DISK }

  /// Performs a transfer on another thread and passes the result to the descriptor queue.
  func perform(
    _ transfer: IOTransfer, for channel: IOChannel, then: @escaping (_ result: Int) -> Void
  ) {
    channel.workQueue.push {
      let result = transfer.perform()
      self.onDescriptorQueue { then(result) }
    }
  }

  /// The memory for reads from a disk.
  var diskChunks: IOChunks {
    if let chunks { return chunks }
    let made = IOChunks(size: IOOperation.diskChunk)
    chunks = made
    return made
  }
}
