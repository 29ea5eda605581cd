// StringTable — stores each text once, under a number.

struct StringTable {
  private(set) var strings: [String] = []
  private var places: [String: Int32] = [:]

  mutating func index(of text: String) -> Int32 {
    // Compare bytes: Unicode equivalence would merge different texts, and each
    // text must come out as it was recorded.
    if let place = places[text], strings[Int(place)].utf8.elementsEqual(text.utf8) { return place }
    let place = Int32(strings.count)
    strings.append(text)
    places[text] = place
    return place
  }
}
