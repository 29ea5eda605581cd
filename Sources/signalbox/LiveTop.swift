// LiveTop — the loop of the live view: a sample twice a second, and a screen after each sample and key.

import CSignalboxTool
import Glibc
import SignalboxInspector

struct LiveTop {
  private let terminal: Terminal
  /// The process; nil while its user chooses one.
  private var target: ProcessLife?
  private var list: ProcessList?
  private var selection = 0
  private var view = TopView()
  private var sample: TopSample?
  private var before: TopSample?
  private var isOver = false

  /// The time between two samples, in nanoseconds.
  private static let period: UInt = 500_000_000

  init(_ terminal: Terminal, _ process: Int32?) {
    self.terminal = terminal
    target = process.flatMap { ProcessLife($0) }
    // It has ended since it was looked at.
    if process != nil && target == nil { isOver = true }
  }

  mutating func runToEnd() -> Bool {
    var next: UInt = 0
    while true {
      if csb_tool_uptime() >= next {
        look()
        next = csb_tool_uptime() + LiveTop.period
      }
      draw()
      let left = Int64(next) - Int64(csb_tool_uptime())
      guard let keys = terminal.keys(for: Int32(max(0, left / 1_000_000) + 1)) else { return false }
      if take(keys) { return true }
    }
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
      selection = max(0, min(selection, (list?.processes.count ?? 0) - 1))
      terminal.show(
        TopScreen.lines(
          of: list?.lines ?? [], selection: selection, columns: columns, rows: rows))
    }
  }

  /// - Returns: whether to end.
  private mutating func take(_ keys: [UInt8]) -> Bool {
    if sample != nil { return view.take(keys) == .quit }
    for key in keys {
      switch key {
      case UInt8(ascii: "q"): return true
      case UInt8(ascii: "j"), UInt8(ascii: "B"): selection += 1
      case UInt8(ascii: "k"), UInt8(ascii: "A"): selection -= 1
      case 0x0A, 0x0D:
        guard let processes = list?.processes, processes.indices.contains(selection) else { break }
        target = ProcessLife(processes[selection])
        look()
      default: break
      }
    }
    return false
  }
}
