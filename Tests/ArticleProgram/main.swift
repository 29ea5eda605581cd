// ArticleProgram — programs of the documents that need a process of their own.
//
//     ArticleProgram hello|serve|show|import|upload

import Glibc

// A program that hangs ends here by SIGALRM.
alarm(120)
switch CommandLine.arguments.dropFirst().first {
case "hello": hello()
case "serve": try serveAdopted()
case "show": try showAdopted()
case "import": importInBackground()
case "upload": uploadInBackground()
default:
  print("usage: ArticleProgram hello|serve|show|import|upload")
  exit(EXIT_FAILURE)
}
