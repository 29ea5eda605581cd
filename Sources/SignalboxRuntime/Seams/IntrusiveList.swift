// IntrusiveList — a doubly linked list whose links are fields of its members.
//
// A member enters and leaves in constant time, and neither allocates: so a list can be
// changed under an `EngineLock`. The list keeps nothing alive; its user retains the members or
// removes each one before it is freed.
//
// Touching    a list, and the links of its members: under the lock of the list.
// Invariants  I1  a member is in the list ⇔ it is the first one, or has a previous one.
//             I2  the links of an object that is in no list are nil, unless its list was
//                 forgotten in a forked child: then it may enter a list, but must not leave
//                 the forgotten one.
// Rejected    an array of members: it grows under the lock, and a member that leaves has to be
//             searched for.
//             Links that are found by a key path: each step calls the runtime.

/// The two links by which an object is a member of a list.
///
/// In a class the field is `@exclusivity(unchecked)`: the lock of the list keeps others off, and
/// the runtime's check costs as much as the change.
@frozen @usableFromInline
package struct ListLinks<Member> {
  /// SAFETY: an address in a member, which does not move.
  @usableFromInline package typealias Pointer = UnsafeMutablePointer<ListLinks>

  @usableFromInline var next: Member?
  @usableFromInline var previous: Member?

  @inlinable package init() {}
}

/// What a list is a list of: the type of its members, and which of their fields are its links.
/// An object that is in two lists at a time has two fields, and each list a linkage of its own.
@usableFromInline
package protocol ListLinkage {
  /// A pointer to the member, or a reference that is not counted.
  associatedtype Member
  /// The links of `member`, which no other list uses.
  static func links(of member: Member) -> ListLinks<Member>.Pointer
}

@frozen @usableFromInline
package struct IntrusiveList<Linkage: ListLinkage>: Sequence {
  @usableFromInline package typealias Member = Linkage.Member

  @usableFromInline package internal(set) var first: Member?
  @usableFromInline package internal(set) var last: Member?
  @usableFromInline package internal(set) var count = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { first == nil }

  /// Puts a member that is in no list behind the others.
  @inlinable
  package mutating func append(_ member: Member) {
    let links = Linkage.links(of: member)
    links.pointee.next = nil
    links.pointee.previous = last
    if let last { Linkage.links(of: last).pointee.next = member } else { first = member }
    last = member
    count += 1
  }

  /// Puts a member that is in no list before the others.
  @inlinable
  package mutating func prepend(_ member: Member) {
    let links = Linkage.links(of: member)
    links.pointee.next = first
    links.pointee.previous = nil
    if let first { Linkage.links(of: first).pointee.previous = member } else { last = member }
    first = member
    count += 1
  }

  /// Takes a member out.
  ///
  /// - Returns: false if it is in no list.
  @inlinable @inline(__always) @discardableResult
  package mutating func remove(_ member: Member) -> Bool {
    let links = Linkage.links(of: member)
    let (next, previous) = (links.pointee.next, links.pointee.previous)
    if let previous {
      Linkage.links(of: previous).pointee.next = next
    } else if let first, Linkage.links(of: first) == links {
      self.first = next
    } else {
      return false
    }
    if let next { Linkage.links(of: next).pointee.previous = previous } else { last = previous }
    links.initialize(to: ListLinks())
    count -= 1
    return true
  }

  @inlinable
  package mutating func removeFirst() -> Member? {
    guard let first else { return nil }
    remove(first)
    return first
  }

  // MARK: Looking

  /// From the first member to the last. The one that was given last may be removed meanwhile.
  @inlinable
  package func makeIterator() -> Iterator { Iterator(next: first) }

  @frozen @usableFromInline
  package struct Iterator: IteratorProtocol {
    @usableFromInline var upcoming: Member?

    @inlinable init(next: Member?) { upcoming = next }

    @inlinable
    package mutating func next() -> Member? {
      guard let member = upcoming else { return nil }
      upcoming = Linkage.links(of: member).pointee.next
      return member
    }
  }
}

extension EngineLock {
  /// What `look` returns for each member of a list that this lock guards, in its order, without
  /// those for which it returns nil.
  ///
  /// `look` runs under the lock: it must not allocate or free memory. The array gets its room
  /// outside the lock, with some to spare for members that others add before the next look.
  @inlinable
  package borrowing func snapshot<Linkage, Element>(
    of list: @autoclosure () -> IntrusiveList<Linkage>, _ look: (Linkage.Member) -> Element?
  ) -> [Element] {
    var all: [Element] = []
    var room = 0
    while true {
      all.reserveCapacity(room)
      lock()
      let list = list()
      if list.count <= room {
        for member in list {
          if let element = look(member) { all.append(element) }
        }
        unlock()
        return all
      }
      unlock()
      room = list.count + 16
    }
  }
}
