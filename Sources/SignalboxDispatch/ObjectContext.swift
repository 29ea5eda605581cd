// ObjectContext — the pointer that a program attaches to an object, and the function to call with
// it when the object is freed.
//
// Most objects have neither: the record is allocated at first use.
//
// Touching    `record`: any thread, atomically. Its fields: under its lock.
// Ordering    OC1  the thread that publishes the record (releasing) → a thread that finds it
//                  (acquiring).

import SignalboxRuntime
import Synchronization

struct ObjectContext: ~Copyable {
  private let record = Atomic<UnsafeMutablePointer<Record>?>(nil)

  private struct Record: ~Copyable {
    let lock = EngineLock()
    var context: UnsafeMutableRawPointer?
    var finalizer: dispatch_function_t?
  }

  deinit {
    // order: relaxed; the object's last reference is gone.
    guard let record = record.load(ordering: .relaxed) else { return }
    record.deinitialize(count: 1)
    record.deallocate()
  }

  /// Whether anything was ever attached.
  @inline(__always)
  var isSet: Bool {
    record.load(ordering: .relaxed) != nil  // order: relaxed; only asked when the object is freed.
  }

  var context: UnsafeMutableRawPointer? {
    get {
      // order: acquiring, OC1
      guard let record = record.load(ordering: .acquiring) else { return nil }
      record.pointee.lock.lock()
      defer { record.pointee.lock.unlock() }
      return record.pointee.context
    }
  }

  borrowing func setContext(_ context: UnsafeMutableRawPointer?) {
    let record = made()
    record.pointee.lock.lock()
    record.pointee.context = context
    record.pointee.lock.unlock()
  }

  borrowing func setFinalizer(_ finalizer: dispatch_function_t?) {
    let record = made()
    record.pointee.lock.lock()
    record.pointee.finalizer = finalizer
    record.pointee.lock.unlock()
  }

  /// Submits the finalizer of an object that is being freed, if it has a finalizer and a context.
  borrowing func finish(on queue: DispatchQueue) {
    // order: relaxed; the object's last reference is gone.
    guard let record = record.load(ordering: .relaxed) else { return }
    guard let context = record.pointee.context, let finalizer = record.pointee.finalizer else {
      return
    }
    record.pointee.finalizer = nil
    queue.push(FunctionItem.make(finalizer, context, flags: [], group: nil))
  }

  private borrowing func made() -> UnsafeMutablePointer<Record> {
    // order: acquiring, OC1
    if let record = record.load(ordering: .acquiring) { return record }
    let new = UnsafeMutablePointer<Record>.allocate(capacity: 1)
    new.initialize(to: Record())
    let (published, current) = record.compareExchange(
      expected: nil, desired: new,
      ordering: .acquiringAndReleasing)  // order: acquiring and releasing, OC1
    if published { return new }
    new.deinitialize(count: 1)
    new.deallocate()
    return current!
  }
}
