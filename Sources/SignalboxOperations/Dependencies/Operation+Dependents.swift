// Operation+Dependents — the list of an operation's dependents: in the order in which they were
// added, and usually short.
//
// Touching    everything: under the operation's lock.
// Invariants  I1  no dependent is listed twice.
//             I2  `places`, if it exists, maps each dependent to its index, and counts the
//                 empty entries of the list. Without it no entry is empty.

extension Operation {
  // SAFETY: each dependent removes itself before it is freed, see `Operation+Dependencies`.
  typealias DependentList = [Unmanaged<Operation>?]

  /// The indices of the members of a long list. Created when the first one leaves, because
  /// finding each one and closing the gap would otherwise cost O(n).
  struct DependentPlaces {
    fileprivate var places: [UnsafeRawPointer: Int]
    fileprivate var gaps = 0
  }

  /// The length up to which a linear search costs less than a hash lookup.
  private static var shortList: Int { 64 }

  final func appendDependent(_ new: Operation) {
    extras?.places?.places[new.address] = dependents.count
    dependents.append(Unmanaged.passUnretained(new))  // SAFETY: see `DependentList`.
  }

  final func lists(_ dependent: Operation) -> Bool { place(of: dependent.address) != nil }

  /// Removes a dependent from the list.
  ///
  /// - Returns: whether it was there.
  final func removeDependent(_ old: Operation) -> Bool {
    if dependents.count > Operation.shortList && extras?.places == nil { makePlaces() }
    guard let place = place(of: old.address) else { return false }
    guard let extras, extras.places != nil else {
      dependents.remove(at: place)
      return true
    }
    dependents[place] = nil
    extras.places?.places[old.address] = nil
    extras.places?.gaps += 1
    if extras.places.map({ $0.gaps * 2 > dependents.count }) ?? false { closeGaps() }
    return true
  }

  /// Returns the list and empties it.
  final func takeDependents() -> DependentList {
    var taken: DependentList = []
    swap(&taken, &dependents)
    extras?.places = nil
    return taken
  }

  /// Removes the dependents before index `place`. The next one that leaves rebuilds the indices.
  final func removeDependents(before place: Int) {
    dependents.removeFirst(place)
    extras?.places = nil
  }

  private final func place(of address: UnsafeRawPointer) -> Int? {
    if let places = extras?.places { return places.places[address] }
    return dependents.lastIndex { $0.map { UnsafeRawPointer($0.toOpaque()) } == address }
  }

  private final func makePlaces() {
    if extras == nil { extras = OperationExtras() }
    var places: [UnsafeRawPointer: Int] = [:]
    places.reserveCapacity(dependents.count)
    for (place, one) in dependents.enumerated() {
      if let one { places[UnsafeRawPointer(one.toOpaque())] = place }
    }
    extras?.places = DependentPlaces(places: places)
  }

  /// Closes the gaps. The indices are rebuilt by the next dependent that leaves, at the
  /// earliest after half of the list has left.
  private final func closeGaps() {
    extras?.places = nil
    dependents.removeAll { $0 == nil }
  }
}
