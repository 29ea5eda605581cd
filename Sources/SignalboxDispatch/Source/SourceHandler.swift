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

/// What a source calls, in a node of memory. It has one owner at a time, so nothing about
/// it is counted; and nodes come and go at no cost on one thread.
struct SourceHandler: ~Copyable {
  private let node: UnsafeMutablePointer<Work>

  /// In a struct of its own, and that not copyable: see `ClosureItem`.
  private struct Work: ~Copyable {
    let call: () -> Void
  }

  @inline(__always)
  init(_ work: consuming @escaping () -> Void) {
    // SAFETY: fresh memory of a node's size, which is more than a closure's.
    node = NodeCache.take().bindMemory(to: Work.self, capacity: 1)
    node.initialize(to: Work(call: consume work))
  }

  /// Takes over the one that stands behind `word`; not that of no handler.
  fileprivate init(_ word: HandlerWord) {
    node = UnsafeMutablePointer(bitPattern: word.bits)!  // SAFETY: given by `handOver`.
  }

  /// A word that stands for it from now on.
  consuming func handOver() -> HandlerWord {
    let word = HandlerWord(bits: UInt(bitPattern: node))
    discard self
    return word
  }

  borrowing func call() { node.pointee.call() }

  deinit {
    // Moved out first: what it captured may run code of the program's when it is freed.
    let work = node.move()
    NodeCache.give(UnsafeMutableRawPointer(node))
    _ = consume work
  }
}

/// A handler on its way to its place, or none. Whoever has it sees to it that it gets there.
struct HandlerWord {
  fileprivate let bits: UInt

  static var none: HandlerWord { HandlerWord(bits: 0) }

  var isNone: Bool { bits == HandlerWord.none.bits }
}

extension SourceHandler {
  /// What a source was given to call; nil for nothing.
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

  /// A function to be called with the context of the source whose face this is. The face
  /// is not kept by it.
  static func word(_ function: dispatch_function_t?, of face: DispatchObject) -> HandlerWord {
    guard let function else { return .none }
    return word { [weak face] in function(face?.attachment.context) }
  }
}

/// Where a source keeps one of its handlers.
struct HandlerPlace: ~Copyable {
  private let word = Atomic<UInt>(HandlerPlace.empty)

  private static var empty: UInt { HandlerWord.none.bits }
  /// The handler is out, being called. No node has this address.
  private static let out: UInt = 1

  var isEmpty: Bool {
    // order: relaxed; compared only. Who must see it has seen the state change after it.
    word.load(ordering: .relaxed) == HandlerPlace.empty
  }

  /// Puts `handler` in, and frees what it replaces.
  ///
  /// - Returns: whether there was none.
  @discardableResult
  borrowing func replace(by handler: HandlerWord) -> Bool {
    let old = exchange(handler.bits)
    HandlerPlace.free(old)
    return old == HandlerPlace.empty
  }

  /// Empties it, and frees what was in it.
  borrowing func drop() { HandlerPlace.free(exchange(HandlerPlace.empty)) }

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
  borrowing func putBack(_ handler: consuming SourceHandler) {
    let new = handler.handOver().bits
    let (exchanged, _) = word.compareExchange(
      expected: HandlerPlace.out, desired: new,
      ordering: .releasing)  // order: releasing, HP1
    if !exchanged { HandlerPlace.free(new) }
  }

  @inline(__always)
  private static func handler(_ word: UInt) -> SourceHandler? {
    word == empty || word == out ? nil : SourceHandler(HandlerWord(bits: word))
  }

  @inline(__always)
  private static func free(_ word: UInt) { _ = handler(word) }

  deinit {
    // order: relaxed; the source's last reference is gone.
    HandlerPlace.free(word.load(ordering: .relaxed))
  }
}
