// ObjectHandle — the model of `SignalboxDispatch/ObjectHandle.swift`. C code gives up its references
// to an object on several threads; the last one frees it.

import Testing

enum ObjectHandleSite: Site {
  case release

  var access: Access { .update }
  var ordering: Ordering { .acquireRelease }
  var operations: [String] { ["SignalboxDispatch/ObjectHandle.release:OH1"] }
}

struct ObjectHandleModel: Sendable {
  let references: Atomic
  /// What the object's memory holds: 0 once it is freed.
  let object: Plain
  let orderings: Orderings<ObjectHandleSite>

  init(_ p: inout Program, _ orderings: Orderings<ObjectHandleSite>, references count: Int) {
    references = p.atomic("references", count, isMortal: true)
    object = p.plain("object", 1)
    self.orderings = orderings
  }

  func retain(_ t: ModelThread) throws {
    let old = try t.fetchAdd(references, 1, .relaxed)
    try t.require(old > 0, "the object has no reference")
  }

  func useAndRelease(_ t: ModelThread) throws {
    try t.require(try t.read(object) == 1, "a freed object is used")
    var old = try t.load(references, .relaxed)
    while true {
      try t.require(old > 0, "a reference is released twice")
      let (exchanged, current) = try t.compareExchange(
        references, expected: old, desired: old - 1, orderings[.release])
      if exchanged { break }
      old = current
    }
    guard old == 1 else { return }
    try t.write(0, to: object)
    try t.free(references)
  }
}

@Suite struct ObjectHandleTests {
  private var scenarios: [Scenario<ObjectHandleSite>] {
    [
      Scenario("two threads release") { p, orderings in
        let model = ObjectHandleModel(&p, orderings, references: 2)
        for number in 0..<2 { p.thread("\(number)") { t in try model.useAndRelease(t) } }
        p.atEnd { end in end[model.object] == 0 ? nil : "the object is not freed" }
      },
      Scenario("one of them has retained once more") { p, orderings in
        let model = ObjectHandleModel(&p, orderings, references: 2)
        p.thread("retains") { t in
          try model.retain(t)
          try model.useAndRelease(t)
          try model.useAndRelease(t)
        }
        p.thread("releases") { t in try model.useAndRelease(t) }
        p.atEnd { end in end[model.object] == 0 ? nil : "the object is not freed" }
      },
    ]
  }

  @Test func anObjectIsFreedAfterEveryUse() {
    expectHolds(scenarios)
  }

  @Test func everyOrderingOfTheReferencesIsNeeded() {
    expectEachWeakeningFails(scenarios)
  }
}
