// DispatchSource+Process — sources for processes, which the toolchain lacks on Linux.

public import CSignalbox

/// A source that reports what happens to another process.
///
/// Source: Apple's documentation of `DispatchSourceProcess`.
public protocol DispatchSourceProcess: _DispatchSourceOfNumber {
  /// The events since the last call of the event handler. Read it in that handler.
  var data: DispatchSource.ProcessEvent { get }

  /// The requested events.
  var mask: DispatchSource.ProcessEvent { get }
}

extension DispatchSourceProcess {
  /// The events since the last call of the event handler. Read it in that handler.
  public var data: DispatchSource.ProcessEvent {
    DispatchSource.ProcessEvent(rawValue: source.core.data)
  }

  /// The requested events.
  public var mask: DispatchSource.ProcessEvent {
    DispatchSource.ProcessEvent(rawValue: source.core.mask)
  }
}

extension DispatchSource: DispatchSourceProcess {}

extension DispatchSource {
  /// Events of a process.
  ///
  /// Source: Apple's documentation of `DispatchSource.ProcessEvent`.
  public struct ProcessEvent: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The process has ended.
    public static var exit: ProcessEvent { Self(rawValue: 0x8000_0000) }
    /// The process has created a child process.
    public static var fork: ProcessEvent { Self(rawValue: 0x4000_0000) }
    /// The process has executed another program.
    public static var exec: ProcessEvent { Self(rawValue: 0x2000_0000) }
    /// The process was sent a signal. Linux never reports it: see
    /// ``DispatchSource/makeProcessSource(identifier:eventMask:queue:)``.
    public static var signal: ProcessEvent { Self(rawValue: 0x0800_0000) }
    /// All events that the kernel reports here: the end of the process, and its forks and execs
    /// if this process may listen to them.
    public static var all: ProcessEvent { [.exit, .fork, .exec, .signal] }
  }

  /// Creates a source whose event handler is called when something happens to a process.
  ///
  /// ```swift
  /// let ended = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
  /// ended.setEventHandler {
  ///   var status: Int32 = 0
  ///   waitpid(child, &status, 0)
  ///   ended.cancel()
  /// }
  /// ended.activate()
  /// ```
  ///
  /// The source reports the end of a process once, without polling, as soon as all threads of the
  /// process have ended. The source does not wait for the process: a child remains a zombie, and
  /// the handler gets its status with `waitpid`. The process need not be a child. A process that
  /// ended before the activation is reported at once. So is a process that does not exist, because
  /// it may have ended and been waited for. Create the source before any code can wait for the
  /// process: afterwards, the system may give the ID to another process.
  ///
  /// The kernel's process connector reports forks and execs. A program may listen to it outside
  /// of containers, with `CAP_NET_ADMIN`, or as an ordinary user from Linux 6.6 on. Several
  /// events before the next call of the handler are combined. If the kernel dropped some because
  /// there were too many, the source reports both kinds. The forks of other processes wake no
  /// thread.
  ///
  /// Any thread may call it. An active source holds one descriptor until the process has ended, and
  /// one more for forks and execs.
  ///
  /// A source for events that the kernel cannot report here is refused when it is activated: the
  /// reason is printed on standard error, and the source is cancelled. This holds for a mask that
  /// names ``ProcessEvent/signal``; for ``ProcessEvent/fork`` and ``ProcessEvent/exec`` if the
  /// process may not listen; for an empty mask; for the ID of a thread; and if the process is out
  /// of descriptors. An ID below 1, and a mask with other bits, trap.
  ///
  /// A source for ``ProcessEvent/all`` reports what the kernel reports here. It is not refused
  /// because of signals, which Linux never reports, nor because of forks and execs. If it cannot
  /// report forks and execs, a message on standard error says so.
  ///
  /// *Differences*: Apple's sources also report signals.
  ///
  /// Source: Apple's documentation of
  /// `DispatchSource.makeProcessSource(identifier:eventMask:queue:)`; pidfd_open(2).
  ///
  /// - Parameters:
  ///   - identifier: the ID of the process.
  ///   - eventMask: the events to report.
  ///   - queue: where the handlers run; by default a global queue.
  /// - Returns: the source, inactive: call `activate()` or `resume()`.
  public class func makeProcessSource(
    identifier: pid_t, eventMask: DispatchSource.ProcessEvent, queue: DispatchQueue? = nil
  ) -> any DispatchSourceProcess {
    DispatchSource(ProcessSource(process: identifier, events: eventMask, queue: queue))
  }
}
