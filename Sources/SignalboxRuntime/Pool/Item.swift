// Item — a piece of work on its way: a C function, and whatever lies behind it.
//
// An item is the head of a larger piece of memory that its function knows. It
// links itself into a queue's list or the pool's, so that handing it over
// allocates nothing. A closure, a work item, a thread that waits in `sync`, and a
// queue that asks to be drained are all items.
//
// Touching    `next`: whoever has the item in a list. `function`, `flags`: set
//             before the item is handed over, read by whoever took it out.

public import Synchronization

/// The address of an item at the head of its memory.
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

  /// Makes the first two words at `place`, of another's record, those of an item.
  ///
  /// What follows them in that record is read as the item's flags: none that is declared
  /// below may be set in it, and the queue to which it goes must look at no urgency in it
  /// (see `DispatchQueue.pushJob`).
  @inlinable @inline(__always)
  package static func overlay(
    _ place: UnsafeMutableRawPointer, _ function: @escaping Function
  ) -> ItemPointer {
    // SAFETY: the function is the second word; the first is set by who appends the item.
    place.storeBytes(of: function, toByteOffset: 8, as: Function.self)
    return place.assumingMemoryBound(to: Item.self)
  }

  @frozen @usableFromInline
  package struct Flags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Runs alone on a concurrent queue.
    @inlinable package static var barrier: Flags { Flags(rawValue: 1) }
    /// Not work but a thread that waits for its turn in `sync`.
    @inlinable package static var waiter: Flags { Flags(rawValue: 2) }
    /// Its own urgency counts more than its queue's.
    @inlinable package static var enforced: Flags { Flags(rawValue: 4) }

    /// Counted by its queue as more urgent than the queue is by itself.
    @inlinable package static var urgent: Flags { Flags(rawValue: 8) }

    /// It comes from `asyncAfter`.
    @inlinable package static var delayed: Flags { Flags(rawValue: 16) }
    /// It runs a source's handlers.
    @inlinable package static var handler: Flags { Flags(rawValue: 32) }
    /// Another queue asks to be served.
    @inlinable package static var invitation: Flags { Flags(rawValue: 1 << 16) }
    /// An invitation that is a part of its queue: it exists, at one address, for as long as
    /// anybody serves the queue.
    @inlinable package static var ofQueue: Flags { Flags(rawValue: 1 << 18) }
    /// A runnable that asks for one worker more where a thread is at work already: in the
    /// iterations of a loop.
    @inlinable package static var help: Flags { Flags(rawValue: 1 << 17) }

    /// How urgent the item is by itself.
    @inlinable package init(_ urgency: Urgency) { rawValue = UInt32(urgency.rawValue) << 8 }

    // In place of the generic one of `OptionSet`, which is slow in a program that
    // is built without optimization.
    @inlinable @inline(__always)
    package func contains(_ flags: Flags) -> Bool { rawValue & flags.rawValue == flags.rawValue }

    /// The bits that say so.
    @inlinable package static var urgencies: Flags { Flags(rawValue: 0xFF00) }

    @inlinable package var urgency: Urgency {
      Urgency(rawValue: UInt8(truncatingIfNeeded: rawValue >> 8))
    }
  }
}
