// ThreadTests — D7, D8, D9: names, classes, priorities, ends and refusals of threads.

import CountedFacts
import Glibc
import SignalboxLocks
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite("defects of threads", .guarded) struct ThreadDefectTests {
  private func facts(_ scenario: any CountedScenario, _ arguments: String...) throws -> [String:
    String]
  {
    // ThreadSanitizer ends a forked child that starts threads, unless this option is set.
    let outcome = try ChildProgram.run(
      scenario, arguments, environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    return outcome.facts
  }

  // MARK: D7

  @Test func aNameReadFromAnotherThreadIsNotTheCallers() throws {
    let mayEnd = Gate()
    let thread = JoinableThread { mayEnd.pass() }
    thread.name = "the thread's own name, which is long"
    thread.start()
    try runThreads(1) { _ in
      Thread.current.name = "the caller's"
      #expect(thread.name == "the thread's own name, which is long")
    }
    mayEnd.open()
    thread.join()
  }

  @Test func aNameSetBeforeTheStartIsNotLost() {
    let thread = JoinableThread { Thread.current.name }
    thread.name = "before"
    thread.start()
    #expect(thread.join() == "before")
  }

  @Test func aNameOfMoreThanFifteenBytesIsNotDropped() {
    let name = String(repeating: "name ", count: 1000)
    let thread = JoinableThread {
      let shown = ThreadCensus.contents(ofFile: "/proc/thread-self/comm")
      return (Thread.current.name, shown)
    }
    thread.name = name
    thread.start()
    let (whole, shown) = thread.join()
    #expect(whole == name)
    #expect(shown == "name name name \n")
  }

  // MARK: D8

  enum Privileges: Int, CaseIterable, Sendable { case kept, dropped }

  @Test(arguments: Privileges.allCases)
  func classesAndPrioritiesHaveAnEffect(_ privileges: Privileges) throws {
    let facts = try facts(ThreadObjectScenario.threadPriorities, "\(privileges.rawValue)")
      .compactMapValues {
        Int($0)
      }
    let main = try #require(facts["main"])
    let mayRaise = privileges == .kept && facts["isRoot"] == 1
    func nice(_ added: Int) -> Int { max(-20, min(19, main + added)) }
    #expect(facts["nice.0"] == nice(19))
    #expect(facts["nice.25"] == nice(10))
    #expect(facts["nice.50"] == main)
    if mayRaise {
      #expect(facts["nice.75"] == nice(-10))
      #expect(facts["nice.100"] == nice(-20))
      #expect(facts["nice.userInteractive"] == nice(-10))
      #expect(facts["nice.userInitiated"] == nice(-5))
    } else if privileges == .dropped {
      for wish in ["75", "100", "userInteractive", "userInitiated"] {
        #expect(facts["nice.\(wish)"] == main)
      }
    }
    #expect(facts["nice.default"] == main)
    #expect(facts["nice.utility"] == nice(10))
    #expect(facts["nice.background"] == nice(19))
  }

  private static let qualities = [
    "userInteractive", "userInitiated", "default", "utility", "background",
  ]

  /// Whether this process may give a thread a higher priority than its own. A thread that ends
  /// afterwards tries it.
  private static let mayRaise: Bool = {
    let done = Guarded(false)
    let thread = try? PlainThread {
      let thread = __priority_which_t(PRIO_PROCESS.rawValue)
      let nice = getpriority(thread, 0)
      // The lowest number of all cannot become lower.
      let may = nice > -20 && setpriority(thread, 0, nice - 1) == 0
      done.withValue { $0 = may }
    }
    try? thread?.join()
    return done.current
  }()

  private func classes(_ privileges: Privileges) throws -> (facts: [String: Int], main: Int) {
    let facts = try facts(ThreadObjectScenario.threadClasses, "\(privileges.rawValue)")
      .compactMapValues { Int($0) }
    for quality in Self.qualities { #expect(facts["class.\(quality)"] == 1, "\(quality)") }
    return (facts, try #require(facts["main"]))
  }

  @Test(.enabled(if: mayRaise))
  func everyClassOfAThreadHasItsKernelPriority() throws {
    let (facts, main) = try classes(.kept)
    let added = [
      "userInteractive": -10, "userInitiated": -5, "default": 0, "utility": 10, "background": 19,
    ]
    for (quality, added) in added {
      let nice = max(-20, min(19, main + added))
      #expect(facts["before.\(quality)"] == nice, "\(quality)")
      #expect(facts["running.\(quality)"] == nice, "\(quality)")
      #expect(facts["done.\(quality)"] == 1, "\(quality)")
      #expect(facts["back.\(quality)"] == main, "\(quality)")
    }
  }

  /// An upper class has the process's priority and reports that it could not be applied. A
  /// lowered thread stays lowered.
  @Test func withoutPrivilegesOnlyLowerClassesChangeTheKernelPriority() throws {
    let (facts, main) = try classes(.dropped)
    for quality in Self.qualities {
      let isUpper = quality.hasPrefix("user")
      let nice =
        switch quality {
        case "utility": min(19, main + 10)
        case "background": min(19, main + 19)
        default: main
        }
      #expect(facts["before.\(quality)"] == nice, "\(quality)")
      #expect(facts["running.\(quality)"] == nice, "\(quality)")
      #expect(facts["done.\(quality)"] == (isUpper ? 0 : 1), "\(quality)")
      #expect(facts["back.\(quality)"] == nice, "\(quality)")
    }
  }

  /// The process reports a priority that it cannot set, and the value is the effective one.
  @Test(arguments: Privileges.allCases)
  func aPriorityIsChangedWhileTheThreadRunsAsFarAsTheProcessMay(_ privileges: Privileges) throws {
    let facts = try facts(
      ThreadObjectScenario.threadPriorityChangedWhileItRuns, "\(privileges.rawValue)"
    )
    .compactMapValues { Int($0) }
    let main = try #require(facts["main"])
    let mayRaise = privileges == .kept && facts["isRoot"] == 1
    let lowest = min(19, main + 19)
    #expect(facts["begin.nice"] == main)
    #expect(facts["lowered.done"] == 1)
    #expect(facts["lowered.nice"] == lowest)
    #expect(facts["lowered.tenths"] == 0)
    if mayRaise {
      #expect(facts["raised.done"] == 1)
      #expect(facts["raised.nice"] == main)
      #expect(facts["raised.tenths"] == 5)
      #expect(facts["above.nice"] == max(-20, main - 20))
      #expect(facts["above.tenths"] == 10)
      #expect(facts["own.raised"] == 1)
    } else if privileges == .dropped {
      for step in ["raised", "above"] {
        #expect(facts["\(step).done"] == 0)
        #expect(facts["\(step).nice"] == lowest)
        #expect(facts["\(step).tenths"] == 0)
      }
      #expect(facts["own.raised"] == 0)
    }
    #expect(facts["class.done"] == 1)
    #expect(facts["class.nice"] == lowest)
    #expect(facts["own.lowered"] == 1)
    #expect(facts["own.nice"] == min(19, main + 11))
  }

  /// A thread of lowered priority does not pass its priority on.
  @Test(arguments: Privileges.allCases)
  func aLoweredThreadStartsThreadsOfThePriorityThatTheyShouldHave(_ privileges: Privileges) throws {
    let facts = try facts(
      ThreadObjectScenario.threadsStartedByALoweredThread, "\(privileges.rawValue)"
    )
    .compactMapValues { Int($0) }
    let main = try #require(facts["main"])
    #expect(facts["parent"] == min(19, main + 19))
    #expect(facts["child"] == main)
    #expect(facts["utility"] == min(19, main + 10))
    #expect(facts["item"] == max(0, main))
  }

  @Test(arguments: Privileges.allCases)
  func theMainThreadsPriorityIsItsOwn(_ privileges: Privileges) throws {
    let facts = try facts(ThreadObjectScenario.mainThreadLowered, "\(privileges.rawValue)")
      .compactMapValues {
        Int($0)
      }
    let main = try #require(facts["main"])
    #expect(facts["done"] == 1)
    #expect(facts["own"] == min(19, main + 19))
    #expect(facts["thread"] == main)
    #expect(facts["item"] == max(0, main))
  }

  /// An important thread waits for one of the lowest priority while others compute on every
  /// processor: the low one still finishes.
  @Test func aLowPriorityThreadThatAnUrgentOneWaitsForFinishes() throws {
    #expect(try facts(ThreadObjectScenario.starvationAndInversion)["finished"] == "1")
  }

  // MARK: D9

  @Test func aRefusalIsAnErrorOrReachesTheHandlerAndTheThreadIsTriedAgain() throws {
    let facts = try facts(ThreadObjectScenario.threadRefusedAndTriedAgain)
    #expect(
      facts == ["code": "\(EAGAIN)", "words": "1", "state": "0", "told": "2", "result": "5"])
  }

  @Test func aRefusalWithoutAHandlerEndsTheProcess() throws {
    let outcome = try ChildProgram.run(
      ThreadObjectScenario.threadRefusedWithNobodyToTell,
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit == .signal(SIGABRT))
    for words in [
      "SIGNALBOX CANNOT CONTINUE: pthread_create failed with errno \(EAGAIN)",
      "the thread \"refused\" cannot be started", "tryStart()", "creationFailureHandler",
    ] {
      #expect(outcome.standardError.contains(words), "\(outcome.standardError)")
    }
  }

  /// The objects show it; `CountedFactsTests` counts the bytes.
  @Test func aThreadThatExitsIsFreed() throws {
    let watch = WeakWatch(), tracker = LeakTracker()
    for _ in 0..<10 {
      let object = tracker.makeObject()
      let thread = Thread {
        object.touch()
        Thread.exit()
      }
      watch.watch(thread)
      thread.start()
    }
    try watch.waitUntilAllAreFreed()
    try tracker.waitUntilAllAreFreed()
  }

  // MARK: Forks

  @Test func aForkedChildsThreadIsItsMainThread() throws {
    #expect(
      try facts(ThreadObjectScenario.threadsInAForkedChild) == [
        "child": "0", "childOfAThread": "0",
      ])
  }

  @Test func aJoinOfAThreadThatStayedInTheParentIsReported() throws {
    let outcome = try ChildProgram.run(
      ThreadObjectScenario.joinInAForkedChild, environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit == .code(0))
    #expect(outcome.facts["child"] == "\(256 + SIGABRT)")
    #expect(outcome.standardError.contains("it runs in the parent: join it there"))
  }
}
