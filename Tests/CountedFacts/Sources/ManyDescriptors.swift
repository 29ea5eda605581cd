// ManyDescriptors — thousands of sockets, each with a read source, that are written to,
// suspended, cancelled, closed and opened again at random. Every byte must arrive once, where it
// was sent.
//
//     CountedFacts many-descriptors DESCRIPTORS MILLISECONDS SEED
//
// Each socket carries the number of its pair and how often that pair was opened. A source that
// receives another descriptor's event would read a wrong number, or find nothing to read.
//
// Touching    a pair of `Slot`: the thread that owns it, and its sources' handlers through
//             atomics.

import CSystemCalls
import Glibc
import SignalboxDispatch
import Synchronization

package enum ManyDescriptorScenario: String, CountedScenario {
  case manyDescriptors = "many-descriptors"
}

extension ManyDescriptorScenario: Scenario {
  func run() {
    switch self {
    case .manyDescriptors:
      let wanted = integerArgument(0, default: 10_000)
      let length = integerArgument(1, default: 1000)
      let seed = integerArgument(2, default: 1)
      let limit = csc_limit_descriptors(0)
      if limit < 256 { fail("a limit of \(limit) descriptors") }
      // A closing pair and the pair that follows it are open together for a while.
      let room = Int(limit) - 128
      let pairs = min(wanted, room * 3 / 4) / 2
      let before = descriptors().count
      let facts = Facts(most: 2 * pairs + (room - 2 * pairs) / 2)
      let queues = (0..<8).map { number in
        DispatchQueue(
          label: "org.signalbox.facts.many.\(number)",
          attributes: number % 2 == 0 ? [] : .concurrent)
      }
      let threads = 3
      let slots = (0..<pairs).map { Slot($0, queues[$0 % queues.count], facts) }
      let end = milliseconds() + Double(length)
      let done = DispatchSemaphore(value: 0)
      for thread in 0..<threads {
        startThread {
          var random = Generator(state: UInt64(seed * threads + thread))
          let own = stride(from: thread, to: pairs, by: threads).map { slots[$0] }
          for slot in own { slot.open() }
          facts.opened.add(own.count)
          // All pairs are open and counted before the first is closed.
          while facts.opened.count < pairs { sched_yield() }
          if thread == 0 {
            report("open", descriptors().count - before)
            facts.wereCounted.increment()
          }
          while facts.wereCounted.count == 0 { sched_yield() }
          repeat {
            for _ in 0..<100 { own[Int(random.next() % UInt64(own.count))].step(&random) }
          } while milliseconds() < end
          for slot in own { slot.finish() }
          done.signal()
        }
      }
      for _ in 0..<threads { done.wait() }
      // Includes the handlers of pairs that were closed on the way.
      wait { facts.cancellations.count >= 2 * facts.opens.count }
      for queue in queues { queue.sync(flags: .barrier) {} }
      // The driver's own descriptors stay open.
      report("left", descriptorsAtRest().count - before)
      report("steps", facts.steps.count)
      report("events", facts.events.count)
      report("opens", facts.opens.count)
      report("cancellations", facts.cancellations.count)
      report("sentButNotArrived", facts.lost.count)
      report("arrivedButNotSent", facts.tooMany.count)
      report("wrong", facts.wrong.count)
      report("nothingToRead", facts.empty.count)
      report("alive", facts.alive.count)
    }
  }
}

private final class Facts: Sendable {
  /// The maximum number of open pairs, including those whose cancel handler is still pending.
  let most: Int
  let opened = Tally(), wereCounted = Tally(), steps = Tally(), events = Tally(), opens = Tally()
  let cancellations = Tally(), lost = Tally(), tooMany = Tally(), wrong = Tally()
  let empty = Tally(), alive = Tally()

  init(most: Int) { self.most = most }
}

private struct Generator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A pair of sockets with a source for each end, opened over and over.
// SAFETY: only its owner's thread uses the mutable state; handlers get what they need from
// their own ends.
private final class Slot: @unchecked Sendable {
  private let number: Int
  private let queue: DispatchQueue
  private let facts: Facts
  private var generation = 0
  private var ends: [End] = []

  init(_ number: Int, _ queue: DispatchQueue, _ facts: Facts) {
    self.number = number
    self.queue = queue
    self.facts = facts
  }

  func open() {
    while 2 * facts.opens.count - facts.cancellations.count > facts.most { usleep(100) }
    var sockets: [Int32] = [0, 0]
    let error = csc_socket_pair(&sockets, 0)
    if error != 0 { fail("no sockets: \(error)") }
    facts.opens.increment()
    generation += 1
    let tag = UInt64(number) << 32 | UInt64(generation)
    ends = sockets.map { End($0, tag, queue, facts) }
  }

  func step(_ random: inout Generator) {
    facts.steps.increment()
    let choice = random.next()
    let end = ends[Int(choice >> 60 & 1)]
    switch choice % 16 {
    case 0..<8: ends[0] === end ? ends[1].send(to: end) : ends[0].send(to: end)
    case 8: end.isSuspended ? end.resume() : end.suspend()
    case 9: end.resume()
    case 10: end.replaceHandler()
    case 11, 12:
      // Everything that was sent arrives, however long it takes.
      drain()
    default:
      if choice >> 50 & 3 == 0 { drain() }
      close()
      open()
    }
  }

  /// The cancel handlers close the descriptors, and the numbers are reused.
  private func close() {
    for end in ends { end.cancel() }
    ends = []
  }

  private func drain() {
    for end in ends {
      end.resume()
      end.awaitAll()
    }
  }

  func finish() {
    drain()
    let last = ends
    close()
    for end in last { end.awaitCancellation() }
  }
}

/// One socket and the source that reads it.
// SAFETY: `isSuspended` and `source` belong to the owner; the rest is constant or atomic.
private final class End: @unchecked Sendable {
  private let descriptor: Int32
  private let tag: UInt64
  private let facts: Facts
  private let state: State
  private let source: any DispatchSourceRead
  private(set) var isSuspended = false

  /// What the handlers share with the owner.
  private final class State: Sendable {
    let sent = Atomic<Int>(0), arrived = Atomic<Int>(0)
    let isCancelled = Atomic<Bool>(false), isClosed = Atomic<Bool>(false)
  }

  init(_ descriptor: Int32, _ tag: UInt64, _ queue: DispatchQueue, _ facts: Facts) {
    self.descriptor = descriptor
    self.tag = tag
    self.facts = facts
    state = State()
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    replaceHandler()
    let state = state, tracked = Tracked(facts.alive)
    source.setCancelHandler {
      if state.isClosed.exchange(true, ordering: .sequentiallyConsistent) {
        facts.wrong.increment()
      }
      if state.arrived.load(ordering: .relaxed) > state.sent.load(ordering: .relaxed) {
        facts.tooMany.increment()
      }
      close(descriptor)
      facts.cancellations.increment()
      withExtendedLifetime(tracked) {}
    }
    source.activate()
  }

  func replaceHandler() {
    let descriptor = descriptor, tag = tag, facts = facts, state = state
    let tracked = Tracked(facts.alive)
    source.setEventHandler {
      facts.events.increment()
      if state.isClosed.load(ordering: .sequentiallyConsistent) { facts.wrong.increment() }
      var words = [UInt64](repeating: 0, count: 8)
      let length = recv(descriptor, &words, 64, Int32(MSG_DONTWAIT))
      // If the other end is closed, nothing is left to read, and the source reports that.
      if length < 0 && errno == EAGAIN { facts.empty.increment() }
      if length > 0 {
        for word in words.prefix(length / 8) where word != tag { facts.wrong.increment() }
        state.arrived.add(length / 8, ordering: .sequentiallyConsistent)
      }
      withExtendedLifetime(tracked) {}
    }
  }

  /// Writes one word that names its sender, for the other end to read.
  func send(to other: End) {
    var word = other.tag
    // Counts before the word can arrive.
    other.state.sent.add(1, ordering: .sequentiallyConsistent)
    let length = Glibc.send(
      descriptor, &word, 8, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    if length != 8 {
      if errno != EAGAIN { fail("send: \(errno)") }
      other.state.sent.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  func suspend() {
    if isSuspended { return }
    isSuspended = true
    source.suspend()
  }

  func resume() {
    if !isSuspended { return }
    isSuspended = false
    source.resume()
  }

  func awaitAll() {
    let begun = milliseconds()
    while state.arrived.load(ordering: .sequentiallyConsistent)
      < state.sent.load(ordering: .sequentiallyConsistent)
    {
      if milliseconds() - begun > 20_000 {
        facts.lost.increment()
        return
      }
      usleep(50)
    }
  }

  func cancel() {
    source.cancel()
    resume()
  }

  func awaitCancellation() {
    let begun = milliseconds()
    while !state.isClosed.load(ordering: .sequentiallyConsistent) {
      if milliseconds() - begun > 20_000 { return }
      usleep(50)
    }
  }
}
