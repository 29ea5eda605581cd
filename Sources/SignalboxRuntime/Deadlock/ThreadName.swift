// ThreadName — a thread's name in messages: number, kernel id and name.

import CSignalbox

package enum ThreadName {
  /// The thread with this number, with whatever is still known about it.
  package static func of(_ thread: UInt32) -> String {
    let kernelID = csb_thread_find_kernel_id(thread)
    if kernelID == 0 { return "thread \(thread)" }
    return of(thread, kernelID, isMain: kernelID == csb_process_id())
  }

  package static var ofThisThread: String { of(csb_thread_number()) }

  package static func of(_ thread: UInt32, _ kernelID: Int32, isMain: Bool) -> String {
    let given = ThreadRegistry.shared.records.first { $0.number == thread }?.name
    return "thread \(thread) (" + words(kernelID, given ?? inKernel(kernelID), isMain: isMain) + ")"
  }

  /// The name alone: the one the program gave it, or the one in the kernel's list; empty
  /// if neither is known.
  package static func bare(_ thread: UInt32, _ kernelID: Int32) -> String {
    let given = ThreadRegistry.shared.records.first { thread != 0 && $0.number == thread }?.name
    return given ?? inKernel(kernelID)
  }

  /// A thread that has no number because it has never used this library.
  package static func ofStranger(_ kernelID: Int32, isMain: Bool) -> String {
    "the thread without a number (" + words(kernelID, inKernel(kernelID), isMain: isMain) + ")"
  }

  private static func words(_ kernelID: Int32, _ name: String, isMain: Bool) -> String {
    "kernel \(kernelID)" + (name.isEmpty ? "" : ", \"\(name)\"")
      + (isMain ? ", the main thread" : "")
  }

  /// The name in the kernel's list of the thread with this kernel id; empty if it cannot
  /// be read.
  static func inKernel(_ kernelID: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { bytes in
      csb_look_at_name(kernelID, bytes.baseAddress!)
      return String(cString: bytes.baseAddress!)
    }
  }

  /// As much of a name as fits into the kernel's list, cut between characters.
  package static func kernelForm(of name: String) -> String {
    var form = ""
    var room = 15
    for character in name {
      let size = character.utf8.count
      // A zero would end the name in the kernel.
      guard size <= room, character != "\0" else { break }
      form.append(character)
      room -= size
    }
    return form
  }
}
