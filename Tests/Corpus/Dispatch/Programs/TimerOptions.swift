// TimerOptions — the option set of timers: its value and operations.

import Dispatch

enum TimerOptions {
  static func run() {
    print(DispatchSource.TimerFlags.strict.rawValue)
    timerFlags()
  }

  static func timerFlags() {
    typealias Flags = DispatchSource.TimerFlags
    let (one, other): (Flags, Flags) = (.strict, DispatchSource.TimerFlags(rawValue: 8))
    let both: Flags = [.strict, other]
    var changed = Flags()
    print("DispatchSource.TimerFlags", changed.isEmpty, both == one.union(other), both != one)
    print(both.contains(one), one.contains(other), Flags([one, one]).rawValue == one.rawValue)
    print(changed.insert(one).inserted, changed.insert(one).inserted, changed == one)
    print(changed.update(with: other) == nil, changed == both, changed.remove(one) == one)
    changed.formUnion(one)
    changed.formSymmetricDifference(other)
    changed.formIntersection(both)
    print(changed == one, both.intersection(one) == one, both.symmetricDifference(one) == other)
    print(one.isSubset(of: both), both.isSuperset(of: one), one.isDisjoint(with: other))
    print(one.isStrictSubset(of: both), both.isStrictSuperset(of: one))
    print(both.subtracting(one) == other)
    changed.subtract(one)
    print(changed == [], Flags(rawValue: both.rawValue) == both)
  }
}
