// The program of the README. Nothing in it names Signalbox.

// block: README/hello
import Dispatch

let squares = DispatchQueue(label: "org.example.squares")
for number in 1...5 {
  squares.async { print(number * number) }
}
squares.sync { print("done") }
// end
