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
  /// The table with the selection that keys move and open.
  var table = Table.queues
  /// By address.
  var queues = RowSelection<UInt64>()
  /// By the kernel's number.
  var threads = RowSelection<Int32>()
  var opened: Opened?
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
    if !pending.isEmpty && sequence(byte) { return .stay }
    switch byte {
    case 0x1B: pending = [byte]
    case _ where isTyping: type(byte)
    case UInt8(ascii: "q"): return .quit
    case UInt8(ascii: "s"):
      let all = Order.allCases
      order = all[(all.firstIndex(of: order)! + 1) % all.count]
    case UInt8(ascii: " "): isFrozen.toggle()
    case UInt8(ascii: "/"):
      isTyping = true
      show(matching: "")
    case UInt8(ascii: "j"): move(1)
    case UInt8(ascii: "k"): move(-1)
    case UInt8(ascii: "\t"): table = table == .queues ? .threads : .queues
    case 0x0A, 0x0D: opened = opened ?? selected
    case 0x7F, 0x08: opened = nil
    default: break
    }
    return .stay
  }

  /// Takes a byte of a key such as an arrow: `ESC [ A`, or `ESC O A`.
  ///
  /// - Returns: whether the byte belongs to such a key. Otherwise it is the first byte of another
  ///   key.
  private mutating func sequence(_ byte: UInt8) -> Bool {
    if pending.count == 1 && byte != UInt8(ascii: "[") && byte != UInt8(ascii: "O") {
      // The key Escape, and another key behind it.
      pending = []
      escape()
      return false
    }
    // No sequence has a control character: this one was cut.
    guard (0x20...0x7E).contains(byte) else {
      pending = []
      return false
    }
    pending.append(byte)
    guard pending.count > 2, (0x40...0x7E).contains(byte) || pending.count > 8 else { return true }
    if pending.count == 3 && byte == UInt8(ascii: "A") { move(-1) }
    if pending.count == 3 && byte == UInt8(ascii: "B") { move(1) }
    pending = []
    return true
  }

  private mutating func escape() {
    if isTyping || opened == nil { filter = "" }
    isTyping = false
    opened = nil
  }

  private mutating func type(_ byte: UInt8) {
    switch byte {
    case 0x0A, 0x0D: isTyping = false
    case 0x7F, 0x08: show(matching: String(filter.dropLast()))
    case 0x20...0x7E: show(matching: filter + String(Unicode.Scalar(byte)))
    default: break
    }
  }

  /// Filters, and selects the first row. What the rows show is not known until they are drawn.
  private mutating func show(matching text: String) {
    filter = text
    queues = RowSelection()
    threads = RowSelection()
  }

  private mutating func move(_ step: Int) {
    switch table {
    case .queues: queues.move(step)
    case .threads: threads.move(step)
    }
  }

  /// What the selected row shows.
  var selected: Opened? {
    switch table {
    case .queues: queues.selected.map(Opened.queue)
    case .threads: threads.selected.map(Opened.thread)
    }
  }

  func matches(_ text: String) -> Bool {
    filter.isEmpty || text.lowercased().contains(filter.lowercased())
  }
}
