// MemoryPressureTests — which files are used, what their signals mean, and when the end of pressure
// is reported. The test plays the kernel with a tree of files and a clock of its own.

import CSignalbox
import SignalboxTestSupport
import Testing

@testable import SignalboxRuntime

/// A kernel with files in a folder, and with a clock and a timer that the test moves.
final class PlayedPressureKernel: PressureKernel {
  struct State {
    /// The results of opening a file for triggers.
    var refusals: [String: Int32] = [:]
    var triggers: [(path: String, trigger: String, descriptor: Int32)] = []
    var open: Set<Int32> = []
    var armed: Set<Int32> = []
    var deadline: UInt64?
    var now: UInt64 = 1_000_000_000
    var watchRefusal: Int32 = 0
  }
  private let folder: TemporaryFolder
  var root: String { folder.path }
  let state = Guarded(State())
  /// SAFETY: used by the test's only thread.
  nonisolated(unsafe) var watches: [Int32: DescriptorWatch] = [:]

  init(_ folder: TemporaryFolder) { self.folder = folder }

  var now: UInt64 { state.current.now }

  func open(_ path: String, trigger: String) -> Int32 {
    let name = String(path.dropFirst(root.count))
    if let refusal = state.current.refusals[name] { return -refusal }
    let descriptor = csb_pressure_open(path, trigger)
    if descriptor >= 0 {
      state.withValue {
        $0.triggers.append((name, trigger, descriptor))
        $0.open.insert(descriptor)
      }
    }
    return descriptor
  }

  func open(_ path: String) -> Int32 {
    let descriptor = csb_file_open(path)
    if descriptor >= 0 { state.withValue { _ = $0.open.insert(descriptor) } }
    return descriptor
  }

  func read(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = csb_file_read_again(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  func close(_ descriptor: Int32) {
    state.withValue { _ = $0.open.remove(descriptor) }
    csb_descriptor_close(descriptor)
  }

  func watch(_ watch: DescriptorWatch) -> Int32 {
    let refusal = state.current.watchRefusal
    if refusal != 0 { return refusal }
    watches[watch.descriptor] = watch
    state.withValue { _ = $0.armed.insert(watch.descriptor) }
    return 0
  }

  func arm(_ watch: DescriptorWatch) {
    state.withValue { _ = $0.armed.insert(watch.descriptor) }
  }

  func unwatch(_ watch: DescriptorWatch) {
    watches[watch.descriptor] = nil
    state.withValue { _ = $0.armed.remove(watch.descriptor) }
  }

  func setTimer(_ deadline: UInt64, for pressure: MemoryPressure) {
    state.withValue { $0.deadline = deadline }
  }

  // MARK: Called by a test

  /// Returns the descriptor of the trigger through which `path` reports `kind`.
  func trigger(_ kind: String, of path: String) throws -> Int32 {
    let found = state.current.triggers.first { $0.path == path && $0.trigger.hasPrefix(kind) }
    return try #require(found?.descriptor)
  }

  func signal(_ descriptor: Int32, _ pressure: MemoryPressure, _ events: Readiness = .priority)
    throws
  {
    let watch = try #require(watches[descriptor])
    let wasArmed = state.withValue { $0.armed.remove(descriptor) != nil }
    #expect(wasArmed)
    pressure.isReady(watch, events)
  }

  /// Moves the clock to the timer's deadline and fires the timer.
  func letTimerCome(_ pressure: MemoryPressure) throws {
    let deadline = try #require(state.current.deadline)
    state.withValue {
      $0.now = max($0.now, deadline)
      $0.deadline = nil
    }
    pressure.timeIsUp()
  }
}

final class NotingPressureClient: PressureClient {
  let told = EventLog<PressureLevel>()
  func pressureIs(_ level: PressureLevel) { told.append(level) }
}

@Suite("MemoryPressure", .guarded) struct MemoryPressureTests {
  private static let mount = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"
  private static let group = "/sys/fs/cgroup/app/memory.pressure"
  private static let events = "/sys/fs/cgroup/app/memory.events"
  private static let system = "/proc/pressure/memory"
  private static let quiet = "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n"

  private func tree(_ files: String...) throws -> TemporaryFolder {
    let tree = try fakeTree(groups: "0::/app", mounts: Self.mount)
    for file in files { try tree.write(file, Self.quiet) }
    return tree
  }

  /// Starts watching the pressure on a process.
  private func begin(_ tree: TemporaryFolder, _ refusals: [String: Int32] = [:])
    -> (kernel: PlayedPressureKernel, pressure: MemoryPressure)
  {
    let kernel = PlayedPressureKernel(tree)
    kernel.state.withValue { $0.refusals = refusals }
    return (kernel, MemoryPressure(kernel))
  }

  // MARK: Files

  @Test func theGroupAndTheSystemAreWatchedWithATriggerForEachLevel() throws {
    let (kernel, pressure) = begin(try tree(Self.group, Self.system))
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    #expect(
      kernel.state.current.triggers.map(\.path)
        == [Self.group, Self.group, Self.system, Self.system])
    #expect(
      kernel.state.current.triggers.map(\.trigger)
        == [
          "some 200000 2000000", "full 400000 2000000", "some 200000 2000000",
          "full 400000 2000000",
        ])
    #expect(kernel.state.current.armed.count == 4)
    pressure.remove(client)
    #expect(kernel.state.current.open == [])
    #expect(kernel.watches.isEmpty)
  }

  @Test func theFilesAreOpenedOnceForAllAndClosedWithTheLast() throws {
    let (kernel, pressure) = begin(try tree(Self.system))
    let (one, other) = (NotingPressureClient(), NotingPressureClient())
    #expect(pressure.add(one) == nil)
    #expect(pressure.add(other) == nil)
    #expect(kernel.state.current.open.count == 2)
    pressure.remove(one)
    #expect(kernel.state.current.open.count == 2)
    pressure.remove(other)
    #expect(kernel.state.current.open.count == 0)
    #expect(pressure.add(one) == nil)
    #expect(kernel.state.current.open.count == 2)
    pressure.remove(one)
  }

  @Test(arguments: [EROFS, EACCES, EINVAL, EOPNOTSUPP])
  func ifTheGroupRefusesTriggersTheSystemIsWatched(_ error: Int32) throws {
    let (kernel, pressure) = begin(try tree(Self.group, Self.system), [Self.group: error])
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    #expect(kernel.state.current.triggers.map(\.path) == [Self.system, Self.system])
    pressure.remove(client)
  }

  /// Unprivileged processes see this before Linux 6.5.
  @Test func ifNoTriggerIsAcceptedTheCountersOfTheGroupAreWatched() throws {
    let refusals = [Self.group: EPERM, Self.system: EPERM]
    let (kernel, pressure) = begin(try tree(Self.group, Self.system, Self.events), refusals)
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    #expect(kernel.state.current.triggers.isEmpty)
    #expect(kernel.state.current.open.count == 1)
    #expect(client.told.all == [])
    pressure.remove(client)
    #expect(kernel.state.current.open == [])
  }

  @Test func ifNothingWorksEachFileIsNamedWithItsReason() throws {
    let (kernel, pressure) = begin(
      try tree(Self.group, Self.system), [Self.group: EROFS, Self.system: EACCES])
    let refusal = try #require(pressure.add(NotingPressureClient()))
    #expect(refusal.error == EROFS)
    #expect(
      refusal.files == [
        "\(Self.group) cannot be written to (errno \(EROFS))",
        "\(Self.system) is not open to this process (errno \(EACCES))",
        "\(Self.events) does not exist (errno \(ENOENT))",
      ])
    #expect(kernel.state.current.open == [])
  }

  @Test func aProcessWithoutAnyOfTheFilesGetsThatReason() throws {
    let (_, pressure) = begin(try TemporaryFolder())
    let refusal = try #require(pressure.add(NotingPressureClient()))
    #expect(refusal.error == ENOENT)
    #expect(refusal.files == ["\(Self.system) does not exist (errno \(ENOENT))"])
  }

  @Test func aFileThatCannotBePolledIsClosedAgain() throws {
    let (kernel, pressure) = begin(try tree(Self.group, Self.system, Self.events))
    kernel.state.withValue { $0.watchRefusal = EPERM }
    let refusal = try #require(pressure.add(NotingPressureClient()))
    #expect(refusal.files.count == 3)
    #expect(kernel.state.current.open == [])
  }

  @Test(arguments: [
    ("0::/", "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "/sys/fs/cgroup"),
    (
      "4:memory:/x\n0::/deep/er", "41 31 0:38 /deep /mnt rw - cgroup2 cgroup2 rw", "/mnt/er"
    ),
    ("0::/elsewhere", "41 31 0:38 /docker/a /sys/fs/cgroup ro - cgroup2 c rw", "/sys/fs/cgroup"),
  ])
  func theGroupIsFoundByItsMembershipAndMount(
    _ groups: String, _ mount: String, _ directory: String
  ) throws {
    let tree = try fakeTree(groups: groups, mounts: mount)
    #expect(PressureTrigger.groupDirectory(tree.path) == directory)
  }

  @Test func aProcessOutsideOfVersion2GroupsHasNoGroup() throws {
    let tree = try fakeTree(
      groups: "4:memory:/x", mounts: "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw")
    #expect(PressureTrigger.groupDirectory(tree.path) == nil)
  }

  // MARK: Triggers

  @Test func levelsAreReportedWhenTheyChangeAndTheEndOnce() throws {
    let (kernel, pressure) = begin(try tree(Self.group, Self.system))
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    let warning = try kernel.trigger("some", of: Self.system)
    let critical = try kernel.trigger("full", of: Self.group)
    #expect(kernel.state.current.deadline == nil)
    try kernel.signal(warning, pressure)
    try kernel.signal(critical, pressure)
    try kernel.signal(warning, pressure)
    #expect(client.told.all == [.warning, .critical])
    #expect(kernel.state.current.deadline != nil)
    try kernel.letTimerCome(pressure)
    #expect(client.told.all == [.warning, .critical, .normal])
    // The timer is not set without pressure.
    #expect(kernel.state.current.deadline == nil)
    try kernel.signal(warning, pressure)
    #expect(client.told.all.last == .warning)
    pressure.remove(client)
  }

  @Test func whilePressureLastsTheTimerRepeats() throws {
    let (kernel, pressure) = begin(try tree(Self.system))
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    let warning = try kernel.trigger("some", of: Self.system)
    try kernel.signal(warning, pressure)
    for _ in 0..<3 {
      kernel.state.withValue { $0.now += PressureStateMachine.calm - 1 }
      try kernel.signal(warning, pressure)
      try kernel.letTimerCome(pressure)
      #expect(client.told.all == [.warning])
      #expect(kernel.state.current.deadline != nil)
    }
    try kernel.letTimerCome(pressure)
    #expect(client.told.all == [.warning, .normal])
    pressure.remove(client)
  }

  @Test func aClientAddedUnderPressureIsInformedAtOnce() throws {
    let (kernel, pressure) = begin(try tree(Self.system))
    let (first, second) = (NotingPressureClient(), NotingPressureClient())
    #expect(pressure.add(first) == nil)
    try kernel.signal(try kernel.trigger("full", of: Self.system), pressure)
    #expect(pressure.add(second) == nil)
    #expect(second.told.all == [.critical])
    pressure.remove(first)
    try kernel.letTimerCome(pressure)
    #expect(second.told.all == [.critical, .normal])
    #expect(first.told.all == [.critical])
    pressure.remove(second)
  }

  @Test func aClientAddedAfterAllLeftUnderPressureStartsAnew() throws {
    let (kernel, pressure) = begin(try tree(Self.system))
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    try kernel.signal(try kernel.trigger("full", of: Self.system), pressure)
    pressure.remove(client)
    // The timer fires although no client is left, and reports nothing.
    try kernel.letTimerCome(pressure)
    #expect(kernel.state.current.deadline == nil)
    let late = NotingPressureClient()
    #expect(pressure.add(late) == nil)
    #expect(late.told.all == [])
    #expect(client.told.all == [.critical])
    pressure.remove(late)
  }

  /// A group was removed: its descriptors report an error forever.
  @Test func aTriggerWithAnErrorIsIgnored() throws {
    let (kernel, pressure) = begin(try tree(Self.system))
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    let warning = try kernel.trigger("some", of: Self.system)
    try kernel.signal(warning, pressure, [.priority, .error])
    #expect(client.told.all == [])
    #expect(!kernel.state.current.armed.contains(warning))
    pressure.remove(client)
  }

  // MARK: Counters

  private func counters(_ changes: [String: Int]) -> String {
    Self.quiet.split(separator: "\n").map { line in
      let name = String(line.split(separator: " ")[0])
      return "\(name) \(changes[name] ?? 0)\n"
    }.joined()
  }

  @Test(arguments: [
    ("high", PressureLevel.warning), ("max", .warning), ("oom", .critical),
    ("oom_kill", .critical), ("oom_group_kill", .critical),
  ])
  func aCounterThatChangesIsALevel(_ name: String, _ level: PressureLevel) throws {
    let tree = try tree(Self.events)
    let (kernel, pressure) = begin(tree)
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    let file = try #require(kernel.state.current.open.first)
    try tree.write(Self.events, counters([name: 3]))
    // The kernel always reports an error with a change of such a file.
    try kernel.signal(file, pressure, [.priority, .error])
    #expect(client.told.all == [level])
    // Under pressure the timer reads the file, at the rate of the other files' windows.
    #expect(kernel.state.current.armed == [])
    #expect(kernel.state.current.deadline == 3_000_000_000)
    try tree.write(Self.events, counters([name: 4]))
    try kernel.letTimerCome(pressure)
    #expect(client.told.all == [level])
    while kernel.state.current.deadline != nil { try kernel.letTimerCome(pressure) }
    #expect(client.told.all == [level, .normal])
    #expect(kernel.state.current.now == 3_000_000_000 + PressureStateMachine.calm)
    #expect(kernel.state.current.armed == [file])
    pressure.remove(client)
  }

  @Test func earlierCountsAndLowDoNotCount() throws {
    let tree = try tree(Self.events)
    try tree.write(Self.events, counters(["max": 900, "oom_kill": 2]))
    let (kernel, pressure) = begin(tree)
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    let file = try #require(kernel.state.current.open.first)
    try tree.write(Self.events, counters(["max": 900, "oom_kill": 2, "low": 7]))
    try kernel.signal(file, pressure)
    #expect(client.told.all == [])
    #expect(kernel.state.current.armed == [file])
    #expect(kernel.state.current.deadline == nil)
    pressure.remove(client)
  }

  @Test(arguments: ["", "max", "max x", "max 1 2\n\u{0}", "max 99999999999999999999999"])
  func unreadableCountersAreIgnored(_ text: String) throws {
    let tree = try tree(Self.events)
    let (kernel, pressure) = begin(tree)
    let client = NotingPressureClient()
    #expect(pressure.add(client) == nil)
    try tree.write(Self.events, text)
    try kernel.signal(try #require(kernel.state.current.open.first), pressure)
    #expect(client.told.all == [])
    pressure.remove(client)
  }
}
