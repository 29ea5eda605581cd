// SourceHandler — what a source calls, and the place in which it is kept.
//
// Whoever calls a handler takes it out of its place, and leaves a mark if it is to be put
// back afterwards, unless the place was filled anew meanwhile. So a handler can be
// replaced, and freed, while it runs, and by whoever cancels the source while it does not.
//
// Touching    the place: any thread, atomically.
// Ordering    HP1  each exchange: who takes a handler out sees what was written before
//                  it was put in; and what it did is seen by who takes it out next.

import SignalboxRuntime
import Synchronization

final class SourceHandler {
  private let work: Work
  /// How urgent the source is for its sake; empty if it did not say.
  let qos: DispatchQoS
  let flags: DispatchWorkItemFlags

  enum Work {
    case closure(() -> Void)
    case workItem(DispatchWorkItem)
    /// Called with the context of the source whose face this is.
    case function(dispatch_function_t, Face)
  }

  /// A face that its handlers do not keep.
  struct Face {
    weak var source: DispatchObject?
  }

  init(_ work: Work, _ qos: DispatchQoS = .unspecified, _ flags: DispatchWorkItemFlags = []) {
    flags.checkKnown()
    self.work = work
    self.qos = qos
    self.flags = flags
  }

  func call() {
    switch work {
    case .closure(let closure): closure()
    case .workItem(let item): item.perform()
    case .function(let function, let face): function(face.source?.attachment.context)
    }
  }
}

/// Where a source keeps one of its handlers.
struct HandlerPlace: ~Copyable {
  private let word = Atomic<UInt>(HandlerPlace.empty)

  private static let empty: UInt = 0
  /// The handler is out, being called. No object has this address.
  private static let out: UInt = 1

  var isEmpty: Bool {
    // order: relaxed; compared only. Who must see it has seen the state change after it.
    word.load(ordering: .relaxed) == HandlerPlace.empty
  }

  /// Puts `handler` in, and frees what it replaces.
  ///
  /// - Returns: whether there was none.
  @discardableResult
  borrowing func replace(by handler: SourceHandler?) -> Bool {
    // SAFETY: the reference is taken over by the place, until it is taken out.
    let new = handler.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) }
    let old = exchange(new ?? HandlerPlace.empty)
    _ = HandlerPlace.handler(old)
    return old == HandlerPlace.empty
  }

  /// Takes the handler out for good.
  borrowing func take() -> SourceHandler? { HandlerPlace.handler(exchange(HandlerPlace.empty)) }

  private borrowing func exchange(_ new: UInt) -> UInt {
    // order: acquiring and releasing, HP1
    word.exchange(new, ordering: .acquiringAndReleasing)
  }

  /// Takes the handler out to be called. Only one thread at a time does.
  borrowing func takeOut() -> SourceHandler? {
    var old = word.load(ordering: .relaxed)  // order: relaxed; the compare-and-swap decides.
    while old != HandlerPlace.empty && old != HandlerPlace.out {
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: HandlerPlace.out,
        successOrdering: .acquiring,  // order: acquiring, HP1
        failureOrdering: .relaxed)
      if exchanged { return HandlerPlace.handler(old) }
      old = current
    }
    return nil
  }

  /// Puts it back, unless it was replaced meanwhile.
  borrowing func putBack(_ handler: SourceHandler) {
    // SAFETY: as in `replace`; balanced below where it did not go in.
    let retained = Unmanaged.passRetained(handler)
    let (exchanged, _) = word.compareExchange(
      expected: HandlerPlace.out, desired: UInt(bitPattern: retained.toOpaque()),
      ordering: .releasing)  // order: releasing, HP1
    if !exchanged { retained.release() }
  }

  private static func handler(_ word: UInt) -> SourceHandler? {
    guard word != empty, word != out else { return nil }
    // SAFETY: put in by `replace` or `putBack` with a reference.
    return Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word)!).takeRetainedValue()
  }

  deinit {
    // order: relaxed; the source's last reference is gone.
    _ = HandlerPlace.handler(word.load(ordering: .relaxed))
  }
}
