// SemanticFacts — what each scenario of Swift's own semantics prints, whichever pool runs its jobs.

import ConcurrencyScenarios

enum SemanticFacts {
  static let expected: [String: [String: String]] = [
    // Actors
    "an-actor-runs-one-at-a-time": ["count": "80000", "overlaps": "0"],
    "an-actor-is-open-while-it-waits": ["order": "first in,second,first out"],
    "messages-of-one-task-arrive-in-order": ["inOrder": "true"],
    "global-actors-keep-others-out": ["count": "16000"],
    "many-actors-and-many-tasks": ["sum": "20000", "overlaps": "0"],
    "an-isolated-deinit-runs-on-its-actor": ["onMain": "true", "onActor": "actor"],
    "an-actor-is-freed": ["alive": "0"],
    // Cancellation
    "a-handler-runs-at-the-cancel": [
      "handlerBeforeReturn": "true", "handlers": "1", "cancelled": "true", "last": "true",
    ],
    "a-handler-of-a-cancelled-task-runs-at-once": ["order": "handler,operation"],
    "checking-throws-once-cancelled": ["check": "thrown"],
    "a-cancelled-group-cancels-its-children": [
      "added": "false", "groupCancelled": "true", "started": "50", "cancelled": "50",
      "selfCancelled": "false",
    ],
    "cancelling-a-task-reaches-its-children-and-no-others": [
      "child": "true", "member": "true", "detached": "false", "unstructured": "false",
    ],
    "an-async-let-not-awaited-is-cancelled": ["ended": "true", "last": "true"],
    "a-throwing-group-cancels-the-rest": ["threw": "true", "cancelled": "20"],
    "a-discarding-group-cancels-by-itself": ["threw": "true", "cancelled": "20"],
    "cancelled-sleeps-end-at-once": ["ended": "3", "sleptThrough": "false"],
    "a-stream-ends-when-its-reader-is-cancelled": ["read": "1", "reason": "cancelled"],
    // Continuations
    "continuations-resumed-from-everywhere": [
      "inPlace": "1", "unsafe": "2", "fromATask": "3", "fromAThread": "4", "thrown": "true",
      "unsafeThrown": "true", "result": "5",
    ],
    "a-ring-of-continuations": ["passed": "20000"],
    "tasks-resumed-by-each-other": ["turns": "10000"],
    // Depth
    "a-hundred-thousand-awaits-deep": ["depth": "100000"],
    "a-hundred-thousand-hops-deep": ["depth": "100000"],
    "ten-thousand-tasks-deep": ["depth": "10000"],
    "a-hundred-thousand-tasks": ["ran": "100000", "sum": "4999950000"],
    "a-hundred-thousand-children": ["sum": "4999950000"],
    "a-hundred-thousand-yields": ["yields": "100000"],
    "a-yield-lets-others-run": ["ended": "true"],
    "an-immediate-task-begins-in-place": [
      "order": "begun,made,resumed", "member": "member,added", "main": "main,after main",
      "hopped": "true",
    ],
    // Groups
    "async-lets-give-their-values": ["sum": "10", "broken": "7", "again": "1"],
    "a-group-gives-each-child-once": ["empty": "true", "next": "true", "each": "true"],
    "a-group-nests": ["leaves": "4096"],
    "a-throwing-group-tells-each-result": ["values": "true", "errors": "50"],
    "waiting-for-all-tells-the-first-error": ["error": "3", "ended": "20"],
    "a-discarding-group-waits-for-all": ["ended": "10000"],
    "a-group-frees-what-its-children-hold": ["alive": "0"],
    "a-task-frees-what-it-holds": ["alive": "0"],
    // Isolation
    "isolation-is-seen-where-it-is": [
      "onTheActor": "true", "inItsTask": "true", "onTheMainActor": "true",
      "inATaskOfTheMainActor": "true", "onAGlobalActor": "true", "value": "3",
      "isolationParameter": "true", "isolationOfMain": "true",
    ],
    // MainActorWork
    "the-main-actor-runs-one-at-a-time": ["hops": "5000", "overlaps": "0"],
    "the-main-actor-is-open-while-it-waits": ["order": "waits,meanwhile,goes on"],
    "messages-to-the-main-actor-keep-their-order": ["inOrder": "true"],
    // Priorities
    "a-task-has-the-priority-it-was-given": [
      "high": "true", "medium": "true", "low": "true", "background": "true",
      "userInitiated": "true", "utility": "true", "between": "true",
    ],
    "a-task-inherits-the-priority-of-its-maker": [
      "plain": "true", "detached": "false", "child": "true", "member": "true", "base": "true",
    ],
    "awaiting-a-task-raises-it": [
      "handlerSawTheOld": "true", "handlerSawTheNew": "true", "before": "true", "after": "true",
      "base": "true",
    ],
    "a-task-is-raised-by-hand": ["handlerSawTheNew": "true", "after": "true"],
    "raising-a-parent-raises-its-children": ["raisedChildren": "4"],
    // Sleeps
    "no-sleep-ends-early": ["sleeps": "35", "early": "none"],
    "sleeps-of-no-length-end": ["ended": "true", "clocks": "true"],
    "sleeps-of-a-cancelled-task-throw": ["thrown": "3"],
    "the-longest-sleeps-last": ["early": "none", "cancelled": "6"],
    "a-clock-of-the-programs-own": ["early": "false", "cancelled": "true"],
    "ten-thousand-sleeps-end": ["ended": "10000"],
    "ten-thousand-sleeps-are-cancelled": ["ended": "10000"],
    // Streams
    "a-stream-keeps-its-order": ["read": "10000", "wrong": "0"],
    "a-stream-buffers-as-it-was-told": [
      "unboundedEnded": "true", "unboundedDropped": "none", "unboundedRead": "0,1,2,3,4,5",
      "newestEnded": "true", "newestDropped": "0,1,2", "newestRead": "3,4,5", "oldestEnded": "true",
      "oldestDropped": "3,4,5", "oldestRead": "0,1,2",
    ],
    "a-stream-of-many-producers": ["complete": "true", "wrong": "0", "terminations": "1"],
    "a-stream-that-throws": ["threw": "true", "sum": "10"],
    "a-stream-that-is-asked": ["read": "1,2,3,4,5"],
    "sequences-of-sequences": ["read": "0,6,12,18,24"],
    "streams-in-a-chain": ["read": "500", "wrong": "0"],
    // TaskLocals
    "task-locals-go-with-the-task": [
      "direct": "outer", "task": "outer", "detached": "none", "asyncLet": "outer",
      "member": "outer", "actor": "outer", "mainActor": "outer", "continuation": "outer",
      "afterYield": "outer", "afterSleep": "outer", "afterForeignResume": "outer",
      "nested": "inner", "restored": "outer", "outside": "none",
    ],
    "task-locals-of-many-tasks-do-not-mix": ["wrong": "0"],
  ]

  /// Scenarios that are drawn from a seed.
  static let drawn = ["a-random-graph"]

  /// Scenarios that end in a trap, with the toolchain's message; for the main actor it prints
  /// none.
  static let traps: [String: String] = [
    "an-actor-assumed-off-it-traps": "Incorrect actor executor assumption",
    "an-actor-required-off-it-traps": "Incorrect actor executor assumption",
    "one-actor-assumed-on-another-traps": "Incorrect actor executor assumption",
    "an-actor-assumed-on-the-main-actor-traps": "Incorrect actor executor assumption",
    "the-main-actor-assumed-off-it-traps": "",
    "the-main-actor-required-on-an-actor-traps": "",
    "a-continuation-resumed-twice-traps": "CONTINUATION MISUSE",
  ]
}
