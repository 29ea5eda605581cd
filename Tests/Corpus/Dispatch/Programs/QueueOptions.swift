// QueueOptions — the option sets of queues and items: their values and operations.

import Dispatch

enum QueueOptions {
  static func run() {
    print(DispatchQueue.Attributes.concurrent.rawValue)
    print(DispatchQueue.Attributes.initiallyInactive.rawValue)
    let flags: [DispatchWorkItemFlags] = [
      .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS,
    ]
    print(flags.map(\.rawValue))
    queueAttributes()
    workItemFlags()
  }

  static func queueAttributes() {
    typealias Flags = DispatchQueue.Attributes
    let (one, other): (Flags, Flags) = (.concurrent, .initiallyInactive)
    let both: Flags = [.concurrent, other]
    var changed = Flags()
    print("DispatchQueue.Attributes", changed.isEmpty, both == one.union(other), both != one)
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

  static func workItemFlags() {
    typealias Flags = DispatchWorkItemFlags
    let (one, other): (Flags, Flags) = (.barrier, .enforceQoS)
    let both: Flags = [.barrier, other]
    var changed = Flags()
    print("DispatchWorkItemFlags", changed.isEmpty, both == one.union(other), both != one)
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
