// ReadFinding — what a read source finds when it asks the kernel about its descriptor.
//
// The kernel answers one question at a time. Between two questions, bytes may arrive, the peer may
// close, or another reader may take bytes. So the order of the questions matters: a handler takes a
// `data` of 0 for the end.
//
// Rejected    one look at the bytes and then one at the readiness: a byte that arrives in
//             between makes the descriptor readable with 0 bytes.

import SignalboxRuntime

/// What the kernel answers at the moment when it is asked.
protocol ReadableDescriptor {
  /// How many bytes can be read; negative if the kernel does not report it.
  var available: Int64 { get }
  var isAtUrgentByte: Bool { get }
  var readiness: Readiness { get }
}

enum ReadFinding: Equatable {
  case bytes(UInt)
  /// The end or an error. No byte comes after it.
  case end
  /// Something without bytes: an empty datagram, or the end of file that a user types on a
  /// terminal.
  case empty
  /// Another reader took what there was, or the state changed while the kernel was asked.
  /// The descriptor reports what is left as soon as it is watched again.
  case nothing

  init(_ descriptor: some ReadableDescriptor) {
    let first = descriptor.available
    if first > 0 {
      self = .bytes(UInt(first))
      return
    }
    let now = descriptor.readiness
    guard now.isEnd || now.contains(.readable) else {
      self = .nothing
      return
    }
    // Bytes, and even the end, may have arrived after the first question.
    let last = first < 0 ? first : descriptor.available
    if last > 0 {
      self = .bytes(UInt(last))
    } else if descriptor.isAtUrgentByte {
      self = .bytes(1)
    } else if now.isEnd {
      self = .end
    } else if last < 0 {
      self = .bytes(1)
    } else {
      // Another reader may have taken what was readable a moment ago.
      let again = descriptor.readiness
      self = again.contains(.readable) && !again.isEnd ? .empty : .nothing
    }
  }
}

extension Readiness {
  var isEnd: Bool { !isDisjoint(with: [.hangUp, .error]) }
}
