// Thread — Apple's class on the engine's record of a thread.
//
// Touching    `record`, `task`: written by the initializer only. `stackRequest`: by who
//             makes the thread, until its start. `lazyDictionary`: any thread, atomically.

import CSignalbox
public import SignalboxLocks
package import SignalboxRuntime
import Synchronization

/// A thread of execution.
///
/// ```swift
/// let thread = Thread { print("on", Thread.current.name ?? "a thread") }
/// thread.name = "sweeper"
/// thread.start()
/// ```
///
/// A thread runs a block, or what a subclass does in ``main()``. It is detached: nobody
/// waits for it, and it gives back all it had when it ends. For one that can be waited
/// for see ``JoinableThread``. A process does not wait for its threads before it exits;
/// see ``mustFinish``.
///
/// The object may be used from any thread. It is not `Sendable`, as it is not elsewhere:
/// subclasses need not be.
///
/// A thread that was made by other means, by `pthread_create` or as a worker of the queues,
/// has an object too: its ``current``. That is freed when the thread ends.
///
/// Source: Apple's documentation of `Thread`.
open class Thread {
  package private(set) var record: ThreadRecord
  // SAFETY: retained by the initializer, released by `deinit`.
  private var task: Unmanaged<ThreadTask>?
  /// In bytes; 0 where nothing was said.
  var stackRequest = 0
  private let lazyDictionary = AtomicLazyReference<DictionaryBox>()

  /// A thread that runs ``main()``, which a subclass overrides.
  public init() { record = ThreadRecord() }

  /// A thread that runs `block`.
  public convenience init(block: @escaping @Sendable () -> Void) {
    self.init(task: ThreadBody<Void, Never>(block))
  }

  // The one designated initializer is public, so that a subclass which overrides it has
  // the others too.

  convenience init(task: ThreadTask) {
    self.init()
    // SAFETY: balanced by `deinit`.
    self.task = Unmanaged.passRetained(task)
  }

  /// Of a thread that runs already.
  convenience init(adopting record: ThreadRecord) {
    self.init()
    self.record = record
  }

  deinit {
    reportError()
    task?.release()  // SAFETY: retained by `init`.
  }

  // MARK: Running

  /// Starts the thread.
  ///
  /// One that was cancelled before is finished without running. A thread is started once: a
  /// second call traps. Where the system refuses the thread, ``creationFailureHandler`` is
  /// called; without one it traps. ``tryStart()`` throws instead.
  open func start() {
    do throws(ThreadCreationError) { try tryStart() } catch { handleRefusal(error) }
  }

  /// What the thread does: runs the block it was made with.
  ///
  /// A subclass overrides it and need not call this one.
  open func main() {
    // SAFETY: retained as long as this object; no reference is held meanwhile.
    task?._withUnsafeGuaranteedRef { $0.run() }
  }

  /// Asks the thread to end: it does if it looks at ``isCancelled``.
  open func cancel() { record.life.cancel() }

  /// Whether the thread is in its body.
  open var isExecuting: Bool { record.life.phase == .executing }

  /// Whether the thread's body is over. Who sees `true` sees what the body did.
  open var isFinished: Bool { record.life.phase == .finished }

  /// Whether the thread was asked to end.
  open var isCancelled: Bool { record.life.isCancelled }

  /// Whether this is the process's first thread.
  @available(*, noasync)
  open var isMainThread: Bool {
    record.number != 0 ? record.kernelID == csb_process_id() : self === Thread.main
  }

  // MARK: What belongs to it

  /// The thread's own values. They are released when it ends.
  open var threadDictionary: ThreadDictionary { ownDictionary }

  /// The same, from a module whose own hides the name.
  package final var ownDictionary: ThreadDictionary {
    if let box = lazyDictionary.load() { return box.dictionary }
    return lazyDictionary.storeIfNil(DictionaryBox()).dictionary
  }

  /// The reference can be set once, by whichever thread; what is in it is one thread's.
  // SAFETY: see `ThreadDictionary`.
  private final class DictionaryBox: @unchecked Sendable {
    let dictionary = ThreadDictionary()
  }

  // MARK: Attributes

  /// The thread's name, of any length; `nil` without one.
  ///
  /// From any thread, before the start and after it. The kernel's list (`ps -L`, `top`)
  /// shows as much of it as there is room for: 15 bytes, cut between characters. A thread
  /// that was made by other means has the name that it was given there, and the main thread
  /// has the process's name.
  open var name: String? {
    get { record.shownName ?? record.processName }
    set { record.name = newValue }
  }

  /// The bytes of the thread's stack, its guard left out.
  ///
  /// A thread that was given none has what the C library gives: the limit on stacks with
  /// which the program was started (`ulimit -s`, mostly 8 MiB), or 2 MiB where that is
  /// unlimited. The main thread's grows up to the limit. Memory is used only where the
  /// stack is: a large one costs addresses.
  ///
  /// To be set before the start: at least 16 KiB and a multiple of 4 KiB. Anything else
  /// traps, and so does a change after the start. What the C library and the Swift runtime need
  /// on the stack, tens of kilobytes, comes on top of this, so that 16 KiB are the program's own.
  ///
  /// A thread that uses up its stack ends the process by SIGSEGV, and before that says on standard
  /// error which thread it was.
  ///
  /// *Differences*: Apple gives a secondary thread 512 KiB, and ignores what it cannot use.
  open var stackSize: Int {
    get { stackBytes }
    set { stackBytes = newValue }
  }

  /// How much the thread's work matters.
  ///
  /// From any thread, before the start and after it. `utility` and `background` lower the
  /// thread's kernel priority, `userInitiated` and `userInteractive` raise it where the process
  /// may, as ``threadPriority`` does; of the two the last one set counts. What the thread submits
  /// to a queue that says nothing has this class too. Where the process may not raise a priority,
  /// ``setQualityOfService(_:)`` tells.
  ///
  /// *Differences*: the toolchain's has no effect.
  open var qualityOfService: QualityOfService {
    get { QualityOfService(record.urgency) }
    set { setQualityOfService(newValue) }
  }

  /// The thread's share of a processor, from 0 to 1: 0.5 is the process's own.
  ///
  /// In steps of the kernel's nice value: 0 is 19 more than the process's, 1 is 20 less. From
  /// any thread, before the start and after it. Out of the range it traps. Without
  /// privileges a process can lower a thread that runs, and never raise it again, nor
  /// above 0.5: the value is then what it was before, and `setThreadPriority(_:)`
  /// tells.
  open var threadPriority: Double {
    get { Thread.priority(of: record.niceness) }
    set { setThreadPriority(newValue) }
  }

  // MARK: Which thread, and what it can do to itself

  /// The thread that asks.
  ///
  /// A thread that was not started by this class is given its object at the first call,
  /// and loses it when it ends.
  @available(*, noasync)
  open class var current: Thread { found }

  /// The process's first thread.
  open class var main: Thread {
    csb_thread_is_main() != 0 ? current : object(of: mainRecord())
  }

  /// The process's first thread, by its name elsewhere on Linux.
  open class var mainThread: Thread { main }

  /// Whether this is the process's first thread.
  open class var isMainThread: Bool { csb_thread_is_main() != 0 }

  /// Sleeps until the wall clock shows `date`. It follows steps of that clock.
  ///
  /// A worker of the queues that sleeps is replaced by another one meanwhile.
  @available(*, noasync)
  open class func sleep(until date: Date) { sleep(until: date.deadline) }

  /// Sleeps for so many seconds, which steps of the wall clock do not change. Not at all
  /// for 0 or less; for ever if it is infinite.
  @available(*, noasync)
  open class func sleep(forTimeInterval interval: TimeInterval) {
    guard interval > 0 else { return }
    let now = Clock.uptime.now
    let nanoseconds = interval * 1e9
    let isForEver = nanoseconds >= Double(Int64.max - Int64(now))
    sleep(until: isForEver ? .never : Deadline(.uptime, now + UInt64(nanoseconds)))
  }

  /// Ends the calling thread, from any depth.
  ///
  /// The thread's object, its dictionary, its block with all that captured, and its records
  /// are freed. What Swift functions hold in local variables on the thread's stack is
  /// *not*: nobody unwinds them, and no `defer` runs. Return from the body where you can.
  ///
  /// On the main thread the others go on, and the process ends with the last of them.
  ///
  /// Traps on a worker of the queues, inside `sync` of a queue, which nobody could give
  /// back, and on a ``JoinableThread`` whose result is not `Void`: see `exit(returning:)`.
  @available(*, noasync)
  open class func exit() { leave() }

  /// Makes a thread that runs `block`, and starts it.
  open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {
    Thread(block: block).start()
  }

  /// Whether the program has started a thread by this class.
  ///
  /// *Differences*: the toolchain's always says yes. Apple's, like this one, says no until
  /// the first.
  open class func isMultiThreaded() -> Bool { ThreadRegistry.shared.hasStartedAny }

  /// The return addresses of the calling thread's calls, the innermost first.
  ///
  /// *Differences*: Apple's are `NSNumber`s, which are Foundation's.
  @inline(never)
  open class var callStackReturnAddresses: [UInt] { callStack(skipping: 1).addresses }

  /// The calling thread's calls, the innermost first: number, file, address and the
  /// function's name as Swift writes it.
  ///
  /// ```
  /// 0   server  0x000055d1b4a7c2f4  server.Cache.sweep() -> () + 36
  /// ```
  ///
  /// It reads the tables of the files that the functions come from, which takes
  /// milliseconds. A function of a file without a table has no name.
  @inline(never)
  open class var callStackSymbols: [String] { lines(of: callStack(skipping: 1)) }

  /// The priority of the calling thread, from 0 to 1.
  open class func threadPriority() -> Double { current.threadPriority }

  /// Sets the priority of the calling thread.
  ///
  /// - Parameter priority: from 0 to 1.
  /// - Returns: whether it is in effect.
  @discardableResult
  open class func setThreadPriority(_ priority: Double) -> Bool {
    current.setThreadPriority(priority)
  }

  // MARK: Its end

  /// On the thread, when its body is over.
  private func end() {
    ThreadHook.exiting.call(self)
    record.life.finish()
    task?._withUnsafeGuaranteedRef { $0.dropClosure() }
    if !record.isJoinable { reportError() }
    lazyDictionary.load()?.dictionary.releaseAll()
  }

  /// Tells of an error that left the body, if nobody was given it.
  func reportError() {
    guard let error = task?._withUnsafeGuaranteedRef({ $0.takeError() }) else { return }
    UncaughtThreadError(error: error, thread: words).report()
  }

  /// The object as the engine knows it. Retains it.
  var retainedFace: ThreadFace {
    ThreadFace(
      // SAFETY: released by the engine at the thread's end.
      object: Unmanaged<AnyObject>.passRetained(self),
      run: { raw in Thread.at(raw)._withUnsafeGuaranteedRef { $0.main() } },
      end: { raw in Thread.at(raw)._withUnsafeGuaranteedRef { $0.end() } },
      endDetached: { raw in Thread.at(raw)._withUnsafeGuaranteedRef { $0.reportError() } })
  }

  /// SAFETY: of the object behind a face, which the engine keeps.
  static func at(_ raw: UnsafeRawPointer) -> Unmanaged<Thread> { Unmanaged.fromOpaque(raw) }

  var currentTask: ThreadTask? { task?.takeUnretainedValue() }  // SAFETY: as in `main`.

  /// "the thread …", with its name.
  package var words: String {
    if let name = record.shownName { return "the thread \"\(name)\"" }
    if self.isFirst { return "the main thread" }
    return record.number == 0
      ? "a thread that was not started" : "the thread with the number \(record.number)"
  }

  private var isFirst: Bool { record.number != 0 && record.kernelID == csb_process_id() }

  open var description: String {
    let type = String(describing: type(of: self))
    return "<\(type): number \(record.number), name \(name ?? "(none)")>"
  }
}

// SAFETY: unavailable; it is here to say no.
@available(*, unavailable)
extension Thread: @unchecked Sendable {}

extension Thread: Hashable, CustomStringConvertible {
  public static func == (a: Thread, b: Thread) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
