// PlayedFileKernel — inotify under a test's control: it has the numbers and the queue of the real
// one, and refuses calls on demand.

import Glibc
import SignalboxTestSupport

@testable import SignalboxRuntime

final class PlayedFileKernel: FileKernel {
  struct State: Sendable {
    /// The file that a descriptor refers to, and the directory that contains the file.
    var inodes: [Int32: Int] = [:]
    var surroundings: [Int32: Int] = [:]
    /// The number of each watched file.
    var numbers: [Int: Int32] = [:]
    var asked: [Int32: UInt32] = [:]
    var queue: [FileEvent] = []
    var next: Int32 = 1
    var refusal: Int32 = 0
    var notifiers = 0
    var removed: [Int32] = []
    var isArmed = false
  }
  let state = Guarded(State())
  /// SAFETY: written by the test's thread, while no other thread polls.
  nonisolated(unsafe) var watched: DescriptorWatch?

  func open() -> Int32 {
    state.withValue {
      if $0.refusal == EMFILE { return -EMFILE }
      $0.notifiers += 1
      return 100 + Int32($0.notifiers)
    }
  }

  func add(_ notifier: Int32, _ descriptor: Int32, _ target: FileWatch.Target, _ bits: UInt32)
    -> Int32
  {
    state.withValue { state in
      if state.refusal != 0 { return -state.refusal }
      let inodes = target == .itself ? state.inodes : state.surroundings
      guard let inode = inodes[descriptor] else { return -ENOENT }
      let number = state.numbers[inode] ?? state.next
      if state.numbers[inode] == nil { state.next += 1 }
      state.numbers[inode] = number
      let plain = bits & ~InotifyBits.add
      state.asked[number] =
        bits & InotifyBits.add != 0 ? (state.asked[number] ?? 0) | plain : plain
      return number
    }
  }

  func remove(_ notifier: Int32, _ number: Int32) {
    state.withValue { state in
      state.removed.append(number)
      forget(number, &state)
    }
  }

  /// The kernel drops a number and reports that.
  func forget(_ number: Int32, _ state: inout State) {
    guard let inode = state.numbers.first(where: { $0.value == number })?.key else { return }
    state.numbers[inode] = nil
    state.asked[number] = nil
    state.queue.append(FileEvent(number, InotifyBits.ignored))
  }

  func read(_ notifier: Int32, into events: UnsafeMutableBufferPointer<FileEvent>) -> Int {
    state.withValue { state in
      let count = min(events.count, state.queue.count)
      for index in 0..<count { events[index] = state.queue[index] }
      state.queue.removeFirst(count)
      return count
    }
  }

  func close(_ notifier: Int32) {}

  func watch(_ watch: DescriptorWatch) -> Int32 {
    watched = watch
    state.withValue { $0.isArmed = true }
    return 0
  }

  /// Arming a watch that has ended does nothing.
  func arm(_ watch: DescriptorWatch) {
    if watch === watched { state.withValue { $0.isArmed = true } }
  }

  func unwatch(_ watch: DescriptorWatch) {
    watched = nil
    state.withValue { $0.isArmed = false }
  }

  // MARK: Called by a test

  func happens(_ events: FileEvent...) { state.withValue { $0.queue += events } }

  /// Runs the poller until no events are left.
  func poll(_ watches: FileWatches) {
    while let watched, !state.current.queue.isEmpty {
      state.withValue { $0.isArmed = false }
      watches.isReady(watched, .readable)
    }
  }
}

/// Records the news that it receives.
final class NotingFileClient: FileWatchClient {
  let told = EventLog<FileNews>()
  func fileHasNews(_ watch: FileWatch, _ news: FileNews) { told.append(news) }
}
