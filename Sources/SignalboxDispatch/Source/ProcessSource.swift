// ProcessSource — the source for events of another process.

import CSignalbox
import SignalboxRuntime

final class ProcessSource: SourceCore, ProcessClient, @unchecked Sendable {
  // SAFETY: only `reason` varies; `install` sets it and `refusal` reads it on the same thread.
  private let watch: ProcessWatch
  private let events: DispatchSource.ProcessEvent
  private var reason = ""

  init(process: Int32, events: DispatchSource.ProcessEvent, queue: DispatchQueue?) {
    if process < 1 {
      clientBug(
        "a process source was made for process \(process), which does not exist: a process ID is "
          + "positive.")
    }
    if !events.isSubset(of: .all) {
      clientBug(
        "a process source for process \(process) was made with the mask "
          + "0x\(String(events.rawValue, radix: 16)), which has bits that stand for no event: use "
          + "the members of DispatchSource.ProcessEvent.")
    }
    watch = ProcessWatch(process)
    self.events = events
    super.init(handle: UInt(process), mask: events.rawValue, queue: queue)
  }

  override func install() -> Int32 {
    if events.isEmpty { return refuse(EINVAL, "it names no event") }
    // A source for `.all` watches the events that the kernel can report.
    let isAll = events == .all
    if events.contains(.signal) && !isAll {
      return refuse(ENOTSUP, "Linux does not report the signals of another process")
    }
    var deeds: ProcessWatch.Deeds = []
    if events.contains(.fork) { deeds.insert(.fork) }
    if events.contains(.exec) { deeds.insert(.exec) }
    guard var refused = watch.begin(telling: deeds, to: self) else { return 0 }
    if isAll && refused.isOfDeeds {
      guard let end = watch.begin(telling: [], to: self) else {
        warn(
          "the \(kindName) reports the end of the process, but no forks or execs "
            + "(\(words(for: refused)))"
        )
        return 0
      }
      refused = end
    }
    return refuse(refused.error, words(for: refused))
  }

  private func words(for refused: ProcessWatch.Refusal) -> String {
    "\(refused.call) failed with \(errorText(refused.error)); \(Self.advice(for: refused))"
  }

  private func refuse(_ error: Int32, _ reason: String) -> Int32 {
    self.reason = reason
    return error
  }

  private static func advice(for refused: ProcessWatch.Refusal) -> String {
    switch refused.error {
    case EMFILE, ENFILE:
      "the process is out of descriptors: raise its limit (ulimit -n) or close some"
    case ENODATA, ECONNREFUSED, EPROTONOSUPPORT:
      "the kernel tells of forks and execs only outside of containers, and where it was built "
        + "with CONFIG_PROC_EVENTS: watch for .exit alone"
    case EPERM where refused.call != "pidfd_open", EACCES where refused.call != "pidfd_open":
      "to be told of forks and execs a process needs CAP_NET_ADMIN: watch for .exit alone"
    case ENOSYS where refused.call == "pidfd_open":
      "the kernel is older than Linux 5.3, or a sandbox (seccomp) refuses the call: allow it"
    case ENOSYS, EPERM, EACCES: "a sandbox (seccomp) refuses the call: allow it"
    case EINVAL, ENOENT: "this is the id of a thread, not of a process"
    default: "the kernel is out of memory for it"
    }
  }

  override func uninstall() { watch.end() }

  func processEnded() { tell(.exit) }

  func processDid(_ deeds: ProcessWatch.Deeds) {
    if deeds.contains(.fork) { tell(.fork) }
    if deeds.contains(.exec) { tell(.exec) }
  }

  private func tell(_ event: DispatchSource.ProcessEvent) {
    if events.contains(event) { merge(or: event.rawValue) }
  }

  override var kindName: String { "process source for process \(handle)" }

  override func refusal(_ error: Int32) -> String {
    "the \(kindName) could not be registered (\(reason))"
  }
}
