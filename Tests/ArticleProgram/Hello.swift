// Hello — the program of the README.

// block: README/hello
import SignalboxDispatch
// end

func hello() {
  // block: README/hello
  let squares = DispatchQueue(label: "org.example.squares")
  let group = DispatchGroup()
  // SAFETY: only touched on `squares`.
  nonisolated(unsafe) var sum = 0

  for number in 1...10 {
    DispatchQueue.global().async(group: group) {
      let square = number * number
      squares.sync { sum += square }
    }
  }
  group.wait()
  print("The sum is \(squares.sync { sum }).")  // The sum is 385.
  // end
}
