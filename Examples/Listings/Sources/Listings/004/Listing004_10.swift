import SignalboxRunLoop

extension Listing {
  static let number004_10 = Listing(
    "004-10", heading: "Configuring run loop observers",
    shows: "how C pointer parameters appear in Swift",
    outcome: "a pointer to a constant is an UnsafePointer, another one an UnsafeMutablePointer",
    truth: "today a void pointer is a raw pointer, and may be missing",
    rows: ["R7", "R3"]
  ) { story in
    // The names of the document's three functions.
    func functionWithConstArg(_ constIntPointer: UnsafePointer<Int32>) -> Int32 {
      constIntPointer.pointee
    }
    func functionWithNotConstArg(_ notConstIntPointer: UnsafeMutablePointer<UInt32>) {
      notConstIntPointer.pointee += 1
    }
    func functionWithNoReturnArg(_ voidPointer: UnsafeMutableRawPointer?) -> Bool {
      voidPointer == nil
    }
    var (constant, counted): (Int32, UInt32) = (7, 7)
    story.check(functionWithConstArg(&constant), is: 7, "a value is read through its pointer")
    functionWithNotConstArg(&counted)
    story.check(counted, is: 8, "and changed through one that may change it")
    story.check(functionWithNoReturnArg(nil), "a void pointer may be nil")

    var context = CFRunLoopSourceContext()
    context.info = UnsafeMutableRawPointer(bitPattern: 16)
    context.retain = { info in info }
    let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)!
    var found = CFRunLoopSourceContext()
    CFRunLoopSourceGetContext(source, &found)
    story.check(
      found.info == context.info, "& passes a context's address: it is copied, its pointer kept")
  }
}
