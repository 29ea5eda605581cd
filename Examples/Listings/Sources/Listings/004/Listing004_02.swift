import SignalboxThreads

extension Listing {
  static let number004_02 = Listing(
    "004-02", heading: "Autorelease pool",
    shows: "a thread's main routine in a pool object",
    outcome: "the objects in the pool are released with the pool, at the end of the task",
    truth:
      "there is no pool object and none is needed: an object is freed with its last "
      + "reference, and the thread's own values with the thread",
    rows: ["Q16", "T1"]
  ) { story in
    let order = Transcript()
    let thread = JoinableThread {
      // The topmost pool.
      let pool = Document004.AutoreleasePool()
      pool.add(Document004.Temporary("the pool's object", order))
      order.append("the work is done")
      pool.release()
      order.append("the pool is released")

      _ = Document004.Temporary("an object without a pool", order)
      Thread.current.threadDictionary["object"] = Document004.Temporary(
        "the thread's object", order)
      order.append("the routine ends")
    }
    thread.start()
    thread.join()

    story.tell(order)
    story.check(
      Array(order.lines.prefix(3)),
      is: ["the work is done", "the pool's object is released", "the pool is released"],
      "the pool keeps its object until the work is done")
    story.check(
      Array(order.lines.dropFirst(3)),
      is: [
        "an object without a pool is released", "the routine ends",
        "the thread's object is released",
      ], "without a pool: at the last reference, or at the thread's end")
  }
}

extension Document004 {
  /// Stands in for `NSAutoreleasePool`: it keeps what it is given until it is released.
  final class AutoreleasePool {
    private var objects: [AnyObject] = []
    func add(_ object: AnyObject) { objects.append(object) }
    func release() { objects = [] }
  }

  /// An object that tells when it goes.
  final class Temporary: Sendable {
    private let name: String
    private let order: Transcript

    init(_ name: String, _ order: Transcript) {
      self.name = name
      self.order = order
    }

    deinit { order.append("\(name) is released") }
  }
}
