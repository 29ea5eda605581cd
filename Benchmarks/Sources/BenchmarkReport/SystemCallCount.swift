/// Reads how many system calls a run made from the output of the tool that
/// counted them.
public enum SystemCallCount {
  /// The event that `perf stat` is to count.
  public static let event = "raw_syscalls:sys_enter"

  /// Of `perf stat -x , -e EVENT`: `NUMBER,,EVENT,…`. `nil` if the event is not
  /// supported or not permitted.
  public static func fromPerf(_ text: String, event: String = event) -> Int? {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      if fields.count > 2, fields[2].hasPrefix(event) { return Int(fields[0]) }
    }
    return nil
  }

  /// Of `strace -c`: a row a call, `% seconds µs/call CALLS [errors] NAME`, and
  /// a total, whose columns differ between versions and which is left out.
  public static func fromStrace(_ text: String) -> Int? {
    let calls = text.split(separator: "\n").compactMap { line -> Int? in
      let fields = line.split(separator: " ")
      guard fields.count >= 5, fields.last != "total", Double(fields[0]) != nil else { return nil }
      return Int(fields[3])
    }
    return calls.isEmpty ? nil : calls.reduce(0, +)
  }
}
