// Operation+Dependents — the list of an operation's dependents: in the order in which they were
// added, and usually short.
//
// Touching    everything: under the operation's lock.
// Invariants  I1  no dependent is listed twice.
//             I2  `indices`, if it exists, maps each dependent to its index, and counts the
//                 empty entries of the list. Without it no entry is empty.

extension Operation {
  // SAFETY: each dependent removes itself before it is freed, see `Operation+Dependencies`.
  typealias DependentList = [Unmanaged<Operation>?]

  /// The indices of the members of a long list. Created when the first one leaves, because
  /// finding each one and closing the gap would otherwise cost O(n).
  struct DependentIndices {
    fileprivate var byAddress: [UnsafeRawPointer: Int]
    fileprivate var gaps = 0
  }

  /// The length up to which a linear search costs less than a hash lookup.
  private static var shortList: Int { 64 }

  final func appendDependent(_ new: Operation) {
    extras?.indices?.byAddress[new.address] = dependents.count
    dependents.append(Unmanaged.passUnretained(new))  // SAFETY: see `DependentList`.
  }

  final func lists(_ dependent: Operation) -> Bool { index(of: dependent.address) != nil }

  /// Removes a dependent from the list.
  ///
  /// - Returns: whether it was there.
  final func removeDependent(_ old: Operation) -> Bool {
    if dependents.count > Operation.shortList && extras?.indices == nil { makeIndices() }
    guard let index = index(of: old.address) else { return false }
    guard let extras, extras.indices != nil else {
      dependents.remove(at: index)
      return true
    }
    dependents[index] = nil
    extras.indices?.byAddress[old.address] = nil
    extras.indices?.gaps += 1
    if extras.indices.map({ $0.gaps * 2 > dependents.count }) ?? false { closeGaps() }
    return true
  }

  /// Returns the list and empties it.
  final func takeDependents() -> DependentList {
    var taken: DependentList = []
    swap(&taken, &dependents)
    extras?.indices = nil
    return taken
  }

  /// Removes the dependents before `index`. The next one that leaves rebuilds the indices.
  final func removeDependents(before index: Int) {
    dependents.removeFirst(index)
    extras?.indices = nil
  }

  private final func index(of address: UnsafeRawPointer) -> Int? {
    if let indices = extras?.indices { return indices.byAddress[address] }
    return dependents.lastIndex { $0.map { UnsafeRawPointer($0.toOpaque()) } == address }
  }

  private final func makeIndices() {
    if extras == nil { extras = OperationExtras() }
    var byAddress: [UnsafeRawPointer: Int] = [:]
    byAddress.reserveCapacity(dependents.count)
    for (index, one) in dependents.enumerated() {
      if let one { byAddress[UnsafeRawPointer(one.toOpaque())] = index }
    }
    extras?.indices = DependentIndices(byAddress: byAddress)
  }

  /// Closes the gaps. The indices are rebuilt by the next dependent that leaves, at the
  /// earliest after half of the list has left.
  private final func closeGaps() {
    extras?.indices = nil
    dependents.removeAll { $0 == nil }
  }
}
