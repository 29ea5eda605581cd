// DispatchQueue+Trace — what a recording says about a queue.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime

enum RecordedQueues {
  /// Whether the recorder knows how to read a queue.
  static var areArranged: Bool { csb_trace_queue_offset_load() != 0 }

  /// Tells the recorder where a queue's number is: at the same offset in every queue.
  @inline(never)
  static func arrange(_ queue: DispatchQueue) {
    _ = arranged
    let address = queue.address
    QueueTimes.store(queue.record.times, in: address)
    TraceQueues.store(queue.record.traceNumber, in: address)
  }

  static let arranged: Void = TraceQueues.arrange(
    facts: { raw in
      // SAFETY: a thread that takes a step on a queue holds a reference to it.
      Unmanaged<DispatchQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.traceFacts)
    },
    holdsAlone: { raw in
      // SAFETY: the thread holds a reference to the queue.
      Unmanaged<DispatchQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef {
        $0.shape == .concurrent && $0.state.snapshot.owner == csb_thread_number()
      }
    },
    isDrainTask: { raw in
      let item = raw.assumingMemoryBound(to: Item.self)  // SAFETY: the caller passes an item.
      return DrainTask.isOne(item) || UrgentDrainTask.isOne(item)
    })
}

extension DispatchQueue {
  fileprivate final var traceFacts: TraceQueueFacts {
    let kind: TraceQueueKind =
      switch shape {
      case .serial: .serial
      case .concurrent: .concurrent
      case .global: .global
      case .main: .main
      case .workloop: .workloop
      }
    // SAFETY: only an address; the target lives as long as the queue.
    return TraceQueueFacts(
      label: label, kind: kind, target: above.map { UnsafeRawPointer($0.toOpaque()) })
  }
}
