import SignalboxDispatch
import SignalboxPatterns

extension Listing {
  static let number002_10 = Listing(
    "002-10", heading: "Isolation queues",
    shows: "IdentityMap with sync reads and barrier writes on a concurrent queue",
    outcome: "reads run side by side, a write alone; on other queues a barrier is a plain async",
    truth: "a read after a write never sees half of the write: the barrier comes first",
    rows: ["P5", "Q6", "Q7"]
  ) { story in
    let map = Document002.IdentityMap<Document002.Model>()
    var missed = 0
    for index in 0..<1_000 {
      let model = Document002.Model(id: "\(index)")
      map.addObject(model)
      if map.object(withID: model.id) !== model { missed += 1 }
    }
    story.check(missed, is: 0, "a thousand reads right after the write found the object")

    let meeting = Rendezvous(of: 2)
    let met = Cell(0)
    runSideBySide(2) { _ in
      map.accessQueue.sync {
        meeting.arrive()
        met.withValue { $0 += 1 }
      }
    }
    story.check(met.value, is: 2, "two reads ran at once")

    // A write does not begin while a read runs, nor a read while a write does.
    let order = Transcript()
    let readRuns = DispatchSemaphore(value: 0)
    let readMayEnd = DispatchSemaphore(value: 0)
    map.accessQueue.async {
      readRuns.signal()
      readMayEnd.wait()
      order.append("read ends")
    }
    readRuns.wait()
    map.accessQueue.async(flags: .barrier) {
      order.append("write begins")
      order.append("write ends")
    }
    map.accessQueue.async { order.append("next read begins") }
    readMayEnd.signal()
    map.accessQueue.sync(flags: .barrier) {}
    story.check(
      order.lines, is: ["read ends", "write begins", "write ends", "next read begins"],
      "the write ran alone")

    // On a global queue a barrier is a plain async: it meets another item.
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { meeting.arrive() }
    DispatchQueue.global().async(group: group, flags: .barrier) { meeting.arrive() }
    story.check(
      group.wait(timeout: .distantFuture) == .success,
      "on a global queue a barrier ran beside another item")
    let serial = DispatchQueue(label: "org.signalbox.listings.002-10")
    let served = Transcript()
    serial.async { served.append("1") }
    serial.async(flags: .barrier) { served.append("2") }
    serial.async { served.append("3") }
    serial.sync {}
    story.check(served.lines, is: ["1", "2", "3"], "on a serial queue it takes its turn")

    // An asynchronous read, for those who need not wait.
    let answered = DispatchSemaphore(value: 0)
    let answer = Cell<String?>(nil)
    map.object(withID: "7") { object in
      answer.value = object?.id
      answered.signal()
    }
    answered.wait()
    story.check(answer.value, is: "7", "a read with a completion gets the same object")

    // The same as `SignalboxPatterns` has it, for any value.
    let isolated = Isolated<[Int]>([])
    var unseen = 0
    for index in 0..<1_000 {
      isolated.write { $0.append(index) }
      if isolated.read({ $0.last }) != index { unseen += 1 }
    }
    story.check(unseen, is: 0, "a thousand reads of an isolated array saw the write before")
    runSideBySide(2) { _ in isolated.read { _ in meeting.arrive() } }
    story.check(isolated.read { $0.count }, is: 1_000, "and two of them met")
  }
}

extension Document002 {
  /// SAFETY: `dictionary` is written in barrier items of the queue and read in
  /// items of the queue, nowhere else.
  final class IdentityMap<T: Identifiable & Sendable>: @unchecked Sendable where T.ID == String {
    private var dictionary: [String: T] = [:]
    let accessQueue = DispatchQueue(label: "com.khanlou.isolation.queue", attributes: .concurrent)

    func object(withID id: String) -> T? {
      var result: T?
      accessQueue.sync {
        result = dictionary[id]
      }
      return result
    }

    func object(withID id: String, completion: @escaping @Sendable (T?) -> Void) {
      accessQueue.async { completion(self.dictionary[id]) }
    }

    func addObject(_ object: T) {
      accessQueue.async(flags: .barrier) {
        self.dictionary[object.id] = object
      }
    }
  }
}
