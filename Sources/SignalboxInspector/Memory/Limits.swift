// Limits — how much a reader reads. The target's memory is not trusted: see Internals/Outside.md.

package enum Limits {
  /// Bytes and readings for one report: about a hundred times what a process with a thousand
  /// waiting threads and queues takes.
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
  /// Lists of one workloop.
  static let orderedLists = 16
  /// Task jobs that are named for one queue, and the items that are searched for them.
  static let jobsInQueue = 16
  static let itemsForJobs = 64
  static let pools = 8
  /// Descriptors among which the other end of a pipe is looked for.
  static let descriptors = 4096
  /// Rows of times, and buckets of one histogram.
  static let timeRows = 256
  static let timeBuckets = 4096
  /// Bytes of a label, a title or a name.
  static let text = 256
  /// Files with code in which an engine is looked for, and others: an engine is in a file with code.
  static let codeFiles = 1 << 14
  static let mappings = 4096
  static let programHeaders = 64
  static let notes = 4096
  /// Parts of memory and notes of a core, and the bytes of its list of files. The kernel's own
  /// limits for the first and the last one are lower, unless they were raised.
  static let coreSegments = 1 << 17
  static let coreNotes = 1 << 17
  static let coreFiles = 16 << 20
  /// Per stack: the frames read, the frames that a text report shows, and the pages read.
  static let frames = 64
  static let framesShown = 6
  static let stackPages = 64
  /// Functions, sections, bytes of symbols of a file, and bytes of one symbol.
  static let functions = 1 << 20
  static let sections = 1 << 14
  static let symbols = 64 << 20
  static let symbolText = 2048
  /// Bytes of the names of sections.
  static let sectionNames = 1 << 20
  /// Bytes of line tables that are looked through for one report, and of a path in one.
  static let lines = 128 << 20
  static let path = 4096
  /// Bytes of names in a recording, beyond what the events take.
  static let recordingNames: UInt64 = 16 << 20
  /// Bytes of a file in /proc.
  static let file = 32 << 20
}
