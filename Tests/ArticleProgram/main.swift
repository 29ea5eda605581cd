// ArticleProgram — programs of the documents that need a process of their own.
//
//     ArticleProgram hello|serve|show|googly

import Glibc

// A program that hangs ends here by SIGALRM.
alarm(120)
switch CommandLine.arguments.dropFirst().first {
case "hello": hello()
case "serve": try serveAdopted()
case "show": try showAdopted()
case "googly": googly()
default:
  print("usage: ArticleProgram hello|serve|show|googly")
  exit(EXIT_FAILURE)
}
