// MachineTests — D23: the pool has as many workers as the machine grants to the process.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite("Machine", .guarded)
struct MachineTests {
  private func run(
    _ scenario: any CountedScenario, _ arguments: String..., environment: [String: String] = [:]
  ) throws -> ChildProgram.Outcome {
    let outcome = try ChildProgram.run(scenario, arguments, environment: environment)
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome
  }

  @Test(.enabled(if: ControlGroup.limited != nil, "no control group with a quota can be made here"))
  func theQuotaOfARealControlGroupIsHonoured() throws {
    let group = try #require(ControlGroup.limited)
    let facts = try run(MachineScenario.widthInAGroup, group.path).facts
    #expect(facts["width"] == "1")
    #expect(facts["together"] == "1")
  }

  @Test func theAffinityMaskIsHonoured() throws {
    #expect(try run(MachineScenario.widthOnOneProcessor).facts["width"] == "1")
  }

  @Test(.enabled(if: processorCount >= 2, "there is one processor only"))
  func aChangeIsSeenAfterASecond() throws {
    let facts = try run(MachineScenario.widthAfterAChange).facts
    try #require(facts["before"] != "1", "the tests themselves are limited to one processor")
    #expect(facts["soon"] == facts["before"])
    #expect(facts["later"] == "1")
  }

  @Test(.enabled(if: processorCount >= 2, "there is one processor only"))
  func thePoolFollowsAChange() throws {
    let facts = try run(MachineScenario.poolAfterAChange).facts
    let before = try #require(facts["before"].flatMap { Int($0) })
    try #require(before >= 2, "the tests themselves are limited to one processor")
    #expect(facts["after"] == "1")
  }

  @Test func theEnvironmentLowersAndRaises() throws {
    for workers in ["1", "2", "500"] {
      let facts = try run(MachineScenario.width, environment: ["SIGNALBOX_WORKERS": workers]).facts
      #expect(facts["width"] == workers)
    }
    let ceiling = try run(MachineScenario.width, environment: ["SIGNALBOX_MAX_WORKERS": "7"]).facts[
      "ceiling"]
    #expect(ceiling == "7")
  }

  @Test(arguments: ["0", "-3", "many", "", " 2", "2.5", "99999999999999999999999"])
  func invalidEnvironmentValuesAreNamedAndIgnored(_ value: String) throws {
    let all = try run(MachineScenario.width).facts
    let outcome = try run(
      MachineScenario.width,
      environment: ["SIGNALBOX_WORKERS": value, "SIGNALBOX_MAX_WORKERS": value])
    #expect(outcome.facts["width"] == all["width"])
    #expect(outcome.facts["ceiling"] == "512")
    let lines = outcome.standardError.split(separator: "\n")
    for name in ["SIGNALBOX_WORKERS", "SIGNALBOX_MAX_WORKERS"] {
      let said = lines.filter { $0.contains("\(name)=\(value) is ignored") }
      #expect(said.count == 1, "\(outcome.standardError)")
    }
  }

  @Test func anUnexpectedFileIsNamedOnce() throws {
    let tree = try TemporaryFolder()
    try tree.write("proc/self/cgroup", "0::/\n")
    try tree.write("proc/self/mountinfo", "41 31 0:38 / /group rw - cgroup2 cgroup2 rw\n")
    try tree.write("group/cpu.max", "a lot\n")
    let outcome = try run(MachineScenario.widthInATree, tree.path)
    #expect(outcome.facts["width"] == "64")
    let said = outcome.standardError.split(separator: "\n").filter { $0.contains("cpu.max") }
    #expect(said.count == 1, "\(outcome.standardError)")
    #expect(
      said.first?.contains("holds \"a lot \": this limit on processor time is ignored") == true)
  }
}

/// A control group of the kernel that grants one processor.
private struct ControlGroup {
  let path: String

  /// Made on first use, below the first place that allows it, and removed when the tests end.
  static let limited: ControlGroup? = {
    let places = [
      ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "100000"),
      ("/sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_quota_us", "100000"),
      ("/sys/fs/cgroup", "cpu.max", "100000 100000"),
      ("/sys/fs/cgroup/unified", "cpu.max", "100000 100000"),
    ]
    for (place, file, quota) in places {
      let path = "\(place)/signalbox-\(getpid())"
      guard mkdir(path, 0o755) == 0 else { continue }
      if write(quota, to: "\(path)/\(file)") {
        made = strdup(path)
        atexit { rmdir(ControlGroup.made!) }
        return ControlGroup(path: path)
      }
      rmdir(path)
    }
    return nil
  }()

  /// SAFETY: the initializer above writes it once; it is read at exit.
  private nonisolated(unsafe) static var made: UnsafeMutablePointer<CChar>?

  private static func write(_ text: String, to path: String) -> Bool {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return Glibc.write(file, text, text.utf8.count) == text.utf8.count
  }
}
