// Limits — how much a reader reads. The target's memory is not trusted: see Internals/Outside.md.

package enum Limits {
  /// Bytes and readings for one report: some hundred times what a process with a thousand waiting threads
  /// and queues takes.
  package static let bytes = 64 << 20
  package static let readings = 200_000
  /// Attempts at something that changes while it is read.
  static let attempts = 4
  /// Entries of the table, and the size of one.
  static let entries = 512
  static let entrySize = 256
  /// The distance between the first and the last field of a structure that are read.
  static let structure = 4096
  static let threads = 4096
  /// Frames, holds, targets and blocks in one chain.
  static let chain = 64
  static let queues = 10_000
  /// Items of one queue, and of all queues together: a report with many long queues still has readings left.
  static let itemsInQueue = 1000
  static let items = 50_000
  static let pools = 8
  /// Bytes of a label, a title or a name.
  static let text = 256
  static let mappings = 4096
  static let programHeaders = 64
  static let notes = 4096
  /// Bytes of a file in /proc.
  static let file = 4 << 20
}
