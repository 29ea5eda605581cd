// WaitResource — what a thread waits for, in words a report can print.

/// Why a thread sleeps.
@frozen
package enum WaitReason: UInt8, Sendable, CaseIterable {
  case sync, semaphore, group, workItem, once, iterations, mainQueue, test

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
    }
  }
}

/// What a thread waits for: an object that can name itself and its owner.
///
/// SAFETY: `object` is not retained. Whoever waits on it holds a reference for
/// the length of the wait, and a record is only read under its own lock, which
/// `withdraw()` takes before the wait returns to that caller.
@frozen
package struct WaitResource: @unchecked Sendable {
  package let object: UnsafeRawPointer?
  /// Says what the object is, with its label.
  package let describe: @Sendable (UnsafeRawPointer) -> String
  /// The number of the thread that holds it; 0 where nobody does or nobody can.
  package let owner: @Sendable (UnsafeRawPointer) -> UInt32

  package init(
    object: UnsafeRawPointer?,
    describe: @escaping @Sendable (UnsafeRawPointer) -> String,
    owner: @escaping @Sendable (UnsafeRawPointer) -> UInt32 = { _ in 0 }
  ) {
    self.object = object
    self.describe = describe
    self.owner = owner
  }

  /// A resource that has a name and no owner.
  package static func named(_ name: StaticString) -> WaitResource {
    WaitResource(object: UnsafeRawPointer(name.utf8Start)) {
      String(cString: $0.assumingMemoryBound(to: CChar.self))  // SAFETY: a static C string.
    }
  }

  var description: String { object.map(describe) ?? "nothing" }
  var ownerNumber: UInt32 { object.map(owner) ?? 0 }
}
