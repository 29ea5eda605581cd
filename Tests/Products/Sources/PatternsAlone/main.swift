// A program that imports SignalboxPatterns and nothing else.

import SignalboxPatterns

let names = Isolated(["Ada"], label: "org.example.names")
names.write { $0.append("Grace") }
_ = names.read { $0.count }
print("done")
