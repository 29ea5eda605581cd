// ChannelOptions — the option sets and kinds of channels: their values and operations.

import Dispatch

enum ChannelOptions {
  static func run() {
    print(DispatchIO.CloseFlags.stop.rawValue, DispatchIO.IntervalFlags.strictInterval.rawValue)
    print(DispatchIO.IntervalFlags(nilLiteral: ()).rawValue)
    let stream = DispatchIO.StreamType.stream
    print(stream.rawValue, DispatchIO.StreamType.random.rawValue, stream != .random)
    print(DispatchIO.StreamType(rawValue: 1) == .random, DispatchIO.StreamType(rawValue: 2) == nil)
    var hasher = Hasher()
    stream.hash(into: &hasher)
    print(stream.hashValue == DispatchIO.StreamType.stream.hashValue, Set([stream, .random]).count)
    closeFlags()
    intervalFlags()
  }

  static func closeFlags() {
    typealias Flags = DispatchIO.CloseFlags
    let (one, other): (Flags, Flags) = (.stop, DispatchIO.CloseFlags(rawValue: 8))
    let both: Flags = [.stop, other]
    var changed = Flags()
    print("DispatchIO.CloseFlags", changed.isEmpty, both == one.union(other), both != one)
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

  static func intervalFlags() {
    typealias Flags = DispatchIO.IntervalFlags
    let (one, other): (Flags, Flags) = (.strictInterval, DispatchIO.IntervalFlags(rawValue: 8))
    let both: Flags = [.strictInterval, other]
    var changed = Flags()
    print("DispatchIO.IntervalFlags", changed.isEmpty, both == one.union(other), both != one)
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
