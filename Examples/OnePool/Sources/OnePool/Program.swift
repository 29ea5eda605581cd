// Program — draws `OnePool.svg`: threads before and after adoption, from two real runs.
//
//     OnePool FOLDER     records both and writes the picture there, light and dark
//     OnePool --record   runs the load and tells of its pieces

import Glibc

@main
struct Program {
  /// As many as a recording is kept to.
  static let cores = 2
  static let runs = 9

  static func main() {
    let words = CommandLine.arguments
    guard words.count == 2 else { fail("usage: OnePool FOLDER") }
    if words[1] == "--record" { Load.record() }
    let program = executable()
    guard
      let before = Recording.leastDisturbed(of: runs, program: program, isAdopted: false),
      let after = Recording.leastDisturbed(of: runs, program: program, isAdopted: true)
    else { fail("a recording failed") }
    for (name, palette) in [("OnePool", Palette.light), ("OnePool~dark", .dark)] {
      let picture = Picture(before: before, after: after, cores: cores, palette: palette)
      write(picture.svg, to: "\(words[1])/\(name).svg")
    }
    for (name, recording) in [("two pools", before), ("one pool", after)] {
      print(
        "\(name): \(recording.threads.count) threads, \(recording.mostAtOnce) at once,",
        "\(recording.interruptions) interruptions, \(recording.length) µs")
    }
  }

  private static func executable() -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0 else { fail("/proc/self/exe cannot be read") }
    return String(decoding: path.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func write(_ text: String, to path: String) {
    guard let file = fopen(path, "w") else { fail("\(path): errno \(errno)") }
    defer { fclose(file) }
    guard fputs(text, file) >= 0 else { fail("\(path): errno \(errno)") }
  }
}

private func fail(_ message: String) -> Never {
  "OnePool: \(message)\n".withCString { _ = Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  exit(EXIT_FAILURE)
}
