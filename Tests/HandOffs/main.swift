// HandOffs — a program whose threads share plain memory, and which nothing but one
// hand-off of the library keeps from racing for it.
//
// It is right: ThreadSanitizer finds nothing in it. `Scripts/mutate` builds it with an
// ordering of the library weakened, and expects that ThreadSanitizer then does.
//
//     HandOffs [NAME]      without a name it lists them

import Glibc

guard CommandLine.arguments.count > 1 else {
  for handOff in handOffs { print(handOff.name) }
  exit(0)
}
guard let handOff = handOffs.first(where: { $0.name == CommandLine.arguments[1] }) else {
  fatal("there is no hand-off \(CommandLine.arguments[1])")
}
// A weakened ordering may also make it hang; then it ends here, by SIGALRM.
alarm(handOffLimitInSeconds)
handOff.run()
