import CoreFoundation
import Foundation

/// Words as Core Foundation has them, and a loop that is asked for the time.
public enum Words {
  public static func length(_ word: String) -> Int {
    let encoding = CFStringBuiltInEncodings.UTF8.rawValue
    guard let text: CFString = CFStringCreateWithCString(kCFAllocatorDefault, word, encoding) else {
      return 0
    }
    return CFStringGetLength(text)
  }

  public static func waitsForTheLoop() -> Bool {
    let loop: CFRunLoop? = CFRunLoopGetCurrent()
    let begin = CFAbsoluteTimeGetCurrent()
    let timer = CFRunLoopTimerCreateWithHandler(nil, begin + 0.01, 0, 0, 0) { _ in
      CFRunLoopStop(loop)
    }
    CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode)
    CFRunLoopRun()
    return CFAbsoluteTimeGetCurrent() > begin
  }
}
