// StoryText+Advice — advice in full.

extension StoryText {
  /// Each piece of advice, with its places and the remedy; a sentence where there is none.
  package var advice: String {
    let all = story.advice
    let losses = story.lossWords.map { $0 + "\n" } ?? ""
    guard !all.isEmpty else { return "There is no advice.\n" + losses }
    return losses + all.map { $0.text + "\n" }.joined(separator: "\n")
  }
}
