import SignalboxDispatch

extension Listing {
  static let number000_05 = Listing(
    "000-05", heading: "Making your singleton thread-safe",
    shows: "two items on the high-priority global queue ask for the shared instance",
    outcome: "several instances with the code of 000-04, exactly one with that of 000-06",
    rows: ["P2", "Q4"]
  ) { story in
    let racing = Document000.RacingSingleton(callers: 2)
    Document000.askTwice { _ = racing.sharedManager() }
    story.check(Set(racing.log.lines).count, is: 2, "the nil check makes two instances")

    let once = Document000.OnceSingleton()
    Document000.askTwice { _ = once.sharedManager() }
    story.check(once.log.lines.count, is: 1, "once makes one and no more")
  }
}

extension Document000 {
  /// The start of the application, and a wait for both items.
  static func askTwice(_ sharedManager: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    DispatchQueue.global(priority: .high).async(group: group) {
      sharedManager()
    }
    DispatchQueue.global(priority: .high).async(group: group) {
      sharedManager()
    }
    group.wait()
  }
}
