// IODescriptors — the descriptors that are under the control of channels.

import CSignalbox
import SignalboxRuntime

enum IODescriptors {
  private static var table: DescriptorOwners { Engine.current.descriptorOwners }

  /// The object for a descriptor of the program, with one more channel.
  static func join(_ number: Int32, _ facts: csb_io_facts) -> IODescriptor {
    // Created before the lock is taken, because nothing is allocated under the lock. It is rarely
    // wasted, because an object rarely exists already.
    let fresh = IODescriptor(number: number, facts)
    let (joined, outdated) = table.withOwner(of: number) { owner in
      // All owners in the table are of this type.
      let old = owner.map { unsafeDowncast($0, to: IODescriptor.self) }
      let isSame = old?.isSameFile(as: fresh) == true
      let joined = isSame ? old! : fresh
      owner = joined
      joined.join()
      return (joined, isSame ? nil : old)
    }
    // The program has closed a descriptor that had channels, and has opened another with the same
    // number.
    if let outdated { outdated.onDescriptorQueue { outdated.fail(EBADF) } }
    return joined
  }

  /// Removes a channel.
  ///
  /// - Returns: whether no channel is left. The number is then free for a new object.
  static func leave(_ descriptor: IODescriptor) -> Bool {
    table.withOwner(of: descriptor.number) { owner in
      let isLast = descriptor.leave()
      if isLast && owner === descriptor { owner = nil }
      return isLast
    }
  }

  /// Removes the object from the table, because the number no longer refers to its file.
  static func forget(_ descriptor: IODescriptor) {
    table.withOwner(of: descriptor.number) { owner in
      if owner === descriptor { owner = nil }
    }
  }
}
