// TopRequest+Arguments — reads the arguments of `signalbox top`.

extension TopRequest {
  init(_ arguments: consuming Arguments) throws(UsageProblem) {
    var process: Int32?
    while let word = try arguments.next() {
      if process != nil { throw .wrong("one process at a time") }
      process = try Arguments.process(word)
    }
    self.init(process: process)
  }
}
