/// A row of `Documentation/Peers.md`: work that other languages' runtimes do too.
///
/// The peers' programs name their subjects `ROW/LIBRARY`.
public struct PeerRow: Equatable, Sendable {
  /// Also the anchor of the paragraph that states what differs in kind.
  public let name: String
  public let title: String
  /// The subject that is Signalbox's side.
  public let subject: String

  /// In the order of the table.
  public static let all = [
    PeerRow(
      name: "serial", title: "serial mailbox, one producer", subject: "serial-async-int"),
    PeerRow(
      name: "spawn", title: "tasks started from outside the pool", subject: "group-async"),
    PeerRow(
      name: "spawn-inside", title: "tasks started from inside the pool",
      subject: "group-async-inside"),
    PeerRow(
      name: "hop", title: "from one serial executor to another and back", subject: "hop"),
    PeerRow(
      name: "lock", title: "lock and unlock, uncontended", subject: "unfair-lock"),
    PeerRow(
      name: "lock-8-threads", title: "lock and unlock, 8 threads",
      subject: "unfair-lock-8-threads"),
    PeerRow(
      name: "rwlock-8-threads", title: "read–write lock, 8 threads, 9 reads to 1 write",
      subject: "rwlock-mixed"),
    PeerRow(
      name: "timer", title: "timer made and cancelled", subject: "async-after-cancelled"),
    PeerRow(
      name: "pipe", title: "a byte to and fro through two pipes", subject: "pipe-ping-pong"),
    PeerRow(
      name: "parallel", title: "1,000 bodies of about 2 µs in parallel",
      subject: "concurrent-perform-2us"),
    PeerRow(
      name: "condition", title: "a turn through a condition, two threads",
      subject: "condition-ping-pong"),
    PeerRow(
      name: "thread", title: "thread made and joined", subject: "thread-life"),
  ]
}
