// StreamSchedules — which streams are in which loops.
//
// Touching    `byStream`: under `lock`. Nothing is called or freed with the lock held.

import Foundation
import SignalboxRunLoop
import SignalboxRuntime

final class StreamSchedules: @unchecked Sendable {  // SAFETY: see Touching.
  static let shared = StreamSchedules()

  private let lock = EngineLock()
  private var byStream: [ObjectIdentifier: [ScheduledStream]] = [:]

  func add(_ stream: Stream, to loop: CFRunLoop, _ mode: CFRunLoopMode) {
    let new = ScheduledStream(stream, loop)
    let scheduled = lock.withLock {
      let others = byStream[ObjectIdentifier(stream), default: []]
      if let old = others.first(where: { $0.isOf(stream, loop) }) { return old }
      byStream[ObjectIdentifier(stream)] = others + [new]
      return new
    }
    scheduled.enter(mode)
  }

  func remove(_ stream: Stream, from loop: CFRunLoop, _ mode: CFRunLoopMode) {
    let scheduled = lock.withLock {
      byStream[ObjectIdentifier(stream)]?.first { $0.isOf(stream, loop) }
    }
    scheduled?.leave(mode)
  }

  /// Removes a stream that is no longer in any loop.
  func forget(_ scheduled: ScheduledStream) {
    let old = lock.withLock {
      let old = byStream[scheduled.identity]
      let rest = old?.filter { $0 !== scheduled } ?? []
      byStream[scheduled.identity] = rest.isEmpty ? nil : rest
      return old
    }
    withExtendedLifetime(old) {}
  }
}
