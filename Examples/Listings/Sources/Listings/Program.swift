// Program — the command line.
//
// The main thread belongs to the main queue, as in an application; everything
// else is an item on another queue.

import SignalboxDispatch
import Glibc

@main
enum Program {
  static let usage = """
    usage: Listings              runs every listing, one line each
           Listings 000-11 …     runs these, with their story
           Listings --table      prints the table of the README
           Listings --index      prints number and rows of every listing
    """

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    Place.claimMainThread()
    DispatchQueue.global().async { exit(run(arguments)) }
    dispatchMain()
  }

  /// Does what the arguments ask for and returns the exit status.
  private static func run(_ arguments: [String]) -> Int32 {
    switch arguments.first {
    case nil:
      return Runner.runAll()
    case "--table":
      print(Table.markdown(), terminator: "")
      return 0
    case "--index":
      for listing in Listing.all {
        print("\(listing.number)\t\(listing.rows.joined(separator: ", "))")
      }
      return 0
    case "--fault":
      guard arguments.count == 2, let fault = Listing.numbered(arguments[1])?.fault else { break }
      return Runner.runFault(fault)
    default:
      let listings = arguments.compactMap(Listing.numbered)
      guard listings.count == arguments.count else { break }
      return Runner.tell(listings)
    }
    print(usage)
    return 2
  }
}
