import Foundation

/// Numbers as the kernel writes them: `0-3,8`.
public func processorList(_ text: String) -> [Int] {
  text.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ",").flatMap { part in
    let ends = part.split(separator: "-").compactMap { Int($0) }
    guard let first = ends.first, let last = ends.last, first <= last else { return [Int]() }
    return Array(first...last)
  }
}
