// ThreadSnapshot — what a report says about a thread.

import CSignalbox

/// A thread as it stood when it was looked at.
package struct ThreadSnapshot: Sendable {
  /// Its number; 0 as long as it has not begun.
  package let number: UInt32
  /// The kernel's id; 0 unless it lives.
  package let kernelID: Int32
  /// The whole of its name, or what the kernel's list shows; nil without one.
  package let name: String?
  package let isMain: Bool
  /// Whether the system has to be given back what it has of this thread.
  package let isJoinable: Bool
  package let phase: ThreadLife.Phase
  /// The kernel's letter for its state: 'R' runs or is ready, 'S' and 'D' sleep; nil
  /// where it cannot be told.
  package let state: Character?

  /// Every thread that has a `Thread`, in the order of their numbers.
  package static var all: [ThreadSnapshot] {
    ThreadRegistry.shared.records.map(ThreadSnapshot.init).sorted { $0.number < $1.number }
  }

  init(_ record: ThreadRecord) {
    let kernelID = record.kernelID
    number = record.number
    self.kernelID = kernelID
    name = record.shownName
    isMain = kernelID == csb_process_id()
    isJoinable = record.isJoinable
    phase = record.life.phase
    let letter = kernelID == 0 ? 0 : csb_thread_state(kernelID)
    state = letter == 0 ? nil : Character(Unicode.Scalar(UInt8(bitPattern: letter)))
  }
}

extension ThreadRecord {
  /// Its name; that in the kernel's list where none was given and it is not the
  /// program's.
  package var shownName: String? {
    if let name { return name }
    let kernelID = kernelID
    guard isForeign, kernelID != 0, kernelID != csb_process_id() else { return nil }
    let name = ThreadName.inKernel(kernelID)
    let program = ThreadName.kernelForm(of: String(cString: csb_program_name()))
    return name.isEmpty || name == program ? nil : name
  }
}
