import SignalboxRunLoop

extension Listing {
  static let number004_09 = Listing(
    "004-09", heading: "Configuring run loop observers",
    shows: "the observer's context structure",
    outcome: "version must be 0",
    truth: "another version ends the process with a report",
    rows: ["R7"],
    fault: {
      var context = CFRunLoopObserverContext()
      context.version = 1
      _ = CFRunLoopObserverCreate(
        kCFAllocatorDefault, CFRunLoopActivity.allActivities.rawValue, true, 0, { _, _, _ in },
        &context)
    }
  ) { story in
    let counts = Cell((retains: 0, releases: 0))
    let object = OwnerOfCallBacks.make("the owner", Transcript())
    do {
      var context = CFRunLoopObserverContext(
        version: 0, info: object.address,
        retain: { info in
          counts.withValue { $0.retains += 1 }
          return info
        },
        release: { _ in counts.withValue { $0.releases += 1 } },
        copyDescription: { _ in "the owner of the call-backs" })
      let observer = CFRunLoopObserverCreate(
        kCFAllocatorDefault, CFRunLoopActivity.entry.rawValue, true, 0, { _, _, _ in }, &context)!
      story.check(counts.value.retains, is: 1, "the observer retains what the pointer is to")
      story.check("\(observer)".contains("the owner of the call-backs"), "and describes it")
      var found = CFRunLoopObserverContext()
      CFRunLoopObserverGetContext(observer, &found)
      story.check(found.info == object.address, "the context can be read back")
      story.check(found.version, is: 0, "with its version")
      CFRunLoopObserverInvalidate(observer)
    }
    story.check(counts.value.retains, is: 1, "it is retained once")
    story.check(counts.value.releases, is: 1, "and released once")
    let report = try story.runFault()
    story.check(report.wasTrapped, "a context of version 1 is refused")
    story.check(report.message.contains("version"), "and the report says why")
  }
}

/// What a C-style pointer is to.
enum OwnerOfCallBacks {
  struct Owned: Sendable {
    let object: Document004.Temporary
    // SAFETY: whoever has the value keeps the object.
    nonisolated(unsafe) let address: UnsafeMutableRawPointer
  }

  static func make(_ name: String, _ order: Transcript) -> Owned {
    let object = Document004.Temporary(name, order)
    // SAFETY: not retained: the value keeps it.
    return Owned(object: object, address: Unmanaged.passUnretained(object).toOpaque())
  }
}
