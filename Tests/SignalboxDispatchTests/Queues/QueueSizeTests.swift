// QueueSizeTests — the memory of a queue.

import Glibc
@testable import SignalboxDispatch
import SignalboxRuntime
import Testing

@Suite struct QueueSizeTests {
  /// The allocator's pieces grow in steps of two words: a queue with one word more takes the next.
  @Test func aQueueFillsItsPieceOfMemory() {
    // SAFETY: a function of the C library, with its type there.
    let sizeOfPiece = unsafeBitCast(
      dlsym(nil, "malloc_usable_size"),
      to: (@convention(c) (UnsafeMutableRawPointer) -> Int).self)
    let queue = DispatchQueue(label: "org.signalbox.size")
    withExtendedLifetime(queue) {
      // SAFETY: the object's own memory.
      #expect(sizeOfPiece(Unmanaged.passUnretained(queue).toOpaque()) <= 264)
    }
  }

  /// Pieces of memory begin at a multiple of two words. So the first count, which its owner changes with
  /// every item, is always on the line of the list's head, and never on that of its tail.
  @Test func theCountOfItemsIsBesideTheHeadOfTheList() {
    let queue = DispatchQueue(label: "org.signalbox.counts")
    withExtendedLifetime(queue) {
      let head = queue.list.address()
      let count = UInt(bitPattern: addressOfWord(queue.list.counts.runs))
      #expect(head % 16 == 0 && count == head + 8)
    }
  }
}
