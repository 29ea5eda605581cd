// DistributedLocks — a lock between processes. Its holders run in processes of their own, which
// live, end, fork, or are killed at each of their steps.
//
// Every scenario takes the lock's path as its first argument.

import CSystemCalls
import Glibc
import SignalboxLocks

package enum DistributedLockScenario: String, CountedScenario {
  case distributedLockKilledWhileTakingAndLeaving =
    "distributed-lock-killed-while-taking-and-leaving"
  case distributedLockKilledWhileFindingItHeld = "distributed-lock-killed-while-finding-it-held"
  case distributedLockKilledWhileBreakingADeadOne =
    "distributed-lock-killed-while-breaking-a-dead-one"
  case distributedLockKilledWhileBreaking = "distributed-lock-killed-while-breaking"
  case distributedLockOfAKilledProcess = "distributed-lock-of-a-killed-process"
  case distributedLockOfAProcessThatLeftAChild = "distributed-lock-of-a-process-that-left-a-child"
  case distributedLockInAForkedChild = "distributed-lock-in-a-forked-child"
  case distributedLockWhereNothingMayBeWritten = "distributed-lock-where-nothing-may-be-written"
  case distributedLockOfAnotherUser = "distributed-lock-of-another-user"
  case distributedLockLeftBehind = "distributed-lock-left-behind"
  case distributedLockCounts = "distributed-lock-counts"
  case distributedLockBrokenByMany = "distributed-lock-broken-by-many"
}

extension DistributedLockScenario: Scenario {
  func run() {
    switch self {
    case .distributedLockKilledWhileTakingAndLeaving:
      killAtEveryStop { lock in
        if !lock.try() { _exit(30) }
        lock.unlock()
      }
    case .distributedLockKilledWhileFindingItHeld:
      killAtEveryStop(isHeldByTheDead: true) { lock in
        if lock.try() { _exit(30) }
        if lock.holder?.life != .hasEnded { _exit(31) }
      }
    case .distributedLockKilledWhileBreakingADeadOne:
      killAtEveryStop(isHeldByTheDead: true) { lock in
        if !lock.breakIfHolderHasEnded() { _exit(32) }
      }
    case .distributedLockKilledWhileBreaking:
      killAtEveryStop(isHeldByTheDead: true) { lock in lock.break() }
    case .distributedLockOfAKilledProcess:
      let holder = startHolder()
      let lock = newLock()
      report("tryWhileItLives", lock.try())
      report("life", life(lock))
      report("isTheChild", lock.holder?.processID == holder)
      report("brokenWhileItLives", lock.breakIfHolderHasEnded())
      kill(holder, SIGKILL)
      _ = csc_wait(holder)
      report("tryAfterwards", lock.try())
      report("lifeAfterwards", life(lock))
      report("brokenAfterwards", lock.breakIfHolderHasEnded())
      report("brokenTwice", lock.breakIfHolderHasEnded())
      report("tryAtLast", lock.try())
      lock.unlock()
      report("holderAtLast", life(lock))
    case .distributedLockOfAProcessThatLeftAChild:
      // The holder's child lives on with everything that it inherited.
      let pipe = Pipe()
      let holder = csc_fork()
      if holder == 0 {
        guard newLock(isKept: true).try() else { _exit(30) }
        let child = csc_fork()
        if child == 0 {
          pipe.tell(getpid())
          while true { pause() }
        }
        while true { pause() }
      }
      let child = pipe.hear()
      let lock = newLock()
      report("life", life(lock))
      kill(holder, SIGKILL)
      _ = csc_wait(holder)
      report("childLives", kill(child, 0) == 0)
      report("lifeAfterwards", life(lock))
      kill(child, SIGKILL)
    case .distributedLockInAForkedChild:
      let lock = newLock()
      report("try", lock.try())
      let child = csc_fork()
      if child == 0 {
        if newLock().try() { _exit(30) }
        if lock.holder?.life != .lives { _exit(31) }
        lock.unlock()
        _exit(0)
      }
      report("unlockInTheChild", Int(csc_wait(child)))
      lock.unlock()
      report("life", life(lock))
      // The child may take a lock that it inherited and the parent has released.
      guard lock.try() else { fail("the lock is not free") }
      let heir = csc_fork()
      if heir == 0 {
        lock.break()
        if !lock.try() { _exit(32) }
        lock.unlock()
        _exit(0)
      }
      report("takenByTheChild", Int(csc_wait(heir)))
      lock.unlock()
    case .distributedLockWhereNothingMayBeWritten:
      if geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0) { fail("setuid: \(errno)") }
      let lock = newLock()
      report("try", lock.try())
      report("tryAgain", lock.try())
      do throws(DistributedLockError) {
        report("attempt", try lock.attempt())
      } catch {
        report("code", error.code == EACCES ? "EACCES" : "\(error.code)")
      }
      report("life", life(lock))
    case .distributedLockOfAnotherUser:
      // A process that has ended holds the lock; the directory belongs to the other user.
      if geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0) { fail("setuid: \(errno)") }
      let lock = newLock()
      report("life", life(lock))
      report("broken", lock.breakIfHolderHasEnded())
      lock.break()
      report("lifeAfterwards", life(lock))
    case .distributedLockLeftBehind:
      guard newLock(isKept: true).try() else { fail("the lock is not free") }
      _exit(0)
    case .distributedLockCounts:
      // Several processes count in one file; only the lock prevents lost counts.
      let processes = 4, rounds = 100
      let numbers = path + ".count"
      write(0, to: numbers)
      let children = (0..<processes).map { _ in
        let child = csc_fork()
        if child == 0 {
          let lock = newLock()
          for _ in 0..<rounds {
            while !lock.try() { sched_yield() }
            write(read(numbers) + 1, to: numbers)
            lock.unlock()
          }
          _exit(0)
        }
        return child
      }
      for child in children where csc_wait(child) != 0 { fail("a child failed") }
      report("count", read(numbers))
      unlink(numbers)
    case .distributedLockBrokenByMany:
      // Several processes release the lock or die while they hold it, and others break a dead
      // process's lock, all at the same time. The process that takes the lock must find itself as
      // the holder: no process may break a live process's lock.
      //
      // On a busy machine there are fewer rounds. Even then some holders die.
      let lines = 4, rounds = 100, fewest = 10
      let end = milliseconds() + eventTimeout
      let children = (0..<lines).map { _ in
        let child = csc_fork()
        if child != 0 { return child }
        for round in 0..<rounds where round < fewest || milliseconds() < end {
          let holder = csc_fork()
          if holder == 0 {
            let lock = newLock(isKept: true)
            while !lock.try() {
              _ = lock.breakIfHolderHasEnded()
              sched_yield()
            }
            // Only one process holds the lock, so all rounds wait for these. Beside other programs
            // each takes as long as they compute.
            for _ in 0..<4 {
              sched_yield()
              let found = lock.holder
              if found?.processID != getpid() || found?.life != .lives { _exit(33) }
            }
            if round % 4 != 0 { lock.unlock() }
            _exit(0)
          }
          if csc_wait(holder) != 0 { _exit(34) }
        }
        _exit(0)
      }
      for child in children where csc_wait(child) != 0 { fail("a holder was broken") }
      report("lines", lines)
      newLock().break()
    }
  }
}

// MARK: Locks

private var path: String {
  guard arguments.count > 2 else { fail("no path") }
  return arguments[2]
}

/// Whether the scenario must not use unnamed files.
private var isNamed: Bool { arguments.count > 3 && arguments[3] == "named" }

// SAFETY: scenarios use it on one thread.
private nonisolated(unsafe) var keptLocks: [NSDistributedLock] = []

/// - Parameter isKept: Prevents the release of the lock object, which may still be held at the
/// end.
private func newLock(isKept: Bool = false) -> NSDistributedLock {
  guard let lock = NSDistributedLock(path: path, isNamed: isNamed) else { fail("no lock") }
  if isKept { keptLocks.append(lock) }
  return lock
}

private func life(_ lock: NSDistributedLock) -> String {
  lock.holder.map { "\($0.life)" } ?? "none"
}

/// Forks a process that takes the lock, and waits until it has the lock.
private func startHolder(thatEnds: Bool = false) -> pid_t {
  let pipe = Pipe()
  let holder = csc_fork()
  if holder == 0 {
    guard newLock(isKept: true).try() else { _exit(30) }
    if thatEnds { _exit(0) }
    pipe.tell(getpid())
    while true { pause() }
  }
  if thatEnds {
    guard csc_wait(holder) == 0 else { fail("the lock was not left behind") }
  } else {
    _ = pipe.hear()
  }
  return holder
}

// MARK: Killed processes

/// Runs the body repeatedly, and kills it at a later stop each time. Afterwards the lock must
/// be free, or be known as a dead process's lock and be broken.
private func killAtEveryStop(
  isHeldByTheDead: Bool = false, _ body: (NSDistributedLock) -> Void
) {
  // Otherwise each child would determine its own identity at its first fork.
  _ = newLock().holder
  var stop = 1, free = 0, ended = 0
  while true {
    if isHeldByTheDead && life(newLock()) == "none" { _ = startHolder(thatEnds: true) }
    let lock = newLock(isKept: true)
    let isKilled = SystemCallTrace.killing(atStop: stop) { body(lock) }
    let found = newLock()
    if found.try() {
      free += 1
    } else {
      guard life(found) == "hasEnded" else { fail("at stop \(stop): \(life(found))") }
      guard found.breakIfHolderHasEnded() else { fail("at stop \(stop): not broken") }
      guard found.try() else { fail("at stop \(stop): not taken") }
      ended += 1
    }
    found.unlock()
    guard isKilled else { break }
    stop += 1
  }
  report("stops", stop - 1)
  report("free", free)
  report("ended", ended)
}

// MARK: Files

/// Sends a number to the parent.
private struct Pipe {
  private let ends: (read: Int32, write: Int32)

  init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { fail("pipe: errno \(errno)") }
    self.ends = (ends[0], ends[1])
  }

  func tell(_ number: Int32) {
    var number = number
    if Glibc.write(ends.write, &number, 4) != 4 { _exit(40) }
  }

  func hear() -> Int32 {
    var number: Int32 = 0
    guard Glibc.read(ends.read, &number, 4) == 4 else { fail("nothing was told") }
    return number
  }
}

private func read(_ path: String) -> Int { contents(of: path).flatMap { Int($0) } ?? -1 }

private func write(_ number: Int, to path: String) {
  guard let file = fopen(path, "w") else { fail("fopen: errno \(errno)") }
  fputs("\(number)", file)
  fclose(file)
}
