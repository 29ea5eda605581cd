// LiveTop — the loop of the live view: a sample twice a second, and a screen after each sample and key.

import CSignalboxTool
import Glibc
import SignalboxInspector

struct LiveTop {
  private let terminal: Terminal
  /// The process; nil while the user chooses one.
  private var target: ProcessLife?
  private var list: ProcessList?
  private var selection = RowSelection<Int32>()
  private var view = TopView()
  private var sample: TopSample?
  private var before: TopSample?
  private var isOver = false

  /// The time between two samples, in nanoseconds.
  private static let period: UInt = 500_000_000

  init(_ terminal: Terminal, _ process: Int32?) {
    self.terminal = terminal
    target = process.flatMap { ProcessLife($0) }
    // The process has ended since it was first looked at.
    if process != nil && target == nil { isOver = true }
  }

  mutating func runToEnd() -> Bool {
    var next: UInt = 0
    var hasDrawn = false
    while true {
      if csb_tool_uptime() >= next {
        look()
        next = csb_tool_uptime() + LiveTop.period
        // What was typed meanwhile is meant for the picture that the screen still shows.
        if hasDrawn, let isWanted = end(within: 0) { return isWanted }
      }
      draw()
      hasDrawn = true
      let left = Int64(next) - Int64(csb_tool_uptime())
      if let isWanted = end(within: Int32(max(0, left / 1_000_000) + 1)) { return isWanted }
    }
  }

  /// Waits for keys, and takes them.
  ///
  /// - Returns: nil if the view continues; true if the user has ended it, and false if the terminal
  ///   is gone.
  private mutating func end(within milliseconds: Int32) -> Bool? {
    guard let keys = terminal.keys(for: milliseconds) else { return false }
    return take(keys) ? true : nil
  }

  func run() -> Never {
    var live = self
    exit(live.runToEnd() ? 0 : 1)
  }

  private mutating func look() {
    guard let target else {
      list = ProcessList()
      return
    }
    if view.isFrozen || isOver { return }
    guard target.isAlive, let now = try? TopRequest.sample(target.process), target.isAlive else {
      isOver = !target.isAlive
      return
    }
    before = sample
    sample = now
  }

  private mutating func draw() {
    let (columns, rows) = terminal.size
    if let sample {
      terminal.show(
        TopScreen.lines(
          sample, before: before, isOver: isOver, &view, columns: columns, rows: rows))
    } else {
      selection.show(list?.processes ?? [])
      // Processes keep their order, so the selection follows the first one even without a choice.
      selection.move(0)
      terminal.show(
        TopScreen.lines(
          of: list?.lines ?? [], selection: selection.row, columns: columns, rows: rows))
    }
  }

  /// - Returns: whether to end.
  private mutating func take(_ keys: [UInt8]) -> Bool {
    for (index, key) in keys.enumerated() {
      // The key before this one may have opened a process.
      if sample != nil { return view.take(keys[index...]) == .quit }
      switch key {
      case UInt8(ascii: "q"): return true
      case UInt8(ascii: "j"), UInt8(ascii: "B"): selection.move(1)
      case UInt8(ascii: "k"), UInt8(ascii: "A"): selection.move(-1)
      case 0x0A, 0x0D: open()
      default: break
      }
    }
    return false
  }

  /// Opens the selected process, unless it has ended.
  private mutating func open() {
    guard let life = selection.selected.flatMap({ ProcessLife($0) }) else { return }
    (target, isOver) = (life, false)
    look()
    // The process has ended meanwhile, or can no longer be read: the list stays on the screen.
    if sample == nil { target = nil }
  }
}
