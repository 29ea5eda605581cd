// A forked child renews a sleeper whose descriptors it may not have.

import Glibc
import SignalboxRuntime
import Testing

@Suite struct RenewedSleeperTests {
  /// Runs in a process of its own, because it closes numbers that others would get.
  @Test func aSleeperWhoseDescriptorsAreNotOpenIsRenewed() async {
    await #expect(processExitsWith: .success) {
      // The numbers that are free below and between the sleeper's decide which ones are new.
      for free in 0..<8 {
        let below = (0..<3).map { _ in dup(0) }
        let sleeper = DescriptorSleeper()
        for (index, number) in (below + [sleeper.set, sleeper.wakeup]).enumerated()
        where index >= 3 || free & 1 << index != 0 { close(number) }
        #expect(sleeper.renew() == 0, "\(free)")
        #expect(DescriptorLook.readiness(sleeper.set, for: .readable).isEmpty, "\(free)")
        sleeper.wake()
        #expect(DescriptorLook.readiness(sleeper.set, for: .readable) == .readable, "\(free)")
        sleeper.close()
        for (index, number) in below.enumerated() where free & 1 << index == 0 { close(number) }
      }
      exit(EXIT_SUCCESS)
    }
  }
}
