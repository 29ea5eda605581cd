// CoalescingOptions — the masks of a notification queue as an option set.

import Foundation

enum CoalescingOptions {
  typealias Mask = NotificationQueue.NotificationCoalescing

  static func run() {
    let name = Mask.onName
    let sender = Mask.onSender
    print(
      Mask.none.rawValue, name.rawValue, sender.rawValue, Mask(rawValue: 3) == [.onName, sender])
    var mask = Mask()
    print(mask.isEmpty, mask == .none, mask != name)
    print(mask.insert(name).inserted, mask.insert(.onName).inserted, mask.contains(name))
    print(mask.update(with: sender) == nil, mask.remove(name) == name, mask.remove(name) == nil)
    print(mask.union(name).rawValue, mask.intersection(name).rawValue)
    print(
      mask.symmetricDifference([.onName, .onSender]).rawValue, mask.subtracting(sender).rawValue)
    mask.formUnion(name)
    print(mask.rawValue, mask.isSuperset(of: name), mask.isStrictSuperset(of: name))
    print(name.isSubset(of: mask), name.isStrictSubset(of: mask), name.isDisjoint(with: sender))
    mask.formIntersection(name)
    mask.formSymmetricDifference(sender)
    mask.subtract(name)
    print(mask == sender, Mask([name, sender] as [Mask]).rawValue)
    let literal: Mask = [.onName]
    print(literal == Mask(arrayLiteral: .onName))
  }
}
