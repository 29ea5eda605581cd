// Tier — a group of workers of one kernel priority.
//
// A thread that has lowered its priority may not raise it again without
// privileges, and hands it on to the threads it starts. Hence separate workers
// for each priority, and a `Starter`.

import CSignalbox

/// Which workers run a runnable. Lower ones get out of the way of higher ones by
/// themselves: the kernel sees to it.
@frozen @usableFromInline
package enum Tier: Int, Sendable, CaseIterable, Comparable {
  /// From the lowest to the highest.
  case background, utility, normal

  /// Whose workers run what is so urgent.
  package init(of urgency: Urgency) {
    self = urgency > .utility ? .normal : urgency > .background ? .utility : .background
  }

  @inlinable package static func < (a: Tier, b: Tier) -> Bool { a.rawValue < b.rawValue }

  /// What is added to the process's nice value. 10 is a tenth of a normal
  /// thread's share of a busy processor, 19 is the kernel's lowest: a seventieth.
  package var niceness: Int32 {
    switch self {
    case .normal: 0
    case .utility: 10
    case .background: 19
    }
  }

  /// As it stands in thread names and reports.
  package var name: String {
    switch self {
    case .normal: "default"
    case .utility: "utility"
    case .background: "background"
    }
  }
}
