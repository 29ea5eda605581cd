import SignalboxDispatch

extension Listing {
  static let number000_04 = Listing(
    "000-04", heading: "Making your singleton thread-safe",
    shows: "the nil check with a pause before and after creation, so that the race must happen",
    outcome: "instances with different addresses are logged",
    truth: "no sleep is needed to force it: the callers meet behind the check",
    rows: ["P2", "T1"]
  ) { story in
    let singleton = Document000.RacingSingleton(callers: 2)
    runSideBySide(2) { _ in _ = singleton.sharedManager() }

    story.tell(singleton.log)
    story.check(singleton.log.lines.count, is: 2, "two creations are logged")
    story.check(Set(singleton.log.lines).count, is: 2, "their addresses differ")
  }
}

extension Document000 {
  final class RacingSingleton: Sendable {
    let log = Transcript()
    private let sharedPhotoManager = Cell<PlainPhotoManager?>(nil)
    /// Keeps every instance, so that no address is used twice.
    private let instances = Cell<[PlainPhotoManager]>([])
    /// Where the document sleeps for two seconds.
    private let pause: Rendezvous

    init(callers: Int) { pause = Rendezvous(of: callers) }

    func sharedManager() -> PlainPhotoManager? {
      if sharedPhotoManager.value == nil {
        pause.arrive()
        let manager = PlainPhotoManager()
        instances.withValue { $0.append(manager) }
        sharedPhotoManager.value = manager
        log.append("Singleton has memory address at: \(ObjectIdentifier(manager))")
        pause.arrive()
      }
      return sharedPhotoManager.value
    }
  }
}
