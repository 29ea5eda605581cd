import BenchmarkRecord
import Foundation

/// A program to run to its end, for what it prints.
struct Program: Equatable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  let file: URL
  /// Variables for it, beside those of this process.
  let variables: [String: String]

  init(_ file: URL, _ variables: [String: String] = [:]) {
    self.file = file
    self.variables = variables
  }

  /// The tool of that name on the search path.
  init?(named name: String) {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let candidates = path.split(separator: ":").map { "\($0)/\(name)" }
    guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
      return nil
    }
    self.init(URL(fileURLWithPath: found))
  }

  @discardableResult
  func run(_ arguments: [String], quietly: Bool = false) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = file
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    process.standardOutput = output
    if quietly { process.standardError = FileHandle.nullDevice }
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let how = process.terminationReason == .exit ? "exited with" : "was ended by signal"
      throw Failure(
        description: """
          \(file.lastPathComponent) \(arguments.joined(separator: " ")) \
          \(how) \(process.terminationStatus)
          """)
    }
    return text
  }

  /// The records that a subjects program prints, and nothing else.
  func records(_ arguments: [String]) throws -> [Record] {
    let lines = try run(arguments).split(separator: "\n")
    let records = lines.compactMap { Record(String($0)) }
    guard !records.isEmpty, records.count == lines.count else {
      throw Failure(
        description: """
          \(file.lastPathComponent) \(arguments.joined(separator: " ")) \
          printed no records: \(lines.joined(separator: "; "))
          """)
    }
    return records
  }
}

/// The two programs that run the subjects: ours and the toolchain's, or the toolchain's on our
/// libdispatch.so and on its own.
struct Sides {
  let signalbox: Program
  let toolchain: Program

  /// They are built beside the driver.
  init(dropIn: Bool) throws {
    let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    func program(_ name: String) throws -> Program {
      let file = folder.appendingPathComponent(name)
      guard FileManager.default.isExecutableFile(atPath: file.path) else {
        throw Program.Failure(description: "\(name) is not built: swift build -c release")
      }
      return Program(file)
    }
    toolchain = try program("bench-toolchain")
    signalbox =
      try dropIn
      ? Program(toolchain.file, ["LD_LIBRARY_PATH": try DropIn.folder()])
      : program("bench-signalbox")
  }

  /// The subjects that `option` asks for. Both programs must have the same, but for those that only
  /// Signalbox has.
  func subjects(_ option: String = "--list") throws -> [Listing] {
    let lists = try [signalbox, toolchain].map { program in
      try program.run([option]).split(separator: "\n").compactMap { Listing(String($0)) }
    }
    guard lists[0].filter({ !$0.alone }) == lists[1], !lists[1].isEmpty else {
      throw Program.Failure(description: "the two programs list different subjects: build both")
    }
    return lists[0]
  }
}
