// Counted — a number and the noun that it counts, for messages.

/// "1 item", "3 items".
package func counted(_ number: some BinaryInteger, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}

/// "1 item waits", "3 items wait".
package func counted(
  _ number: some BinaryInteger, _ noun: String, one: String, many: String
) -> String {
  "\(counted(number, noun)) \(number == 1 ? one : many)"
}
