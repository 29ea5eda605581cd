import SignalboxRunLoop

extension Listing {
  static let number004_34 = Listing(
    "004-34", heading: "The sample: custom sources in use",
    shows: "context with schedule, cancel and perform; creation of source and command buffer",
    outcome: "each callback is reached; the buffer is empty at first",
    truth:
      "a bare pointer to the object outlives it. A context that retains the object keeps "
      + "it; a closure with a weak capture needs no such context",
    rows: ["W2", "R3"]
  ) { story in
    let called = Transcript()
    let isEmpty = onLoopThread { loop in
      let source = Document004.SampleSource(
        "main", schedule: { _, _ in called.append("schedule") },
        cancel: { called.append("cancel") }, perform: { called.append("perform") })
      let other = Document004.SampleSource("secondary")
      let isEmpty = source.commandBuffer.value.isEmpty
      source.commandBuffer.withValue {
        $0.append(Document004.SampleContext(runloop: loop, runloopSource: other))
      }
      called.append("made")
      source.addToCurrentRunLoop()
      CFRunLoopSourceSignal(source.source)
      CFRunLoopRunInMode(.defaultMode, 0, false)
      CFRunLoopRemoveSource(loop, source.source, .defaultMode)
      return [isEmpty, other.commandBuffer.value.isEmpty, source.commandBuffer.value.isEmpty]
    }
    story.check(called.lines, is: ["made", "schedule", "perform", "cancel"], "each at its time")
    story.check(isEmpty[0], "the buffer is made with the source, and begins empty")
    story.check(isEmpty[1] && !isEmpty[2], "each source has its own")

    // The fault: the printed context, which has the object's address and keeps nothing. The
    // call-back compares the pointer and does not follow it.
    let bare = Transcript()
    let afterwards = Transcript()
    for (isRetained, told) in [(false, bare), (true, afterwards)] {
      onLoopThread { loop in
        var object: Document004.Temporary? = Document004.Temporary("the object", told)
        let address = ObjectPointer.to(object!)
        var context = CFRunLoopSourceContext()
        context.info = address
        if isRetained {
          context.retain = ObjectPointer.retain
          context.release = ObjectPointer.release
        }
        context.perform = { info in
          told.append("performed with \(info == address ? "its" : "another") address")
        }
        let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
        CFRunLoopAddSource(loop, source, .defaultMode)
        object = nil
        CFRunLoopSourceSignal(source)
        CFRunLoopRunInMode(.defaultMode, 0, false)
        CFRunLoopSourceInvalidate(source)
      }
    }
    story.check(
      bare.lines, is: ["the object is released", "performed with its address"],
      "the fault: the call-back is given the address of an object that is gone")
    story.check(
      afterwards.lines, is: ["performed with its address", "the object is released"],
      "a repair: a context that retains the object keeps it until the source is invalid")

    // Another: the source goes on without its object, and does nothing.
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
