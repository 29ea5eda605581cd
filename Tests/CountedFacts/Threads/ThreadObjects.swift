// ThreadObjects — threads of the program's own: what they leave behind, their kernel priority,
// a refused thread, and the end of the process.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxRuntime
import SignalboxThreads
import Synchronization

package enum ThreadObjectScenario: String, CountedScenario {
  case threadsAreFreed = "threads-are-freed"
  case threadsThatExitAreFreed = "threads-that-exit-are-freed"
  case detachedThreadsThatExitAreFreed = "detached-threads-that-exit-are-freed"
  case foreignThreadsAreFreed = "foreign-threads-are-freed"
  case joinedThreadsAreGone = "joined-threads-are-gone"
  case largeStacksCostMemoryWhereTheyAreUsed = "large-stacks-cost-memory-where-they-are-used"
  case threadPriorities = "thread-priorities"
  case threadClasses = "thread-classes"
  case threadPriorityChangedWhileItRuns = "thread-priority-changed-while-it-runs"
  case threadsStartedByALoweredThread = "threads-started-by-a-lowered-thread"
  case mainThreadLowered = "main-thread-lowered"
  case starvationAndInversion = "starvation-and-inversion"
  case threadRefusedAndTriedAgain = "thread-refused-and-tried-again"
  case threadRefusedWithNobodyToTell = "thread-refused-with-nobody-to-tell"
  case uncaughtErrorsReachTheHandler = "uncaught-errors-reach-the-handler"
  case catchTellMainGoOn = "catch-tell-main-go-on"
  case hooksAreCalled = "hooks-are-called"
  case mainThreadIsAskedForByAnotherFirst = "main-thread-is-asked-for-by-another-first"
  case mainThreadExits = "main-thread-exits"
  case threadsInAForkedChild = "threads-in-a-forked-child"
  case joinInAForkedChild = "join-in-a-forked-child"
}

extension ThreadObjectScenario: Scenario {
  func run() {
    switch self {
    // MARK: Leaks
    case .threadsAreFreed:
      leftovers { count, ran in
        for _ in 0..<count {
          let thread = JoinableThread { ran.increment() }
          thread.name = "a name that takes memory of its own"
          thread.start()
          _ = thread.join()
        }
      }
    case .threadsThatExitAreFreed:
      leftovers { count, ran in
        for number in 0..<count {
          let object = Tracked(alive)
          let thread = JoinableThread { () -> Int in
            withExtendedLifetime(object) {}
            Thread.current.threadDictionary["number"] = number
            ran.increment()
            return exitFromDepth(10, number)
          }
          thread.start()
          if thread.join() != number { fail("another result") }
        }
      }
      // A thread that was joined may free its body a moment later.
      wait { alive.count == 0 }
      report("alive", alive.count)
    case .detachedThreadsThatExitAreFreed:
      leftovers { count, ran in
        for _ in 0..<count {
          let object = Tracked(alive)
          let thread = Thread {
            withExtendedLifetime(object) {}
            Thread.current.threadDictionary["object"] = Tracked(alive)
            ran.increment()
            exitFromDepth(10)
          }
          thread.mustFinish = true
          thread.start()
        }
        Termination.waitForThreads()
      }
      // A detached thread's last step is visible before its memory is freed.
      wait { alive.count == 0 }
      report("alive", alive.count)
    case .foreignThreadsAreFreed:
      leftovers { count, ran in
        for _ in 0..<count {
          onOwnThread {
            Thread.current.name = "a name that takes memory of its own"
            Thread.current.threadDictionary["object"] = Tracked(alive)
            ran.increment()
          }
        }
      }
      report("alive", alive.count)
    case .joinedThreadsAreGone:
      for _ in 0..<integerArgument(0, default: 500) {
        let thread = JoinableThread {}
        thread.start()
        thread.join()
      }
      // The last threads may be in the kernel's list for a few instructions more.
      while threadNumbers().count > 1 { sched_yield() }
      report("left", threadNumbers().count)
    case .largeStacksCostMemoryWhereTheyAreUsed:
      let count = 16
      let gate = DispatchSemaphore(value: 0)
      let inside = Tally()
      let before = bytesResident()
      let threads = (0..<count).map { _ in
        let thread = JoinableThread {
          inside.increment()
          gate.wait()
        }
        thread.thread.stackSize = 256 << 20
        thread.start()
        return thread
      }
      while inside.count < count { sched_yield() }
      report("kilobytesEach", (bytesResident() - before) / count / 1024)
      for _ in threads { gate.signal() }
      for thread in threads { thread.join() }
    // MARK: Priorities; 1 as the argument runs without root's privileges
    case .threadPriorities:
      dropPrivilegesIfAsked()
      for percent in [0, 25, 50, 75, 100] {
        report("nice.\(percent)", niceOfThread { $0.threadPriority = Double(percent) / 100 })
      }
      for quality in [
        QualityOfService.userInteractive, .userInitiated, .default, .utility, .background,
      ] {
        report("nice.\(quality)", niceOfThread { $0.qualityOfService = quality })
      }
    // Every class, set before the start and while the thread runs, and reset. The kernel reports
    // the priority.
    case .threadClasses:
      dropPrivilegesIfAsked()
      let qualities: [QualityOfService] = [
        .userInteractive, .userInitiated, .default, .utility, .background,
      ]
      for quality in qualities {
        report("before.\(quality)", niceOfThread { $0.qualityOfService = quality })
        let thread = Staying()
        thread.object.qualityOfService = quality
        report("running.\(quality)", Int(niceValue(of: thread.kernelID)))
        report("class.\(quality)", thread.object.qualityOfService == quality ? 1 : 0)
        report("done.\(quality)", thread.object.setQualityOfService(quality) ? 1 : 0)
        thread.object.qualityOfService = .default
        report("back.\(quality)", Int(niceValue(of: thread.kernelID)))
        thread.end()
      }
    case .threadPriorityChangedWhileItRuns:
      dropPrivilegesIfAsked()
      let thread = Staying()
      func tell(_ step: String, _ done: Bool) {
        report("\(step).done", done ? 1 : 0)
        report("\(step).nice", Int(niceValue(of: thread.kernelID)))
        report("\(step).tenths", Int((thread.object.threadPriority * 10).rounded()))
      }
      tell("begin", true)
      tell("lowered", thread.object.setThreadPriority(0))
      tell("raised", thread.object.setThreadPriority(0.5))
      tell("above", thread.object.setThreadPriority(1))
      tell("class", thread.object.setQualityOfService(.background))
      thread.end()
      let own = JoinableThread {
        let lowered = Thread.setThreadPriority(0.2)
        let nice = Int(niceValue(of: 0))
        let raised = Thread.setThreadPriority(0.5)
        return [lowered ? 1 : 0, nice, raised ? 1 : 0]
      }
      own.start()
      for (name, value) in zip(["own.lowered", "own.nice", "own.raised"], own.join()) {
        report(name, value)
      }
    case .threadsStartedByALoweredThread:
      dropPrivilegesIfAsked()
      let parent = JoinableThread { () -> [Int] in
        let own = Int(niceValue(of: 0))
        let child = JoinableThread { Int(niceValue(of: 0)) }
        child.start()
        let utility = JoinableThread { Int(niceValue(of: 0)) }
        utility.thread.qualityOfService = .utility
        utility.start()
        let group = DispatchGroup()
        let item = Tally()
        DispatchQueue.global(qos: .userInitiated).async(group: group) {
          for _ in 0..<max(0, niceValue(of: 0)) { item.increment() }
        }
        group.wait()
        return [own, child.join(), utility.join(), item.count]
      }
      parent.thread.threadPriority = 0
      parent.start()
      for (name, value) in zip(["parent", "child", "utility", "item"], parent.join()) {
        report(name, value)
      }
    case .mainThreadLowered:
      dropPrivilegesIfAsked()
      report("done", Thread.main.setThreadPriority(0) ? 1 : 0)
      report("own", Int(niceValue(of: 0)))
      report("thread", niceOfThread { _ in })
      let group = DispatchGroup()
      let item = Tally()
      DispatchQueue.global(qos: .userInitiated).async(group: group) {
        for _ in 0..<max(0, niceValue(of: 0)) { item.increment() }
      }
      group.wait()
      report("item", item.count)
    // Threads of the process's priority compute on every processor. One thread of the lowest
    // priority holds a lock that an important thread waits for.
    case .starvationAndInversion:
      let mustEnd = Tally()
      let lock = NSLock()
      let isHeld = DispatchSemaphore(value: 0)
      let isWanted = Tally()
      let busy = (0..<2 * sysconf(Int32(_SC_NPROCESSORS_ONLN))).map { _ in
        let thread = JoinableThread { while mustEnd.count == 0 {} }
        thread.start()
        return thread
      }
      let low = JoinableThread {
        lock.lock()
        isHeld.signal()
        while isWanted.count == 0 { sched_yield() }
        var sum = 0
        for number in 0..<20_000 { sum &+= number & mustEnd.count }
        lock.unlock()
        return sum
      }
      low.thread.threadPriority = 0
      low.start()
      let high = JoinableThread { () -> Double in
        isHeld.wait()
        let begin = milliseconds()
        isWanted.increment()
        lock.lock()
        lock.unlock()
        return milliseconds() - begin
      }
      high.thread.qualityOfService = .userInteractive
      high.start()
      report("milliseconds", high.join())
      _ = low.join()
      mustEnd.increment()
      for thread in busy { thread.join() }
      report("finished", 1)
    // MARK: Refusals
    case .threadRefusedAndTriedAgain:
      dropPrivileges()
      let thread = JoinableThread { 5 }
      if csc_limit_threads(1) != 0 { fail("setrlimit") }
      do throws(ThreadCreationError) {
        try thread.tryStart()
        fail("a thread beyond the limit")
      } catch {
        report("code", Int(error.code))
        report("words", error.description.contains("ulimit -u") ? 1 : 0)
      }
      report("state", thread.isExecuting || thread.isFinished ? 1 : 0)
      let told = Tally()
      Thread.creationFailureHandler = { error in if error.code == EAGAIN { told.increment() } }
      thread.start()
      Thread.detachNewThread { fail("a thread beyond the limit") }
      report("told", told.count)
      if csc_unlimit_threads() != 0 { fail("setrlimit") }
      thread.start()
      report("result", thread.join())
    case .threadRefusedWithNobodyToTell:
      dropPrivileges()
      if csc_limit_threads(1) != 0 { fail("setrlimit") }
      let thread = Thread {}
      thread.name = "refused"
      thread.start()
    // MARK: Errors
    case .uncaughtErrorsReachTheHandler:
      struct Refusal: Error {}
      let told = DispatchSemaphore(value: 0)
      Thread.uncaughtErrorHandler = { report in
        if report.error is Refusal { print("told=\(report.thread)") }
        told.signal()
      }
      let detached = Thread(throwing: { throw Refusal() })
      detached.name = "detached"
      detached.start()
      told.wait()
      let joined = JoinableThread { () throws -> Int in throw Refusal() }
      joined.start()
      do { _ = try joined.join() } catch { report("joined", "\(error)") }
      fflush(nil)
    // The pattern: catch the error, then ask the main thread whether to continue.
    case .catchTellMainGoOn:
      struct Broken: Error, CustomStringConvertible { let description: String }
      let thread = Thread {
        do {
          throw Broken(description: "no such file")
        } catch {
          let text = "\(error)"
          DispatchQueue.main.async {
            report("main", text)
            report("isMain", Thread.isMainThread ? 1 : 0)
            exit(0)
          }
        }
      }
      thread.start()
      dispatchMain()
    // MARK: Hooks
    case .hooksAreCalled:
      let became = Tally(), left = Tally(), right = Tally()
      ThreadHook.becomingMultiThreaded.set { _ in
        became.increment()
        if !Thread.isMainThread { fail("told on another thread") }
      }
      ThreadHook.exiting.set { thread in
        left.increment()
        if thread === Thread.current && thread.threadDictionary["mark"] as? Int == 1
          && !thread.isFinished
        {
          right.increment()
        }
      }
      report("before", Thread.isMultiThreaded() ? 1 : 0)
      for number in 0..<3 {
        let thread = JoinableThread {
          Thread.current.threadDictionary["mark"] = 1
          if number == 1 { Thread.exit() }
        }
        thread.start()
        thread.join()
      }
      report("after", Thread.isMultiThreaded() ? 1 : 0)
      report("became", became.count)
      report("left", left.count)
      report("right", right.count)
    // MARK: Main thread
    case .mainThreadIsAskedForByAnotherFirst:
      let seen = Atomic<UInt>(0)
      onOwnThread {
        Thread.main.name = "first"
        seen.store(UInt(bitPattern: ObjectIdentifier(Thread.main).hashValue), ordering: .relaxed)
        report("isMain", Thread.main.isMainThread ? 1 : 0)
      }
      let same =
        seen.load(ordering: .relaxed)
        == UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)
      report("same", same ? 1 : 0)
      report("isNamed", Thread.current.name == "first" ? 1 : 0)
    case .mainThreadExits:
      let main = Thread.current
      main.name = "gone"
      Thread {
        // Nothing waits for the first thread's end; the library still knows its data.
        while ThreadRecordLook.isMainAlive { sched_yield() }
        report("name", Thread.main.name ?? "none")
        exit(3)
      }.start()
      Thread.exit()
    // MARK: Forks
    case .threadsInAForkedChild:
      let stays = Staying()
      let child = csc_fork()
      if child == 0 {
        let thread = JoinableThread { Thread.isMainThread ? 0 : 4 }
        thread.start()
        let all = [Thread.isMainThread && Thread.main === Thread.current, thread.join() == 4]
        _exit(all == [true, true] ? 0 : 1)
      }
      report("child", Int(csc_wait(child)))
      let inThread = JoinableThread { () -> Int in
        Thread.current.name = "survivor"
        let child = csc_fork()
        if child == 0 {
          let own = Thread.current
          let isRight = Thread.isMainThread && Thread.main === own && own.name == "survivor"
          let thread = JoinableThread { Thread.main.name == "survivor" && !Thread.isMainThread }
          thread.start()
          _exit(isRight && thread.join() ? 0 : 1)
        }
        return Int(csc_wait(child))
      }
      inThread.start()
      report("childOfAThread", inThread.join())
      stays.end()
    case .joinInAForkedChild:
      let stays = Staying()
      let child = csc_fork()
      if child == 0 { stays.end() }
      report("child", Int(csc_wait(child)))
      stays.end()
    }
  }
}

let alive = Tally()

private func exitFromDepth(_ depth: Int) {
  if depth == 0 { return Thread.exit() }
  exitFromDepth(depth - 1)
  alive.increment()
}

private func exitFromDepth(_ depth: Int, _ number: Int) -> Int {
  if depth == 0 { Thread.exit(returning: number) }
  return exitFromDepth(depth - 1, number) + 1
}

/// Runs `body` on a thread made by pthread_create, and joins it.
func onOwnThread(_ body: @escaping @Sendable () -> Void) {
  final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  // SAFETY: released by the thread.
  let start = Unmanaged.passRetained(Start(body)).toOpaque()
  let result = pthread_create(
    &thread, nil,
    { context in
      // SAFETY: retained above.
      Unmanaged<Start>.fromOpaque(context!).takeRetainedValue().body()
      return nil
    }, start)
  if result != 0 { fail("pthread_create: \(result)") }
  pthread_join(thread, nil)
}

/// A thread that stays until it is asked to end.
private struct Staying {
  private let thread: JoinableThread<Void, Never>
  private let mayEnd = DispatchSemaphore(value: 0)
  let kernelID: Int32
  var object: Thread { thread.thread }

  init() {
    let mayEnd = mayEnd
    let isInside = DispatchSemaphore(value: 0)
    thread = JoinableThread {
      isInside.signal()
      mayEnd.wait()
    }
    thread.start()
    isInside.wait()
    kernelID = thread.thread.record.kernelID
  }

  func end() {
    mayEnd.signal()
    thread.join()
  }
}

private enum ThreadRecordLook {
  static var isMainAlive: Bool {
    let text = contents(of: "/proc/self/task/\(getpid())/stat") ?? ""
    return !text.contains(") Z ")
  }
}

func niceValue(of kernelID: Int32) -> Int32 {
  getpriority(__priority_which_t(PRIO_PROCESS.rawValue), UInt32(kernelID))
}

private func niceOfThread(_ prepare: (Thread) -> Void) -> Int {
  let thread = JoinableThread { Int(niceValue(of: 0)) }
  prepare(thread.thread)
  thread.start()
  return thread.join()
}

func dropPrivileges() {
  guard geteuid() == 0 else { return }
  if setgid(65534) != 0 || setuid(65534) != 0 { exit(77) }
}

/// Reports the process's own nice value, which the tests compare with.
private func dropPrivilegesIfAsked() {
  report("main", Int(niceValue(of: getpid())))
  report("isRoot", geteuid() == 0 ? 1 : 0)
  if integerArgument(0, default: 0) == 1 { dropPrivileges() }
}
