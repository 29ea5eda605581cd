// StringTable — each text once, with a number.

struct StringTable {
  private(set) var strings: [String] = []
  private var places: [String: Int32] = [:]

  mutating func index(of text: String) -> Int32 {
    // Equal by their bytes: strings that only look the same stay apart, so that each text
    // comes out as it was recorded.
    if let place = places[text], strings[Int(place)].utf8.elementsEqual(text.utf8) { return place }
    let place = Int32(strings.count)
    strings.append(text)
    places[text] = place
    return place
  }
}
