// FileSystemOptions — the option set of file changes: its values and operations.

import Dispatch

enum FileSystemOptions {
  static func run() {
    let events: [DispatchSource.FileSystemEvent] = [
      .delete, .write, .extend, .attrib, .link, .rename, .revoke, .funlock, .all,
    ]
    print(events.map(\.rawValue))
    fileSystemEvent()
  }

  static func fileSystemEvent() {
    typealias Flags = DispatchSource.FileSystemEvent
    let (one, other): (Flags, Flags) = (.write, .delete)
    let both: Flags = [.write, other]
    var changed = Flags()
    print("DispatchSource.FileSystemEvent", changed.isEmpty, both == one.union(other), both != one)
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
