// ItemListTests — the list alone: producers, and one consumer that they call.

import Testing

@Suite struct ItemListTests {
  /// Each producer appends its items one after another and calls the consumer whenever it finds
  /// the list empty. The consumer counts the calls and comes once for each.
  private func scenario(_ producers: [[Int]], counts: Bool = false) -> Scenario<ItemListSite> {
    let items = producers.joined().count
    return Scenario("producers of \(producers), counted: \(counts)") { p, orderings in
      let list = ItemListModel(&p, items: items, orderings)
      let calls = p.atomic("calls")
      let ran = p.plain("items run")
      for producer in producers {
        p.thread(
          "producer of \(producer)",
          sections: producer.map { item in
            { t in if try list.append(item, t) { try t.fetchAdd(calls, 1, .release) } }
          })
      }
      let drain: ModelThread.Section = { t in
        try t.await(calls, .notEqual(0), .acquire)
        try t.exchange(calls, 0, .acquire)
        if counts { try list.count(t) }
        var item = try list.first(t)
        while item != 0 {
          let next = try list.removeFirst(item, t)
          try list.run(item, t)
          // The items of each producer stay in order.
          let before = try t.read(ran)
          for producer in producers {
            let position = producer.firstIndex(of: item) ?? 0
            let expected = producer.prefix(position).reduce(0) { $0 | 1 << $1 }
            let seen = producer.contains(item) ? before & expected : expected
            try t.require(seen == expected, "item \(item) overtook one before it")
          }
          try t.write(before | 1 << item, to: ran)
          // After it empties the list, a consumer may look again before it is called. It then
          // meets an item whose producer is about to call.
          item = next != 0 ? next : try list.first(t)
        }
      }
      p.thread(
        "consumer", mayRemainBlocked: true, sections: Array(repeating: drain, count: items))
      p.atEnd { end in
        end[ran] == (1...items).reduce(0) { $0 | 1 << $1 } && end[list.tail] == 0
          && end[list.head] == 0
          ? nil : "ran \(end[ran]), tail \(end[list.tail]), head \(end[list.head])"
      }
    }
  }

  private var scenarios: [Scenario<ItemListSite>] {
    [
      scenario([[1], [2]]), scenario([[1, 3], [2]]), scenario([[1], [2], [3]]),
      scenario([[1], [2]], counts: true),
    ]
  }

  @Test func noItemIsLeftBehindAndEachProducersOrderIsKept() {
    expectHolds(scenarios)
  }

  /// The emptying compare-and-swap needs no acquire: the consumer has removed the item that it
  /// finds in `tail`, and so has acquired its producer's store.
  @Test func everyOrderingOfTheItemListIsNeeded() {
    expectEachWeakeningFails(scenarios, except: ["emptyTail release"])
  }
}
