// Thread — Apple's class on top of the engine's record of a thread.
//
// Touching    `record`, `task`: written only by the initializer. `stackRequest`, `lazyDictionary`:
//             any thread, atomically.

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
/// A thread runs a block, or the ``main()`` of a subclass. It is detached: no thread waits for it,
/// and its resources are freed when it ends. If you want to wait for a thread, see
/// ``JoinableThread``. A process does not wait for its threads before it exits; see ``mustFinish``.
///
/// You may use the object from any thread. It is not `Sendable`, as on other platforms, because
/// subclasses need not be.
///
/// A thread that was created by other means, such as `pthread_create` or as a worker of the
/// queues, also has an object: its ``current``. That object is freed when the thread ends.
///
/// Source: Apple's documentation of `Thread`.
open class Thread {
  package private(set) var record: ThreadRecord
  // SAFETY: retained by the initializer, released by `deinit`.
  private var task: Unmanaged<ThreadTask>?
  /// In bytes; 0 if none was specified. The start uses the value that its thread sees.
  let stackRequest = Relaxed<Int>(0)
  private let lazyDictionary = AtomicLazyReference<DictionaryBox>()

  /// Creates a thread that runs ``main()``, which a subclass overrides.
  public init() { record = ThreadRecord() }

  /// Creates a thread that runs `block`.
  public convenience init(block: @escaping @Sendable () -> Void) {
    self.init(task: ThreadBody<Void, Never>(block))
  }

  // There is one designated initializer, and it is public, so that a subclass which overrides it
  // inherits the others.

  convenience init(task: ThreadTask) {
    self.init()
    // SAFETY: balanced by `deinit`.
    self.task = Unmanaged.passRetained(task)
  }

  /// Creates the object of a running thread.
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
  /// A thread that was cancelled before finishes without running. A thread can be started once: a
  /// second call traps. If the system refuses the thread, ``creationFailureHandler`` is called;
  /// without a handler the call traps. ``tryStart()`` throws instead.
  open func start() {
    do throws(ThreadCreationError) { try tryStart() } catch { handleRefusal(error) }
  }

  /// The body of the thread: runs the block that the thread was created with.
  ///
  /// A subclass overrides it and need not call this implementation.
  open func main() {
    // SAFETY: retained as long as this object; the call holds no further reference.
    task?._withUnsafeGuaranteedRef { $0.run() }
  }

  /// Asks the thread to end. Its body must check ``isCancelled`` and return.
  open func cancel() { record.life.cancel() }

  /// Whether the thread is running its body.
  open var isExecuting: Bool { record.life.phase == .executing }

  /// Whether the thread's body has ended. A thread that sees `true` sees the effects of the body.
  open var isFinished: Bool { record.life.phase == .finished }

  /// Whether the thread was asked to end.
  open var isCancelled: Bool { record.life.isCancelled }

  /// Whether this is the process's first thread.
  @available(*, noasync)
  open var isMainThread: Bool {
    record.number != 0 ? record.kernelID == csb_process_id() : self === Thread.main
  }

  // MARK: Values of the thread

  /// Values of this thread by key. They are released when the thread ends.
  open var threadDictionary: ThreadDictionary { ownDictionary }

  /// The same dictionary, for a module whose own property hides the name.
  package final var ownDictionary: ThreadDictionary {
    if let box = lazyDictionary.load() { return box.dictionary }
    return lazyDictionary.storeIfNil(DictionaryBox()).dictionary
  }

  /// Any thread may set the reference, once; the content belongs to one thread.
  // SAFETY: see `ThreadDictionary`.
  private final class DictionaryBox: @unchecked Sendable {
    let dictionary = ThreadDictionary()
  }

  // MARK: Attributes

  /// The thread's name, of any length; `nil` if it has none.
  ///
  /// You may set it from any thread, before and after the start. The kernel's list (`ps -L`,
  /// `top`) shows at most 15 bytes of it, cut between characters. A thread that this library did
  /// not create has the name that its creator gave it, and the main thread has the process's name.
  open var name: String? {
    get { record.shownName ?? record.processName }
    set { record.name = newValue }
  }

  /// The size of the thread's stack in bytes, without its guard.
  ///
  /// By default a thread has the C library's size: the stack limit with which the program was
  /// started (`ulimit -s`, usually 8 MiB), or 2 MiB if that is unlimited. The main thread's
  /// stack grows up to the limit. Memory is used only where the stack is used: a large stack
  /// costs only address space.
  ///
  /// Set it before the start, to at least 16 KiB: a smaller value is ignored. A value above 1 GiB
  /// counts as 1 GiB. The stack is rounded up to a multiple of 4 KiB. The C library and the Swift
  /// runtime need tens of kilobytes on the stack. These are added, so that all of the 16 KiB are
  /// available to the program. After the start, a new value changes only what the property returns,
  /// not the stack.
  ///
  /// A thread that overflows its stack ends the process with SIGSEGV. Before that, a message on
  /// standard error names the thread.
  ///
  /// *Differences*: Apple gives a secondary thread 512 KiB.
  open var stackSize: Int {
    get { stackBytes }
    set { stackBytes = newValue }
  }

  /// The class of the thread's work.
  ///
  /// You may set it from any thread, before and after the start. `utility` and `background` lower
  /// the thread's kernel priority; `userInitiated` and `userInteractive` raise it if the process is
  /// allowed to. ``threadPriority`` sets the same priority: of the two properties, the one set last
  /// applies. Work that the thread submits to a queue without a class also has this class.
  /// ``setQualityOfService(_:)`` returns whether the process was allowed to raise the priority.
  ///
  /// *Differences*: the toolchain's property has no effect.
  open var qualityOfService: QualityOfService {
    get { QualityOfService(record.urgency) }
    set { setQualityOfService(newValue) }
  }

  /// The thread's priority, from 0 to 1; 0.5 is the process's own.
  ///
  /// 0 adds 19 to the process's nice value and 1 subtracts 20; the result stays within -20…19. You
  /// may set it from any thread, before and after the start. A value out of range traps. Without
  /// privileges, a process can lower a running thread's priority, but can neither raise it again
  /// nor set it above 0.5: the value then stays unchanged, and `setThreadPriority(_:)` returns
  /// false.
  open var threadPriority: Double {
    get { Thread.priority(of: record.niceness) }
    set { setThreadPriority(newValue) }
  }

  // MARK: The calling thread and the main thread

  /// The calling thread.
  ///
  /// A thread that this class did not start gets its object at the first call, and loses the object
  /// when the thread ends.
  @available(*, noasync)
  open class var current: Thread { found }

  /// The process's first thread.
  open class var main: Thread {
    csb_thread_is_main() != 0 ? current : object(of: mainRecord())
  }

  /// The process's first thread, under the name that other Foundations on Linux use.
  open class var mainThread: Thread { main }

  /// Whether this is the process's first thread.
  open class var isMainThread: Bool { csb_thread_is_main() != 0 }

  /// Sleeps until the wall clock shows `date`, even if that clock is set in the
  /// meantime.
  ///
  /// If a worker of the queues sleeps, another worker replaces it in the meantime.
  @available(*, noasync)
  open class func sleep(until date: Date) { sleep(until: date.deadline) }

  /// Sleeps for `interval` seconds, even if the wall clock is set in the meantime. It returns at
  /// once for 0 or less, and sleeps forever if the interval is infinite.
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
  /// The thread's object, its dictionary, its block with all captures, and its records are freed.
  /// Values in local variables of Swift functions on the thread's stack are *not* freed: the
  /// stack is not unwound, and no `defer` runs. Return from the body if you can.
  ///
  /// If the main thread exits, the other threads continue, and the process ends with the last of
  /// them.
  ///
  /// Traps on a worker of the queues; inside a queue's `sync`, because no other thread could
  /// release the queue; and on a ``JoinableThread`` whose result is not `Void`: see
  /// `exit(returning:)`.
  @available(*, noasync)
  open class func exit() { leave() }

  /// Creates a thread that runs `block`, and starts it.
  open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {
    Thread(block: block).start()
  }

  /// Whether the program has started a thread through this class.
  ///
  /// *Differences*: the toolchain always returns true. Apple, like this class, returns false
  /// until the first thread starts.
  open class func isMultiThreaded() -> Bool { ThreadRegistry.shared.hasStartedAny }

  /// The return addresses of the calling thread's calls, the innermost first.
  ///
  /// *Differences*: Apple's are of type `NSNumber`, which belongs to Foundation.
  @inline(never)
  open class var callStackReturnAddresses: [UInt] { callStack(skipping: 1).addresses }

  /// The calling thread's calls, the innermost first: number, file, address and the function's
  /// name in Swift's notation.
  ///
  /// ```
  /// 0   server  0x000055d1b4a7c2f4  server.Cache.sweep() -> () + 36
  /// ```
  ///
  /// It reads the symbol tables of the files that contain the functions, which takes
  /// milliseconds. A function in a file without a table has no name.
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

  // MARK: The end of the thread

  /// Runs on the thread when its body has ended.
  private func end() {
    ThreadHook.exiting.call(self)
    record.life.finish()
    task?._withUnsafeGuaranteedRef { $0.dropClosure() }
    if !record.isJoinable { reportError() }
    lazyDictionary.load()?.dictionary.releaseAll()
  }

  /// Reports an error that the body threw, if no thread has received it.
  func reportError() {
    guard let error = task?._withUnsafeGuaranteedRef({ $0.takeError() }) else { return }
    UncaughtThreadError(error: error, thread: words).report()
  }

  /// The object as the engine stores it; retained.
  var retainedHandle: ThreadHandle {
    ThreadHandle(
      // SAFETY: released by the engine at the thread's end.
      object: Unmanaged<AnyObject>.passRetained(self),
      run: { raw in Thread.at(raw)._withUnsafeGuaranteedRef { $0.main() } },
      end: { raw in Thread.at(raw)._withUnsafeGuaranteedRef { $0.end() } },
      endDetached: { raw in Thread.at(raw)._withUnsafeGuaranteedRef { $0.reportError() } })
  }

  /// SAFETY: the object of a thread that the engine keeps.
  static func at(_ raw: UnsafeRawPointer) -> Unmanaged<Thread> { Unmanaged.fromOpaque(raw) }

  // SAFETY: retained as long as this object.
  var currentTask: ThreadTask? { task?.takeUnretainedValue() }

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

// SAFETY: unavailable; it exists to reject the conformance.
@available(*, unavailable)
extension Thread: @unchecked Sendable {}

extension Thread: Hashable, CustomStringConvertible {
  public static func == (a: Thread, b: Thread) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
