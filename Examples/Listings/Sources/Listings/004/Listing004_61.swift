import Glibc
import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_61 = Listing(
    "004-61", heading: "POSIX mutex",
    shows: "allocate, initialise, lock, work, unlock",
    outcome: "one thread at a time works",
    truth:
      "not as printed: a mutex initialised anew at each call guards nothing; it allocates as many "
      + "as a mutex has bytes, and destroys none",
    rows: ["L10"]
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
    story.tell("sizeof(pthread_mutex_t) is \(size), so \(size) of them are allocated")

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
