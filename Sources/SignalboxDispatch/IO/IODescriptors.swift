// IODescriptors — which descriptors are under the control of channels.

import CSignalbox
import SignalboxRuntime

enum IODescriptors {
  private static var table: DescriptorOwners { Engine.current.descriptorOwners }

  /// The object for a descriptor of the program's, with one channel more.
  static func join(_ number: Int32, _ facts: csb_io_facts) -> IODescriptor {
    // Made before: nothing is with the lock held. Rarely there is one already.
    let fresh = IODescriptor(number: number, facts)
    let (joined, outdated) = table.withOwner(of: number) { owner in
      // The table has no other owners.
      let old = owner.map { unsafeDowncast($0, to: IODescriptor.self) }
      let isSame = old?.isSameFile(as: fresh) == true
      let joined = isSame ? old! : fresh
      owner = joined
      joined.join()
      return (joined, isSame ? nil : old)
    }
    // The program has closed a descriptor that had channels, and opened another of that number.
    if let outdated { outdated.onDesk { outdated.fail(EBADF) } }
    return joined
  }

  /// - Returns: whether no channel is left; then the number is free for the next.
  static func leave(_ descriptor: IODescriptor) -> Bool {
    table.withOwner(of: descriptor.number) { owner in
      let isLast = descriptor.leave()
      if isLast && owner === descriptor { owner = nil }
      return isLast
    }
  }

  /// The number does not stand for it any more.
  static func forget(_ descriptor: IODescriptor) {
    table.withOwner(of: descriptor.number) { owner in
      if owner === descriptor { owner = nil }
    }
  }
}
