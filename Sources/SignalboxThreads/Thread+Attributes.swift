// Thread+Attributes — the limits of a thread's stack, class and priority, and how they are set.

import CSignalbox
import SignalboxRuntime

extension Thread {
  var stackBytes: Int {
    get {
      let request = stackRequest.load()
      if request != 0 { return request }
      let isForeignHere = record.isForeign && record.number == csb_thread_number()
      let own = isForeignHere ? csb_thread_stack_size() : 0
      return Int(own != 0 ? own : csb_thread_usual_stack_size())
    }
    set {
      // The toolchain ignores a size that it cannot use, and programs set the size of running
      // threads.
      if newValue >= Thread.smallestStack { stackRequest.store(min(newValue, Thread.largestStack)) }
    }
  }

  /// The stack to start the thread with; 0 for the usual size.
  var stackToStart: Int {
    let unit = Thread.stackUnit
    return (stackRequest.load() + unit - 1) / unit * unit
  }

  private static var smallestStack: Int { 16 << 10 }
  /// The toolchain's limit.
  private static var largestStack: Int { 1 << 30 }
  private static var stackUnit: Int { 4 << 10 }

  // MARK: Quality of service

  /// Sets ``qualityOfService``.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Parameter quality: the class. The work that the thread submits from now on has this class in
  ///   any case.
  /// - Returns: whether the thread has the kernel priority of the class, or will have it when it
  ///   starts. Without privileges, a process can lower a running thread's priority, but can
  ///   neither raise it again nor set it above the process's own.
  @discardableResult
  public final func setQualityOfService(_ quality: QualityOfService) -> Bool {
    record.setUrgency(quality.urgency)
    if record.setNiceness(quality.niceness) == 0 { return true }
    // If the system refuses a priority above the process's own, use the process's own.
    if quality.niceness < 0 { _ = record.setNiceness(0) }
    return false
  }

  // MARK: Priority

  /// Sets ``threadPriority``.
  ///
  /// *Beyond Apple's API*, which has only a class method of this name.
  ///
  /// - Parameter priority: from 0 to 1.
  /// - Returns: whether it is in effect, or will be when the thread starts.
  @discardableResult
  public final func setThreadPriority(_ priority: Double) -> Bool {
    record.setNiceness(Thread.niceness(of: priority, words)) == 0
  }

  private static func niceness(of priority: Double, _ words: String) -> Int32 {
    guard priority >= 0, priority <= 1 else {
      clientBug("the priority \(priority) was requested for \(words): it must be from 0.0 to 1.0.")
    }
    let share = 1 - 2 * priority
    return Int32((share * (share > 0 ? lowest : highest)).rounded())
  }

  static func priority(of niceness: Int32) -> Double {
    let share = Double(niceness) / (niceness > 0 ? lowest : highest)
    return (1 - share) / 2
  }

  /// The kernel's nice values range from 19 down to -20.
  private static var lowest: Double { 19 }
  private static var highest: Double { 20 }
}
