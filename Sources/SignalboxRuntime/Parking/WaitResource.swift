// WaitResource — what a thread waits for, in the words of reports.

/// Why a thread sleeps.
@frozen @usableFromInline
package enum WaitReason: UInt8, Sendable, CaseIterable {
  case sync, semaphore, group, workItem, once, iterations, mainQueue, test
  case lock, readLock, writeLock, condition, join, time, value, runLoop, perform
  case operation, operations, source

  /// Whether the thread waits to take a lock.
  package var isForLock: Bool { self == .lock || self == .readLock || self == .writeLock }

  /// Whether the thread has nothing to do until work arrives.
  package var isIdle: Bool { self == .mainQueue || self == .runLoop }

  /// The text of a report after "waits".
  package var phrase: StaticString {
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
    case .source: "for the handler of"
    }
  }
}

/// What a thread waits for: an object that knows its name and which threads must continue first.
///
/// SAFETY: `object` is not retained. The waiting thread holds a reference during the
/// wait. A record is read only under its own lock, which `withdraw()` takes before the
/// wait returns.
@frozen @usableFromInline
package struct WaitResource: @unchecked Sendable {
  /// The object's kind and label.
  @usableFromInline package typealias Describe = @Sendable (UnsafeRawPointer) -> String
  /// The threads that must continue before the waiting thread, which has the given
  /// number, can.
  @usableFromInline package typealias Need = @Sendable (UnsafeRawPointer, UInt32) -> WaitNeed
  /// The place of the thread with this stack: "on the queue …". Empty if it has none.
  @usableFromInline package typealias Place = @Sendable (ThreadStack) -> String

  package let object: UnsafeRawPointer?
  package let describe: Describe
  /// The object's state, to follow its description: ", which has begun". Recordings do
  /// not use it.
  package let situation: Describe?
  /// nil if no particular thread ends the wait, as for a semaphore.
  package let need: Need?
  package let place: Place?
  /// Whether the waiting thread takes the resource itself, like a lock, instead of
  /// receiving it. The word on which it sleeps may then change again and again while it
  /// waits. Only `need` says whether the thread can continue.
  package let isTaken: Bool
  /// What a third thread may do to end the wait, if the resource knows.
  package let release: WaitRelease
  /// The name that the program gave the object. The check of lock orders treats locks
  /// with the same name as one class.
  private let nameOf: Name?
  /// The name of the object at this address; nil or empty if it has none.
  @usableFromInline package typealias Name = @Sendable (UnsafeRawPointer) -> String?

  /// What a reader in another process can see of the resource.
  package let view: OutsideView

  /// Whether the object may be freed without a call of `Probe.lockFreed`, so that its address may
  /// be reused unnoticed. The check learns no orders for such locks.
  package let endsUntold: Bool

  package init(
    object: UnsafeRawPointer?, isTaken: Bool = false, endsUntold: Bool = false,
    release: WaitRelease = .nobody, describe: @escaping Describe, situation: Describe? = nil,
    need: Need? = nil, place: Place? = nil, name: Name? = nil, view: OutsideView = OutsideView()
  ) {
    self.object = object
    self.isTaken = isTaken
    self.view = view
    self.endsUntold = endsUntold
    self.release = release
    nameOf = name
    self.describe = describe
    self.situation = situation
    self.need = need
    self.place = place
  }

  /// A resource with a name and without an owner.
  package static func named(_ name: StaticString) -> WaitResource {
    WaitResource(
      object: UnsafeRawPointer(name.utf8Start),
      // SAFETY: a static C string.
      describe: { String(cString: $0.assumingMemoryBound(to: CChar.self)) },
      view: OutsideView(name, label: .whole))
  }

  /// The same resource for a wait in which no search looks for a deadlock.
  package var withoutNeed: WaitResource {
    WaitResource(
      object: object, isTaken: isTaken, endsUntold: endsUntold, release: release,
      describe: describe, situation: situation, place: place, name: nameOf, view: view)
  }

  /// The description without the state. It never changes while the object exists.
  package var title: String { object.map(describe) ?? "nothing" }

  package var description: String {
    title + (object.flatMap { object in situation?(object) } ?? "")
  }

  package var name: String? { object.flatMap { nameOf?($0) } }

  package func need(of thread: UInt32) -> WaitNeed {
    guard let object, let need else { return .nobody }
    return need(object, thread)
  }
}
