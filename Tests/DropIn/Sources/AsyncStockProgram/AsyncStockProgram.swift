// AsyncStockProgram — a program whose `main` is asynchronous. It ends when `main` does.

import OnlyTasks

@main
struct AsyncStockProgram {
  static func main() async {
    guard await OnlyTasks.runTasks(1_000) == 1_000 else { fatalError("tasks were lost") }
    print(await OnlyTasks.onMainActor { "done" })
  }
}
