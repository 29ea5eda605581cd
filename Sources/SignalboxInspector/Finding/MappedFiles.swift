// MappedFiles — where a process has files in its memory, from /proc/PID/maps.
//
// Sources     proc_pid_maps(5).

struct MappedFiles {
  struct Start {
    let address: UInt64
    let path: String
  }

  /// The mappings of the first byte of a file, in the order of their addresses.
  let starts: [Start]

  init(_ text: String) {
    var starts: [Start] = []
    for line in text.split(separator: "\n") where starts.count < Limits.mappings {
      // "55d2c8e00000-55d2c8e21000 r--p 00000000 08:02 173521      /usr/bin/dbus-daemon"
      let words = line.split(separator: " ", maxSplits: 5)
      guard words.count >= 5, let offset = UInt64(words[2], radix: 16), offset == 0,
        words[1].hasPrefix("r"), words[4] != "0",
        let address = words[0].split(separator: "-").first.flatMap({ UInt64($0, radix: 16) })
      else { continue }
      let path = words.count > 5 ? words[5].drop { $0 == " " } : ""
      starts.append(Start(address: address, path: DisplayText.make(Array(path.utf8), isCut: false)))
    }
    self.starts = starts
  }
}
