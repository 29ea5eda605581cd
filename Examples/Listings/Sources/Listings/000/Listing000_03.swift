import SignalboxDispatch

extension Listing {
  static let number000_03 = Listing(
    "000-03", heading: "Making your singleton thread-safe",
    shows: "a plain nil check creates the shared instance",
    outcome: "two threads can each create an instance",
    rows: ["P2", "W1"]
  ) { story in
    let alone = Document000.NaiveSingleton()
    story.check(
      alone.sharedManager() === alone.sharedManager(), "one thread alone always gets one instance")

    // The order of events in the text: thread A is past the check when it is
    // interrupted; thread B checks, makes its instance and leaves; A goes on.
    let singleton = Document000.NaiveSingleton()
    let aHasChecked = DispatchSemaphore(value: 0)
    let bHasLeft = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let managers = Cell<[Document000.PlainPhotoManager?]>([nil, nil])
    DispatchQueue.global().async(group: group) {
      let manager = singleton.sharedManager {
        aHasChecked.signal()
        bHasLeft.wait()
      }
      managers.withValue { $0[0] = manager }
    }
    DispatchQueue.global().async(group: group) {
      aHasChecked.wait()
      let manager = singleton.sharedManager()
      managers.withValue { $0[1] = manager }
      bHasLeft.signal()
    }
    group.wait()
    let (a, b) = (managers.value[0], managers.value[1])
    story.check(a != nil && b != nil && a !== b, "the fault: A and B hold different instances")

    // The repair in Swift needs no code at all: see also 000-07.
    let seen = Cell<Set<ObjectIdentifier>>([])
    DispatchQueue.concurrentPerform(iterations: 100) { _ in
      let manager = SharedInstance.manager
      seen.withValue { _ = $0.insert(ObjectIdentifier(manager)) }
    }
    story.check(seen.value.count, is: 1, "the repair: a static constant is made once")
  }
}

private enum SharedInstance {
  static let manager = Document000.PlainPhotoManager()
}

extension Document000 {
  /// Keeps its photos without any guard between a read and a write.
  final class PlainPhotoManager: Sendable {
    let photosArray = Cell<[Photo]>([])
  }

  final class NaiveSingleton: Sendable {
    private let sharedPhotoManager = Cell<PlainPhotoManager?>(nil)

    /// `interruption` is what happens between check and assignment.
    func sharedManager(interruption: () -> Void = {}) -> PlainPhotoManager {
      if let manager = sharedPhotoManager.value { return manager }
      interruption()
      let manager = PlainPhotoManager()
      sharedPhotoManager.value = manager
      return manager
    }
  }
}
