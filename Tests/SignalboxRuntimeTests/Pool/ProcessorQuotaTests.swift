// ProcessorQuotaTests — limits on processor time, from the kernel's files in all their
// arrangements.

import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("ProcessorQuota", .guarded) struct ProcessorQuotaTests {
  private static let version1 =
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct"
  private static let version2 =
    "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate"
  private static let version2InHybrid =
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"
  private static let others = "20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"

  private func reading(
    _ tree: TemporaryFolder, _ files: [String: String]
  ) throws -> ProcessorQuota.Reading {
    for (path, text) in files { try tree.write(path, text) }
    return ProcessorQuota(root: tree.path).read()
  }

  // MARK: Version 2

  @Test(arguments: [
    ("100000 100000\n", 1), ("150000 100000\n", 2), ("200000 100000\n", 2), ("1000 100000\n", 1),
    ("350000 50000\n", 7), ("max 100000\n", nil),
  ])
  func aQuotaIsRoundedUp(_ text: String, _ processors: Int?) throws {
    let tree = try fakeTree(groups: "0::/app", mounts: Self.others, Self.version2)
    let found = try reading(tree, ["/sys/fs/cgroup/app/cpu.max": text])
    #expect(found.processors == processors)
    #expect(found.oddities == [])
  }

  @Test func theSmallestLimitOfAllGroupsAroundCounts() throws {
    let around = [
      "/sys/fs/cgroup/slice/cpu.max", "/sys/fs/cgroup/slice/service/cpu.max",
      "/sys/fs/cgroup/slice/service/task/cpu.max",
    ]
    for smallest in around {
      let tree = try fakeTree(groups: "0::/slice/service/task", mounts: Self.version2)
      var files = Dictionary(uniqueKeysWithValues: around.map { ($0, "800000 100000\n") })
      files[smallest] = "250000 100000\n"
      #expect(try reading(tree, files).processors == 3, "\(smallest)")
    }
  }

  @Test func aGroupWithoutTheFileDoesNotLimit() throws {
    let tree = try fakeTree(groups: "0::/slice/service", mounts: Self.version2)
    let found = try reading(tree, ["/sys/fs/cgroup/slice/cpu.max": "400000 100000\n"])
    #expect(found.processors == 4)
    #expect(found.oddities == [])
  }

  @Test func neighboursDoNotLimit() throws {
    let tree = try fakeTree(groups: "0::/app", mounts: Self.version2)
    let found = try reading(
      tree,
      [
        "/sys/fs/cgroup/app/cpu.max": "max 100000\n",
        "/sys/fs/cgroup/app/child/cpu.max": "100000 100000\n",
        "/sys/fs/cgroup/application/cpu.max": "100000 100000\n",
      ])
    #expect(found.processors == nil)
  }

  /// The list of mounts is read again only when the process has moved.
  @Test func aProcessThatMovesIsLimitedByItsNewGroup() throws {
    let tree = try fakeTree(groups: "0::/a", mounts: Self.version2)
    try tree.write("sys/fs/cgroup/a/cpu.max", "200000 100000\n")
    try tree.write("elsewhere/b/cpu.max", "500000 100000\n")
    let quota = ProcessorQuota(root: tree.path)
    var known: ProcessorQuota.Directories?
    #expect(quota.read(&known).processors == 2)
    try tree.write(
      "proc/self/mountinfo", "41 31 0:38 / /elsewhere rw - cgroup2 cgroup2 rw\n")
    try tree.write("sys/fs/cgroup/a/cpu.max", "300000 100000\n")
    #expect(quota.read(&known).processors == 3)
    try tree.write("proc/self/cgroup", "0::/b\n")
    #expect(quota.read(&known).processors == 5)
  }

  // MARK: Version 1

  @Test(arguments: [("-1\n", nil), ("100000\n", 1), ("250000\n", 3)])
  func version1HasTwoFiles(_ quota: String, _ processors: Int?) throws {
    let tree = try fakeTree(
      groups: "5:memory:/elsewhere", "4:cpu,cpuacct:/docker/abc", "0::/ignored",
      mounts: Self.others, Self.version1)
    let found = try reading(
      tree,
      [
        "/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us": quota,
        "/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000\n",
        "/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us": "-1\n",
      ])
    #expect(found.processors == processors)
    #expect(found.oddities == [])
  }

  @Test func theControllerMayBeMountedAlone() throws {
    let tree = try fakeTree(
      groups: "2:cpuacct:/x", "1:cpu:/x",
      mounts: "32 31 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct",
      "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu")
    let found = try reading(
      tree,
      [
        "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "300000",
        "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000",
      ])
    #expect(found.processors == 3)
  }

  // MARK: Both, and containers

  @Test(arguments: [(2, 5, 2), (5, 2, 2)])
  func inAHybridSystemTheSmallerCounts(_ one: Int, _ two: Int, _ processors: Int) throws {
    let tree = try fakeTree(
      groups: "4:cpu,cpuacct:/a", "0::/b", mounts: Self.version1, Self.version2InHybrid)
    let found = try reading(
      tree,
      [
        "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us": "\(one)00000\n",
        "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
        "/sys/fs/cgroup/unified/b/cpu.max": "\(two)00000 100000\n",
      ])
    #expect(found.processors == processors)
  }

  @Test(arguments: ["/docker/abc", "/docker/abc/inner", "/", "/../../outside"])
  func aContainerSeesItsOwnGroupAsTheMountsRoot(_ group: String) throws {
    let tree = try fakeTree(
      groups: "0::\(group)",
      mounts: "41 31 0:38 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw")
    let found = try reading(tree, ["/sys/fs/cgroup/cpu.max": "200000 100000\n"])
    #expect(found.processors == 2)
  }

  @Test func theMountThatShowsTheGroupIsTaken() throws {
    let tree = try fakeTree(
      groups: "0::/mine/deep",
      mounts: "40 31 0:38 /others /elsewhere rw - cgroup2 cgroup rw",
      "41 31 0:38 /mine /with\\040blank rw - cgroup2 cgroup rw")
    let found = try reading(
      tree,
      [
        "/elsewhere/cpu.max": "100000 100000\n",
        "/with blank/deep/cpu.max": "600000 100000\n",
      ])
    #expect(found.processors == 6)
  }

  // MARK: Malformed files

  @Test(arguments: [
    "", "garbage", "100000", "-5 100000", "0 100000", "100000 0", "1e5 1e5",
    "99999999999999999999 100000", "100000 100000 100000", "\u{0}\u{1}",
  ])
  func invalidContentsAreNamedAndIgnored(_ text: String) throws {
    let tree = try fakeTree(groups: "0::/a/b", mounts: Self.version2)
    let found = try reading(
      tree,
      ["/sys/fs/cgroup/a/b/cpu.max": text, "/sys/fs/cgroup/a/cpu.max": "300000 100000\n"])
    #expect(found.processors == 3)
    #expect(found.oddities.count == 1)
    #expect(found.oddities.first?.contains("/sys/fs/cgroup/a/b/cpu.max holds") == true)
  }

  @Test(arguments: [("lots", "100000"), ("-2", "100000"), ("100000", "0"), ("100000", "")])
  func version1FilesAreValidatedToo(_ quota: String, _ period: String) throws {
    let tree = try fakeTree(groups: "1:cpu,cpuacct:/", mounts: Self.version1)
    let found = try reading(
      tree,
      [
        "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": quota,
        "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": period,
      ])
    #expect(found.processors == nil)
    #expect(found.oddities.count == 1)
  }

  @Test func aQuotaWithoutItsPeriodIsNamed() throws {
    let tree = try fakeTree(groups: "1:cpu,cpuacct:/", mounts: Self.version1)
    let found = try reading(
      tree, ["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "100000\n"])
    #expect(found.processors == nil)
    #expect(found.oddities.first?.contains("cpu.cfs_period_us is missing") == true)
  }

  @Test func aDirectoryInPlaceOfAFileIsNamed() throws {
    let tree = try fakeTree(groups: "0::/a", mounts: Self.version2)
    let found = try reading(tree, ["/sys/fs/cgroup/a/cpu.max/inner": ""])
    #expect(found.processors == nil)
    #expect(found.oddities.first?.contains("cannot be read (errno") == true)
  }

  @Test func malformedLinesAreSkipped() throws {
    let tree = try fakeTree(
      groups: "", "0", "0:", "x::y", "::::", "0::relative", "0::/a",
      mounts: "", "-", "1 2 3 4 5 6 -", "36 35 98:0 / /m rw - cgroup2", " - - - - - - - -",
      Self.version2)
    let found = try reading(tree, ["/sys/fs/cgroup/a/cpu.max": "100000 100000\n"])
    #expect(found.processors == 1)
    #expect(found.oddities == [])
  }

  @Test func noLimitIsFoundWithoutFiles() throws {
    let tree = try TemporaryFolder()
    #expect(try reading(tree, [:]).processors == nil)
    #expect(ProcessorQuota(root: "/nowhere/at/all").read().oddities == [])
  }

  @Test func aListOfMountsMayBeLong() throws {
    let tree = try fakeTree(groups: "0::/a", mounts: Self.others)
    let long = String(repeating: Self.others + "\n", count: 5_000) + Self.version2 + "\n"
    let found = try reading(
      tree,
      ["/proc/self/mountinfo": long, "/sys/fs/cgroup/a/cpu.max": "200000 100000\n"])
    #expect(found.processors == 2)
  }
}

/// Makes the root of a file system in which the process has these memberships and mounts.
func fakeTree(groups: String..., mounts: String...) throws -> TemporaryFolder {
  let tree = try TemporaryFolder()
  try tree.write("proc/self/cgroup", groups.map { $0 + "\n" }.joined())
  try tree.write("proc/self/mountinfo", mounts.map { $0 + "\n" }.joined())
  return tree
}
