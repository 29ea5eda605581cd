// Hello — the program of the README.

// block: README/hello
import SignalboxDispatch
// end

func hello() {
  // block: README/hello
  let squares = DispatchQueue(label: "org.example.squares")
  for number in 1...5 {
    squares.async { print(number * number) }
  }
  squares.sync { print("done") }
  // end
}
