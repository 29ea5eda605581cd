// Item — a piece of submitted work: a C function, and the data that follows it.
//
// An item is the head of a larger piece of memory, whose layout its function knows. The item is its
// own link in a queue's list or the pool's, so submitting it allocates nothing. A closure, a work
// item, a thread that waits in `sync`, and a queue that asks to be drained are all items.
//
// Touching    `next`: the owner of the list that contains the item. `function`, `flags`:
//             set before the item is submitted, read by the thread that takes it out.

public import CSignalbox
public import Synchronization

/// The address of an item, which is at the start of its memory.
@usableFromInline
package typealias ItemPointer = UnsafeMutablePointer<Item>

@frozen @usableFromInline
package struct Item: ~Copyable {
  /// Called with the item's own address.
  @usableFromInline
  package typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

  @usableFromInline let next = Atomic<ItemPointer?>(nil)
  @usableFromInline package let function: Function
  @usableFromInline package var flags: Flags

  @inlinable package init(_ function: @escaping Function, flags: Flags = []) {
    self.function = function
    self.flags = flags
  }

  /// Runs the item, which may free itself.
  @inlinable @inline(__always)
  package static func call(_ item: ItemPointer) {
    item.pointee.function(UnsafeMutableRawPointer(item))
  }

  /// The offset of an item's function, behind the link.
  @inlinable package static var functionOffset: Int { 8 }

  /// The offset at which an item with the flag `captures` holds the address of what its function
  /// uses first.
  @inlinable package static var capturesOffset: Int { 40 }
  /// The same for an item with the flag `behindContext`: the context's last word, before the item.
  @inlinable package static var contextEndOffset: Int { -8 }

  /// Makes the processor fetch the captures of an item that will soon be taken out.
  @inlinable @inline(__always)
  static func prefetchCaptures(_ item: ItemPointer) {
    let flags = item.pointee.flags
    guard flags.rawValue & (Flags.captures.rawValue | Flags.behindContext.rawValue) != 0 else {
      return
    }
    let offset = flags.contains(.captures) ? capturesOffset : contextEndOffset
    // SAFETY: the flags say that the word is there.
    let captures = UnsafeRawPointer(item).load(
      fromByteOffset: offset, as: UnsafeRawPointer?.self)
    // A prefetch of nil would cost a walk through the page table.
    if let captures { csb_prefetch(captures) }
  }

  /// Turns the first two words at `address`, in another object's record, into an item.
  ///
  /// The next word of that record serves as the item's flags. So no flag declared below may
  /// be set in that word, and the queue that receives the item must not read an urgency from it
  /// (see `DispatchQueue.pushJob`).
  @inlinable @inline(__always)
  package static func overlay(
    _ address: UnsafeMutableRawPointer, _ function: @escaping Function
  ) -> ItemPointer {
    // SAFETY: the function is the second word; appending the item sets the first.
    address.storeBytes(of: function, toByteOffset: functionOffset, as: Function.self)
    return address.assumingMemoryBound(to: Item.self)
  }

  /// The offset, in a job of Swift's runtime, of the item that `overlay` makes there.
  @inlinable package static var offsetInJob: Int { 16 }

  @frozen @usableFromInline
  package struct Flags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The item runs alone on a concurrent queue.
    @inlinable package static var barrier: Flags { Flags(rawValue: 1) }
    /// The item is a thread that waits for its turn in `sync`.
    @inlinable package static var waiter: Flags { Flags(rawValue: 2) }
    /// The item's own urgency takes precedence over its queue's.
    @inlinable package static var enforced: Flags { Flags(rawValue: 4) }

    /// The queue counts the item among those that are more urgent than the queue itself.
    @inlinable package static var urgent: Flags { Flags(rawValue: 8) }

    /// The item comes from `asyncAfter`.
    @inlinable package static var delayed: Flags { Flags(rawValue: 16) }
    /// The item runs a source's handlers.
    @inlinable package static var handler: Flags { Flags(rawValue: 32) }
    /// The item is the drain task of another queue, which asks to be drained.
    @inlinable package static var drainTask: Flags { Flags(rawValue: 1 << 16) }
    /// The item is a drain task that is a part of its queue: it stays at one address as
    /// long as any thread drains the queue.
    @inlinable package static var ofQueue: Flags { Flags(rawValue: 1 << 18) }
    /// The item asks for one more worker for something that a thread already runs: the
    /// iterations of a loop.
    @inlinable package static var help: Flags { Flags(rawValue: 1 << 17) }

    /// The item says where its captures are: see `capturesOffset`.
    @inlinable package static var captures: Flags { Flags(rawValue: 1 << 20) }
    /// The item is in the same memory as its context, directly behind the context.
    @inlinable package static var behindContext: Flags { Flags(rawValue: 1 << 21) }
    /// The item runs a job of Swift's runtime, whose address is at `capturesOffset`.
    @inlinable package static var job: Flags { Flags(rawValue: 1 << 22) }
    /// The item is a member of a group.
    @inlinable package static var member: Flags { Flags(rawValue: 1 << 19) }

    /// The item's own urgency.
    @inlinable package init(_ urgency: Urgency) { rawValue = UInt32(urgency.rawValue) << 8 }

    // Replaces the generic function of `OptionSet`, which is slow in a program that is built
    // without optimization.
    @inlinable @inline(__always)
    package func contains(_ flags: Flags) -> Bool { rawValue & flags.rawValue == flags.rawValue }

    /// The bits that hold the urgency.
    @inlinable package static var urgencies: Flags { Flags(rawValue: 0xFF00) }

    @inlinable package var urgency: Urgency {
      Urgency(rawValue: UInt8(truncatingIfNeeded: rawValue >> 8))
    }
  }
}
