// StringReader — reads the text of a Swift string from its two words, as `StringWords` of the
// engine describes them.

struct StringReader {
  private let memory: TargetMemory
  private let layout: RecordLayout?
  private let distance: UInt64

  init(_ table: EngineTable, _ memory: TargetMemory) {
    self.memory = memory
    layout = table.layout("string", ["count", "object"])
    distance = table.constant("string", "distance") ?? 0
  }

  /// Whether the engine says how strings are laid out.
  var isKnown: Bool { layout != nil }

  /// The text of a `String` or `String?` at the address; nil if there is none.
  func text(at address: UInt64) -> String? {
    guard let words = layout?.read(at: address, from: memory) else { return nil }
    return text(words["count"], words["object"])
  }

  func text(_ count: UInt64, _ object: UInt64) -> String? {
    // No string: nil.
    guard isKnown, object != 0 else { return nil }
    if object & 1 << 61 != 0 {
      let length = Int(object >> 56 & 0xF)
      let bytes = [count, object].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
      }
      return DisplayText.make(Array(bytes[..<length]), isCut: false)
    }
    let length = count & 0xFFFF_FFFF_FFFF
    return memory.text(at: object & 0x0FFF_FFFF_FFFF_FFFF &+ distance, length: length)
  }
}
