// ThreadAttributes — a thread's name, kernel priority and class, before it begins and
// while it runs.
//
// What is set before the thread begins takes effect at its first step; what is set
// while it runs does at once, from whichever thread. Both hold the record's lock, so
// nothing is lost in between.

import CSignalbox

struct ThreadAttributes {
  /// 0 unless the thread lives.
  var kernelID: Int32 = 0
  /// SAFETY: the thread's own storage, as long as it lives; nil else.
  var storage: UnsafeMutablePointer<csb_thread>?
  var name: String?
  /// What is added to the process's nice value; nil as long as nothing was said.
  var niceness: Int32?
  var urgency = Urgency.unspecified

  /// At the first step of a started thread, by itself.
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
    // Who has another priority than the process has its threads started by the starter:
    // without a wish nothing is to be changed.
    guard let wish = niceness, wish != 0 else { return }
    // A higher one is tried first: most processes may not, and need no starter.
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
      // What was there is freed when the lock is left.
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
      if isOwn { TraceCapture.threadWasNamed() }
    }
  }

  /// The kernel's id of the thread; 0 unless it lives.
  package var kernelID: Int32 { withAttributes { $0.kernelID } }

  /// What is added to the process's nice value for this thread, as far as it is in
  /// effect, or will be.
  package var niceness: Int32 { withAttributes { $0.niceness } ?? 0 }

  /// Changes that.
  ///
  /// - Returns: 0, or why the system refused it: it stays as it was then.
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

  /// Sets what the thread hands on to what it submits, and in which order that goes.
  package func setUrgency(_ urgency: Urgency) {
    withAttributes { attributes in
      attributes.urgency = urgency
      if let storage = attributes.storage {
        csb_thread_set_class_of_service(storage, urgency.rawValue)
      }
    }
  }
}
