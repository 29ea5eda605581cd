// Exposition — a strict reader of Prometheus' text format, for tests.

import Testing

struct Exposition {
  struct Sample: Equatable {
    let name: String
    let labels: [String: String]
    let value: Double
  }

  private(set) var samples: [Sample] = []
  private(set) var types: [String: String] = [:]
  private var helps: Set<String> = []
  private var series: Set<String> = []

  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads a whole text. Throws if a rule of the format is broken: each family has its help and its type
  /// first, stands together, and has no two samples with the same labels.
  init(_ text: String) throws {
    try Exposition.require(text.isEmpty || text.hasSuffix("\n"), "the last line does not end")
    var current: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ", maxSplits: 3)
      if line.hasPrefix("# HELP ") {
        let name = String(words[2])
        try Exposition.require(words.count == 4 && helps.insert(name).inserted, "\(line)")
        current = name
      } else if line.hasPrefix("# TYPE ") {
        let name = String(words[2])
        try Exposition.require(
          name == current && ["counter", "gauge", "histogram"].contains(words[3]), "\(line)")
        types[name] = String(words[3])
      } else {
        let sample = try Exposition.sample(line)
        if let current, types[current] == "histogram" {
          let ends = ["_bucket", "_sum", "_count"].map { current + $0 }
          try Exposition.require(ends.contains(sample.name), "\(line)")
          try Exposition.require(
            sample.name.hasSuffix("_bucket") == (sample.labels["le"] != nil), "\(line)")
        } else {
          try Exposition.require(sample.name == current && types[sample.name] != nil, "\(line)")
          try Exposition.require(
            (types[sample.name] == "counter") == sample.name.hasSuffix("_total"), "\(line)")
        }
        let labels = sample.labels.sorted { $0.key < $1.key }
        try Exposition.require(series.insert("\(sample.name) \(labels)").inserted, "twice: \(line)")
        samples.append(sample)
      }
    }
  }

  /// The value of the only sample with these labels and perhaps others.
  func value(_ name: String, _ labels: [String: String] = [:]) throws -> Double {
    let found = samples.filter { sample in
      sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
    }
    try #require(found.count == 1, "\(name) \(labels)")
    return found[0].value
  }

  /// The numbers of a histogram's buckets, by their bounds, with the highest one last. Throws if they fall, or
  /// do not agree with the number of all.
  func buckets(
    _ name: String, _ labels: [String: String]
  ) throws -> [(bound: Double, count: Double)] {
    let found = samples.filter { sample in
      sample.name == "\(name)_bucket" && labels.allSatisfy { sample.labels[$0.key] == $0.value }
    }
    let buckets = found.map { sample in
      (
        bound: sample.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) } ?? -1,
        count: sample.value
      )
    }
    for (bucket, next) in zip(buckets, buckets.dropFirst()) {
      try Exposition.require(bucket.bound < next.bound && bucket.count <= next.count, "\(buckets)")
    }
    let last = try #require(buckets.last)
    try Exposition.require(last.bound == .infinity, "\(buckets)")
    let count = try value("\(name)_count", labels)
    try Exposition.require(last.count == count, "\(buckets)")
    return buckets
  }

  func sum(_ name: String) -> Double {
    samples.filter { $0.name == name }.reduce(0) { $0 + $1.value }
  }

  private static func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw Fault(description: text()) }
  }

  /// Reads `name{label="value",…} number`. By scalars: a mark that combines with a quotation mark would make
  /// one character of both.
  private static func sample(_ line: Substring) throws -> Sample {
    var rest = line.unicodeScalars
    func take(_ condition: (Unicode.Scalar) -> Bool) -> String {
      let part = rest.prefix(while: condition)
      rest = rest.dropFirst(part.count)
      return String(part)
    }
    func has(_ text: String) -> Bool { rest.starts(with: text.unicodeScalars) }
    func expect(_ text: String) throws {
      try require(has(text), "\(text) expected at \(Substring(rest)) in \(line)")
      rest = rest.dropFirst(text.unicodeScalars.count)
    }
    let isWord: (Unicode.Scalar) -> Bool = {
      $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_")
    }
    let name = take(isWord)
    var labels: [String: String] = [:]
    try expect("{")
    while !has("}") {
      let label = take(isWord)
      try expect("=\"")
      var value = String.UnicodeScalarView()
      while let scalar = rest.first, scalar != "\"" {
        rest = rest.dropFirst()
        guard scalar == "\\" else {
          value.append(scalar)
          continue
        }
        let escapes: [Unicode.Scalar: Unicode.Scalar] = ["\\": "\\", "\"": "\"", "n": "\n"]
        let escape = rest.first.flatMap { escapes[$0] }
        try require(escape != nil, "an escape in \(line)")
        value.append(escape ?? " ")
        rest = rest.dropFirst()
      }
      try expect("\"")
      try require(
        !label.isEmpty && labels.updateValue(String(value), forKey: label) == nil, "\(line)")
      if !has("}") { try expect(",") }
    }
    try expect("} ")
    let value = Double(String(rest))
    try require(value != nil, "the number in \(line)")
    return Sample(name: name, labels: labels, value: value ?? 0)
  }
}
