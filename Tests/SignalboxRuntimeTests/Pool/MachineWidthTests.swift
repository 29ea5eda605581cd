// MachineWidthTests — the width is what the environment says, or else the smallest limit of the
// machine. It is read again only when it is old.

import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("MachineWidth", .guarded) struct MachineWidthTests {
  /// Makes a tree whose only group grants this many processors; nil means no limit.
  private func tree(granting processors: Int?) throws -> TemporaryFolder {
    let tree = try fakeTree(
      groups: "0::/", mounts: "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
    try grant(processors, in: tree)
    return tree
  }

  private func grant(_ processors: Int?, in tree: TemporaryFolder) throws {
    try tree.write(
      "/sys/fs/cgroup/cpu.max", (processors.map { "\($0)00000" } ?? "max") + " 100000\n")
  }

  @Test(arguments: [
    (8, nil, nil, 8), (8, 3, nil, 3), (2, 9, nil, 2), (0, nil, nil, 1),
    (8, nil, 2, 2), (8, 3, 2, 2), (8, 2, 3, 3), (2, 9, 9, 9), (2, nil, 64, 64),
  ])
  func theEnvironmentTakesPrecedenceOverTheSmallestLimit(
    _ processors: Int, _ quota: Int?, _ fixed: Int?, _ width: Int
  ) throws {
    let tree = try tree(granting: quota)
    #expect(MachineWidth(fixed: fixed, root: tree.path) { processors }.last == width)
  }

  @Test func theWidthIsReadAtMostOnceASecond() throws {
    let tree = try tree(granting: 6)
    let readings = EventCounter("readings")
    let start: UInt64 = 5
    let machine = MachineWidth(fixed: nil, root: tree.path, now: start) {
      readings.increment()
      return 8
    }
    #expect(readings.value == 1)
    try grant(3, in: tree)
    for now in stride(from: start, to: start + MachineWidth.period, by: 1_000_000) {
      #expect(machine.current(at: now) == 6)
    }
    #expect(readings.value == 1)
    #expect(machine.current(at: start + MachineWidth.period) == 3)
    #expect(machine.current(at: start + MachineWidth.period + 1) == 3)
    #expect(readings.value == 2)
    try grant(nil, in: tree)
    #expect(machine.current(at: start + 5 * MachineWidth.period) == 8)
    #expect(readings.value == 3)
  }

  @Test func ofManyThreadsOneReads() throws {
    let tree = try tree(granting: 4)
    let readings = EventCounter("readings")
    let machine = MachineWidth(fixed: nil, root: tree.path, now: 0) {
      readings.increment()
      return 8
    }
    for turn in 1...50 {
      try runThreads(4) { _ in
        _ = machine.current(at: UInt64(turn) * MachineWidth.period)
      }
      #expect(readings.value == 1 + turn)
    }
  }
}
