// ThreadAttributeTests — stack sizes, classes, and what is kept of foreign threads.

import CSignalbox
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite(.guarded) struct ThreadAttributeTests {
  /// The stack size of this thread, according to the C library.
  private static func stackFromInside() -> Int { Int(csb_thread_stack_size()) }

  @Test(arguments: [16 * 1024, 256 * 1024, 260 * 1024, 1 << 20, 64 << 20])
  func theStackHasTheRequestedSize(_ size: Int) {
    let thread = JoinableThread { (Self.stackFromInside(), Thread.current.stackSize) }
    thread.thread.stackSize = size
    #expect(thread.thread.stackSize == size)
    thread.start()
    let (found, told) = thread.join()
    // The C library may give the thread the stack of one that has ended, if that is at most four
    // times as large. It compares stacks with their guards, and tells their sizes without.
    let least = size + csb_thread_stack_margin()
    let guardSize = Int(CSB_STACK_GUARD)
    #expect((least...4 * (least + guardSize) - guardSize).contains(found))
    #expect(told == size)
    #expect(thread.thread.stackSize == size)
  }

  /// As with the toolchain: the value is returned as it was set.
  @Test(arguments: [16 * 1024 + 1, 17 * 1024, 1_000_000])
  func aStackSizeNeedNotBeAMultipleOfAPage(_ size: Int) {
    let thread = JoinableThread { (Self.stackFromInside(), Thread.current.stackSize) }
    thread.thread.stackSize = size
    thread.start()
    let (found, told) = thread.join()
    #expect(found >= size + csb_thread_stack_margin())
    #expect(told == size)
  }

  @Test func aStackSizeThatCannotBeUsedIsIgnored() {
    let thread = JoinableThread { Thread.current.stackSize }
    let usual = thread.thread.stackSize
    for size in [0, 1024, 4096, 16 * 1024 - 1, -1, -16384, Int.min] {
      thread.thread.stackSize = size
      #expect(thread.thread.stackSize == usual)
    }
    thread.thread.stackSize = 1 << 20
    thread.thread.stackSize = 1024
    thread.start()
    #expect(thread.join() == 1 << 20)
  }

  @Test(arguments: [1 << 30 + 1, 1 << 40, Int.max])
  func aStackHasAtMostOneGibibyte(_ size: Int) {
    let thread = Thread {}
    thread.stackSize = size
    #expect(thread.stackSize == 1 << 30)
  }

  /// The property returns the new value; the stack stays as it is.
  @Test func aStackSizeThatIsSetAfterTheStartIsOnlyReturned() throws {
    let thread = JoinableThread { () -> (Int, Int, Int) in
      let before = Self.stackFromInside()
      Thread.current.stackSize = 3 << 20
      return (before, Self.stackFromInside(), Thread.current.stackSize)
    }
    thread.thread.stackSize = 1 << 20
    thread.start()
    let (before, after, told) = thread.join()
    #expect(before == after)
    #expect(told == 3 << 20)
    // The thread has finished.
    thread.thread.stackSize = 2 << 20
    #expect(thread.thread.stackSize == 2 << 20)
    // A thread that this library did not start.
    try runThreads(1) { _ in
      Thread.current.stackSize = 5 << 20
      #expect(Thread.current.stackSize == 5 << 20)
    }
  }

  /// The program gets all of the smallest stack: the memory that Swift's runtime needs for the
  /// first use of a type comes on top.
  @Test func aThreadWithTheSmallestStackWorks() {
    let thread = JoinableThread {
      let name = "\(Thread.current.name ?? "none") of \([Thread.current.stackSize: ["a": 1.5]])"
      let queue = DispatchQueue(label: "least")
      let group = DispatchGroup()
      queue.async(group: group) {}
      group.wait()
      Thread.current.threadDictionary["key"] = [name]
      return queue.sync { (name, Self.use(2)) }
    }
    thread.thread.name = "small"
    thread.thread.stackSize = 16 * 1024
    thread.start()
    #expect(thread.join() == ("small of [16384: [\"a\": 1.5]]", 0))
  }

  /// Without a setting, the stack has the C library's size: the limit on stacks.
  @Test func theDefaultStackSizeIsTheStackLimit() throws {
    let thread = JoinableThread { Self.stackFromInside() }
    let announced = thread.thread.stackSize
    thread.start()
    #expect(thread.join() == announced)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit)
    if limit.rlim_cur <= UInt(Int.max) {
      #expect(announced == Int(limit.rlim_cur))
      #expect(Thread.main.stackSize == announced)
    } else {
      #expect(announced == 2 << 20)
    }
    try runThreads(1) { _ in #expect(Thread.current.stackSize == Self.stackFromInside()) }
  }

  /// Uses at least two kilobytes for each step, to a depth that ThreadSanitizer can follow:
  /// some ten thousand calls.
  @inline(never)
  private static func use(_ depth: Int) -> Int {
    let line = (depth, depth, depth, depth, depth, depth, depth, depth)
    let page = (line, line, line, line, line, line, line, line)
    var room = (page, page, page, page)
    return withUnsafeMutableBytes(of: &room) { bytes in
      depth == 0 ? Int(bytes[0]) : use(depth - 1) + Int(bytes[8] & 0)
    }
  }

  @Test func aLargeStackCanBeUsed() {
    let thread = JoinableThread { Self.use(6_000) }
    thread.thread.stackSize = 256 << 20
    thread.start()
    #expect(thread.join() == 0)
  }

  // MARK: Classes

  @Test(arguments: [
    (QualityOfService.userInteractive, DispatchQoS.QoSClass.userInitiated),
    (.userInitiated, .userInitiated), (.utility, .utility), (.background, .background),
    (.default, .unspecified),
  ])
  func itemsOfAThreadHaveItsClass(
    _ quality: QualityOfService, _ seen: DispatchQoS.QoSClass
  ) {
    let thread = JoinableThread { () -> DispatchQoS.QoSClass in
      let item = DispatchWorkItem(flags: .assignCurrentContext) {}
      _ = item
      let queue = DispatchQueue(label: "org.signalbox.tests.class")
      let result = Guarded(DispatchQoS.QoSClass.default)
      let group = DispatchGroup()
      queue.async(group: group) {
        result.withValue { $0 = DispatchQoS.QoSClass(rawValue: qos_class_self()) ?? .unspecified }
      }
      group.wait()
      return result.current
    }
    thread.thread.qualityOfService = quality
    thread.start()
    let found = thread.join()
    #expect(found == seen || seen == .unspecified && found == .default)
  }

  @Test func theClassOfARunningThreadCanBeChangedByAnother() throws {
    let isInside = Gate(), isChanged = Gate()
    let thread = JoinableThread { () -> UInt32 in
      isInside.open()
      isChanged.pass()
      return qos_class_self().rawValue
    }
    thread.start()
    try isInside.wait()
    thread.thread.qualityOfService = .userInitiated
    isChanged.open()
    #expect(thread.join() == QOS_CLASS_USER_INITIATED.rawValue)
  }

  // MARK: Several arguments

  @Test func argumentsReachTheBlock() throws {
    let seen = EventLog<String>()
    let done = EventCounter()
    Thread(with: 1) {
      seen.append("\($0)")
      done.increment()
    }.start()
    try done.wait(for: 1)
    Thread.detachNewThread(with: 2, "two", [3.0]) { number, text, list in
      seen.append("\(number) \(text) \(list)")
      done.increment()
    }
    try done.wait(for: 2)
    #expect(seen.all == ["1", "2 two [3.0]"])
  }

  // MARK: Threads made by others

  @Test func aForeignThreadHasOneObjectUntilItEnds() throws {
    let watch = WeakWatch()
    let queue = DispatchQueue(label: "org.signalbox.tests.foreign")
    try runThreads(8) { index in
      let own = watch.watch(Thread.current)
      own.name = "foreign \(index)"
      let lock = NSLock()
      lock.withLock { #expect(Thread.current === own) }
      queue.sync { #expect(Thread.current === own) }
      #expect(own.name == "foreign \(index)")
      #expect(own.isExecuting)
    }
    #expect(watch.watched == 8)
    try watch.waitUntilAllAreFreed()
  }

  @Test func aWorkerHasAnObjectToo() {
    let same = Guarded(false)
    DispatchQueue.global().sync { same.withValue { $0 = Thread.current === Thread.current } }
    #expect(same.current)
  }
}
