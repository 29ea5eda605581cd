import SignalboxRunLoop

extension Listing {
  static let number004_20 = Listing(
    "004-20", heading: "Creating a run loop source",
    shows: "creating a custom source",
    outcome: "of several marked sources, order 0 goes first",
    truth:
      "the lowest order goes first, negative ones before 0; of equals, the one that was "
      + "added first",
    rows: ["R3"]
  ) { story in
    let performed = Transcript()
    onLoopThread { loop in
      for (number, order) in [2, 0, -3, 0].enumerated() {
        let source = makeCustomSource(order: order) {
          performed.append("order \(order), added as number \(number)")
        }
        CFRunLoopAddSource(loop, source, .defaultMode)
        CFRunLoopSourceSignal(source)
      }
      CFRunLoopRunInMode(.defaultMode, 0, false)
    }
    story.tell(performed)
    story.check(
      performed.lines,
      is: [
        "order -3, added as number 2", "order 0, added as number 1", "order 0, added as number 3",
        "order 2, added as number 0",
      ], "in their order")
  }
}
