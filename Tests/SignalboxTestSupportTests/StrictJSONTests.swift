// StrictJSONTests — the reader accepts JSON and nothing else.

import SignalboxTestSupport
import Testing

@Suite struct StrictJSONTests {
  @Test func readsEveryKindOfValue() throws {
    let value = try StrictJSON(
      #" {"a":[1,-2.5e3,true,false,null,"x\"\\\/\n\u00e9\ud83d\ude42"], "b" : {} , "":[] } "#)
    #expect(value["a"].items.count == 6)
    #expect(value["a"].items[1].number == -2500)
    #expect(value["a"].items[2].flag == true)
    #expect(value["a"].items[5].text == "x\"\\/\né🙂")
    #expect(value["b"] == .object([:]))
    #expect(value[""] == .array([]))
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "[1 2]", "01", "1.", ".5", "+1", "nul",
    "'a'", "\"a", "\"\u{1}\"", "\"\n\"", #""\x""#, #""\u12""#, #""\ud800""#, #""\udc00""#,
    #""\ud800\u0041""#, "1 1", "[1]]", "NaN", "{a:1}", "{\"a\" 1}", "1e",
  ])
  func refusesInvalidJSON(_ document: String) {
    #expect(throws: StrictJSON.Refusal.self) { try StrictJSON(document) }
  }
}
