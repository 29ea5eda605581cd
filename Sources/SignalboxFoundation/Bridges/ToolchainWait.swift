// ToolchainWait — finds threads that sleep in libdispatch's `sync`.
//
// libdispatch does not report which thread waits for what. But a thread in `sync` sleeps on a word
// of a structure on its own stack. The thread's kernel number follows that word, and the queue
// that it waits for precedes it. If the structure has changed since Swift 6.3, no thread is
// found.
//
// Touching    everything: any thread. Memory is read by a call that fails for an unmapped address.

import CSignalbox
import SignalboxRuntime

/// A thread that sleeps in a `sync`.
struct ToolchainWait: Equatable {
  let kernelID: Int32
  /// The word that the thread sleeps on.
  private let word: UInt
  /// The processor time that the thread had used: while it stays the same, the thread has not run.
  private let time: UInt64

  /// The threads that wait for a queue whose last target is this root.
  static func all(for root: ToolchainRoot) -> [ToolchainWait] {
    let last = UInt(bitPattern: root.object)
    return threads.compactMap { ToolchainWait($0, last) }
  }

  /// Fails if the thread is not in such a wait.
  private init?(_ kernelID: Int32, _ last: UInt) {
    time = csb_thread_processor_time(kernelID)
    self.kernelID = kernelID
    // The system call's number and its first argument.
    guard case .text(let call) = SmallFile.read("/proc/self/task/\(kernelID)/syscall") else {
      return nil
    }
    let fields = call.split(separator: " ")
    guard fields.count > 1, fields[0] == "\(csb_number_of_futex())",
      let word = UInt(fields[1].dropFirst(2), radix: 16)
    else { return nil }
    self.word = word
    guard let waiter = Self.read(word + Self.waiter),
      Int32(truncatingIfNeeded: waiter) == kernelID,
      Self.read(word &- Self.itself) == word &- Self.event,
      var queue = Self.read(word &- Self.queue)
    else { return nil }
    for _ in 0..<Self.mostTargets {
      if queue == last { return }
      guard let target = Self.read(queue &+ Self.target) else { return nil }
      queue = target
    }
    return nil
  }

  // MARK: libdispatch's internals

  // Offsets of members of `dispatch_sync_context_s` from the word of its event: the waiting
  // thread's number, the structure's own address, the queue, and the start of the structure.
  private static let waiter: UInt = 4
  private static let itself: UInt = 0x38
  private static let queue: UInt = 0x28
  private static let event: UInt = 0x60
  /// The offset of an object's target: see `ToolchainRoot`.
  private static let target: UInt = 24
  /// The maximum number of targets to follow: more than a program has.
  private static let mostTargets = 64

  private static func read(_ address: UInt) -> UInt? {
    guard address > 0xffff, let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    var word: UInt = 0
    return csb_look_at_memory(pointer, &word, MemoryLayout<UInt>.size) == 0 ? word : nil
  }

  private static var threads: [Int32] {
    var capacity = 64
    while true {
      var count = 0
      let found = [Int32](unsafeUninitializedCapacity: capacity) { buffer, filled in
        count = csb_look_at_threads(buffer.baseAddress!, capacity)
        filled = min(max(count, 0), capacity)
      }
      if count <= capacity { return found }
      capacity = count + 64
    }
  }
}
