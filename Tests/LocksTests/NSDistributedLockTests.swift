// NSDistributedLockTests — one holder among objects and processes; the lock distinguishes a holder
// that has ended from one that lives.

import CountedFacts
import Glibc
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct NSDistributedLockTests {
  /// Runs the body with a new path in a temporary folder.
  private func withPath(_ body: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try withExtendedLifetime(folder) { try body(folder.path + "/the.lock") }
  }

  private static let ways = [false, true]

  // MARK: One process

  @Test(arguments: ways) func oneObjectHoldsTheLockAtATime(isNamed: Bool) throws {
    try withPath { path in
      let one = try #require(NSDistributedLock(path: path, isNamed: isNamed))
      let other = try #require(NSDistributedLock(path: path))
      #expect(one.try())
      #expect(!one.try())
      #expect(!other.try())
      one.unlock()
      #expect(access(path, F_OK) != 0)
      #expect(other.try())
      #expect(!one.try())
      other.unlock()
    }
  }

  @Test func anEmptyPathGivesNoLock() {
    #expect(NSDistributedLock(path: "") == nil)
    #expect(NSDistributedLock(path: "a\0b") == nil)
  }

  /// Changing the working directory would disturb other tests, so this test compares the paths
  /// instead.
  @Test func aRelativePathIsMadeAbsoluteAtOnce() throws {
    let lock = try #require(NSDistributedLock(path: "some.lock"))
    let directory = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) {
      String(cString: getcwd($0.baseAddress!, $0.count))
    }
    #expect(lock.description == "the NSDistributedLock \"\(directory)/some.lock\"")
  }

  @Test(arguments: ways) func itsHolderIsThisProcess(isNamed: Bool) throws {
    try withPath { path in
      let lock = try #require(NSDistributedLock(path: path, isNamed: isNamed))
      #expect(lock.holder == nil)
      #expect(lock.try())
      let holder = try #require(NSDistributedLock(path: path)?.holder)
      #expect(holder.life == .lives)
      #expect(holder.processID == getpid())
      let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) {
        gethostname($0.baseAddress!, $0.count)
        return String(cString: $0.baseAddress!)
      }
      #expect(holder.host == host)
      #expect(!lock.breakIfHolderHasEnded())
      lock.unlock()
      #expect(lock.holder == nil)
      #expect(!lock.breakIfHolderHasEnded())
    }
  }

  @Test func itsDateIsWhenItWasTaken() throws {
    try withPath { path in
      let lock = try #require(NSDistributedLock(path: path))
      #expect(lock.lockDate == .distantFuture)
      let before = Date()
      #expect(lock.try())
      let after = Date()
      // The file system's clock is the coarse one.
      #expect(lock.lockDate > before - 1)
      #expect(lock.lockDate < after + 1)
      let date = lock.lockDate
      #expect(NSDistributedLock(path: path)?.lockDate == date)
      lock.unlock()
      #expect(lock.lockDate == .distantFuture)
    }
  }

  @Test func breakingRemovesTheLockFromItsHolder() throws {
    try withPath { path in
      let holder = try #require(NSDistributedLock(path: path))
      let other = try #require(NSDistributedLock(path: path))
      other.break()
      #expect(holder.try())
      other.break()
      #expect(other.try())
      // The first object's unlock does not release the second one's lock.
      holder.unlock()
      #expect(other.holder?.life == .lives)
      #expect(!holder.try())
      other.unlock()
      #expect(holder.try())
      holder.unlock()
    }
  }

  /// A process that was stopped while it checked whether it may break the lock is in this
  /// state.
  @Test func anUnlockThatIsRefusedLeavesItHeld() throws {
    try withPath { path in
      let lock = try #require(NSDistributedLock(path: path))
      let other = try #require(NSDistributedLock(path: path))
      #expect(lock.try())
      let file = open(path, O_RDONLY)
      #expect(flock(file, LOCK_EX) == 0)
      lock.unlock()
      other.break()
      #expect(lock.holder?.life == .lives)
      #expect(!other.try())
      #expect(flock(file, LOCK_UN) == 0)
      close(file)
      lock.unlock()
      #expect(other.try())
      other.unlock()
    }
  }

  @Test func aForeignFileHasAnUnknownHolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("the.lock", "1234\n")
    let lock = try #require(NSDistributedLock(path: folder.path + "/the.lock"))
    #expect(!lock.try())
    let holder = try #require(lock.holder)
    #expect(holder.life == .isUnknown)
    #expect(holder.processID == 0)
    #expect(holder.host == "")
    #expect(!lock.breakIfHolderHasEnded())
    lock.break()
    #expect(lock.try())
    lock.unlock()
  }

  /// The lock neither reads it nor waits for it.
  @Test func otherFilesWithItsNameCountAsHeldLocks() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/the.lock"
    let lock = try #require(NSDistributedLock(path: path))
    #expect(symlink("/nowhere", path) == 0)
    #expect(!lock.try())
    #expect(lock.holder == nil)
    #expect(unlink(path) == 0)
    #expect(mkfifo(path, 0o644) == 0)
    #expect(!lock.try())
    #expect(lock.holder?.life == .isUnknown)
    lock.break()
    #expect(mkdir(path, 0o755) == 0)
    #expect(!lock.try())
    #expect(rmdir(path) == 0)
    #expect(lock.try())
    lock.unlock()
  }

  @Test func aMissingDirectoryIsThrown() throws {
    try withPath { path in
      let lock = try #require(NSDistributedLock(path: path + "/not/there"))
      let error = #expect(throws: DistributedLockError.self) { try lock.attempt() }
      #expect(error?.code == ENOENT)
      #expect("\(try #require(error))".contains("its directory does not exist"))
      #expect(!lock.try())
      #expect(lock.lockDate == .distantFuture)
    }
  }

  @Test func locksAreEqualByIdentity() throws {
    let one = try #require(NSDistributedLock(path: "/tmp/a.lock"))
    let other = try #require(NSDistributedLock(path: "/tmp/a.lock"))
    #expect(one != other)
    #expect(Set([one, other, one]).count == 2)
  }

  /// Each thread has an object of its own, or all share one.
  @Test(arguments: [true, false]) func oneThreadHoldsTheLockAtATime(isShared: Bool) throws {
    try withPath { path in
      let shared = try #require(NSDistributedLock(path: path))
      // SAFETY: used under the lock, which is what the test checks. The system calls that take
      // and release the lock order the accesses, which ThreadSanitizer does not know, so it is
      // atomic.
      let count = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
      count.initialize(to: 0)
      defer { count.deallocate() }
      nonisolated(unsafe) let number = count
      try runThreads(4) { _ in
        let lock = isShared ? shared : NSDistributedLock(path: path)!
        for _ in 0..<200 {
          while !lock.try() { sched_yield() }
          let old = OSAtomicAdd32(0, number)
          sched_yield()
          #expect(OSAtomicCompareAndSwap32(old, old + 1, number))
          lock.unlock()
        }
      }
      #expect(number.pointee == 800)
    }
  }

  // MARK: Other processes

  /// ThreadSanitizer ends a forked child that starts threads, unless its option is set. The
  /// toolchain's backtracer would change how a forked child that traps ends, so it is off.
  private static let environment = [
    "TSAN_OPTIONS": "die_after_fork=0", "SWIFT_BACKTRACE": "enable=no",
  ]

  private func run(
    _ scenario: any CountedScenario, _ path: String, isNamed: Bool = false
  ) throws -> ChildProgram.Outcome {
    let outcome = try ChildProgram.run(
      scenario, [path] + (isNamed ? ["named"] : []), environment: Self.environment)
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome
  }

  /// The process is killed before and after each of its system calls.
  @Test(
    arguments: [
      DistributedLockScenario.distributedLockKilledWhileTakingAndLeaving,
      .distributedLockKilledWhileFindingItHeld,
      .distributedLockKilledWhileBreakingADeadOne,
      .distributedLockKilledWhileBreaking,
    ], ways)
  func afterAKillTheLockIsFreeOrKnownToBeDead(
    _ scenario: DistributedLockScenario, _ isNamed: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let facts = try run(scenario, folder.path + "/the.lock", isNamed: isNamed).facts
    let stops = try #require(facts["stops"].flatMap { Int($0) })
    let free = try #require(facts["free"].flatMap { Int($0) })
    let ended = try #require(facts["ended"].flatMap { Int($0) })
    #expect(stops > 10)
    #expect(free + ended == stops + 1)
    // Both outcomes occur.
    #expect(ended > 0)
    #expect(free > 0 || scenario == DistributedLockScenario.distributedLockKilledWhileFindingItHeld)
    // A file without a name leaves nothing behind.
    if !isNamed { #expect(try names(in: folder.path) == []) }
  }

  private func names(in path: String) throws -> [String] {
    let folder = try #require(opendir(path), "opendir: errno \(errno)")
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  @Test(arguments: ways) func aKilledHolderIsDistinguishedFromALiveOne(isNamed: Bool) throws {
    try withPath { path in
      let facts = try run(
        DistributedLockScenario.distributedLockOfAKilledProcess, path, isNamed: isNamed
      ).facts
      #expect(
        facts == [
          "tryWhileItLives": "false", "life": "lives", "isTheChild": "true",
          "brokenWhileItLives": "false", "tryAfterwards": "false", "lifeAfterwards": "hasEnded",
          "brokenAfterwards": "true", "brokenTwice": "false", "tryAtLast": "true",
          "holderAtLast": "none",
        ])
    }
  }

  @Test(arguments: ways) func aChildOfTheHolderDoesNotKeepItAlive(isNamed: Bool) throws {
    try withPath { path in
      let facts = try run(
        DistributedLockScenario.distributedLockOfAProcessThatLeftAChild, path, isNamed: isNamed
      ).facts
      #expect(facts == ["life": "lives", "childLives": "true", "lifeAfterwards": "hasEnded"])
    }
  }

  @Test func theChildOfAForkDoesNotHoldItsParentsLock() throws {
    try withPath { path in
      let outcome = try run(DistributedLockScenario.distributedLockInAForkedChild, path)
      #expect(
        outcome.facts == [
          "try": "true", "unlockInTheChild": "\(256 + SIGABRT)", "life": "none",
          "takenByTheChild": "0",
        ])
      #expect(
        outcome.standardError.contains(
          "\"\(path)\" was unlocked in the child of a fork: the parent holds it"))
      // The second child broke the lock, so the parent had none to release.
      #expect(outcome.standardError.contains("\"\(path)\" was broken by another process"))
    }
  }

  @Test func aDirectoryThatIsNotWritableIsReported() throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    let path = folder.path + "/the.lock"
    let outcome = try run(DistributedLockScenario.distributedLockWhereNothingMayBeWritten, path)
    #expect(
      outcome.facts == ["try": "false", "tryAgain": "false", "code": "EACCES", "life": "none"])
    let said = outcome.standardError.split(separator: "\n").filter {
      $0.contains("\"\(path)\" cannot be taken: its directory must not be written")
    }
    #expect(said.count == 1, "\(outcome.standardError)")
  }

  @Test func aLockThatCannotBeBrokenIsReported() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/the.lock"
    _ = try run(DistributedLockScenario.distributedLockLeftBehind, path)
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    let outcome = try run(DistributedLockScenario.distributedLockOfAnotherUser, path)
    #expect(
      outcome.facts == ["life": "hasEnded", "broken": "false", "lifeAfterwards": "hasEnded"])
    #expect(outcome.standardError.contains("\"\(path)\" cannot be broken: its directory must not"))
  }

  @Test(arguments: ways) func processesThatCountUnderItLoseNothing(isNamed: Bool) throws {
    try withPath { path in
      let facts = try run(DistributedLockScenario.distributedLockCounts, path, isNamed: isNamed)
        .facts
      #expect(facts["count"] == "400")
    }
  }

  @Test(arguments: ways) func breakingADeadLockBreaksNoOther(isNamed: Bool) throws {
    try withPath { path in
      let outcome = try run(
        DistributedLockScenario.distributedLockBrokenByMany, path, isNamed: isNamed)
      #expect(outcome.facts == ["lines": "4"])
      // No thread reports that it was.
      #expect(outcome.standardError == "")
    }
  }
}
