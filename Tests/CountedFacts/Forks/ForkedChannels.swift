// ForkedChannels — the results that a forked child gets from a channel of its parent.

import CSystemCalls
import Glibc
import SignalboxDispatch

package enum ForkedChannelScenario: String, CountedScenario {
  case forkAndUseAChannelOfTheParent = "fork-and-use-a-channel-of-the-parent"
}

extension ForkedChannelScenario: Scenario {
  func run() {
    switch self {
    case .forkAndUseAChannelOfTheParent:
      // The first use of a type in a child may need a lock that another thread held at the fork.
      useOwnChannel(makePipe())
      let ends = makePipe()
      let queue = DispatchQueue(label: "org.signalbox.facts.parent")
      let told = DispatchSemaphore(value: 0)
      let errors = Tally(), cleanups = Tally()
      let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in
        cleanups.increment()
        told.signal()
      }
      // The read waits in the parent throughout.
      channel.read(offset: 0, length: 1, queue: queue) { _, data, error in
        if error != 0 || data?.count != 1 { errors.increment() }
        told.signal()
      }
      queue.sync {}
      reportChild("child") {
        if channel.fileDescriptor != -1 { _exit(31) }
        useInChild(channel, ends)
        channel.close(flags: .stop)
        useInChild(channel, ends)
        if cleanups.count != 0 { _exit(32) }
        useOwnChannel(ends)
      }
      put(1, into: ends.output)
      told.wait()
      report("errors", errors.count)
      report("shown", channel.fileDescriptor == ends.input ? 1 : 0)
      channel.close()
      told.wait()
      report("cleanups", cleanups.count)
    }
  }
}

/// Reads, writes and adds a barrier with the parent's channel; each handler receives the
/// result.
private func useInChild(_ channel: DispatchIO, _ ends: (input: Int32, output: Int32)) {
  let queue = DispatchQueue(label: "org.signalbox.facts.child")
  let over = DispatchSemaphore(value: 0)
  let refused = Tally(), shown = Tally()
  channel.read(offset: 0, length: 1, queue: queue) { done, data, error in
    if done && data == nil && error == ECANCELED { refused.increment() }
    over.signal()
  }
  let bytes: [UInt8] = [1, 2]
  let data = bytes.withUnsafeBytes { DispatchData(bytes: $0) }
  channel.write(offset: 0, data: data, queue: queue) { done, left, error in
    if done && left?.count == 2 && error == ECANCELED { refused.increment() }
    over.signal()
  }
  channel.barrier {
    if channel.fileDescriptor == -1 { shown.increment() }
    over.signal()
  }
  for _ in 0..<3 { over.wait() }
  if refused.count != 2 { _exit(33) }
  if shown.count != 1 { _exit(34) }
}

/// The child's own channels work, including one for the same descriptor. They leave the
/// parent's bytes alone.
private func useOwnChannel(_ ends: (input: Int32, output: Int32)) {
  let queue = DispatchQueue(label: "org.signalbox.facts.own")
  let over = DispatchSemaphore(value: 0)
  let failed = Tally(), cleanups = Tally()
  let channel = DispatchIO(type: .stream, fileDescriptor: ends.input, queue: queue) { _ in
    cleanups.increment()
    over.signal()
  }
  channel.read(offset: 0, length: 1, queue: queue) { done, _, error in
    if !done || error != ECANCELED { failed.increment() }
    over.signal()
  }
  channel.barrier { over.signal() }
  channel.close(flags: .stop)
  for _ in 0..<3 { over.wait() }
  if failed.count != 0 || cleanups.count != 1 { _exit(35) }
}
