// ThreadStart — starts the thread of a record.

import CSignalbox

extension ThreadRecord {
  /// Hands the thread to the system. The handle must be set and retained.
  ///
  /// - Parameter stackSize: in bytes; 0 for the usual size.
  /// - Returns: 0, or the errno with which the kernel refused the thread. After a refusal,
  ///   everything is as before.
  package func start(stackSize: Int) -> Int32 {
    noteStart()
    self.stackSize = stackSize
    isJoinable = wantsJoin && !ending.isDetached
    // The kernel copies the name of the thread that starts this one: the caller or the starter.
    inheritsName = csb_thread_self().pointee.is_named != 0 || Starter.startsForThisThread
    Fork.joinRuntime()
    ThreadRegistry.shared.add(self)
    let plan = KernelThread(
      body: { raw in
        // SAFETY: the registry's reference, and the storage's from the first step on.
        Unmanaged<ThreadRecord>.fromOpaque(raw!)._withUnsafeGuaranteedRef { $0.run() }
        return nil
      }, context: Unmanaged.passUnretained(self).toOpaque(), stackSize: stackSize)
    let error = Starter.start(plan)
    if error != 0 {
      isJoinable = false
      ThreadRegistry.shared.remove(self)
      life.takeBackBeginning()
    }
    return error
  }
}
