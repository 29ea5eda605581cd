// SourceHandler — a handler of a source, and the slot that stores it.
//
// The thread that calls a handler takes it out of its slot and leaves a mark. Afterwards it puts the
// handler back or, if another thread has changed the slot in the meantime, frees it. So a handler
// can be replaced while it runs. A thread that cancels the source frees a handler that is not
// running at once.
//
// Touching    the slot: any thread, atomically.
// Ordering    HP1  each exchange: the thread that takes a handler out sees what was written
//                  before it was put in, and the next thread that takes it out sees the handler's
//                  effects.

import SignalboxRuntime
import Synchronization

/// A handler in a node of memory. It has one owner at a time, so no references are counted, and on
/// one thread, nodes are reused at no cost.
struct SourceHandler: ~Copyable {
  private let node: UnsafeMutablePointer<Work>

  /// In a struct of its own that is not copyable: see `ClosureItem`.
  private struct Work: ~Copyable {
    let call: () -> Void
  }

  @inline(__always)
  init(_ work: consuming @escaping () -> Void) {
    // SAFETY: fresh memory of a node's size; a closure fits in it.
    node = NodeCache.items.take().bindMemory(to: Work.self, capacity: 1)
    node.initialize(to: Work(call: consume work))
  }

  /// Takes over the handler of `word`, which must not be `none`.
  fileprivate init(_ word: HandlerWord) {
    node = UnsafeMutablePointer(bitPattern: word.bits)!  // SAFETY: made by `handOver`.
  }

  /// A word that owns the handler from now on.
  consuming func handOver() -> HandlerWord {
    let word = HandlerWord(bits: UInt(bitPattern: node))
    discard self
    return word
  }

  borrowing func call() { node.pointee.call() }

  deinit {
    // Move it out first: freeing its captures may run the program's code.
    let work = node.move()
    NodeCache.items.give(UnsafeMutableRawPointer(node))
    _ = consume work
  }
}

/// A handler on its way to its slot, or none. Its holder must pass it on.
struct HandlerWord {
  fileprivate let bits: UInt

  static var none: HandlerWord { HandlerWord(bits: 0) }

  var isNone: Bool { bits == HandlerWord.none.bits }
}

extension SourceHandler {
  /// The word for a closure; nil for none.
  @inline(__always)
  static func word(
    _ work: consuming (() -> Void)?, _ flags: DispatchWorkItemFlags = []
  ) -> HandlerWord {
    switch consume work {
    case .none: return .none
    case .some(let work):
      flags.checkKnown()
      return SourceHandler(work).handOver()
    }
  }

  static func word(_ item: DispatchWorkItem) -> HandlerWord { word { item.perform() } }

  /// The word for a function that is called with the context of this source object. It does
  /// not keep the object.
  static func word(_ function: dispatch_function_t?, of sourceObject: DispatchObject) -> HandlerWord
  {
    guard let function else { return .none }
    return word { [weak sourceObject] in function(sourceObject?.attachment.context) }
  }

  /// The same, for a source object that exists while any of its handlers runs: the closure takes no
  /// reference.
  static func word(
    _ function: dispatch_function_t?, ofKept sourceObject: DispatchSource
  ) -> HandlerWord {
    guard let function else { return .none }
    // SAFETY: see `DispatchSource.giveUp`.
    let source = Unmanaged.passUnretained(sourceObject)
    return word { function(source._withUnsafeGuaranteedRef { $0.attachment.context }) }
  }
}

/// The slot that stores a handler of a source.
struct HandlerSlot: ~Copyable {
  private let word = Atomic<UInt>(HandlerSlot.empty)

  private static var empty: UInt { HandlerWord.none.bits }
  /// The handler is taken out and being called. No node has this address.
  private static let out: UInt = 1

  var isEmpty: Bool {
    // order: relaxed; only compared. A thread that must see a handler has seen the change of the
    // state that followed its setting.
    word.load(ordering: .relaxed) == HandlerSlot.empty
  }

  /// Stores `handler` and frees the one that it replaces.
  ///
  /// - Returns: whether the slot was empty.
  @discardableResult
  borrowing func replace(by handler: HandlerWord) -> Bool {
    let old = exchange(handler.bits)
    HandlerSlot.free(old)
    return old == HandlerSlot.empty
  }

  /// Empties the slot and frees its handler.
  borrowing func drop() { HandlerSlot.free(exchange(HandlerSlot.empty)) }

  /// Takes the handler out permanently.
  borrowing func take() -> SourceHandler? { HandlerSlot.handler(exchange(HandlerSlot.empty)) }

  private borrowing func exchange(_ new: UInt) -> UInt {
    // order: acquiring and releasing, HP1
    word.exchange(new, ordering: .acquiringAndReleasing)
  }

  /// Takes the handler out to call it. Only one thread at a time does.
  borrowing func takeOut() -> SourceHandler? {
    var old = word.load(ordering: .relaxed)  // order: relaxed; the compare-and-swap decides.
    while old != HandlerSlot.empty && old != HandlerSlot.out {
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: HandlerSlot.out,
        successOrdering: .acquiring,  // order: acquiring, HP1
        failureOrdering: .relaxed)
      if exchanged { return HandlerSlot.handler(old) }
      old = current
    }
    return nil
  }

  /// Puts the handler back, unless it was replaced in the meantime.
  borrowing func putBack(_ handler: consuming SourceHandler) {
    let new = handler.handOver().bits
    let (exchanged, _) = word.compareExchange(
      expected: HandlerSlot.out, desired: new,
      ordering: .releasing)  // order: releasing, HP1
    if !exchanged { HandlerSlot.free(new) }
  }

  @inline(__always)
  private static func handler(_ word: UInt) -> SourceHandler? {
    word == empty || word == out ? nil : SourceHandler(HandlerWord(bits: word))
  }

  @inline(__always)
  private static func free(_ word: UInt) { _ = handler(word) }

  deinit {
    // order: relaxed; the source's last reference is gone.
    HandlerSlot.free(word.load(ordering: .relaxed))
  }
}
