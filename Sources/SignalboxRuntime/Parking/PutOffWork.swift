// PutOffWork — work that a thread has postponed, and does before it sleeps.
//
// A thread may postpone a step that no other thread waits for yet, to do it together with later
// steps. If the thread then slept, other threads might have to wait for the step, and a report
// would show it as not done. So a thread that sleeps in `Parking` has no postponed work.
//
// The records form a chain through the stack of the thread, the innermost first.
//
// Touching    its own thread.

public import CSignalbox

/// The first field of a structure on the stack that describes the postponed work.
@usableFromInline
package struct PutOffWork {
  /// Called with the address of the record, any number of times.
  package typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

  private let function: Function
  private let outer: UnsafeMutableRawPointer?

  @inline(__always)
  package init(_ function: @escaping Function) {
    self.function = function
    outer = csb_thread_self().pointee.put_off
  }

  /// Runs `body` while the record at this address is in the chain.
  @inline(__always)
  package static func with(_ record: UnsafeMutableRawPointer, _ body: () -> Void) {
    let storage = csb_thread_self()
    let outer = storage.pointee.put_off
    storage.pointee.put_off = record
    body()
    storage.pointee.put_off = outer
  }

  /// Whether this thread may have postponed work.
  @inlinable @inline(__always)
  package static var isPossible: Bool { csb_thread_self().pointee.put_off != nil }

  /// Forgets the thread's chain. The chain is in stack frames of functions that the thread has left
  /// by `pthread_exit(3)`.
  static func forgetAll() { csb_thread_self().pointee.put_off = nil }

  /// Does what this thread has put off.
  @inline(never) @usableFromInline
  package static func doAll() {
    var next = csb_thread_self().pointee.put_off
    while let raw = next {
      // SAFETY: only `with` writes the chain.
      let record = raw.assumingMemoryBound(to: PutOffWork.self)
      record.pointee.function(raw)
      next = record.pointee.outer
    }
  }
}
