// IntrusiveList — a doubly linked list whose links are fields of its members.
//
// Adding and removing a member takes constant time and allocates no memory, so code may change a
// list under an `EngineLock`. The list does not retain its members: its user retains them, or
// removes each one before it is freed.
//
// Touching    a list, and the links of its members: under the lock of the list.
// Invariants  I1  a member is in the list ⇔ it is the first one, or has a previous one.
//             I2  the links of an object that is in no list are nil. The exception is a list that
//                 a forked child replaces by an empty one: its former members may enter a list,
//                 but must not leave the former one. `removeAll` has no exception.
// Rejected    an array of members: it would grow under the lock, and removing a member would
//             need a search.
//             Links through a key path: each step calls the runtime.

/// The two links by which an object is a member of a list.
///
/// In a class the field is `@exclusivity(unchecked)`: the lock of the list excludes other
/// threads, and the runtime's check costs as much as the change.
@frozen @usableFromInline
package struct ListLinks<Member> {
  /// SAFETY: an address in a member, which does not move.
  @usableFromInline package typealias Pointer = UnsafeMutablePointer<ListLinks>

  @usableFromInline var next: Member?
  @usableFromInline var previous: Member?

  @inlinable package init() {}

  /// The distance of `next` from the beginning.
  package static var offsetOfNext: Int? { MemoryLayout<ListLinks>.offset(of: \.next) }
}

/// Describes a list: the type of its members, and the field that holds their links. An object that
/// is in two lists at a time has two such fields, and each of the lists has its own linkage.
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

  /// Adds a member at the end. The member must not be in a list.
  @inlinable
  package mutating func append(_ member: Member) {
    let links = Linkage.links(of: member)
    links.pointee.next = nil
    links.pointee.previous = last
    if let last { Linkage.links(of: last).pointee.next = member } else { first = member }
    last = member
    count += 1
  }

  /// Adds a member at the beginning. The member must not be in a list.
  @inlinable
  package mutating func prepend(_ member: Member) {
    let links = Linkage.links(of: member)
    links.pointee.next = first
    links.pointee.previous = nil
    if let first { Linkage.links(of: first).pointee.previous = member } else { last = member }
    first = member
    count += 1
  }

  /// Removes a member.
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

  /// Removes all members. Each may then be freed, or enter another list.
  @inlinable
  package mutating func removeAll() {
    for member in self { Linkage.links(of: member).initialize(to: ListLinks()) }
    self = IntrusiveList()
  }

  // MARK: Iterating

  /// Iterates from the first member to the last. You may remove the member that the iterator
  /// returned last.
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
  /// Calls `look` for each member of a list that this lock guards, in the order of the list, and
  /// returns the results that are not nil.
  ///
  /// `look` runs under the lock, so it must not allocate or free memory. The array reserves its
  /// memory outside the lock, with spare room for members that other threads add in the meantime.
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
