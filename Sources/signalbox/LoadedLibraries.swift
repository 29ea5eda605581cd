// LoadedLibraries — the libraries that a program loads at its start, as the dynamic linker finds
// them.
//
// The linker itself is asked: with LD_TRACE_LOADED_OBJECTS it prints what it loads, and does not
// run the program. With LD_BIND_NOW and LD_WARN it also looks for each symbol, and names those
// that it does not find; otherwise a missing function would end the program at its first call.
//
// Sources     ld.so(8); `ldd -r` sets the same variables.

import Glibc

struct LoadedLibraries {
  private var paths: [String: String] = [:]
  /// The symbols that no library has, each with the file that uses it.
  private(set) var missing: Set<String> = []

  subscript(_ name: String) -> String? { paths[name] }

  init(of program: String, environment: [String: String]) throws(Refusal) {
    for line in try LoadedLibraries.ask(program, environment).split(separator: "\n") {
      // "\tlibdispatch.so => /usr/lib/libdispatch.so (0x00007f3f2a000000)"
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count >= 3 && words[1] == "=>" { paths[String(words[0])] = String(words[2]) }
      // "undefined symbol: dispatch_unheard_of\t(./program)"
      if words.count >= 4 && words[0] == "undefined" && words[1] == "symbol:" {
        missing.insert(words[2...].joined(separator: " "))
      }
    }
  }

  private static func ask(
    _ program: String, _ environment: [String: String]
  ) throws(Refusal) -> String {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Refusal(text: "no pipe (errno \(errno))") }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    var variables = environment
    for name in ["LD_TRACE_LOADED_OBJECTS", "LD_BIND_NOW", "LD_WARN"] { variables[name] = "1" }
    let child = start(program, actions, variables)
    close(ends[1])
    switch child {
    case .success(let process):
      let text = readAll(ends[0])
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 && errno == EINTR {}
      return text
    case .failure(let refusal): throw refusal
    }
  }

  private static func start(
    _ program: String, _ actions: posix_spawn_file_actions_t, _ environment: [String: String]
  ) -> Result<pid_t, Refusal> {
    var lines = currentEnvironment().filter { line in
      !environment.keys.contains { line.hasPrefix("\($0)=") }
    }
    lines += environment.map { "\($0.key)=\($0.value)" }
    var process = pid_t()
    var actions = actions
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
    var variables: [UnsafeMutablePointer<CChar>?] = lines.map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    let error = posix_spawn(&process, program, &actions, nil, &words, &variables)
    return error == 0
      ? .success(process)
      : .failure(Refusal(text: "\(program): \(String(cString: strerror(error)))"))
  }

  private static func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
