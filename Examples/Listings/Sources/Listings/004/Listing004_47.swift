import SignalboxLocks
import SignalboxThreads

extension Listing {
  static let number004_47 = Listing(
    "004-47", heading: "Pitfalls of thread-safety mechanisms",
    shows: "an element is read under a lock and used after unlocking",
    outcome: "another thread may empty the array in between: the use fails",
    truth:
      "a Swift reference keeps its object; the use fails only with a reference that does "
      + "not own the object",
    rows: ["L1", "L12"],
    fault: {
      // A reference that does not own its object, and says so when it is used.
      let array = Document004.SharedArray()
      array.lock.lock()
      unowned let anObject = array.objects[0]
      array.lock.unlock()
      array.emptyOnAnotherThread()
      print(anObject.doSomething())
    }
  ) { story in
    let alone = Document004.SharedArray()
    story.check(
      Document004.useAfterUnlocking(alone) {}, is: "the object does something",
      "alone the use after unlocking works")

    let array = Document004.SharedArray()
    story.check(
      Document004.useAfterUnlocking(array) { array.emptyOnAnotherThread() }, is: nil,
      "the fault: emptied in between, the array took the object with it")

    let report = try story.runFault()
    story.check(report.wasTrapped, "used without owning it, the object that is gone is trapped")
  }
}

extension Document004 {
  /// As printed. A weak reference stands for a pointer that does not keep its object: where
  /// that would lead to freed memory, this one is nil.
  static func useAfterUnlocking(_ array: SharedArray, interruption: () -> Void) -> String? {
    array.lock.lock()
    weak let anObject = array.objects[0]
    array.lock.unlock()
    interruption()
    return anObject?.doSomething()
  }

  /// It cannot change, but it can go.
  final class AnObject: Sendable {
    func doSomething() -> String { "the object does something" }
  }

  /// `myArray` and its lock.
  final class SharedArray: @unchecked Sendable {
    // SAFETY: `objects` is touched with `lock` held only.
    let lock = NSLock()
    var objects = [AnObject()]

    init() { lock.name = "arrayLock" }

    func emptyOnAnotherThread() {
      let thread = JoinableThread { self.lock.withLock { self.objects.removeAll() } }
      thread.start()
      thread.join()
    }

    /// Whether another thread finds the lock free at this moment.
    var isFreeForOthers: Bool {
      let thread = JoinableThread {
        guard self.lock.try() else { return false }
        self.lock.unlock()
        return true
      }
      thread.start()
      return thread.join()
    }
  }
}
