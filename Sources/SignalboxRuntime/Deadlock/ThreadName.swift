// ThreadName — a thread as messages name it: by number, kernel id and name.

import CSignalbox

package enum ThreadName {
  /// The thread of this number, with what is still known of it.
  package static func of(_ thread: UInt32) -> String {
    let kernelID = csb_thread_find_kernel_id(thread)
    if kernelID == 0 { return "thread \(thread)" }
    return of(thread, kernelID, isMain: kernelID == csb_process_id())
  }

  /// The calling thread.
  package static var ofThisThread: String { of(csb_thread_number()) }

  static func of(_ thread: UInt32, _ kernelID: Int32, isMain: Bool) -> String {
    let given = ThreadRegistry.shared.records.first { $0.number == thread }?.name
    return "thread \(thread) (" + words(kernelID, given ?? inKernel(kernelID), isMain: isMain) + ")"
  }

  /// Its name alone: the one that it was given, or that in the kernel's list; empty if none
  /// is known.
  package static func bare(_ thread: UInt32, _ kernelID: Int32) -> String {
    let given = ThreadRegistry.shared.records.first { thread != 0 && $0.number == thread }?.name
    return given ?? inKernel(kernelID)
  }

  /// A thread that has no number, since it never used this library.
  static func ofStranger(_ kernelID: Int32, isMain: Bool) -> String {
    "the thread without a number (" + words(kernelID, inKernel(kernelID), isMain: isMain) + ")"
  }

  private static func words(_ kernelID: Int32, _ name: String, isMain: Bool) -> String {
    "kernel \(kernelID)" + (name.isEmpty ? "" : ", \"\(name)\"")
      + (isMain ? ", the main thread" : "")
  }

  /// The name in the kernel's list of the thread with this kernel id; empty where
  /// it cannot be read.
  static func inKernel(_ kernelID: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { bytes in
      csb_look_at_name(kernelID, bytes.baseAddress!)
      return String(cString: bytes.baseAddress!)
    }
  }

  /// As much of a name as the kernel's list has room for, cut between characters.
  package static func kernelForm(of name: String) -> String {
    var form = ""
    var room = 15
    for character in name {
      let size = character.utf8.count
      // The kernel takes a zero for the end.
      guard size <= room, character != "\0" else { break }
      form.append(character)
      room -= size
    }
    return form
  }
}
