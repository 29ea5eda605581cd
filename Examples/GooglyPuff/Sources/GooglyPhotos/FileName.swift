// FileName — names for results, made from names of photos.

package enum FileName {
  /// File systems take 255 bytes; room is left for what is put around the stem.
  static let longestStem = 160

  /// `name` without its extension, fit for a file name of our own.
  package static func stem(of name: String) -> String {
    var stem = Substring(name)
    if let dot = stem.lastIndex(of: "."), dot != stem.startIndex {
      stem = stem[..<dot]
    }
    return safe(String(stem))
  }

  /// The last part of a path or an address.
  static func lastPart(of name: String) -> String {
    name.split(separator: "/").last.map(String.init) ?? name
  }

  /// The stem for a photo at `address`: its path's last component, else its host.
  package static func stem(ofAddress address: String) -> String {
    var rest = Substring(address)
    if let end = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) { rest = rest[..<end] }
    while rest.hasSuffix("/") { rest = rest.dropLast() }
    let last = rest.split(separator: "/").last.map(String.init) ?? ""
    return stem(of: withoutPercents(last))
  }

  /// `text` with every `%41` replaced by the byte it stands for.
  static func withoutPercents(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue,
        let low = Character(UnicodeScalar(bytes[index + 2])).hexDigitValue
      {
        result.append(UInt8(high * 16 + low))
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func safe(_ text: String) -> String {
    var result = ""
    for character in text {
      let isControl = character.unicodeScalars.contains {
        $0.properties.generalCategory == .control
      }
      let next = character == "/" || isControl ? "_" : String(character)
      if result.utf8.count + next.utf8.count > longestStem { break }
      result += next
    }
    // A name with a dot in front is hidden.
    if result.hasPrefix(".") { result = "_" + result.dropFirst() }
    return result.isEmpty ? "photo" : result
  }
}
