// DescriptorShortage — sources and ports in a process that may not open more descriptors.

import CSystemCalls
import FoundationEssentials
import Glibc
import SignalboxDispatch
import SignalboxRunLoop

package enum DescriptorShortageScenario: String, CountedScenario {
  case aTimerWithoutDescriptors = "a-timer-without-descriptors"
  case aReadSourceWithoutDescriptors = "a-read-source-without-descriptors"
  case aFullSocketPortWithoutDescriptors = "a-full-socket-port-without-descriptors"
}

extension DescriptorShortageScenario: Scenario {
  func run() {
    switch self {
    case .aTimerWithoutDescriptors:
      // Nothing is open for timers yet, and nothing more can be opened.
      forbidDescriptors()
      let fired = DispatchSemaphore(value: 0)
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "short.timer"))
      timer.setEventHandler { fired.signal() }
      timer.schedule(deadline: .now() + .milliseconds(10))
      timer.activate()
      report("fired", fired.wait(timeout: .now() + eventTimeout / 1e3) == .success ? 1 : 0)
      withExtendedLifetime(timer) {}
    case .aReadSourceWithoutDescriptors:
      let ends = makePipe()
      forbidDescriptors()
      let queue = DispatchQueue(label: "short.reader")
      let cancelled = DispatchSemaphore(value: 0)
      let events = Tally()
      let source = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
      source.setEventHandler { events.increment() }
      source.setCancelHandler { cancelled.signal() }
      source.activate()
      report("cancelled", cancelled.wait(timeout: .now() + eventTimeout / 1e3) == .success ? 1 : 0)
      report("isCancelled", source.isCancelled ? 1 : 0)
      report("events", events.count)
      // Everything works again once descriptors are available.
      _ = csc_limit_descriptors(0)
      let told = DispatchSemaphore(value: 0)
      let next = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
      next.setEventHandler { told.signal() }
      next.activate()
      put(1, into: ends.output)
      report("toldLater", told.wait(timeout: .now() + eventTimeout / 1e3) == .success ? 1 : 0)
      withExtendedLifetime(next) {}
    case .aFullSocketPortWithoutDescriptors:
      // The port listens, but nothing reads the messages.
      let port = SocketPort()
      let remote = SocketPort(
        remoteWithProtocolFamily: port.protocolFamily, socketType: port.socketType,
        protocol: port.protocol, address: port.address)
      func send(_ bytes: Int) -> Int {
        let wasSent = remote.send(
          before: .distantFuture, components: [Data(count: bytes)], from: nil, reserved: 0)
        return wasSent ? 1 : 0
      }
      report("sentBefore", send(1))
      forbidDescriptors()
      // The message is larger than the system accepts at once.
      report("sentWithout", send(SocketFacts.large))
      _ = csc_limit_descriptors(0)
      report("sentAfter", send(1))
      report("isValid", remote.isValid ? 1 : 0)
      port.invalidate()
    }
  }
}

private enum SocketFacts {
  /// Below the maximum size of a message, and above the size to which a connection's buffers
  /// grow.
  static let large = 15 << 20
}

/// From now on every call that opens a descriptor fails with EMFILE.
private func forbidDescriptors() {
  let most = descriptorsAtRest().max() ?? 2
  if csc_limit_descriptors(UInt(most) + 1) < 0 { fail("no limit: \(errno)") }
  // Some numbers below the limit may be free.
  while open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 {}
}
