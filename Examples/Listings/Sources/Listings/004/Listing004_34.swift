import SignalboxRunLoop

extension Listing {
  static let number004_34 = Listing(
    "004-34", heading: "The sample: custom sources in use",
    shows: "context with schedule, cancel and perform; creation of source and command buffer",
    outcome: "each call-back is reached; the buffer begins empty",
    truth: "a bare pointer to the object outlives it; a closure that captures it weakly does not",
    rows: ["W2", "R3"]
  ) { story in
    let called = Transcript()
    let isEmpty = onLoopThread { loop in
      let source = Document004.SampleSource(
        "main", schedule: { _, _ in called.append("schedule") },
        cancel: { called.append("cancel") }, perform: { called.append("perform") })
      source.addToCurrentRunLoop()
      CFRunLoopSourceSignal(source.source)
      CFRunLoopRunInMode(.defaultMode, 0, false)
      CFRunLoopRemoveSource(loop, source.source, .defaultMode)
      return source.commandBuffer.value.isEmpty
    }
    story.check(called.lines, is: ["schedule", "perform", "cancel"], "each at its time")
    story.check(isEmpty, "no command waits yet")

    // The repair: the source goes on without its object, and does nothing.
    let order = Transcript()
    onLoopThread { loop in
      var object: Document004.Temporary? = Document004.Temporary("the object", order)
      var context = CFRunLoopSourceContext()
      context.perform = { [weak object] _ in
        order.append(object == nil ? "performed without it" : "performed with it")
      }
      let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
      CFRunLoopAddSource(loop, source, .defaultMode)
      object = nil
      CFRunLoopSourceSignal(source)
      CFRunLoopRunInMode(.defaultMode, 0, false)
    }
    story.check(
      order.lines, is: ["the object is released", "performed without it"],
      "a source may outlive its object, if it does not point to it")
  }
}
