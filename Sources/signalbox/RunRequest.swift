// RunRequest — runs a program on Signalbox's libdispatch.so, or says why that is impossible.
//
// The dynamic linker looks into LD_LIBRARY_PATH before it looks where the program was linked. So
// our library only has to come first in that variable. The library takes itself out of the variable
// again when it is loaded (see `environment.c` of CSignalboxDropIn), so that children get the
// environment that they would get without this program.

import Glibc

struct RunRequest {
  /// The program, as it was given, and its arguments.
  let command: [String]
  let options: Options
  /// The file for a recording; nil for none.
  let trace: String?
  /// How long there may be no progress before a report is written, in nanoseconds; nil for no
  /// report.
  let stallLimit: UInt64?

  struct Options: OptionSet {
    let rawValue: UInt8
    /// Tell what is done.
    static let verbose = Options(rawValue: 1)
    /// Apply to the programs that the program starts.
    static let children = Options(rawValue: 2)
    /// Accept a program that does not load libdispatch at its start.
    static let late = Options(rawValue: 4)
  }

  /// Replaces this process with the program, or runs it as a child and watches it.
  func carryOut() throws(Refusal) -> Never {
    let path = try ProgramPath.find(command[0])
    switch try ProgramFile(path).kind(startedBy: path) {
    case .script(let interpreter) where !options.contains(.late):
      try check(ProgramPath.find(interpreter))
    case .script: break
    case .image(let image):
      try image.checkThatALibraryCanBeGiven(path)
      switch image.engine {
      case .whole:
        say("\(path) is linked with SignalboxDropIn, and runs as it is")
        execute(path, environment: [:])
      case .partial:
        tell(
          "\(path) brings its own Signalbox, for its own imports only. One process cannot have two, "
            + "so its packages keep the toolchain's libdispatch. Link it with SignalboxDropIn too.")
        execute(path, environment: [:])
      case .none: break
      }
      if !options.contains(.late) { try check(path) }
    }
    let library = try DropInLibrary.find()
    execute(path, environment: environment(library))
  }

  /// Refuses a program that does not get our library at its start.
  private func check(_ path: String) throws(Refusal) {
    let library = try DropInLibrary.find()
    let loaded = try LoadedLibraries(of: path, environment: environment(library))
    guard let used = loaded["libdispatch.so"] else {
      throw Refusal(
        text: "\(path) does not load libdispatch.so. If Swift's libraries are linked into it "
          + "(--static-swift-stdlib), build it with SignalboxDropIn. If it or a program that it "
          + "starts loads the library later, use --late, or --late --children.")
    }
    guard used == library.path else {
      throw Refusal(
        text: "\(path) loads \(used) instead of \(library.path): it was linked with an rpath that "
          + "goes before LD_LIBRARY_PATH. Link it with a runpath (-Wl,--enable-new-dtags).")
    }
    try checkSymbols(path, loaded)
    say("\(path) gets libdispatch.so from \(used)")
  }

  /// Refuses a program that uses symbols which only the toolchain's libdispatch has.
  private func checkSymbols(_ path: String, _ loaded: LoadedLibraries) throws(Refusal) {
    if loaded.missing.isEmpty { return }
    let without = try LoadedLibraries(of: path, environment: [:])
    let missing = loaded.missing.subtracting(without.missing).sorted()
    if missing.isEmpty { return }
    throw Refusal(
      text: "\(path) uses symbols that Signalbox's libdispatch.so does not have: "
        + "\(missing.joined(separator: ", "))")
  }

  /// The variables that differ from this process's.
  private func environment(_ library: DropInLibrary) -> [String: String] {
    let before = variable("LD_LIBRARY_PATH")
    var new = ["LD_LIBRARY_PATH": before.map { "\(library.folder):\($0)" } ?? library.folder]
    // The mark before the value distinguishes an empty variable from one that is not set.
    if !options.contains(.children) { new["SIGNALBOX_RUN_BEFORE"] = before.map { "=\($0)" } ?? "-" }
    return new
  }

  private func execute(_ path: String, environment: [String: String]) -> Never {
    var environment = environment
    environment["SIGNALBOX_TRACE"] = trace
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
      say("\(name)=\(value)")
      setenv(name, value, 1)
    }
    if let stallLimit {
      var program = WatchedProgram(path, command, limit: stallLimit)
      program.attend()
    }
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    words.append(nil)
    execv(path, &words)
    fail("\(path): \(String(cString: strerror(errno)))", status: 126)
  }

  private func say(_ text: String) { if options.contains(.verbose) { tell(text) } }
}
