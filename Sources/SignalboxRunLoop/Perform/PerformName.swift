// PerformName — identifies a perform for cancellation, in place of a target, a selector and an
// argument.

struct PerformName {
  let target: AnyObject?
  let identity: AnyHashable?
  let argument: AnyHashable?

  func has(target: AnyObject) -> Bool { self.target === target }

  func has(target: AnyObject, _ identity: AnyHashable, argument: AnyHashable?) -> Bool {
    self.target === target && self.identity == identity && self.argument == argument
  }
}
