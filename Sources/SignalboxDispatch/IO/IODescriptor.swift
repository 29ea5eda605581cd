// IODescriptor — a descriptor under the control of channels: its desk, its lanes, its barriers.
//
// Everything that is decided about a descriptor is decided on its desk, a serial queue: so
// there is no lock, and a stop, a readiness, a handler's return and a barrier come one after
// the other, in whatever order. The calls that come after something has ended find that out from
// its state. What may take long is not done on the desk: handlers run on their own queues, transfers
// from and to a disk on a global one.
//
// All channels of one descriptor share this object, found by its number: a barrier of one
// holds for all, and the descriptor is given back when the last has ended. A channel with a path
// has one of its own, opened by its first operation.
//
// States      idle → in use (channels > 0) → given back. `error`: the descriptor is closed, or
//             could not be opened: every channel ends with it.
// Touching    `channels`, of one found by its number: under the lock of the engine's table. The
//             rest: on the desk only.
// Races       stop against readiness    a blocked operation that was stopped has ended; the
//                                       readiness that was on its way finds nobody blocked.
//             stop against a transfer   see `IOOperation`, I2.
//             barrier against operations  what comes after a barrier stands in `line` until it
//                                       has run; it runs when all admitted are over.
//             release against all       operations keep their channel, which keeps this; the
//                                       public object is only a handle. Its end closes the channel.
//             two channels, one ends    the table's lock decides whether the second came before
//                                       the descriptor was given back, or makes a new object.
// Rejected    a lock in place of the desk: handlers' queues, drivers and disks would all be
//             called after it was left, in an order that would have to be argued for each.

import CSignalbox
import SignalboxRuntime

final class IODescriptor: @unchecked Sendable {  // SAFETY: see Touching.
  let desk: DispatchQueue
  /// What is opened for the first operation; nil for a descriptor of the program's.
  let path: IOPath?
  /// Which file the number stood for when it was first seen.
  private let file: (device: UInt64, number: UInt64)
  /// How many forks lay behind the process that made it.
  let generation = Fork.count
  /// -1 while it has not been opened, and when it was given back.
  private(set) var number: Int32
  private(set) var manner: Int32
  private(set) var error: Int32 = 0
  /// A named pipe that may have had no writer since it was opened: without one, a read would
  /// find its end. The kernel calls it ready when the first has written or gone (fs/pipe.c:
  /// fifo_open, pipe_poll).
  var isUnwritten = false
  /// How many channels have not ended.
  private(set) var channels = 0

  private var lanes: Lanes?
  private var chunks: IOChunks?
  private var line = IOLine<Entry>()
  /// Admitted and not over.
  private var active = 0
  private var barrierRuns = false
  private var cleanups: [() -> Void] = []
  /// Those that have not ended, to be told of an error.
  private var open: [IOChannel] = []

  private enum Entry {
    case operation(IOOperation)
    case barrier(IOChannel, () -> Void)
  }

  /// In turn: reads, writes; or on a disk both together, because they move one place.
  /// Side by side: those of random channels.
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
    desk = DispatchQueue(label: "descriptor \(number)")
  }

  /// Stands for one that cannot be used.
  init(_ error: Int32) {
    number = -1
    manner = Int32(CSB_IO_DISK)
    file = (0, 0)
    path = nil
    self.error = error
    desk = DispatchQueue(label: "no descriptor")
    channels = 1
  }

  init(_ path: IOPath) {
    number = -1
    manner = Int32(CSB_IO_DISK)
    file = (0, 0)
    self.path = path
    desk = DispatchQueue(label: "file \(path.name)")
    channels = 1
  }

  /// Has `work` done in turn. In a forked child nothing is: the desk, the driver's calls and
  /// the handlers' queues are the parent's.
  func onDesk(_ work: @escaping () -> Void) {
    if isOfThisProcess { desk.push(work) }
  }

  var isOfThisProcess: Bool { generation == Fork.count }

  func isSameFile(as other: IODescriptor) -> Bool { file == other.file }

  // MARK: Channels

  /// One more, under the table's lock.
  func join() { channels += 1 }

  /// One has ended. Under the table's lock.
  ///
  /// - Returns: whether it was the last.
  func leave() -> Bool {
    channels -= 1
    return channels == 0
  }

  func opened(_ channel: IOChannel) { open.append(channel) }

  /// A channel has no operations left and gets no more.
  func ended(_ channel: IOChannel, _ cleanup: @escaping () -> Void, atOnce: Bool) {
    open.removeAll { $0 === channel }
    // One whose handler was waiting for this channel only is told now.
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
  }

  /// The descriptor is no good any more: every channel ends with `error`.
  func fail(_ error: Int32) {
    if self.error != 0 || open.isEmpty { return }
    self.error = error
    // The number may stand for something else already.
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
    operation.startTimer(on: desk)
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

  /// So many random operations are at work at once: enough to have a disk sort them.
  private static var randomWidth: Int { 4 }

  /// A call of an operation's handler has returned.
  func handlerReturned(of operation: IOOperation) {
    guard operation.isOver else {
      if operation.state == .paused { lane(for: operation).goOn(operation) }
      return
    }
    if operation.isAdmitted { active -= 1 }
    operation.channel.over()
    advanceLine()
  }

  /// Ends the operations for which the condition holds, wherever they are.
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

  /// Admits what nothing holds up any more.
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

  /// It runs where operations do. It may ask for the descriptor, so a file is opened first;
  /// why that failed, the first operation tells.
  private func run(_ work: @escaping () -> Void, of channel: IOChannel) {
    barrierRuns = true
    _ = openFile()
    channel.workQueue.push {
      work()
      self.onDesk {
        self.barrierRuns = false
        channel.over()
        self.advanceLine()
      }
    }
  }

  // MARK: The file

  /// Whether there is a descriptor to work on.
  private func openFile() -> Bool {
    if error != 0 { return false }
    guard let path, number < 0 else { return true }
    switch path.open() {
    case .failure(let error):
      fail(error.code)
      return false
    case .success(let opened):
      number = opened.number
      manner = opened.facts.manner
      isUnwritten = opened.facts.is_pipe != 0
      for channel in open { channel.publish(number) }
      return true
    }
  }

  // MARK: Transfers

  var isDisk: Bool { manner == CSB_IO_DISK }

  /// Has a transfer made by another thread; the result comes to the desk.
  func perform(
    _ transfer: IOTransfer, for channel: IOChannel, then: @escaping (_ result: Int) -> Void
  ) {
    channel.workQueue.push {
      let result = transfer.perform()
      self.onDesk { then(result) }
    }
  }

  /// Memory for reads from a disk.
  var diskChunks: IOChunks {
    if let chunks { return chunks }
    let made = IOChunks(size: IOOperation.diskChunk)
    chunks = made
    return made
  }
}
