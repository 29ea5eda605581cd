import SignalboxRunLoop

extension Listing {
  static let number004_32 = Listing(
    "004-32", heading: "Removing a source",
    shows: "removing a source, and what the framework does then",
    outcome: "the cancel callback runs",
    rows: ["R3"]
  ) { story in
    let told = Transcript()
    let result = onLoopThread { loop in
      var context = CFRunLoopSourceContext()
      context.cancel = { _, found, mode in
        told.append("cancel in \(mode!.rawValue)\(found === loop ? "" : " of another loop")")
      }
      context.perform = { _ in told.append("perform") }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      CFRunLoopAddSource(loop, source, .defaultMode)
      CFRunLoopSourceSignal(source)
      for _ in 0..<2 { CFRunLoopRemoveSource(loop, source, .defaultMode) }
      return CFRunLoopRunInMode(.defaultMode, 10, false)
    }
    story.tell(told)
    story.check(
      told.lines, is: ["cancel in kCFRunLoopDefaultMode"],
      "once, with loop and mode; though it was marked it is not performed")
    story.check(result, is: .finished, "a loop without its last source has nothing to run for")
  }
}
