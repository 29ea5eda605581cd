// TopView — what the user of `signalbox top` has chosen, and what the keys change.

package struct TopView {
  package enum Order: String, CaseIterable {
    case rate, depth, items, name, wait, run
  }

  enum Table { case queues, threads }

  enum Opened: Equatable {
    case queue(UInt64)
    case thread(Int32)
  }

  /// What the program does after a key.
  package enum Action: Equatable { case stay, quit }

  package internal(set) var order = Order.rate
  package internal(set) var isFrozen = false
  var filter = ""
  var isTyping = false
  var table = Table.queues
  var selection = 0
  var opened: Opened?
  /// What the screen shows of the selected row.
  var selected: Opened?
  /// How many rows the table with the selection has.
  var rows = 0
  private var pending: [UInt8] = []

  package init() {}

  /// Takes bytes that the terminal has sent.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> Action {
    for byte in bytes where take(byte) == .quit { return .quit }
    // The key Escape sends one byte, and other keys send more at once.
    if pending == [0x1B] {
      pending = []
      escape()
    }
    return .stay
  }

  private mutating func take(_ byte: UInt8) -> Action {
    if !pending.isEmpty {
      sequence(byte)
      return .stay
    }
    switch byte {
    case 0x1B: pending = [byte]
    case _ where isTyping: type(byte)
    case UInt8(ascii: "q"): return .quit
    case UInt8(ascii: "s"):
      let all = Order.allCases
      order = all[(all.firstIndex(of: order)! + 1) % all.count]
    case UInt8(ascii: " "): isFrozen.toggle()
    case UInt8(ascii: "/"): (isTyping, filter, selection) = (true, "", 0)
    case UInt8(ascii: "j"): move(1)
    case UInt8(ascii: "k"): move(-1)
    case UInt8(ascii: "\t"): (table, selection) = (table == .queues ? .threads : .queues, 0)
    case 0x0A, 0x0D: opened = opened ?? selected
    case 0x7F, 0x08: opened = nil
    default: break
    }
    return .stay
  }

  /// Bytes of a key such as an arrow: `ESC [ A`, or `ESC O A`.
  private mutating func sequence(_ byte: UInt8) {
    pending.append(byte)
    if pending.count == 2 && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O")) { return }
    guard pending.count == 2 || (0x40...0x7E).contains(byte) || pending.count > 8 else { return }
    if pending.count == 3 && byte == UInt8(ascii: "A") { move(-1) }
    if pending.count == 3 && byte == UInt8(ascii: "B") { move(1) }
    pending = []
  }

  private mutating func escape() {
    if isTyping || opened == nil { filter = "" }
    isTyping = false
    opened = nil
  }

  private mutating func type(_ byte: UInt8) {
    switch byte {
    case 0x0A, 0x0D: isTyping = false
    case 0x7F, 0x08: filter = String(filter.dropLast())
    case 0x20...0x7E: filter.unicodeScalars.append(Unicode.Scalar(byte))
    default: break
    }
  }

  private mutating func move(_ step: Int) {
    selection = max(0, min(rows - 1, selection + step))
  }

  func matches(_ text: String) -> Bool {
    filter.isEmpty || text.lowercased().contains(filter.lowercased())
  }
}
