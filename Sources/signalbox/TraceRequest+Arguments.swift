// TraceRequest+Arguments — reads the arguments of `signalbox trace`.

extension TraceRequest {
  init(_ arguments: consuming Arguments) throws(UsageProblem) {
    var process: Int32?
    var duration: UInt64?
    var output: String?
    while let word = try arguments.next() {
      switch word {
      case "-d":
        if duration != nil { throw .wrong("-d is given twice") }
        let text = try arguments.value(orSay: "-d needs a time")
        guard let time = LengthOfTime.nanoseconds(text), time <= TraceRequest.longest else {
          throw .wrong("\(text) is not a time: write 500ms, 5s or 2m, at most 60m")
        }
        duration = time
      case "-o":
        if output != nil { throw .wrong("-o is given twice") }
        output = try arguments.value(orSay: "-o needs the name of a file")
      default:
        if process != nil { throw .wrong("one process at a time") }
        process = try Arguments.process(word)
      }
    }
    guard let process else { throw .wrong("which process?") }
    self.init(process: process, duration: duration ?? TraceRequest.usual, output: output)
  }
}
