// DispatchSource+MemoryPressure — sources that tell of a lack of memory.
//
// *Beyond the toolchain's API*: Apple's has them, Linux's not.

/// A source that tells when memory is short, and when it is no more.
///
/// ```swift
/// let source = DispatchSource.makeMemoryPressureSource(
///   eventMask: [.warning, .critical], queue: queue)
/// source.setEventHandler {
///   cache.removeLeastUsed(half: !source.data.contains(.critical))
/// }
/// source.activate()
/// ```
///
/// Source: Apple's documentation of `DispatchSourceMemoryPressure`.
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
  /// The levels that were reached since the handler was called last.
  var data: DispatchSource.MemoryPressureEvent { get }

  /// What was asked for.
  var mask: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSourceMemoryPressure {
  /// The levels that were reached since the handler was called last. Mostly one; more
  /// where they changed while the source was suspended or its queue busy.
  public var data: DispatchSource.MemoryPressureEvent {
    DispatchSource.MemoryPressureEvent(rawValue: source.core.data)
  }

  /// What was asked for.
  public var mask: DispatchSource.MemoryPressureEvent {
    DispatchSource.MemoryPressureEvent(rawValue: source.core.mask)
  }
}

extension DispatchSource: DispatchSourceMemoryPressure {}

extension DispatchSource {
  /// How short memory is.
  ///
  /// Source: Apple's documentation of `DispatchSource.MemoryPressureEvent`.
  public struct MemoryPressureEvent: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// There is no shortage any more.
    public static let normal = MemoryPressureEvent(rawValue: 0x1)
    /// Memory is getting short: give back what can easily be had again.
    public static let warning = MemoryPressureEvent(rawValue: 0x2)
    /// Memory is so short that little gets done, and the kernel may soon kill processes.
    public static let critical = MemoryPressureEvent(rawValue: 0x4)
    /// All of them.
    public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
  }

  /// Makes a source that tells when memory gets short. It is inactive; see
  /// ``DispatchSourceMemoryPressure`` for an example.
  ///
  /// The level is told when it changes, and at the activation if there is pressure then.
  /// The kernel measures for how much of the time tasks stand still for want of memory
  /// (pressure stall information): in the process's own control group, which a container
  /// is, and in the whole system; what is worse counts.
  ///
  /// | level | within two seconds |
  /// | --- | --- |
  /// | ``MemoryPressureEvent/warning`` | some task stood still for 200 milliseconds |
  /// | ``MemoryPressureEvent/critical`` | all tasks stood still for 400 milliseconds |
  /// | ``MemoryPressureEvent/normal`` | neither, for six seconds |
  ///
  /// Where the kernel does not accept such triggers (before Linux 6.5 only from
  /// privileged processes), the counters of the control group are used
  /// (`memory.events`, version 2): ``MemoryPressureEvent/warning`` means that the group
  /// met its limit, ``MemoryPressureEvent/critical`` that the limit could not be held. Where
  /// there is neither, the reason is printed at the activation with the names of the
  /// files, and the source is cancelled.
  ///
  /// Without pressure it costs nothing: nobody polls. All sources share at most four
  /// descriptors, open while there is such a source. The control group is that of the
  /// first activation. Any thread may call it.
  ///
  /// *Differences*: Apple's levels are the system's own; what they mean in numbers is not
  /// documented.
  ///
  /// Source: Apple's documentation of `makeMemoryPressureSource(eventMask:queue:)`.
  ///
  /// - Parameters:
  ///   - eventMask: which levels to tell of.
  ///   - queue: where the handlers run; by default a global queue.
  public class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure {
    DispatchSource(MemoryPressureSource(eventMask, queue: queue))
  }
}
