// IOChunks — memory that is read into, used again and again.
//
// A page that is written to for the first time costs more than the copy into it. So the
// memory that a handler has done with is kept for the next read, for as long as the
// descriptor is in use.
//
// Touching    `free`: under `lock`.

import SignalboxRuntime

final class IOChunks: @unchecked Sendable {  // SAFETY: see Touching.
  private let size: Int
  private let lock = EngineLock()
  private var free: [UnsafeMutableRawPointer] = []

  /// More are not on their way at once unless the program keeps them.
  private static var mostKept: Int { 2 * IOOperation.mostDeliveries }

  init(size: Int) {
    self.size = size
    // No memory is made under the lock.
    free.reserveCapacity(IOChunks.mostKept)
  }

  deinit {
    for memory in free { memory.deallocate() }
  }

  /// The memory used last, which is most likely still in a cache.
  func take() -> IOChunk {
    let memory = lock.withLock { free.popLast() }
    return IOChunk(memory ?? IOChunk.allocate(size), size: size, from: self)
  }

  fileprivate func give(_ memory: UnsafeMutableRawPointer) {
    let isKept = lock.withLock {
      guard free.count < IOChunks.mostKept else { return false }
      free.append(memory)
      return true
    }
    if !isKept { memory.deallocate() }
  }
}

/// Memory for one read; afterwards it belongs to the data that was made of it.
///
/// Touching: `memory` by the transfer that reads into it, then it is not written any more.
final class IOChunk: @unchecked Sendable {  // SAFETY: see Touching.
  let memory: UnsafeMutableRawPointer
  private let size: Int
  private let source: IOChunks?

  fileprivate init(_ memory: UnsafeMutableRawPointer, size: Int, from source: IOChunks?) {
    self.memory = memory
    self.size = size
    self.source = source
  }

  convenience init(size: Int) { self.init(IOChunk.allocate(size), size: size, from: nil) }

  deinit {
    if let source { source.give(memory) } else { memory.deallocate() }
  }

  /// Aligned as a page is: the kernel copies whole lines.
  fileprivate static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: size, alignment: size >= 4096 ? 4096 : 16)
  }

  /// The first `count` bytes as data. Little in large memory is copied out of it, so that who keeps
  /// a few bytes does not keep it all.
  func data(_ count: Int) -> DispatchData {
    if count < size / 4 {
      return DispatchData(bytes: UnsafeRawBufferPointer(start: memory, count: count))
    }
    return DispatchData(owner: self, bytes: UnsafeRawBufferPointer(start: memory, count: count))
  }
}
