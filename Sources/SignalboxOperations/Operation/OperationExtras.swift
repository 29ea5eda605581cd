// OperationExtras — what few operations have: a name, a block to be called at the end, many that
// depend on it.
//
// In an object of its own, so that a million others need not keep room for it.
//
// Touching    everything: under the operation's lock.

final class OperationExtras {
  var name: String?
  var completion: (@Sendable () -> Void)?
  var places: Operation.DependentPlaces?
}

extension Operation {
  final func setCompletion(_ block: (@Sendable () -> Void)?) {
    // Memory is made before the lock is taken, and what was there is freed after it is left.
    let fresh = OperationExtras()
    let old = lock.withLock {
      let extras = extras ?? fresh
      let old = extras.completion
      extras.completion = phase == .finished ? nil : block
      self.extras = extras
      return old
    }
    withExtendedLifetime(old) {}
  }

  final func setName(_ name: String?) {
    let fresh = OperationExtras()
    let old = lock.withLock {
      let extras = extras ?? fresh
      let old = extras.name
      extras.name = name
      self.extras = extras
      return old
    }
    withExtendedLifetime(old) {}
  }
}
