import SignalboxDispatch
import SignalboxPatterns

extension Listing {
  static let number002_09 = Listing(
    "002-09", heading: "Isolation queues",
    shows: "IdentityMap over a bare dictionary",
    outcome: "not safe when several threads add at once",
    truth: "the map can be wrong without corrupted memory: an object is lost",
    rows: ["P5"]
  ) { story in
    let alone = Document002.BareIdentityMap<Document002.Model>()
    let model = Document002.Model(id: "a")
    alone.addObject(model)
    story.check(alone.object(forID: "a") === model, "one thread finds the object it added")
    story.check(alone.object(forID: "b") == nil, "and nothing for another identifier")

    let map = Document002.BareIdentityMap<Document002.Model>()
    let bothHaveRead = Rendezvous(of: 2)
    runSideBySide(2) { index in
      map.addObject(Document002.Model(id: "\(index)")) { bothHaveRead.arrive() }
    }
    let found = [map.object(forID: "0"), map.object(forID: "1")].compactMap { $0 }
    story.check(found.count, is: 1, "the fault: of two objects added at once one is lost")

    let repaired = Document002.IdentityMap<Document002.Model>()
    DispatchQueue.concurrentPerform(iterations: 100) { index in
      repaired.addObject(Document002.Model(id: "\(index)"))
    }
    let kept = (0..<100).filter { repaired.object(withID: "\($0)") != nil }
    story.check(kept.count, is: 100, "the repair (002-10): all are found")

    // And that of `SignalboxPatterns`, where the first object of an identifier stays.
    let identical = IdentityMap<Document002.Model>()
    let seen = Cell<Set<ObjectIdentifier>>([])
    runSideBySide(4) { _ in
      let object = identical.object(withID: "a") { Document002.Model(id: "a") }
      seen.withValue { _ = $0.insert(ObjectIdentifier(object)) }
    }
    story.check(seen.value.count, is: 1, "four that add at once get the identical object")
  }
}

extension Document002 {
  final class Model: Identifiable, Sendable {
    let id: String
    init(id: String) { self.id = id }
  }

  /// The dictionary is a cell, so that losing an object is all that can happen.
  final class BareIdentityMap<T: Identifiable & Sendable>: Sendable where T.ID == String {
    private let dictionary = Cell<[String: T]>([:])

    func object(forID id: String) -> T? {
      dictionary.value[id]
    }

    /// `interruption` is what happens between the read and the write.
    func addObject(_ object: T, interruption: () -> Void = {}) {
      var copy = dictionary.value
      interruption()
      copy[object.id] = object
      dictionary.value = copy
    }
  }
}
