// OutsideView — what a reader in another process can see of a resource: words and addresses, no
// code.
//
// `WaitResource` answers with functions, which run in this process. A reader in another process
// needs the address of the label, and the address of the word that names the holder.

@frozen @usableFromInline
package struct OutsideView: @unchecked Sendable {
  // SAFETY: the addresses are published and never followed here. What they lead to lives as long
  // as the thread waits, like `WaitResource.object`.

  /// A description of the resource: "the NSLock". nil if there is none.
  package let title: StaticString?
  package let label: Label
  package let holder: Holder

  package init(_ title: StaticString? = nil, label: Label = .none, holder: Holder = .nobody) {
    self.title = title
    self.label = label
    self.holder = holder
  }

  /// What follows the title.
  @frozen @usableFromInline
  package enum Label {
    /// The address of the object.
    case none
    /// Nothing.
    case whole
    /// The text of a `String?`, if it is not nil. The word at this address holds the address of the
    /// `String?`, or nil.
    case reference(UnsafeRawPointer)
    /// The name of the holder, in place of the title.
    case holder
  }

  /// Which thread holds the resource up.
  @frozen @usableFromInline
  package enum Holder {
    case nobody
    /// The thread whose number is in this word; the word's highest bit does not count.
    case word(UnsafeRawPointer)
    /// The same, while a slot of the waiting thread says that the thread waits to read under the
    /// object.
    case reader(UnsafeRawPointer)
    /// The thread with this number.
    case thread(UInt32)
    /// The object is a queue, and the queue's record names the holder.
    case queue
    /// The threads that have a hold of the kind `work` on the object.
    case workers
    /// The threads that hold the object for reading.
    case readers
  }
}

extension OutsideView {
  /// A lock whose word starts with the holder's number.
  package static func lock(_ title: StaticString, _ word: UnsafeRawPointer) -> OutsideView {
    OutsideView(title, holder: .word(word))
  }
}

extension OutsideView.Label {
  private enum Kind: UInt8 { case none, whole, reference, holder }

  var kind: UInt8 {
    let kind: Kind =
      switch self {
      case .none: .none
      case .whole: .whole
      case .reference: .reference
      case .holder: .holder
      }
    return kind.rawValue
  }

  var address: UnsafeRawPointer? {
    if case .reference(let address) = self { return address }
    return nil
  }

  static func describe() {
    OutsideTable.constant("label", "none", Kind.none.rawValue)
    OutsideTable.constant("label", "whole", Kind.whole.rawValue)
    OutsideTable.constant("label", "reference", Kind.reference.rawValue)
    OutsideTable.constant("label", "holder", Kind.holder.rawValue)
  }
}

extension OutsideView.Holder {
  private enum Kind: UInt8 { case nobody, word, thread, queue, workers, readers, reader }

  var kind: UInt8 {
    let kind: Kind =
      switch self {
      case .nobody: .nobody
      case .word: .word
      case .reader: .reader
      case .thread: .thread
      case .queue: .queue
      case .workers: .workers
      case .readers: .readers
      }
    return kind.rawValue
  }

  var address: UnsafeRawPointer? {
    switch self {
    case .word(let address), .reader(let address): address
    case .thread(let number): UnsafeRawPointer(bitPattern: UInt(number))
    case .nobody, .queue, .workers, .readers: nil
    }
  }

  static func describe() {
    OutsideTable.constant("holder", "nobody", Kind.nobody.rawValue)
    OutsideTable.constant("holder", "word", Kind.word.rawValue)
    OutsideTable.constant("holder", "thread", Kind.thread.rawValue)
    OutsideTable.constant("holder", "queue", Kind.queue.rawValue)
    OutsideTable.constant("holder", "workers", Kind.workers.rawValue)
    OutsideTable.constant("holder", "readers", Kind.readers.rawValue)
    OutsideTable.constant("holder", "reader", Kind.reader.rawValue)
  }
}
