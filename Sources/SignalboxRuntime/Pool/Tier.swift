// Tier — the workers of one kernel priority.
//
// A thread that has lowered its priority cannot raise the priority again without privileges. The
// threads that it starts inherit the priority. So each priority has workers of its own, and there
// is a `Starter`.

import CSignalbox

/// The group of workers that runs a runnable. The kernel makes lower tiers yield to higher
/// ones.
@frozen @usableFromInline
package enum Tier: Int, Sendable, CaseIterable, Comparable {
  /// From lowest to highest.
  case background, utility, normal

  /// The tier whose workers run items of this urgency.
  package init(of urgency: Urgency) {
    self = urgency > .utility ? .normal : urgency > .background ? .utility : .background
  }

  /// Describes the numbers to readers in other processes.
  static func describe() {
    OutsideTable.constant("tier", "background", Tier.background.rawValue)
    OutsideTable.constant("tier", "utility", Tier.utility.rawValue)
    OutsideTable.constant("tier", "default", Tier.normal.rawValue)
  }

  @inlinable package static func < (a: Tier, b: Tier) -> Bool { a.rawValue < b.rawValue }

  /// The difference from the process's nice value. With 10, a thread gets a tenth of a
  /// normal thread's share of a busy processor; with 19, the kernel's lowest, a
  /// seventieth.
  package var niceness: Int32 {
    switch self {
    case .normal: 0
    case .utility: 10
    case .background: 19
    }
  }

  /// The tier's name in thread names and reports.
  package var name: String {
    switch self {
    case .normal: "default"
    case .utility: "utility"
    case .background: "background"
    }
  }
}
