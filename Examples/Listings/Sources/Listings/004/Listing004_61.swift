import Glibc
import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_61 = Listing(
    "004-61", heading: "POSIX mutex",
    shows: "allocate, initialise, lock, work, unlock",
    outcome: "one thread at a time works",
    truth:
      "not as printed: a mutex that is initialised at each call guards nothing; the code "
      + "allocates as many mutexes as a mutex has bytes, and destroys none",
    rows: ["L10"],
    fault: {
      // What ten thousand of them leave behind, in a process that does nothing else.
      print(
        Document004.bytesLeft(after: 10_000) { Document004.PrintedTestLock().posixMutexLock {} })
      print(Document004.bytesLeft(after: 10_000) { Document004.PosixTestLock().posixMutexLock {} })
    }
  ) { story in
    // The printed class gives each call a mutex nobody else has locked.
    let anew = Document004.NewMutexEachTime()
    let bothAreInside = Rendezvous(of: 2)
    let most = Cell(0)
    runSideBySide(2) { _ in
      anew.posixMutexLock {
        // Were one of them kept out, they would never meet.
        bothAreInside.arrive()
        most.withValue { $0 += 1 }
      }
    }
    story.check(most.value, is: 2, "the fault: two threads are between lock and unlock at once")
    let size = MemoryLayout<pthread_mutex_t>.size
    let report = try story.runFault()
    let left = report.output.compactMap(Int.init)
    story.tell("a mutex has \(size) bytes; ten thousand locks leave \(left) bytes behind")
    // The kernel counts whole pages, and not to the last one.
    let allocated = 10_000 * size * size
    story.check(
      left.count == 2 && left[0] > allocated / 10 * 9,
      "each allocates \(size) mutexes of \(size) bytes, and frees none of them")
    story.check(
      left.count == 2 && left[1] < allocated / 10, "repaired, they leave nothing of the kind")

    // The repair, on every kind of thread, beside a lock of ours.
    let test = Document004.PosixTestLock()
    let ours = NSLock()
    let count = Cell(0)
    let work: @Sendable () -> Void = {
      for _ in 0..<1_000 {
        test.posixMutexLock {
          let before = count.value
          ours.withLock {}
          count.value = before + 1
        }
      }
    }
    let thread = JoinableThread(work)
    thread.start()
    let plain = try Document004.PlainThread(work)
    runSideBySide(2) { _ in work() }
    thread.join()
    plain.join()
    story.check(
      count.value, is: 4_000,
      "the repair: initialised once, it guards a thread object, a POSIX thread and two items")

    let other = JoinableThread { test.isFree }
    let isFreeMeanwhile = test.posixMutexLock {
      other.start()
      return other.join()
    }
    story.check(!isFreeMeanwhile, "while one works another one's try fails")
    story.check(test.isFree, "afterwards it is free")
  }
}

extension Document004 {
  /// The printed class, but that what it has locked is not overwritten under its holder: to
  /// initialise anew is to have another mutex.
  final class NewMutexEachTime: Sendable {
    func posixMutexLock(_ work: () -> Void) {
      PosixTestLock().posixMutexLock(work)
    }
  }

  /// The printed class: it allocates as many mutexes as one has bytes, initialises the first at
  /// each call, and has no `deinit`. For one thread: see `NewMutexEachTime`.
  final class PrintedTestLock {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() { mutex = .allocate(capacity: MemoryLayout<pthread_mutex_t>.size) }

    func posixMutexLock(_ work: () -> Void) {
      pthread_mutex_init(mutex, nil)
      pthread_mutex_lock(mutex)
      work()
      pthread_mutex_unlock(mutex)
    }
  }

  /// By how much the process's memory has grown after `count` calls.
  static func bytesLeft(after count: Int, _ body: () -> Void) -> Int {
    body()
    let before = residentBytes()
    for _ in 0..<count { body() }
    return residentBytes() - before
  }

  private static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = fread(&bytes, 1, bytes.count, file)
    let fields = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Repaired: one mutex, initialised once and destroyed in the end.
  final class PosixTestLock: @unchecked Sendable {
    // SAFETY: allocated and initialised by `init`, destroyed by `deinit`, never moved.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() { pthread_mutex_init(mutex, nil) }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    func posixMutexLock<Result>(_ work: () -> Result) -> Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return work()
    }

    var isFree: Bool {
      guard pthread_mutex_trylock(mutex) == 0 else { return false }
      pthread_mutex_unlock(mutex)
      return true
    }
  }

  /// A thread made by `pthread_create`, without any class.
  final class PlainThread {
    private var thread = pthread_t()

    private final class Body: Sendable {
      let run: @Sendable () -> Void
      init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    struct CreationFailure: Error {
      let code: Int32
    }

    init(_ body: @escaping @Sendable () -> Void) throws(CreationFailure) {
      // SAFETY: balanced by the thread, or below where there is none.
      let argument = Unmanaged.passRetained(Body(body))
      let code = pthread_create(
        &thread, nil,
        { argument in
          // SAFETY: retained for this thread.
          Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
          return nil
        }, argument.toOpaque())
      guard code == 0 else {
        argument.release()
        throw CreationFailure(code: code)
      }
    }

    /// To be called once: the thread's end frees what it had.
    func join() { pthread_join(thread, nil) }
  }
}
