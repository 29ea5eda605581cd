// ArticleProgram — programs of the documents that need a process of their own.
//
//     ArticleProgram hello|serve|show|import|upload|shutdown|late|order|lines|talk|shop|sell

import Glibc

// SIGALRM ends a program that hangs. Several commands look at the shop, one after the other.
alarm(CommandLine.arguments.dropFirst().first == "shop" ? 1200 : 120)
switch CommandLine.arguments.dropFirst().first {
case "serve": try serveAdopted()
case "show": try showAdopted()
case "import": importInBackground()
case "upload": uploadInBackground()
case "shutdown": shutDown(lastsForEver: false)
case "late": shutDown(lastsForEver: true)
case "order": takeInBothOrders()
case "lines": try serveLines()
case "talk": talkToLineServer(recording: CommandLine.arguments.dropFirst(2).first)
case "shop": openShop()
case "sell": sellAllDay()
default:
  print(
    "usage: ArticleProgram hello|serve|show|import|upload|shutdown|late|order|lines|talk|shop|sell")
  exit(EXIT_FAILURE)
}
