// RunRequest+Arguments — reads the arguments of `signalbox run`.

extension RunRequest {
  init(_ arguments: consuming Arguments) throws(UsageProblem) {
    var options: Options = []
    var trace: String?
    var stallLimit: UInt64?
    while let option = try arguments.nextOption() {
      switch option {
      case "--verbose": options.insert(.verbose)
      case "--children": options.insert(.children)
      case "--late": options.insert(.late)
      case "--trace":
        trace = try arguments.value(orSay: "which file for the recording?")
      case "--report-on-stall":
        let text = try arguments.value(orSay: "nothing is no time such as 500ms, 10s or 2m")
        stallLimit = LengthOfTime.nanoseconds(text)
        if stallLimit == nil { throw .wrong("\(text) is no time such as 500ms, 10s or 2m") }
      default: throw .wrong("there is no option \(option)")
      }
    }
    let command = arguments.takeRest()
    guard let program = command.first, !program.isEmpty else { throw .wrong("which program?") }
    self.init(command: command, options: options, trace: trace, stallLimit: stallLimit)
  }
}
