// Operation+Dependents — the list of those that depend on an operation: in the order in which they
// came, and short for most.
//
// Touching    everything: under the operation's lock.
// Invariants  I1  none is listed twice.
//             I2  `places`, where there is any, says where each is in the list, and how many of
//                 the list's places are empty. Without it no place is empty.

extension Operation {
  // SAFETY: each takes itself out before it is freed, see `Operation+Dependencies`.
  typealias DependentList = [Unmanaged<Operation>?]

  /// Where the members of a long list are. It is made when the first one leaves: finding each,
  /// and closing the gap, would take a look at all.
  struct DependentPlaces {
    fileprivate var places: [UnsafeRawPointer: Int]
    fileprivate var gaps = 0
  }

  /// How long a list is looked through. Up to here that costs less than to find a place by a hash.
  private static var shortList: Int { 64 }

  final func appendDependent(_ new: Operation) {
    extras?.places?.places[new.address] = dependents.count
    dependents.append(Unmanaged.passUnretained(new))  // SAFETY: see above.
  }

  final func lists(_ dependent: Operation) -> Bool { place(of: dependent.address) != nil }

  /// Takes one out of the list.
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

  /// The list, which is empty then.
  final func takeDependents() -> DependentList {
    var taken: DependentList = []
    swap(&taken, &dependents)
    extras?.places = nil
    return taken
  }

  /// Takes out those that stand before `place`. Who leaves next makes the places anew.
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

  /// Who leaves next makes the places anew: that is after half as many at least.
  private final func closeGaps() {
    extras?.places = nil
    dependents.removeAll { $0 == nil }
  }
}
