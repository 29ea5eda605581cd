// MetricsRequest+Arguments — reads the arguments of `signalbox metrics`.

extension MetricsRequest {
  init(_ arguments: consuming Arguments) throws(UsageProblem) {
    var processes: [Int32] = []
    var address: ListeningAddress?
    while let word = try arguments.next() {
      if word == "--listen" {
        if address != nil { throw .wrong("one address at a time") }
        let text = try arguments.value(orSay: "--listen needs an address and a port")
        address = ListeningAddress(text)
        if address == nil { throw .wrong("\(text) is no address with a port") }
      } else {
        let process = try Arguments.process(word)
        if !processes.contains(process) { processes.append(process) }
      }
    }
    if processes.isEmpty { throw .wrong("which process?") }
    self.init(processes: processes, address: address)
  }
}
