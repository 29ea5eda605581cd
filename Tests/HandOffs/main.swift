// HandOffs — a program whose threads share plain memory. Only one hand-off of the library keeps
// them from racing for it.
//
// The program is correct: ThreadSanitizer finds nothing in it. `Scripts/mutate` builds it with a
// weakened ordering in the library, and expects that ThreadSanitizer then reports a race.
//
//     HandOffs [NAME]      without a name it lists the hand-offs

import Glibc

guard CommandLine.arguments.count > 1 else {
  for handOff in handOffs { print(handOff.name) }
  exit(0)
}
guard let handOff = handOffs.first(where: { $0.name == CommandLine.arguments[1] }) else {
  fatal("there is no hand-off \(CommandLine.arguments[1])")
}
// A weakened ordering may also make it hang; then SIGALRM ends it here.
alarm(handOffLimitInSeconds)
handOff.run()
