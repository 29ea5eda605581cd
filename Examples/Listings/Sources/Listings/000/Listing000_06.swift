import SignalboxDispatch

extension Listing {
  static let number000_06 = Listing(
    "000-06", heading: "Making your singleton thread-safe",
    shows: "creation inside once, the pauses kept",
    outcome: "one instance and no more is logged",
    rows: ["Q9", "P2"]
  ) { story in
    let secondIsHere = DispatchSemaphore(value: 0)
    let bodyHasBegun = DispatchSemaphore(value: 0)
    // The pause lasts until the second caller is about to ask as well.
    let singleton = Document000.OnceSingleton {
      bodyHasBegun.signal()
      secondIsHere.wait()
    }
    let managers = Cell<[ObjectIdentifier?]>([])
    let group = DispatchGroup()
    DispatchQueue.global(priority: .high).async(group: group) {
      let manager = singleton.sharedManager()
      managers.withValue { $0.append(manager.map(ObjectIdentifier.init)) }
    }
    DispatchQueue.global(priority: .high).async(group: group) {
      bodyHasBegun.wait()
      secondIsHere.signal()
      let manager = singleton.sharedManager()
      managers.withValue { $0.append(manager.map(ObjectIdentifier.init)) }
    }
    group.wait()

    story.tell(singleton.log)
    story.check(singleton.log.lines.count, is: 1, "one creation is logged")
    story.check(
      managers.value.count == 2 && !managers.value.contains(nil),
      "who asks during the creation gets an instance, not nil")
    story.check(Set(managers.value).count, is: 1, "both callers hold the same instance")
  }
}

extension Document000 {
  final class OnceSingleton: Sendable {
    let log = Transcript()
    private let sharedPhotoManager = Cell<PlainPhotoManager?>(nil)
    private let onceToken = DispatchOnce()
    private let pause: @Sendable () -> Void

    init(pause: @escaping @Sendable () -> Void = {}) { self.pause = pause }

    func sharedManager() -> PlainPhotoManager? {
      onceToken.perform {
        pause()
        let manager = PlainPhotoManager()
        sharedPhotoManager.value = manager
        log.append("Singleton has memory address at: \(ObjectIdentifier(manager))")
      }
      return sharedPhotoManager.value
    }
  }
}
