// ThreadAttributes — a thread's name, kernel priority and class, before it begins and
// while it runs.
//
// Attributes that are set before the thread begins take effect at its first step. Attributes that
// any thread sets while it runs take effect at once. Both happen under the record's lock, so
// nothing is lost in between.

import CSignalbox

struct ThreadAttributes {
  /// 0 unless the thread is alive.
  var kernelID: Int32 = 0
  /// SAFETY: the thread's own storage, while the thread is alive; otherwise nil.
  var storage: UnsafeMutablePointer<csb_thread>?
  var name: String?
  /// The thread's nice value minus the process's; nil if it was not set.
  var niceness: Int32?
  var urgency = Urgency.unspecified

  /// Applies the attributes. A started thread calls this at its first step.
  mutating func takeEffectHere(inheritsName: Bool) {
    if let name {
      csb_thread_set_name(ThreadName.kernelForm(of: name))
      csb_thread_keep_name(csb_thread_self(), name)
    } else if inheritsName {
      csb_thread_set_name(csb_program_name())
      csb_thread_self().pointee.is_named = 0
    }
    if urgency.isSpecified {
      csb_thread_set_class_of_service(csb_thread_self(), urgency.rawValue)
    }
    // A thread inherits the priority of the thread that starts it. A thread whose own priority
    // differs from that of the process lets the starter start its threads, so a new thread always
    // begins at the priority of the process. If the program set no niceness, nothing changes.
    guard let wish = niceness, wish != 0 else { return }
    // Try a higher priority first: most processes may not raise it, and then need no
    // starter.
    if wish < 0 && ProcessPriority.set(wish, onThread: 0) != 0 {
      niceness = nil
    } else if ProcessPriority.prepareToChange(mainThread: false) != 0
      || ProcessPriority.set(wish, onThread: 0) != 0
    {
      _ = ProcessPriority.set(0, onThread: 0)
      niceness = nil
    }
  }
}

extension ThreadRecord {
  package var name: String? {
    get { withAttributes { $0.name } }
    set {
      // SAFETY: an address to compare.
      let isOwn = csb_thread_self().pointee.record == Unmanaged.passUnretained(self).toOpaque()
      let shown = newValue.map(ThreadName.kernelForm(of:)) ?? String(cString: csb_program_name())
      // The old name is freed after the lock is released.
      _ = withAttributes { attributes in
        let old = attributes.name
        attributes.name = newValue
        if let storage = attributes.storage { csb_thread_keep_name(storage, newValue) }
        if isOwn {
          csb_thread_set_name(shown)
        } else if attributes.kernelID != 0 {
          csb_thread_set_name_of(attributes.kernelID, shown)
        }
        return old
      }
      if isOwn { Probe.threadNamed() }
    }
  }

  /// The kernel's id of the thread; 0 unless the thread is alive.
  package var kernelID: Int32 { withAttributes { $0.kernelID } }

  /// This thread's nice value minus the process's, now or from its start on; 0 if the system
  /// refused the value that was set.
  package var niceness: Int32 { withAttributes { $0.niceness } ?? 0 }

  /// Changes the niceness.
  ///
  /// - Returns: 0, or the errno with which the system refused. Then the niceness is
  ///   unchanged.
  package func setNiceness(_ niceness: Int32) -> Int32 {
    let (kernelID, old) = withAttributes { ($0.kernelID, $0.niceness ?? 0) }
    if kernelID != 0 && niceness != old {
      let error = ProcessPriority.prepareToChange(mainThread: kernelID == csb_process_id())
      if error != 0 { return error }
    }
    return withAttributes { attributes in
      if attributes.kernelID != 0 && niceness != attributes.niceness ?? 0 {
        let error = ProcessPriority.set(niceness, onThread: attributes.kernelID)
        if error != 0 { return error }
      }
      attributes.niceness = niceness
      return 0
    }
  }

  package var urgency: Urgency { withAttributes { $0.urgency } }

  /// Sets the quality of service that the thread passes to what it submits, and that
  /// orders its submissions.
  package func setUrgency(_ urgency: Urgency) {
    withAttributes { attributes in
      attributes.urgency = urgency
      if let storage = attributes.storage {
        csb_thread_set_class_of_service(storage, urgency.rawValue)
      }
    }
  }
}
