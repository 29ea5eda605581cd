// SystemCall — the system call in which a thread sleeps, in words.
//
// Sources     <asm/unistd_64.h> of x86-64, <asm-generic/unistd.h> for arm64.

package struct SystemCall: Equatable {
  package let name: String
  /// The descriptor on which the call works; nil if it works on none.
  package let descriptor: Int32?
  /// What the descriptor leads to; nil if that is not known.
  package var file: String?

  /// nil unless the number is that of a call in which threads sleep for long.
  init?(number: UInt64, first: UInt64) {
    guard let call = SystemCall.known[number] else { return nil }
    name = call.name
    descriptor = call.hasDescriptor ? Int32(truncatingIfNeeded: first) : nil
  }

  /// Whether a thread without work may sleep in such a call, too.
  var isWaitForAnything: Bool { name == "futex" || name.hasPrefix("epoll_") }

  var words: String {
    "\(name)(2)" + (descriptor.map { " on the descriptor \($0)" } ?? "")
      + (file.map { ", \($0)" } ?? "")
  }

  private typealias Known = (name: String, hasDescriptor: Bool)

  #if arch(x86_64)
    private static let known: [UInt64: Known] = [
      0: ("read", true), 1: ("write", true), 7: ("poll", false), 17: ("pread64", true),
      18: ("pwrite64", true), 19: ("readv", true), 20: ("writev", true), 23: ("select", false),
      34: ("pause", false), 35: ("nanosleep", false), 42: ("connect", true), 43: ("accept", true),
      44: ("sendto", true), 45: ("recvfrom", true), 46: ("sendmsg", true), 47: ("recvmsg", true),
      61: ("wait4", false), 72: ("fcntl", true), 73: ("flock", true), 74: ("fsync", true),
      75: ("fdatasync", true), 128: ("rt_sigtimedwait", false), 130: ("rt_sigsuspend", false),
      202: ("futex", false), 230: ("clock_nanosleep", false), 232: ("epoll_wait", true),
      247: ("waitid", false), 257: ("openat", false), 270: ("pselect6", false),
      271: ("ppoll", false), 281: ("epoll_pwait", true), 288: ("accept4", true),
      441: ("epoll_pwait2", true),
    ]
  #elseif arch(arm64)
    private static let known: [UInt64: Known] = [
      22: ("epoll_pwait", true), 25: ("fcntl", true), 32: ("flock", true), 56: ("openat", false),
      63: ("read", true), 64: ("write", true), 65: ("readv", true), 66: ("writev", true),
      67: ("pread64", true), 68: ("pwrite64", true), 72: ("pselect6", false), 73: ("ppoll", false),
      82: ("fsync", true), 83: ("fdatasync", true), 95: ("waitid", false), 98: ("futex", false),
      101: ("nanosleep", false), 115: ("clock_nanosleep", false), 133: ("rt_sigsuspend", false),
      137: ("rt_sigtimedwait", false), 202: ("accept", true), 203: ("connect", true),
      206: ("sendto", true), 207: ("recvfrom", true), 211: ("sendmsg", true),
      212: ("recvmsg", true), 242: ("accept4", true), 260: ("wait4", false),
      441: ("epoll_pwait2", true),
    ]
  #endif
}
