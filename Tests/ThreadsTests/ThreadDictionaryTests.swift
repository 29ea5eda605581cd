// ThreadDictionaryTests — values in thread dictionaries whose deallocation uses the dictionary
// again.

import SignalboxTestSupport
import SignalboxThreads
import Testing

@Suite(.guarded) struct ThreadDictionaryTests {
  /// Uses the dictionary when it is freed, and adds a value.
  private final class Asking {
    let counts: EventLog<Int>

    init(_ counts: EventLog<Int>) { self.counts = counts }

    deinit {
      let dictionary = Thread.current.threadDictionary
      counts.append(dictionary.count)
      dictionary["end"] = 1
      dictionary.removeObject(forKey: "end")
    }
  }

  @Test func aReplacedValueMayUseTheDictionary() throws {
    let counts = EventLog<Int>()
    try runThreads(1) { _ in
      let dictionary = Thread.current.threadDictionary
      dictionary["a"] = 1
      dictionary["b"] = Asking(counts)
      dictionary["b"] = Asking(counts)
      dictionary.setObject(Asking(counts), forKey: "b")
      dictionary.setValue(2, forKey: "b")
    }
    #expect(counts.all == [2, 2, 2])
  }

  @Test func aRemovedValueMayUseTheDictionary() throws {
    let counts = EventLog<Int>()
    try runThreads(1) { _ in
      let dictionary = Thread.current.threadDictionary
      dictionary["a"] = 1
      dictionary["b"] = Asking(counts)
      dictionary["b"] = nil
      dictionary.setObject(Asking(counts), forKey: "b")
      dictionary.removeObject(forKey: "b")
      dictionary.setValue(Asking(counts), forKey: "b")
      dictionary.setValue(nil, forKey: "b")
      dictionary["b"] = Asking(counts)
      dictionary.removeAllObjects()
    }
    #expect(counts.all == [1, 1, 1, 0])
  }

  /// All are equal, so the test can remove one that only the dictionary holds.
  private final class AskingKey: Hashable {
    let counts: EventLog<Int>?

    init(_ counts: EventLog<Int>?) { self.counts = counts }

    static func == (a: AskingKey, b: AskingKey) -> Bool { true }

    func hash(into hasher: inout Hasher) {}

    deinit { counts?.append(Thread.current.threadDictionary.count) }
  }

  @Test func aRemovedKeyMayUseTheDictionary() throws {
    let counts = EventLog<Int>()
    try runThreads(1) { _ in
      let dictionary = Thread.current.threadDictionary
      dictionary[AskingKey(counts)] = 1
      dictionary.removeObject(forKey: AskingKey(nil))
    }
    #expect(counts.all == [0])
  }
}
