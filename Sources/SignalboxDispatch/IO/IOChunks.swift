// IOChunks — memory to read into, reused.
//
// The first write to a page costs more than the copy into it. So, as long as the descriptor is in
// use, memory that a handler no longer needs is kept for the next read.
//
// Touching    `free`: under `lock`.

import SignalboxRuntime

final class IOChunks: @unchecked Sendable {  // SAFETY: see Touching.
  private let size: Int
  private let lock = EngineLock()
  private var free: [UnsafeMutableRawPointer] = []

  /// The maximum number of chunks in use at once, unless the program keeps
  /// data.
  private static var mostKept: Int { 2 * IOOperation.mostDeliveries }

  init(size: Int) {
    self.size = size
    // No memory is allocated under the lock.
    free.reserveCapacity(IOChunks.mostKept)
  }

  deinit {
    for memory in free { memory.deallocate() }
  }

  /// The memory that was used last, which is most likely still in a cache.
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

/// Memory for one read. After the read, it belongs to the data that was made from it.
///
/// Touching: `memory` by the transfer that reads into it; after that, no thread writes it.
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

  /// Aligned to a page, so that the kernel copies whole cache lines.
  fileprivate static func allocate(_ size: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: size, alignment: size >= 4096 ? 4096 : 16)
  }

  /// The first `count` bytes as data. A few bytes of a large chunk are copied, so that a program
  /// which keeps them does not keep the whole chunk alive.
  func data(_ count: Int) -> DispatchData {
    if count < size / 4 {
      return DispatchData(bytes: UnsafeRawBufferPointer(start: memory, count: count))
    }
    return DispatchData(owner: self, bytes: UnsafeRawBufferPointer(start: memory, count: count))
  }
}
