// Channels — the resources that channels hold while they wait for the other side.

import CSystemCalls
import Glibc
import SignalboxDispatch

package enum ChannelScenario: String, CountedScenario {
  case threadsOfReadsThatWait = "threads-of-reads-that-wait"
}

extension ChannelScenario: Scenario {
  func run() {
    switch self {
    case .threadsOfReadsThatWait:
      countThreadsOfWaitingReads()
    }
  }
}

/// Reads pipes and sockets without a writer, through channels and through the class method,
/// each with a queue of its own. In the end half are stopped and half receive a byte.
private func countThreadsOfWaitingReads() {
  let count = integerArgument(0, default: 64)
  let over = DispatchSemaphore(value: 0)
  let early = Tally(), read = Tally(), stopped = Tally(), wrong = Tally()
  let isSilent = Tally()
  isSilent.increment()
  var channels: [(DispatchIO?, (input: Int32, output: Int32))] = []
  let started = milliseconds()
  for number in 0..<count {
    var ends: [Int32] = [0, 0]
    let error = number % 2 == 0 ? csc_pipe(&ends) : csc_socket_pair(&ends, 0)
    if error != 0 { fail("no channel: \(error)") }
    let queue = DispatchQueue(label: "org.signalbox.facts.reads.\(number)")
    let told: @Sendable (Int?, Int32) -> Void = { bytes, error in
      if isSilent.count > 0 { early.increment() }
      switch (bytes, error) {
      case (1, 0): read.increment()
      case (nil, ECANCELED): stopped.increment()
      default: wrong.increment()
      }
      over.signal()
    }
    if number % 4 == 3 {
      DispatchIO.read(fromFileDescriptor: ends[0], maxLength: 1, runningHandlerOn: queue) {
        told($0.count, $1)
      }
      channels.append((nil, (ends[0], ends[1])))
    } else {
      let channel = DispatchIO(type: .stream, fileDescriptor: ends[0], queue: queue) { _ in }
      channel.read(offset: 0, length: 1, queue: queue) { done, data, error in
        if done { told(data?.count, error) } else { wrong.increment() }
      }
      channels.append((channel, (ends[0], ends[1])))
    }
  }
  var most = threadNumbers().count
  for _ in 0..<50 {
    sleepInKernel(milliseconds: 4)
    most = max(most, threadNumbers().count)
  }
  report("milliseconds", milliseconds() - started)
  report("mostThreads", most)
  awaitRest()
  // Only the kernel waits; the process does nothing for these reads.
  report("wakeUps", sleeps(during: 1))
  isSilent.decrement()
  for (number, (channel, ends)) in channels.enumerated() {
    if number % 4 == 0 { channel!.close(flags: .stop) } else { put(1, into: ends.output) }
  }
  for _ in 0..<count { over.wait() }
  report("early", early.count)
  report("read", read.count)
  report("stopped", stopped.count)
  report("wrong", wrong.count)
}
