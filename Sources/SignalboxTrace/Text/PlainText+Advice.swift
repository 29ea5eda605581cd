// PlainText+Advice — the full text of the advice.

extension PlainText {
  /// All advice with its places and remedies, or a sentence if there is none.
  package var advice: String {
    let all = trace.advice
    let losses = trace.lossWords.map { $0 + "\n" } ?? ""
    guard !all.isEmpty else { return "There is no advice.\n" + losses }
    return losses + all.map { $0.text + "\n" }.joined(separator: "\n")
  }
}
