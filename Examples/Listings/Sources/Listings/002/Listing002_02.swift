import SignalboxDispatch

extension Listing {
  static let number002_02 = Listing(
    "002-02", heading: "Creating a singleton",
    shows: "a shared instance with once",
    outcome: "one instance for all callers; Swift has a simpler way to the same",
    rows: ["Q9", "P2"]
  ) { story in
    let withOnce = Cell<Set<ObjectIdentifier>>([])
    let withStatic = Cell<Set<ObjectIdentifier>>([])
    let start = Rendezvous(of: 2)
    runSideBySide(2) { _ in
      // Both threads set out together.
      start.arrive()
      for _ in 0..<500 {
        let first = Document002.OnceInstance.sharedInstance()
        let second = Document002.StaticInstance.shared
        withOnce.withValue { _ = $0.insert(ObjectIdentifier(first)) }
        withStatic.withValue { _ = $0.insert(ObjectIdentifier(second)) }
      }
    }
    story.check(withOnce.value.count, is: 1, "with once: one instance")
    story.check(Document002.OnceInstance.creations.value, is: 1, "made once")
    story.check(withStatic.value.count, is: 1, "with a static constant: one instance")
    story.check(Document002.StaticInstance.creations.value, is: 1, "made once")
  }
}

extension Document002 {
  final class OnceInstance: Sendable {
    static let creations = Cell(0)
    private static let onceToken = DispatchOnce()
    private static let instance = Cell<OnceInstance?>(nil)

    static func sharedInstance() -> OnceInstance {
      onceToken.perform {
        instance.value = OnceInstance()
      }
      return instance.value!
    }

    private init() { Self.creations.withValue { $0 += 1 } }
  }

  final class StaticInstance: Sendable {
    static let creations = Cell(0)
    static let shared = StaticInstance()

    private init() { Self.creations.withValue { $0 += 1 } }
  }
}
