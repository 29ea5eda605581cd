// DispatchQueue+Trace — what a recording says of a queue.

import CSignalbox
import SignalboxRuntime

enum RecordedQueues {
  /// Whether the recorder knows how to ask a queue.
  static var areArranged: Bool { csb_trace_queue_offset_load() != 0 }

  /// Tells it, by any queue: each has its number at the same place.
  @inline(never)
  static func arrange(_ queue: DispatchQueue) {
    _ = arranged
    let address = queue.address
    TraceQueues.place(queue.traceNumber, in: address)
  }

  static let arranged: Void = TraceQueues.arrange(
    facts: { raw in
      // SAFETY: whoever takes a step on a queue holds a reference to it.
      Unmanaged<DispatchQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef(\.traceFacts)
    },
    holdsAlone: { raw in
      // SAFETY: as above.
      Unmanaged<DispatchQueue>.fromOpaque(raw)._withUnsafeGuaranteedRef {
        $0.shape == .concurrent && $0.state.snapshot.owner == csb_thread_number()
      }
    },
    isInvitation: { raw in
      let item = raw.assumingMemoryBound(to: Item.self)  // SAFETY: whoever asks has an item.
      return Invitation.isOne(item) || UrgentInvitation.isOne(item)
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
    // SAFETY: an address; its target lives as long as the queue.
    return TraceQueueFacts(
      label: label, kind: kind, target: above.map { UnsafeRawPointer($0.toOpaque()) })
  }
}
