// ThreadRecord+Name — a thread's name in reports.

import CSignalbox

extension ThreadRecord {
  /// The name that the program gave the thread. Otherwise, for a foreign thread, the name
  /// in the kernel's list, unless that name equals the program's name.
  package var shownName: String? {
    if let name { return name }
    let kernelID = kernelID
    guard isForeign, kernelID != 0, kernelID != csb_process_id() else { return nil }
    let name = ThreadName.inKernel(kernelID)
    let program = ThreadName.kernelForm(of: String(cString: csb_program_name()))
    return name.isEmpty || name == program ? nil : name
  }

  /// The process's name in the kernel's list, if this is its main thread.
  package var processName: String? {
    // Another thread may ask for the main thread's record before the main thread uses the
    // library.
    let isMain = isForeign && number == 0 || kernelID == csb_process_id()
    return isMain ? ThreadName.inKernel(csb_process_id()) : nil
  }
}
