// The program that measures one subject and prints its records.
//
//   --list                     every subject, a line each
//   --list-scale               those of `bench --scale`
//   --subject NAME             measures it
//     --quick                  once and tiny
//     --pin                    with the whole process on one processor
//     --operations N           performs N operations and prints nothing

import BenchmarkRecord
import CBenchmark
import Glibc

func usage() -> Never {
  cbench_exit(
    64, "usage: --list | --list-scale | --subject NAME [--quick] [--pin] [--operations N]"
  )
}

var arguments = CommandLine.arguments.dropFirst()
var subject: Subject?
var effort = Effort.full
var pinned = false
var operations: Int?

while let argument = arguments.popFirst() {
  switch argument {
  case "--list":
    for subject in Subject.all { print(subject.listing) }
    exit(0)
  case "--list-scale":
    for subject in Subject.scale { print(subject.listing) }
    exit(0)
  case "--subject":
    let name = arguments.popFirst()
    subject = (Subject.all + Subject.counted + Subject.scale).first { $0.name == name }
    if subject == nil { usage() }
  case "--quick": effort = .quick
  case "--pin": pinned = true
  case "--operations":
    operations = arguments.popFirst().flatMap(Int.init)
    if operations == nil { usage() }
  default: usage()
  }
}
guard let subject else { usage() }

// A subject that hangs is a failure, and must not hang the others. A tool that
// counts from outside slows it down a hundred times, and where it is only to be seen to
// work, others may have the processors.
cbench_die_after(operations != nil ? 600 : effort.samples > 1 ? 60 : 240)
if pinned {
  let failure = cbench_pin_to_one_processor()
  if failure != 0 {
    let reason = String(cString: strerror(failure))
    cbench_exit(71, "cannot pin the process to one processor: \(reason)")
  }
}
if let operations {
  subject.perform(operations: operations)
} else {
  for var record in subject.records(effort) {
    if pinned {
      record.name += "-pinned"
      record.title += ", pinned"
    }
    print(record)
  }
}
