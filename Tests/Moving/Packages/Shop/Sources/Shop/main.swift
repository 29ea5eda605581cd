import Dispatch; import Foundation; import Kitchen
import Middleware
import Store

let till = Till()
DispatchQueue.concurrentPerform(iterations: 10) { till.add($0) }
print(till.total)

let queue = OperationQueue()
queue.maxConcurrentOperationCount = 2
let stock = Stock()
stock.deliver(["tea", "tea", "coffee"], on: queue)
print(stock.count(of: "tea"), stock.request.url?.path ?? "")

Opening(date: Date()).announce(on: queue) { print("announced") }
let opening = Opening(date: Date()).timer { _ in print("open") }
RunLoop.main.add(opening, forMode: .default)
while opening.isValid, RunLoop.main.run(mode: .default, before: Date() + 0.01) {}
print(opening.isSingle, opening.isValid)

let egg = Kitchen.Timer(minutes: 4).started { print("egg") }
while egg.isValid, RunLoop.current.run(mode: .default, before: Date() + 0.01) {}
print(egg.isValid, Application().answer())

print(Words.length("tea"), Words.waitsForTheLoop())
Letters().read()
Ending().start(on: queue)
dispatchMain()
