/// A number that items change and the measured loop checks at the end.
final class Tally: @unchecked Sendable {
  // SAFETY: every access is an item of one serial queue, a barrier item or a
  // reader of one concurrent queue, or follows the drain of that queue.
  var value = 0
}
