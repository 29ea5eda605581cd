import Foundation

/// Which machine numbers are from, as far as it matters to them.
public struct Machine: Codable, Equatable, Sendable {
  public var processor: String
  public var cores: Int
  public var architecture: String
  public var kernel: String

  public init(processor: String, cores: Int, architecture: String, kernel: String) {
    self.processor = processor
    self.cores = cores
    self.architecture = architecture
    self.kernel = kernel
  }

  public static func current() -> Machine {
    var system = utsname()
    uname(&system)
    let architecture = withUnsafeBytes(of: &system.machine) { text($0) }
    let kernel = withUnsafeBytes(of: &system.release) { text($0) }
    let cpuinfo = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    return Machine(
      processor: processor(cpuinfo: cpuinfo) ?? architecture,
      cores: ProcessInfo.processInfo.activeProcessorCount, architecture: architecture,
      kernel: String(kernel.prefix { $0.isNumber || $0 == "." }))
  }

  /// The model's name. arm64 kernels do not give one.
  static func processor(cpuinfo: String) -> String? {
    for line in cpuinfo.split(separator: "\n") where line.hasPrefix("model name") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
      if !name.isEmpty { return name }
    }
    return nil
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The same for the same kind of machine, and nothing about whose it is.
  public var fileName: String {
    let words = "\(processor) \(cores) cores".lowercased()
      .split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    return words.joined(separator: "-") + ".json"
  }
}
