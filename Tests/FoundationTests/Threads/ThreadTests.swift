import SignalboxFoundation
import SignalboxTestSupport
import Testing

struct ThreadTests {
  @Test func theDictionaryIsAnNSMutableDictionary() throws {
    let parts = try onPlainThread { () -> [String] in
      let dictionary: NSMutableDictionary = Thread.current.threadDictionary
      Thread.current.threadDictionary["name"] = "box"
      dictionary.setObject(7, forKey: "count")
      Thread.current.threadDictionary[NSString(string: "key")] = "value"
      return [
        "\(dictionary === Thread.current.threadDictionary)",
        Thread.current.threadDictionary["name"] as? String ?? "none",
        "\(dictionary.object(forKey: "count") as? Int ?? 0)",
        "\(dictionary["key"] as? String ?? "none")",
        "\(dictionary.count)",
        "\(Set(dictionary.allKeys.compactMap { $0 as? String }).sorted())",
        "\(dictionary.value(forKey: "name") as? String ?? "none")",
      ]
    }
    #expect(
      parts == ["true", "box", "7", "value", "3", #"["count", "key", "name"]"#, "box"])
  }

  @Test func removedValuesAreNoLongerInTheDictionary() throws {
    let counts = try onPlainThread { () -> [Int] in
      let dictionary = Thread.current.threadDictionary
      for key in ["a", "b", "c"] { dictionary[key] = 1 }
      dictionary.removeObject(forKey: "a")
      let two = dictionary.count
      dictionary["b"] = nil
      let one = dictionary.count
      dictionary.removeAllObjects()
      return [two, one, dictionary.count, Thread.current.threadDictionary.count]
    }
    #expect(counts == [2, 1, 0, 0])
  }

  /// Uses the dictionary when it is freed.
  private final class Asking {
    let counts: EventLog<Int>
    init(_ counts: EventLog<Int>) { self.counts = counts }
    deinit { counts.append(Thread.current.threadDictionary.count) }
  }

  @Test func aFreedValueMayUseTheDictionary() throws {
    let counts = EventLog<Int>()
    try runThreads(1) { _ in
      let dictionary: NSMutableDictionary = Thread.current.threadDictionary
      dictionary["a"] = 1
      dictionary["b"] = Asking(counts)
      dictionary["b"] = Asking(counts)
      dictionary.removeObject(forKey: "b")
      dictionary.setObject(Asking(counts), forKey: "c")
      dictionary.removeObject(forKey: "c")
    }
    #expect(counts.all == [2, 1, 1])
  }

  @Test func theDictionaryIsReleasedWithTheThread() throws {
    let tracker = LeakTracker()
    try runThreads(1) { _ in
      Thread.current.threadDictionary["object"] = tracker.makeObject()
    }
    try tracker.waitUntilAllAreFreed()
  }

  @Test func returnAddressesAreNumbers() {
    let addresses: [NSNumber] = Thread.callStackReturnAddresses
    #expect(addresses.count > 2)
    #expect(addresses.allSatisfy { $0.uintValue > 0 })
    #expect(Thread.callStackSymbols[0].contains("returnAddressesAreNumbers"))
  }
}
