import CBenchmark
import Glibc
import Synchronization

extension Subject {
  static let pipePingPong = Subject(
    name: "pipe-ping-pong",
    title: "pipe ping-pong through two read sources, a round trip",
    goal: .ratio(0.70, required: false),
    measurement: .cost {
      let there = Channel.pipe()
      let back = Channel.pipe()
      let count = RoundTrips()
      let answering = reader(of: there.input, on: DispatchQueue(label: "pipe-ping-pong.answer")) {
        back.send()
      }
      let asking = reader(of: back.input, on: DispatchQueue(label: "pipe-ping-pong.ask")) {
        if count.next() { there.send() } else { count.end() }
      }
      return { operations in
        count.expect(operations)
        there.send()
        count.wait()
        withExtendedLifetime((answering, asking)) {}
      }
    })

  /// Both ends are served by read sources; a hundred bytes are under way at any time,
  /// each on a socket of its own, and the other nine hundred sockets wait.
  static let socketRoundTrips = Subject(
    name: "socket-round-trips",
    title: "1,000 sockets: a one-byte round trip over one of 100 active",
    goal: .ratio(0.80, required: false),
    leastOperations: 400,
    measurement: .cost {
      let needed = 2_100
      precondition(cbench_raise_descriptor_limit() >= needed, "not enough descriptors")
      let servers = (0..<4).map { DispatchQueue(label: "socket-round-trips.server.\($0)") }
      let client = DispatchQueue(label: "socket-round-trips.client")
      let pairs = (0..<1_000).map { _ in Channel.sockets() }
      let count = RoundTrips()
      let active = pairs.prefix(100)
      let sources =
        pairs.enumerated().map { number, pair in
          reader(of: pair.output, on: servers[number % servers.count]) { pair.answer() }
        }
        + active.map { pair in
          reader(of: pair.input, on: client) { if count.next() { pair.ask() } else { count.end() } }
        }
      return { operations in
        count.expect(operations, ends: active.count)
        for pair in active { pair.ask() }
        count.wait()
        withExtendedLifetime(sources) {}
      }
    })

  /// Registered for certain before it is cancelled, and cancelled for certain before the
  /// next: sixty-four at a time, so that waiting for it is not what is measured.
  static let readSourceLife = Subject(
    name: "read-source-life",
    title: "a read source made, registered and cancelled",
    goal: .ratio(0.60, required: false),
    leastOperations: 64,
    measurement: .cost {
      let queue = DispatchQueue(label: "read-source-life")
      let channels = (0..<64).map { _ in Channel.pipe() }
      return { operations in
        inBatches(operations, of: channels.count) { batch in
          countdown.expect(batch)
          let sources = channels.prefix(batch).map { channel in
            let source = DispatchSource.makeReadSource(fileDescriptor: channel.input, queue: queue)
            source.setEventHandler { cbench_consume(1) }
            source.setRegistrationHandler { countdown.arrive() }
            source.setCancelHandler { countdown.arrive() }
            source.resume()
            return source
          }
          countdown.wait()
          countdown.expect(batch)
          for source in sources { source.cancel() }
          countdown.wait()
        }
      }
    })
}

private let countdown = Countdown()

/// A source that reads one byte for each event and then does `answer`.
private func reader(
  of descriptor: Int32, on queue: DispatchQueue, _ answer: @escaping @Sendable () -> Void
) -> any DispatchSourceRead {
  let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
  source.setEventHandler {
    var byte: UInt8 = 0
    let length = read(descriptor, &byte, 1)
    precondition(length == 1, "read: \(length), errno \(errno)")
    answer()
  }
  source.resume()
  return source
}

/// Two descriptors that stay open to the end of the process.
private struct Channel: Sendable {
  let input: Int32
  let output: Int32

  static func pipe() -> Channel {
    var ends: [Int32] = [0, 0]
    precondition(Glibc.pipe(&ends) == 0, "pipe: errno \(errno)")
    return Channel(input: ends[0], output: ends[1])
  }

  static func sockets() -> Channel {
    var ends: [Int32] = [0, 0]
    let failure = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    precondition(failure == 0, "socketpair: errno \(errno)")
    return Channel(input: ends[0], output: ends[1])
  }

  /// Through a pipe.
  func send() { Self.put(output) }

  /// From the client's end of a pair of sockets, and from the server's.
  func ask() { Self.put(input) }
  func answer() { Self.put(output) }

  private static func put(_ descriptor: Int32) {
    var byte: UInt8 = 1
    let length = write(descriptor, &byte, 1)
    precondition(length == 1, "write: \(length), errno \(errno)")
  }
}

/// How many round trips are still to be begun, and who waits for their end.
private final class RoundTrips: Sendable {
  private let left = Atomic<Int>(0)
  private let ends = Atomic<Int>(0)
  private let done = DispatchSemaphore(value: 0)

  /// The first `ends` of them are begun by the caller, at once.
  func expect(_ trips: Int, ends: Int = 1) {
    // order: relaxed; the descriptors order what comes after.
    left.store(trips - ends + 1, ordering: .relaxed)
    self.ends.store(ends, ordering: .relaxed)
  }

  /// Whether another trip is to be begun after one that has ended.
  func next() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).newValue > 0 }

  func end() {
    if ends.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { done.signal() }
  }

  func wait() { done.wait() }
}
