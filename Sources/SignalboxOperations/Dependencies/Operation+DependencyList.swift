// Operation+DependencyList — the list of the operations that an operation depends on, in the order
// in which they were added. Most lists are short.
//
// Removing one member of a long list takes a search through half of it and a move of the other
// half. That is cheap for each member, but quadratic for a program that removes all members one by
// one. A hash of all members costs as much as a few tens of such searches. So a long list is hashed
// after `searchesBeforeHash` removals: from then on, a removal leaves a gap in the list. The next
// reader closes all gaps and drops the hash. So a program that reads the list after each removal
// never pays for a hash.
//
// Touching    everything: under the operation's lock.
// Invariants  I1  no operation is in the list twice.
//             I2  if `indices` is empty, the list has no gap. Otherwise `indices` holds the index
//                 of each member, and `gap` takes the place of each removed member.

extension Operation {
  /// The removals from a long list since it was last read.
  final class DependencyRemovals {
    fileprivate var count = 0
    fileprivate var indices: [UnsafeRawPointer: Int] = [:]
    fileprivate var gaps = 0
    fileprivate var gap: Operation?
  }

  /// Up to this length a removal always searches the list.
  private static var shortList: Int { 64 }

  /// How many removals search a long list before its members are hashed.
  private static var searchesBeforeHash: Int { 32 }

  /// Whether it depends on any operation.
  final var hasDependencies: Bool { !listedDependencies.isEmpty }

  /// The operations that it depends on, without gaps.
  final var dependencyList: [Operation] {
    if let removals = extras?.removals { closeGaps(removals) }
    return listedDependencies
  }

  final func appendDependency(_ new: Operation) {
    if let removals = extras?.removals, !removals.indices.isEmpty {
      removals.indices[new.address] = listedDependencies.count
    }
    listedDependencies.append(new)
  }

  /// Removes one operation from the list, if it is there.
  final func removeDependency(listed old: Operation) {
    guard let removals = extras?.removals, !removals.indices.isEmpty else {
      return searchAndRemove(old)
    }
    guard let index = removals.indices.removeValue(forKey: old.address) else { return }
    // `gap` was set together with the indices, which are not empty here.
    listedDependencies[index] = removals.gap!
    removals.gaps += 1
    if removals.gaps * 2 > listedDependencies.count { closeGaps(removals) }
  }

  /// Returns the list and empties it.
  final func takeDependencies() -> [Operation] {
    let taken = dependencyList
    listedDependencies = []
    return taken
  }

  // MARK: By search

  private final func searchAndRemove(_ old: Operation) {
    if listedDependencies.last === old {
      listedDependencies.removeLast()
      return
    }
    guard let index = listedDependencies.firstIndex(where: { $0 === old }) else { return }
    listedDependencies.remove(at: index)
    if listedDependencies.count > Operation.shortList { noteRemoval() }
  }

  private final func noteRemoval() {
    if extras == nil { extras = OperationExtras() }
    let removals = extras?.removals ?? DependencyRemovals()
    extras?.removals = removals
    removals.count += 1
    guard removals.count >= Operation.searchesBeforeHash else { return }
    removals.gap = Operation()
    removals.indices.reserveCapacity(listedDependencies.count)
    for (index, one) in listedDependencies.enumerated() { removals.indices[one.address] = index }
  }

  // MARK: Gaps

  private final func closeGaps(_ removals: DependencyRemovals) {
    extras?.removals = nil
    if removals.gaps > 0 { listedDependencies.removeAll { $0 === removals.gap } }
  }
}
