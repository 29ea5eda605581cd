// TextSearch — where a word is in a text.
//
// The standard library's own functions of this kind are in `_StringProcessing`. Every Swift library
// except the core may depend on the C interface of Dispatch, so the engine uses only the core
// library.

extension Substring {
  /// The first place of `word`, which is not empty.
  package func firstPlace(of word: String) -> Range<Index>? {
    let (text, word) = (utf8, word.utf8)
    for start in text.indices where text[start...].starts(with: word) {
      return start..<text.index(start, offsetBy: word.count)
    }
    return nil
  }

  /// The end of the last place of `word`, which is not empty.
  package func endOfLastPlace(of word: String) -> Index? {
    let (text, word) = (utf8, word.utf8)
    for start in text.indices.reversed() where text[start...].starts(with: word) {
      return text.index(start, offsetBy: word.count)
    }
    return nil
  }
}
