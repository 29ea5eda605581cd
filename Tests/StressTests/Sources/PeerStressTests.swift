// PeerStressTests — peers that keep to no order: they hang up completely, half-way or with a
// reset, send a byte or an urgent byte, shut the wrong side, or close with unread bytes.
//
// Each connection has its deeds, drawn from the seed, and one hearer. Whatever happens, the
// hearer learns of the end once and receives the bytes in order, and all of them if the peer
// ended in good order. Handlers are called as often as something happened, not more often.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

let peerSubjects = [
  Subject(
    "sources hear of misbehaving peers what happened, and no more", { try storm(&$0, .sources) }),
  Subject(
    "sources that do nothing about a hang-up are not told again", { try storm(&$0, .patient) }),
  Subject(
    "channels of misbehaving peers end once, with all that came", { try storm(&$0, .channel) }),
  Subject("single reads from misbehaving peers end once", { try storm(&$0, .once) }),
]

@Suite struct PeerStressTests {
  @Test(arguments: peerSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Who hears of the peer: a read and a write source that are cancelled at the end, the same
/// without cancellation, a channel, or a read by the class method.
private enum Hearer: CaseIterable { case sources, patient, channel, once }

private func storm(_ random: inout SeededGenerator, _ hearer: Hearer) throws {
  let threads = Int.random(in: 1...3, using: &random)
  let rounds = Int.random(in: 20...60, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let queues = (0..<3).map { number in
    number == 0
      ? DispatchQueue.global()
      : DispatchQueue(
        label: "org.signalbox.stress.peers.\(number)", attributes: number == 1 ? [] : .concurrent)
  }
  let tracker = LeakTracker()
  let closed = EventCounter("descriptors closed")
  try runThreads(threads) { thread in
    var random = generators[thread]
    let listener = try Listener()
    var connections: [Connection] = []
    for _ in 0..<rounds {
      let deeds = Deeds(&random)
      let (ours, theirs) = try deeds.isLocal ? pair() : listener.connect()
      let connection = Connection(deeds, ours, tracker.makeObject(), closed)
      let queue = queues.randomElement(using: &random)!
      // Some peers are gone before their hearer starts.
      let isEarly = Bool.random(using: &random)
      if isEarly { deeds.doAll(to: theirs) }
      connection.hear(as: hearer, on: queue)
      if !isEarly { deeds.doAll(to: theirs) }
      connections.append(connection)
    }
    for connection in connections { try connection.check() }
  }
  try closed.wait(for: threads * rounds)
  try tracker.waitUntilAllAreFreed()
  try agree(closed.value, threads * rounds, "descriptors closed")
}

// MARK: The peer

private struct Deeds: Sendable {
  enum End: CaseIterable { case close, half, shutWrongSide, reset, halfThenReset }

  /// A Unix socket, which has neither resets nor urgent bytes.
  let isLocal: Bool
  let chunks: [[UInt8]]
  /// The number of chunks after which the peer sends an urgent byte.
  let urgent: Int?
  let end: End
  /// What the peer receives and leaves unread.
  let answers: Int

  init(_ random: inout SeededGenerator) {
    isLocal = Int.random(in: 0..<3, using: &random) == 0
    var total = 0
    chunks = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      let count = Int.random(in: 0..<3, using: &random) == 0 ? 1 : 40
      defer { total += count }
      return numbered(count, from: total)
    }
    urgent =
      !isLocal && Int.random(in: 0..<3, using: &random) == 0
      ? Int.random(in: 0...chunks.count, using: &random) : nil
    end = End.allCases.randomElement(using: &random)!
    answers = Bool.random(using: &random) ? 0 : Int.random(in: 1...5, using: &random)
  }

  var bytes: [UInt8] { chunks.flatMap { $0 } }

  /// Whether the kernel keeps all bytes: there is no reset by the peer, and none because the
  /// peer closes with unread bytes.
  var losesNothing: Bool {
    answers == 0 && (isLocal || (end != .reset && end != .halfThenReset))
  }

  /// How many events a reader can receive.
  var events: Int { chunks.count + (urgent == nil ? 0 : 1) + 2 }

  func doAll(to peer: Int32) {
    for (number, chunk) in chunks.enumerated() {
      if urgent == number { send([255], to: peer, Int32(MSG_OOB)) }
      send(chunk, to: peer, 0)
    }
    if urgent == chunks.count { send([255], to: peer, Int32(MSG_OOB)) }
    switch end {
    case .close: break
    case .half: shutdown(peer, Int32(SHUT_WR))
    case .shutWrongSide: shutdown(peer, Int32(SHUT_RD))
    case .reset: setReset(peer)
    case .halfThenReset:
      shutdown(peer, Int32(SHUT_WR))
      setReset(peer)
    }
    close(peer)
  }

  /// The other side may be gone already.
  private func send(_ bytes: [UInt8], to peer: Int32, _ flags: Int32) {
    _ = Glibc.send(peer, bytes, bytes.count, flags | Int32(MSG_NOSIGNAL))
  }

  private func setReset(_ peer: Int32) {
    var reset = linger(l_onoff: 1, l_linger: 0)
    setsockopt(peer, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
  }
}

private func pair() throws -> (ours: Int32, theirs: Int32) {
  var ends: [Int32] = [-1, -1]
  try agree(csc_socket_pair(&ends, 0), 0, "socketpair")
  return (ends[0], ends[1])
}

private struct Listener: ~Copyable {
  private var socket: Int32 = -1
  private var port: Int32 = 0

  init() throws {
    var (socket, port) = (socket, port)
    try agree(csc_listener(&socket, &port), 0, "listen")
    (self.socket, self.port) = (socket, port)
  }

  deinit { close(socket) }

  func connect() throws -> (ours: Int32, theirs: Int32) {
    var theirs: Int32 = -1
    try agree(csc_connect(&theirs, port), 0, "connect")
    let ours = accept(socket, nil, nil)
    if ours < 0 { throw Broken("accept: errno \(errno)") }
    return (ours, theirs)
  }
}

// MARK: The hearer

/// Touching: only the read handler uses `received` and `reads`, only the write handler uses
/// `writes`, and the checking thread uses all of them after the descriptor is closed.
private final class Connection: @unchecked Sendable {
  // SAFETY: see Touching; the code under test orders the accesses.
  private let deeds: Deeds
  private let descriptor: Int32
  private let object: TrackedObject
  private let allClosed: EventCounter
  private let closed, ended: Gate
  private let wasTold = Counter()
  /// The second cancel handler closes the descriptor. Nothing else orders what the other source's
  /// handlers wrote before that.
  private let cancellations = EventCounter("cancel handlers of a connection")
  private var received: [UInt8] = []
  private var reads = 0, ends = 0, writes = 0
  private var isPatient = false, isWhole = true
  private var sources: [any DispatchSourceProtocol] = []

  init(_ deeds: Deeds, _ descriptor: Int32, _ object: TrackedObject, _ allClosed: EventCounter) {
    self.deeds = deeds
    self.descriptor = descriptor
    self.object = object
    self.allClosed = allClosed
    closed = Gate("a descriptor to be closed after \(deeds)")
    ended = Gate("an end to be told after \(deeds)")
  }

  func hear(as hearer: Hearer, on queue: DispatchQueue) {
    switch hearer {
    case .sources: makeSources(on: queue)
    case .patient:
      isPatient = true
      makeSources(on: queue)
    case .channel: makeChannel(on: queue)
    case .once: readOnce(on: queue)
    }
  }

  /// Checks what must hold when everything is over.
  func check() throws {
    if isPatient {
      try ended.wait()
      for source in sources { source.cancel() }
    }
    try closed.wait()
    sources = []
    let sent = deeds.bytes
    let what = "\(deeds), \(reads) reads, \(writes) writes"
    if !sent.starts(with: received) { throw Broken("other bytes than were sent: \(what)") }
    if isWhole && deeds.losesNothing && received.count != sent.count {
      throw Broken("\(received.count) of \(sent.count) bytes: \(what)")
    }
    // A call may find that the previous one has read everything.
    if reads > 2 * deeds.events { throw Broken("read handler: \(what)") }
    if writes > deeds.answers + 3 { throw Broken("write handler: \(what)") }
    if ends > 3 { throw Broken("\(ends) ends: \(what)") }
  }

  private func close() {
    object.touch()
    Glibc.close(descriptor)
    closed.open()
    allClosed.increment()
  }

  // MARK: Sources

  private func makeSources(on queue: DispatchQueue) {
    let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    let writer = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    reader.setEventHandler { [self] in read(reader, writer) }
    writer.setEventHandler { [self] in write(reader, writer) }
    for source in [reader, writer] as [any DispatchSourceProtocol] {
      source.setCancelHandler { [self] in if cancellations.increment() == 2 { close() } }
    }
    sources = isPatient ? [reader, writer] : []
    reader.activate()
    writer.activate()
  }

  private func read(_ reader: any DispatchSourceRead, _ writer: any DispatchSourceWrite) {
    reads += 1
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      received += bytes[..<count]
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      ends += 1
      isOver(reader, writer)
    }
  }

  private func write(_ reader: any DispatchSourceRead, _ writer: any DispatchSourceWrite) {
    writes += 1
    // A write source is ready while there is room, so the handler sends its answers and
    // cancels.
    if writes > deeds.answers { return writer.cancel() }
    var byte: UInt8 = 1
    let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
    let count = send(descriptor, &byte, 1, flags)
    // Bytes that the peer sent before may still be readable.
    if count < 0 && errno != EAGAIN { writer.cancel() }
  }

  private func isOver(_ reader: any DispatchSourceRead, _ writer: any DispatchSourceWrite) {
    if isPatient { return ended.open() }
    reader.cancel()
    writer.cancel()
  }

  // MARK: Channels

  private func makeChannel(on queue: DispatchQueue) {
    let channel = DispatchIO(type: .stream, fileDescriptor: descriptor, queue: queue) {
      [self] _ in close()
    }
    channel.setLimit(lowWater: 1)
    channel.read(offset: 0, length: .max, queue: queue) { [self] done, data, _ in
      reads += 1
      if let data { received += Array(data) }
      if done { ends += 1 }
      if ends > 1 { ends = .max }
    }
    if deeds.answers > 0 {
      let answers = DispatchData([UInt8](repeating: 1, count: deeds.answers))
      channel.write(offset: 0, data: answers, queue: queue) { [self] done, _, _ in
        writes += 1
        if done && wasTold.increment() > 1 { writes = .max }
      }
    }
    channel.close()
  }

  private func readOnce(on queue: DispatchQueue) {
    isWhole = false
    DispatchIO.read(fromFileDescriptor: descriptor, maxLength: .max, runningHandlerOn: queue) {
      [self] data, _ in
      reads += 1
      received += Array(data)
      if wasTold.increment() > 1 { ends = .max } else { close() }
    }
  }
}
