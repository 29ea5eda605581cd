// QueueSizeTests — the memory of a queue.

import Glibc
import SignalboxDispatch
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
}
