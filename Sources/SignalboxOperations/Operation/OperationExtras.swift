// OperationExtras — properties that few operations have: a name, a completion block, many
// dependents, many dependencies of which some were removed.
//
// They are in an object of their own, so that operations without them need no memory for them.
//
// Touching    everything: under the operation's lock.

final class OperationExtras {
  var name: String?
  var completion: (@Sendable () -> Void)?
  var indices: Operation.DependentIndices?
  var removals: Operation.DependencyRemovals?
}

extension Operation {
  final func setCompletion(_ block: (@Sendable () -> Void)?) {
    // Allocate before taking the lock, and free the old value after releasing it.
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
