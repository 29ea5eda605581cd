// TraceChunks — assigns chunks to threads and reuses the oldest ones.
//
// States      a chunk: unused → open → closed → open (by any thread) …
//             A chunk closes when it is full or its thread ends. When no chunk
//             is unused, the one that was closed first is reused and its events
//             are lost: a recording keeps the latest events. An open chunk is
//             never taken from its thread.
// Touching    everything: under the recorder's lock, except the events and the
//             count of an open chunk (see `TraceThread`).
// Invariants  I1  the list of closed chunks is in the order of their closing, so
//                 the chunks of one thread are in the order of their opening.
//             I2  a chunk's header says how many events its thread had before it. It
//                 is written once, while the chunk is opened. So a reader, even in
//                 the middle of a reuse, finds how many of a thread's events are
//                 missing before each chunk, because no chunk holds them.

import CSignalbox
import Synchronization

struct TraceChunks {
  private struct Entry {
    /// The next chunk in the list of closed chunks; -1 for the last.
    var closedNext: Int32 = -1
    /// The value of `changes` when this chunk last changed; 0 while a thread
    /// may still write into the chunk.
    var stamp: UInt64 = 0
  }

  let memory: TraceMemory
  /// One entry for each chunk that was ever opened.
  private var entries: [Entry]
  /// How many chunks were ever opened. The memory after them is untouched.
  private(set) var used = 0
  private var firstClosed: Int32 = -1
  private var lastClosed: Int32 = -1
  /// How many times a chunk was opened, including reuse.
  private(set) var sequence: UInt64 = 0
  private var changes: UInt64 = 0

  init(_ memory: TraceMemory) {
    self.memory = memory
    entries = []
  }

  /// How many chunks a thread could open now.
  var spareCount: Int { memory.chunkCount - used + closedCount }
  private var closedCount = 0

  /// Tells a copier whether a chunk has changed since its copy: the stamp is
  /// equal if it has not. 0 if the chunk may change at any time.
  func stamp(_ index: Int) -> UInt64 { entries[index].stamp }

  private mutating func noteChange(_ index: Int) {
    changes += 1
    entries[index].stamp = changes
  }

  // MARK: Opening and closing

  /// Gives this thread a new chunk, in place of its current one.
  ///
  /// - Returns: whether a chunk was available.
  mutating func open(for thread: inout TraceThread, number: UInt32) -> Bool {
    if thread.chunkIndex >= 0 { close(&thread) }
    guard let index = take() else { return false }
    let chunk = memory.chunk(Int(index))
    sequence += 1
    entries[Int(index)] = Entry()
    set(chunk, TraceLayout.Chunk.sequence, sequence)
    set(chunk, TraceLayout.Chunk.before, thread.before)
    chunk.storeBytes(
      of: number.littleEndian, toByteOffset: TraceLayout.Chunk.thread, as: UInt32.self)
    thread.open(chunk, size: memory.chunkSize, index: index)
    return true
  }

  /// Closes this thread's chunk.
  mutating func close(_ thread: inout TraceThread) {
    let index = thread.chunkIndex
    thread.close()
    guard index >= 0 else { return }
    if lastClosed >= 0 { entries[Int(lastClosed)].closedNext = index } else { firstClosed = index }
    lastClosed = index
    entries[Int(index)].closedNext = -1
    noteChange(Int(index))
    closedCount += 1
  }

  private mutating func take() -> Int32? {
    if used < memory.chunkCount {
      used += 1
      entries.append(Entry())
      // A reader need not look at chunks that were never used.
      memory.set(TraceLayout.Header.chunkCount, UInt32(used))
      return Int32(used - 1)
    }
    guard firstClosed >= 0 else { return nil }
    let index = firstClosed
    firstClosed = entries[Int(index)].closedNext
    if firstClosed < 0 { lastClosed = -1 }
    closedCount -= 1
    empty(memory.chunk(Int(index)))
    return index
  }

  /// Counts the events of a closed chunk as lost.
  private func empty(_ chunk: UnsafeMutableRawPointer) {
    csb_trace_lost_add(UInt64(TraceThread.publishedCount(of: chunk)))
    // A crash handler that reads now finds the chunk unused.
    chunk.storeBytes(of: 0, toByteOffset: TraceLayout.Chunk.thread, as: UInt32.self)
    // order: relaxed; no thread writes into a closed chunk.
    TraceThread.count(of: chunk).pointee.store(0, ordering: .relaxed)
  }

  // MARK: Bytes

  private func set(_ chunk: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt64) {
    chunk.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
  }
}
