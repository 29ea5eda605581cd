// ScreenImage — what a terminal shows after the bytes that a program has written. As much of a terminal as
// `signalbox top` uses; any other sequence is remembered as a fault.

struct ScreenImage {
  private(set) var columns: Int
  private(set) var rows: Int
  private var cells: [[String]]
  private var column = 0
  private var row = 0
  private var pending: [UInt8] = []
  private(set) var isOtherScreen = false
  private(set) var hasCursor = true
  /// The codes of the styles that were used.
  private(set) var styles: Set<String> = []
  /// What was written that this terminal does not know, or that does not fit.
  private(set) var faults: [String] = []
  /// How often the program went back to the first place, where each picture begins.
  private(set) var pictures = 0
  /// Whether no picture is under way. Each ends by clearing what is below it.
  private(set) var isWhole = true

  /// The fault of a sequence, or of a character, that ends where another sequence begins.
  static let cut = "what is before a sequence is cut"

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = ScreenImage.blank(columns, rows)
  }

  private static func blank(_ columns: Int, _ rows: Int) -> [[String]] {
    Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// The lines without the spaces at their ends.
  var lines: [String] {
    cells.map { row in
      var text = row.joined()
      while text.hasSuffix(" ") { text.removeLast() }
      return text
    }
  }

  mutating func resize(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    cells = ScreenImage.blank(columns, rows)
    (row, column) = (0, 0)
  }

  /// Forgets the faults after the first ones.
  mutating func forgetFaults(after count: Int) { faults = Array(faults.prefix(count)) }

  mutating func write(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { write(byte) }
  }

  private mutating func write(_ byte: UInt8) {
    // A terminal takes it for the beginning of a sequence wherever it comes.
    if byte == 0x1B, !pending.isEmpty { (pending, faults) = ([], faults + [ScreenImage.cut]) }
    pending.append(byte)
    if pending[0] == 0x1B { return sequence() }
    switch byte {
    case 0x0D: column = 0
    case 0x0A: row = min(row + 1, rows - 1)
    case 0x00..<0x20, 0x7F: faults.append("control \(byte)")
    default:
      // A character may have several bytes.
      guard let text = String(validating: pending, as: UTF8.self) else {
        if pending.count > 4 { (pending, faults) = ([], faults + ["no character"]) }
        return
      }
      if column < columns {
        cells[row][column] = text
        column += 1
      } else {
        faults.append("too long: \(text)")
      }
    }
    pending = []
  }

  private mutating func sequence() {
    guard pending.count > 1 else { return }
    guard pending[1] == UInt8(ascii: "[") else {
      faults.append("sequence \(pending)")
      pending = []
      return
    }
    guard pending.count > 2, let last = pending.last, (0x40...0x7E).contains(last) else { return }
    let code = String(decoding: pending[2..<(pending.count - 1)], as: UTF8.self)
    switch (Character(Unicode.Scalar(last)), code) {
    case ("H", ""):
      (row, column, isWhole) = (0, 0, false)
      pictures += 1
    case ("K", ""): for index in column..<max(column, columns) { cells[row][index] = " " }
    case ("J", ""):
      for index in (row + 1)..<max(row + 1, rows) {
        cells[index] = Array(repeating: " ", count: columns)
      }
      isWhole = true
    case ("m", _): styles.insert(code)
    case ("h", "?1049"):
      (isOtherScreen, isWhole, cells) = (true, true, ScreenImage.blank(columns, rows))
    case ("l", "?1049"): (isOtherScreen, isWhole) = (false, true)
    case ("h", "?25"): hasCursor = true
    case ("l", "?25"): hasCursor = false
    default: faults.append("sequence \(code)\(Character(Unicode.Scalar(last)))")
    }
    pending = []
  }
}
