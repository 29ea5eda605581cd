// TraceChunks — which thread writes into which chunk, and what is written over.
//
// States      a chunk: unused → open → closed → open (by any thread) …
//             A thread's chunk is closed when it is full, or the thread ends. The one that
//             was closed first is used again first, and its events are lost: a recording
//             holds what came last. An open chunk is never taken from its thread.
// Touching    everything: under the recorder's lock, but for the events and the count of an
//             open chunk: see `TraceThread`. `spare`: any thread, a hint.
// Invariants  I1  closed chunks stand in the line in the order of their closing, so a
//                 thread's in the order of their opening.
//             I2  what is lost with a chunk is counted once, in `csb_trace_lost`, and told in
//                 the header of the thread's next chunk.

import CSignalbox
import Synchronization

struct TraceChunks {
  private struct Place {
    /// The next chunk of the same thread; -1 while there is none.
    var following: Int32 = -1
    /// The chunk that was closed next; -1 for the last.
    var closedNext: Int32 = -1
    /// The number of the thread; 0: unused.
    var thread: UInt32 = 0
    /// Its last change, as a count of all chunks' changes; 0 while its thread may write into it.
    var stamp: UInt64 = 0
  }

  let memory: TraceMemory
  /// Of those that were ever opened.
  private var places: [Place]
  /// How many were ever opened: those behind have not been touched.
  private(set) var used = 0
  private var firstClosed: Int32 = -1
  private var lastClosed: Int32 = -1
  /// How many were opened so far, those that were used again counted anew.
  private(set) var sequence: UInt64 = 0
  private var changes: UInt64 = 0

  init(_ memory: TraceMemory) {
    self.memory = memory
    places = []
  }

  /// How many could be opened now.
  var spareCount: Int { memory.chunkCount - used + closedCount }
  private var closedCount = 0

  /// By which whoever has copied a chunk knows that it is as it was; 0 where it may change at any
  /// time.
  func stamp(_ place: Int) -> UInt64 { places[place].stamp }

  private mutating func noteChange(_ place: Int) {
    changes += 1
    places[place].stamp = changes
  }

  // MARK: Opening and closing

  /// Gives this thread a chunk, in place of the one that it has.
  ///
  /// - Returns: whether there was one.
  mutating func open(for thread: inout TraceThread, number: UInt32) -> Bool {
    let former = thread.place
    if former >= 0 { close(&thread) }
    guard let place = take(&thread, number: number) else { return false }
    if former >= 0 && former != place { places[Int(former)].following = place }
    let chunk = memory.chunk(Int(place))
    sequence += 1
    places[Int(place)] = Place(thread: number)
    set(chunk, TraceLayout.Chunk.sequence, sequence)
    set(chunk, TraceLayout.Chunk.lost, thread.lost)
    thread.lost = 0
    chunk.storeBytes(
      of: number.littleEndian, toByteOffset: TraceLayout.Chunk.thread, as: UInt32.self)
    thread.open(chunk, size: memory.chunkSize, place: place)
    return true
  }

  /// This thread writes no more into its chunk.
  mutating func close(_ thread: inout TraceThread) {
    let place = thread.place
    thread.close()
    guard place >= 0 else { return }
    if lastClosed >= 0 { places[Int(lastClosed)].closedNext = place } else { firstClosed = place }
    lastClosed = place
    places[Int(place)].closedNext = -1
    noteChange(Int(place))
    closedCount += 1
  }

  private mutating func take(_ thread: inout TraceThread, number: UInt32) -> Int32? {
    if used < memory.chunkCount {
      used += 1
      places.append(Place())
      // A reader need not look for chunks that have never been used.
      memory.set(TraceLayout.Header.chunkCount, UInt32(used))
      return Int32(used - 1)
    }
    guard firstClosed >= 0 else { return nil }
    let place = firstClosed
    firstClosed = places[Int(place)].closedNext
    if firstClosed < 0 { lastClosed = -1 }
    closedCount -= 1
    writeOver(Int(place), for: &thread, number: number)
    return place
  }

  /// I2
  private mutating func writeOver(_ place: Int, for thread: inout TraceThread, number: UInt32) {
    let chunk = memory.chunk(place)
    let count = UInt64(TraceThread.publishedCount(of: chunk))
    csb_trace_lost_add(count)
    let gone = count + double(chunk, TraceLayout.Chunk.lost)
    let following = places[place].following
    if following >= 0 {
      let next = memory.chunk(Int(following))
      set(next, TraceLayout.Chunk.lost, double(next, TraceLayout.Chunk.lost) + gone)
      if places[Int(following)].stamp != 0 { noteChange(Int(following)) }
    } else if places[place].thread == number {
      thread.lost += gone
    }
    // Whoever looks now, in a crash, finds it unused.
    chunk.storeBytes(of: 0, toByteOffset: TraceLayout.Chunk.thread, as: UInt32.self)
    // order: relaxed; nobody writes into it.
    TraceThread.count(of: chunk).pointee.store(0, ordering: .relaxed)
  }

  // MARK: Bytes

  private func set(_ chunk: UnsafeMutableRawPointer, _ offset: Int, _ value: UInt64) {
    chunk.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  private func double(_ chunk: UnsafeMutableRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: chunk.load(fromByteOffset: offset, as: UInt64.self))
  }
}
