// CLibrary — a shared library of C whose functions say where they are.

import Glibc
import SignalboxTestSupport
import Testing

struct CLibrary {
  let path: String
  private let handle: UnsafeMutableRawPointer

  /// Each function returns the distance from the library's first byte to behind its call, whose line ends with the
  /// function's name.
  static let source = """
    __attribute__((noinline)) static char *here(void) { return __builtin_return_address(0); }
    __attribute__((visibility("hidden"))) extern char __ehdr_start;
    char *volatile kept;
    unsigned long first(void) {
      kept = here(); // first
      return kept - &__ehdr_start;
    }
    unsigned long
    second(void)
    {
      for (int i = 0; i < 3; i++)
        kept = 0;

      kept = here(); // second
      return kept - &__ehdr_start;
    }
    unsigned long third(void) { kept = here(); return kept - &__ehdr_start; } // third
    """

  static let functions = ["first", "second", "third"]

  /// The number of the line in the source that ends with a function's name.
  static func line(of function: String) throws -> UInt32 {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    return UInt32(try #require(lines.firstIndex { $0.hasSuffix("// \(function)") }) + 1)
  }

  static let compiler: String? = {
    guard let folders = getenv("PATH") else { return nil }
    return String(cString: folders).split(separator: ":").map { "\($0)/clang" }
      .first { access($0, X_OK) == 0 }
  }()

  /// Compiles `source`, which is in the folder, within the folder above.
  init(in folder: TemporaryFolder, _ options: [String], source name: String) throws {
    try folder.write("sources/\(name)", CLibrary.source)
    path = "\(folder.path)/library.so"
    let words = ["-shared", "-fPIC", "-o", path] + options + ["sources/\(name)"]
    let shell = "cd '\(folder.path)' && exec '\(try #require(CLibrary.compiler))' \"$@\""
    let outcome = try ChildProgram(path: "/bin/sh").run(["-c", shell, "sh"] + words)
    try #require(outcome.exit == .code(0), "\(outcome.standardError)")
    handle = try #require(dlopen(path, RTLD_NOW | RTLD_LOCAL))
  }

  /// The address in the file behind a function's call.
  func address(in function: String) throws -> UInt64 {
    let symbol = try #require(dlsym(handle, function))
    // SAFETY: the function of the source, which takes nothing.
    return unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)()
  }
}
