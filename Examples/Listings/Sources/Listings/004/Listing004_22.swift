import SignalboxRunLoop

extension Listing {
  static let number004_22 = Listing(
    "004-22", heading: "Adding the source to a run loop",
    shows: "adding a source to a loop in a mode",
    outcome: "it is performed when the loop runs in that mode",
    rows: ["R3", "R2"]
  ) { story in
    let performed = Transcript()
    let facts = onLoopThread { loop in
      let (own, other) = (CFRunLoopMode("own"), CFRunLoopMode("other"))
      let source = makeCustomSource { performed.append("performed") }
      CFRunLoopAddSource(loop, source, own)
      CFRunLoopAddSource(loop, makeCustomSource(), other)
      CFRunLoopSourceSignal(source)
      CFRunLoopRunInMode(other, 0, false)
      let before = performed.lines.count
      CFRunLoopRunInMode(own, 0, false)
      return [before, performed.lines.count]
    }
    story.check(facts[0], is: 0, "another mode holds it back")
    story.check(facts[1], is: 1, "its own mode lets it through, later")
  }
}
