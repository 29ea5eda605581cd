# The commands of this project. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := help

# A child that traps on purpose needs no backtrace, and under ThreadSanitizer
# the backtracer itself crashes.
export SWIFT_BACKTRACE := enable=no
export PYTHONDONTWRITEBYTECODE := 1

# Its colours are asked for in so many words: by itself the package manager builds all anew
# where a terminal comes or goes.
googlypuff := swift run -c release --no-color-diagnostics --package-path Examples/GooglyPuff GooglyPuff
code := Package.swift Sources Tests Examples Benchmarks

help:
	@echo "Signalbox: Grand Central Dispatch in Swift for Linux"
	@awk -F ':.*## ' '/^[a-z0-9.-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: swift ## GooglyPuff with the bundled photos: an app in the browser; in a pipe, a page in out
	@Scripts/install-packages run
	@if [ -t 0 ] && [ -t 1 ]; then set -x; exec $(googlypuff) serve Examples/GooglyPuff/Photos; \
	else set -x; $(googlypuff) --out out --timeline out/timeline.html Examples/GooglyPuff/Photos; fi

# Tests that end a process of their own run apart: each waits for its child by a task, which
# stands in line behind every other test that was begun, and most of those block a thread.
# Beside them they end minutes late, with hundreds of children not waited for.
exits := CrashTests|ArticleTests|ConformanceTests.(IOEnd|Once|Precondition)Tests
# Tests that watch other processes, of which most block a thread for seconds.
outside := ^InspectorTests\.
# Tests in which a task must go on: tests that block leave none of the toolchain's threads to it.
tasks := ConcurrencyTests.(EveryForm|Exports|Finished|Gate|Notification|Perform|Sleep|Waiter)Tests

test: swift ## All tests: the library, the examples, each benchmark once
	@Scripts/install-packages run perfetto debugger
	Scripts/run-tests --filter '$(exits)'
	Scripts/run-tests --filter '$(outside)'
	Scripts/lint-lazy-statics
	Scripts/run-tests --filter '$(tasks)'
	Scripts/run-tests --skip '$(exits)|$(outside)|$(tasks)'
	$(models)
	Scripts/run-xctests
	Scripts/test-perfetto
	Scripts/build-drop-in
	Scripts/corpus
	/usr/bin/python3 -m unittest discover -s Tests/CountedAccesses
	/usr/bin/python3 -m unittest discover -s Tests/Imports
	/usr/bin/python3 -m unittest discover -s Tests/Moving
	/usr/bin/python3 -m unittest discover -s Tests/Soak
	/usr/bin/python3 -m unittest discover -s Tests/Containers
	Scripts/run-tests -c release --disable-testable-imports --package-path Examples/GooglyPuff \
	  --scratch-path Examples/GooglyPuff/.build
	Scripts/run-tests --package-path Examples/Listings
	Scripts/run-tests --package-path Examples/Litmus
	Scripts/run-tests --package-path Examples/Embedding
	Scripts/run-tests --package-path Examples/RunLoopCells
	Scripts/run-tests --package-path Examples/OnePool
	Scripts/run-tests --package-path Examples/GooglySteps
	Scripts/run-tests --package-path Examples/QueuePictures
	Scripts/run-tests --package-path Tests/Products
	Scripts/run-tests --package-path Tests/DropIn
	Scripts/build-package --package-path Tests/Soak
	Scripts/run-tests --package-path Benchmarks
	/usr/bin/python3 -m unittest discover -s Tests/SharedLibrary
	.build/debug/bench --quick
	.build/debug/bench --scale --quick
	.build/debug/bench --drop-in --quick

models := Scripts/run-tests -c release --package-path Tests/ModelTests --scratch-path .build/models

drop-in: swift ## libdispatch.so and `signalbox run`, for programs that are not rebuilt: out/drop-in
	Scripts/build-drop-in

# The bundle's own engine, which the tests import, is beside the library's, which serves Testing,
# Foundation and tasks. Programs that the tests start get neither variable.
# Left out: a queue of the toolchain's type on one of ours needs a root queue that only the
# toolchain's library has. With one engine it needs none: see MixedTests of Tests/DropIn.
# On the toolchain's library few tests run at a time, because most block a thread. Here all would,
# and a stress test would get no time.
bridges := theirItemsAndOursNeverRunConcurrently|itemsOfTheToolchainsQueueAreItemsOfOurs|theirQueueWaitsWhileOursIsSuspended|theToolchainsFeaturesOnQueuesWork|theirQueueIsFreedWithItsLastReference
onTheLibrary := LD_LIBRARY_PATH=$(CURDIR)/out/drop-in/lib/signalbox SIGNALBOX_RUN_BEFORE=- \
  SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 .build/debug/SignalboxPackageTests.xctest --testing-library swift-testing
test-drop-in: swift ## This package's own tests, with libdispatch.so beneath the toolchain's libraries
	Scripts/build-drop-in
	swift build --build-tests
	$(onTheLibrary) --filter '$(exits)'
	$(onTheLibrary) --filter '$(outside)'
	$(onTheLibrary) --filter '$(tasks)'
	$(onTheLibrary) --skip '$(exits)|$(outside)|$(tasks)|$(bridges)'

test-web: swift ## The pages of the trace and of GooglyPuff, in a headless Chromium; pictures in out/web
	@Scripts/install-packages web run
	swift build --product signalbox-trace
	swift build --product signalbox
	swift build -c release --package-path Examples/GooglyPuff --product GooglyPuff
	Scripts/build-package --package-path Examples/QueuePictures --product QueuePictures
	/usr/bin/python3 -m unittest discover -s Tests/Web

bench-web: ## How soon the pages draw: 200,000 events, 1,000 photos; against their goals
	@Scripts/install-packages web
	/usr/bin/python3 Tests/Web/page_speed.py
	/usr/bin/python3 Tests/Web/googly_speed.py

screenshots: swift ## The pictures of GooglyPuff, of the page and of `signalbox top`, for the READMEs and the articles
	@Scripts/install-packages web run
	swift build -c release --package-path Examples/GooglyPuff --product GooglyPuff
	/usr/bin/python3 Tests/Web/readme_pictures.py
	Scripts/build-package --package-path Examples/QueuePictures --product QueuePictures
	Scripts/build-package --package-path Examples/GooglySteps
	/usr/bin/python3 Tests/Web/article_pictures.py
	swift build --build-tests
	Scripts/draw-top

bench-app: swift ## GooglyPuff: memory, the main queue's answers and two cores, against their goals
	@Scripts/install-packages run
	swift build -c release --package-path Examples/GooglyPuff --product GooglyPuff
	/usr/bin/python3 Examples/GooglyPuff/Scripts/measure-app

bench: swift ## The benchmarks, ours beside the toolchain's, into Documentation/Speed.md and README.md
	@Scripts/install-packages bench
	swift build -c release --package-path Benchmarks
	Benchmarks/.build/release/bench --counts --documents
	Scripts/build-drop-in
	Benchmarks/.build/release/bench --drop-in --documents
	Scripts/probe-cost --documents

bench-peers: swift ## Signalbox beside Go, Rust and C++, into Documentation/Peers.md: ROUNDS=… (20)
	@Scripts/install-packages peers
	Scripts/build-peers
	swift build -c release --package-path Benchmarks
	Benchmarks/.build/release/bench --peers --counts --documents $(if $(ROUNDS),--rounds $(ROUNDS))

bench-scale: swift ## Both sides with one processor, two, four, up to all: ROUNDS=… (5)
	swift build -c release --package-path Benchmarks
	Benchmarks/.build/release/bench --scale --rounds $(or $(ROUNDS),5)

count-transfers: swift ## Atomic operations and lines that move between threads, an item: RUNS=… (5), ONLY=…
	Scripts/count-transfers --runs $(or $(RUNS),5) $(if $(ONLY),--only '$(ONLY)',--documents)

probe-cost: swift ## What probes and counters cost: a serial async and a sync, with them and without
	@Scripts/install-packages bench
	Scripts/probe-cost

watch-cost: swift ## What a process under load loses while `signalbox top` shows it; a thousand samples of one
	SIGNALBOX_WATCH_SAMPLES=1000 Scripts/run-tests --filter WatchedLoadTests
	Scripts/watch-cost

lint: swift ## Format, warnings as errors, orderings, layout, documentation
	@Scripts/install-packages lint
	swift format lint --strict --parallel --recursive $(code)
	Scripts/selftest
	Scripts/lint-layout
	Scripts/lint-imports
	Scripts/lint-forks
	Scripts/lint-words
	Scripts/lint-doors
	Scripts/lint-api
	Scripts/lint-orderings
	Scripts/arm64-page
	Scripts/lint-edges
	Scripts/lint-mutations
	Scripts/lint-safety
	Scripts/lint-documents
	Scripts/lint-decisions
	Scripts/lint-rows
	Scripts/lint-walks
	Scripts/lint-environment
	Scripts/lint-tracepoints
	Scripts/lint-articles
	Scripts/lint-manifests
	Scripts/draw-diagrams --check
	Scripts/list-page --check
	Scripts/build-docs

check: lint test walks test-web sanitize ## What CI runs: lint and all tests

walks: swift ## Which files the walks of ARCHITECTURE.md enter, counted and compared with Tests/Walks
	Scripts/walks

# Threads, wake-ups, bytes and system calls are not counted here: ThreadSanitizer
# brings a thread and an allocator of its own; nor are calls refused, which it needs.
# Nor are places: a worker that waits for a lock of ThreadSanitizer's runtime counts as blocked, and
# another takes its place, even for items that may not run beyond the width.
# The toolchain's backtracer crashes under it.
# Signals are delivered later by it, and fewer, its allocator ends the process, and it has handlers
# of its own for crashes and for files that grow too large: tests of these are left out, and
# programs that live by signals. So is advice by times that are many times as long here.
# Its stack of calls has an end, which calls that are nested ten thousandfold come to.
# No more tests run at a time than it can give each its time: their children start slowly.
# Children that are forked while others compute are left out too: with them the Swift
# runtime was seen to hang in the child, in a lock for a type's metadata that another
# thread of the parent held (see Internals/Machine.md).
wakeUps := everyEndOfAThousandChildrenIsReportedOnce|sourcesWithoutEventsWakeNoThread|timersWithOverlappingLeewayShareWakeUps|suspendedTimerMakesNoWakeUp|liveSourcesMakeNoWakeUps|hangUpIsReportedOnceAndDoesNotSpin|sourceWithoutEventsMakesNoWakeUp
other := overcommitIsLimitedToTheWidth|helperRequestWaitsWhileRunnablesCompute|signalsWhileTheHandlerRunsMakeOneMoreCall|everySignalThatTheKernelDeliversIsCounted|moreBytesInOneStretchThanThereIsMemory|aProgramThatIsNotRecordedPaysNothing|moreNestedSyncsThanAQueueCounts
crashes := aCrashLeavesARecordingAndKeepsItsStatus|aCrashOfTheWriterCostsTheFileOnly|aFullDiskIsReportedAndLeavesNoPartialFile
advice := aLookTakesAFewTimesAsLongAsReading|aProgramMayRequestAdviceItself|adviceGoesIntoAFile|aRunningProgramGetsAdviceOnceForEachQueue
forks := everyForkUnderLoadWorks|conditionsOfTheParentWorkInTheChild|handlersThatHoldOurLocksAcrossTheForkWork|aForkedChildContinuesChecking|forkHandlersKeepBusyLocksIntact|childrenThatExecOrExitAreNotHarmed|childrenHaveTheirOwnTasks|theProcessMayForkDuringAReport|theProcessMayForkDuringAnyRecording|aChildMayRecordItself|aForkedChildIsNotAdvised|aChildRecordsNothingAndLeavesItsParentsFileAlone
# Apart as in `test`, for the same reason.
tsan: swift ## The library's tests under ThreadSanitizer
	$(sanitized) --filter '$(tasks)'
	$(sanitized) --skip '$(unsanitized)|$(tasks)'
	Scripts/run-tests --sanitize=thread --package-path Examples/GooglySteps --scratch-path .build/tsan-steps
	$(sanitized) $(dropIn)
	Scripts/build-drop-in
	$(sanitizedPrograms)

sanitized := TSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/tsan.suppressions \
  SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 Scripts/run-tests --sanitize=thread --scratch-path .build/tsan
# The programs of the drop-in, with a sanitizer in the library too. Its own thread is not ours.
dropIn := --package-path Tests/DropIn --shared --skip everyThreadIsOurs
# The same programs on the shared library, which has none, as with any program that is not rebuilt.
sanitizedPrograms := /usr/bin/python3 -m unittest discover -s Tests/SharedLibrary -p 'sanitized_*.py'
unsanitized := ^CostTests\.|OperationCountStressTests|ManyDescriptorStressTests|CountTests|IdleProcessTests|RefusedCallTests|BacktraceTests|DefectTests.SignalTests|SourceKindTests|$(wakeUps)|$(other)|$(crashes)|$(advice)|$(forks)

# What of both sanitizers CI can afford: some minutes each. Under ThreadSanitizer the engine, the
# queues, the locks and each hand-off; under AddressSanitizer whatever keeps memory for a kernel
# that writes to it, or for another thread. It ends a program that crashes on purpose in a way of its own.
# Its allocator does not take its quarantine's lock around a fork: a child was seen to spin in `free`
# because another thread of the parent held that lock. So children are left out here as above.
sanitize: swift ## Parts of the tests under ThreadSanitizer and AddressSanitizer, as in CI
	$(sanitized) --filter '$(raced)' --skip '$(unsanitized)'
	$(sanitized) $(dropIn)
	$(addressed) --filter '$(written)' --skip 'BacktraceTests|AdviceTests|[cC]rash|aFullDisk|aProgramThatIsNotRecorded|$(forks)'
	$(addressed) $(dropIn)
	Scripts/build-drop-in
	$(sanitizedPrograms)

addressed := ASAN_OPTIONS=detect_leaks=0 Scripts/run-tests --sanitize=address --scratch-path .build/asan
raced := ^(SignalboxRuntimeTests|SignalboxDispatchTests|LocksTests)\.|DefectTests.HandOffTests
written := ^(TraceTests|RunLoopTests)\.|ConformanceTests\.(Data|IO|RunLoop|.*Source|UserData|FileSystem|WatchedDirectory)

stress: swift ## The stress tests, long: SEED=… repeats a run, MINUTES=… (10)
	Scripts/stress "$(SEED)" "$(MINUTES)"

soak: swift ## A server under changing load: leaks, leftovers, slower answers: SEED=…, MINUTES=… (120)
	Scripts/soak "$(SEED)" "$(MINUTES)"

fuzz: swift ## The reader of other processes, on damaged memory: MINUTES=… (60)
	SIGNALBOX_FUZZ_MINUTES=$(or $(MINUTES),60) Scripts/run-tests --filter FuzzedProcessTests

mutate: swift ## Each ordering weakened in turn is noticed: SITE=…, ALL=1, JOBS=… (1)
	Scripts/mutate --jobs "$(or $(JOBS),1)" $(if $(ALL),--all) "$(SITE)"

toolchain-6.2: ## All products and the library's tests with Swift 6.2, in a Debian system of its own
	Scripts/toolchain-6.2

static: swift ## Programs that contain Swift's runtime: stripped, without checks, and their sizes
	swift build --product signalbox
	/usr/bin/python3 -m unittest discover -v -s Tests/StaticPrograms

arm64: ## All products and the library's tests for arm64, emulated, in a Debian system of its own
	Scripts/arm64

thread-cost: swift ## What a thread costs, beside an item of a queue
	swift run -c release CountedFacts thread-cost

docs: swift ## The documentation, as a web site in docs-out
	Scripts/build-docs

listings: swift ## The counterparts of the documents' listings, run one by one
	swift run --package-path Examples/Listings Listings

litmus: swift ## What two threads read of each other, without and with a barrier
	swift run -c release --package-path Examples/Litmus Litmus

cells: swift ## Two run loops that ask each other for things: ROUNDS=…
	swift run --package-path Examples/RunLoopCells RunLoopCells $(if $(ROUNDS),--rounds $(ROUNDS))

picture: swift ## The picture of the article "One pool", drawn anew from two runs
	swift run -c release --package-path Examples/OnePool OnePool Documentation/Signalbox.docc/Resources

# A picture is of the run that other programs disturbed least.
pictures: swift ## Walk-throughs and figures of queueing, from real runs: out/pictures
	mkdir -p out
	swift run --package-path Examples/QueuePictures QueuePictures --tries 40 --step out/pictures
	cp out/pictures/*.svg Documentation/Signalbox.docc/Resources

clean: ## Everything that was built
	rm -rf .build Examples/*/.build Tests/Products/.build Benchmarks/.build out docs-out

swift:
	@Scripts/need-swift

.PHONY: help run test walks drop-in test-web bench bench-peers bench-scale bench-app screenshots count-transfers probe-cost watch-cost bench-web lint check tsan sanitize stress soak fuzz mutate toolchain-6.2 static arm64 thread-cost docs listings litmus cells picture pictures clean swift
