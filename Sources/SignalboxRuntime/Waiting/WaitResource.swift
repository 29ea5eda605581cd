// WaitResource — what a thread waits for, in words a report can print.

/// Why a thread sleeps.
@frozen @usableFromInline
package enum WaitReason: UInt8, Sendable, CaseIterable {
  case sync, semaphore, group, workItem, once, iterations, mainQueue, test
  case lock, readLock, writeLock, condition, join, time, value, runLoop, perform
  case operation, operations

  /// As it stands in a report: "waits …".
  package var words: String {
    switch self {
    case .sync: "in sync, for"
    case .semaphore: "for a signal of"
    case .group: "for"
    case .workItem: "for"
    case .once: "for the body of"
    case .iterations: "for the last iterations of"
    case .mainQueue: "for work on"
    case .test: "in a test, on"
    case .lock: "for"
    case .readLock: "to read under"
    case .writeLock: "to write under"
    case .condition: "for a signal of"
    case .join, .operation, .operations: "for the end of"
    case .time: "for"
    case .value: "for a value of"
    case .runLoop: "for input of"
    case .perform: "for a block performed by"
    }
  }

  /// Whether it is the wait of a thread that wants a lock.
  var isForLock: Bool { self == .lock || self == .readLock || self == .writeLock }

  /// Whether who waits so takes a lock before it goes on.
  var needsLock: Bool { isForLock || self == .condition || self == .value }
}

/// What a thread waits for: an object that can name itself and whom it needs.
///
/// SAFETY: `object` is not retained. Whoever waits on it holds a reference for
/// the length of the wait, and a record is only read under its own lock, which
/// `withdraw()` takes before the wait returns to that caller.
@frozen @usableFromInline
package struct WaitResource: @unchecked Sendable {
  /// Says what the object is, with its label.
  @usableFromInline package typealias Describe = @Sendable (UnsafeRawPointer) -> String
  /// Who must go on before the waiting thread, which has the given number, can.
  @usableFromInline package typealias Need = @Sendable (UnsafeRawPointer, UInt32) -> WaitNeed
  /// Where the thread with this stack is: "on the queue …". Empty if nowhere.
  @usableFromInline package typealias Place = @Sendable (ThreadStack) -> String

  package let object: UnsafeRawPointer?
  package let describe: Describe
  /// In what state it is, to be said behind that: ", which has begun". A recording does without.
  package let situation: Describe?
  /// nil where nobody in particular ever ends the wait: a semaphore.
  package let need: Need?
  package let place: Place?
  /// Whether the waiting thread takes the resource itself, as it takes a lock, and
  /// is handed nothing: the word it sleeps on may then change, and change again,
  /// while it waits. Its `need` alone tells whether it can go on.
  package let isTaken: Bool
  /// What a third thread may do to end the wait, if the resource knows.
  package let release: WaitRelease
  /// The name that the program gave it: locks of one name are one class for who
  /// checks their order.
  private let nameOf: Name?
  /// The name of the object at this address; nil or empty if it has none.
  @usableFromInline package typealias Name = @Sendable (UnsafeRawPointer) -> String?

  /// Whether nobody says when the object is gone and its address something else's
  /// (`Probe.lockFreed`): its orders are not learned.
  let endsUntold: Bool

  package init(
    object: UnsafeRawPointer?, isTaken: Bool = false, endsUntold: Bool = false,
    release: WaitRelease = .nobody, describe: @escaping Describe, situation: Describe? = nil,
    need: Need? = nil, place: Place? = nil, name: Name? = nil
  ) {
    self.object = object
    self.isTaken = isTaken
    self.endsUntold = endsUntold
    self.release = release
    nameOf = name
    self.describe = describe
    self.situation = situation
    self.need = need
    self.place = place
  }

  /// A resource that has a name and no owner.
  package static func named(_ name: StaticString) -> WaitResource {
    WaitResource(object: UnsafeRawPointer(name.utf8Start)) {
      String(cString: $0.assumingMemoryBound(to: CChar.self))  // SAFETY: a static C string.
    }
  }

  /// What it is, which stays the same as long as it is there.
  var title: String { object.map(describe) ?? "nothing" }

  package var description: String {
    title + (object.flatMap { object in situation?(object) } ?? "")
  }

  var name: String? { object.flatMap { nameOf?($0) } }

  func need(of thread: UInt32) -> WaitNeed {
    guard let object, let need else { return .nobody }
    return need(object, thread)
  }
}
