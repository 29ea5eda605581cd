import BenchmarkReport
import Testing

@Suite struct CountingToolsTests {
  /// Of the form callgrind writes: names spelled once, recursion marked, calls
  /// from one allocator to another.
  static let profile = """
    version: 1
    events: Ir
    fn=(1) main
    5 100
    cfn=(2) malloc
    calls=3 0
    5 60
    cfn=(3) swift_retain
    calls=50 0
    5 60
    fn=(4) calloc
    7 10
    cfn=(2)
    calls=9 0
    7 30
    fn=(5) grow
    cfn=(4)
    calls=2 0
    8 4
    cfn=(6) malloc'2
    calls=1 0
    8 4
    totals: 12345
    """

  @Test func callsOfTheAllocatorAreCountedOnceEach() throws {
    let profile = try #require(CallgrindProfile(Self.profile))
    #expect(profile.allocations == 3 + 2 + 1)
    #expect(profile.instructions == 12345)
  }

  @Test func aProfileWithoutItsTotalIsNone() {
    #expect(CallgrindProfile("events: Ir\nfn=(1) main\n5 100\n") == nil)
  }

  @Test func whatBothRunsHaveInCommonIsNotCharged() {
    #expect(perOperation(single: 1_500, double: 2_500, operations: 500) == 2)
    #expect(perOperation(single: 1_500, double: 1_499, operations: 500) == 0)
  }

  @Test func systemCallsAreReadFromPerf() {
    let text = "# started on Sat\n\n2916,,raw_syscalls:sys_enter,1234,100.00,,\n"
    #expect(SystemCallCount.fromPerf(text) == 2916)
    let both = "\(text)88,,instructions:u,1234,100.00,,\n"
    #expect(SystemCallCount.fromPerf(both) == 2916)
    #expect(SystemCallCount.fromPerf(both, event: "instructions:u") == 88)
    #expect(SystemCallCount.fromPerf("<not supported>,,raw_syscalls:sys_enter,0,,,") == nil)
  }

  @Test func systemCallsAreReadFromStrace() {
    let text = """
      % time     seconds  usecs/call     calls    errors syscall
      ------ ----------- ----------- --------- --------- ----------------
       60.00    0.000300          10        30         2 futex
       40.00    0.000200          20        10           mmap
      ------ ----------- ----------- --------- --------- ----------------
      100.00    0.000500          12        40         2 total
      """
    #expect(SystemCallCount.fromStrace(text) == 40)
    #expect(SystemCallCount.fromStrace("strace: not permitted") == nil)
  }
}
