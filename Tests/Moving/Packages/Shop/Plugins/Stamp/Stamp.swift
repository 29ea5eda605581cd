import Foundation
import PackagePlugin

@main
struct Stamp: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    print(Date())
  }
}
