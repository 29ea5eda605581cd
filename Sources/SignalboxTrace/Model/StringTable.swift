// StringTable — stores each text once, under a number.

struct StringTable {
  private(set) var strings: [String] = []
  private var indices: [String: Int32] = [:]

  mutating func index(of text: String) -> Int32 {
    // Compare bytes: Unicode equivalence would merge different texts, and each
    // text must come out as it was recorded.
    if let index = indices[text], strings[Int(index)].utf8.elementsEqual(text.utf8) { return index }
    let index = Int32(strings.count)
    strings.append(text)
    indices[text] = index
    return index
  }
}
