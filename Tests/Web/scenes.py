"""Small stories made by hand, one for each thing that the page draws."""
from story_builder import (BARRIER, DELAYED, HANDLER, JOB, MICROSECOND, MILLISECOND, SECOND, SYNC,
                           StoryBuilder)


def photos():
    """A photo application: it fetches photos and gives them eyes, stores them under a barrier, and
    draws them on the main thread. "goofy.jpg" waits longest; worker 2 is blocked on the cache's
    lock."""
    s, ms = StoryBuilder("GooglyPuff", duration=120 * MILLISECOND), MILLISECOND
    main = s.thread("main thread", "main")
    w1, w2, w3 = s.thread("worker 1"), s.thread("worker 2"), s.thread("worker 3")
    main_queue = s.queue("com.apple.main-thread", "main")
    utility = s.queue("com.apple.root.utility-qos", "global")
    store = s.queue("com.example.GooglyPuff.photos", "concurrent", utility)
    faces = s.queue("com.example.GooglyPuff.faces", "serial", utility)
    s.queue("com.example.GooglyPuff.unused", "serial")
    lock, loop = s.object("lock", "cache"), s.object("runLoop", "main run loop")
    timer = s.object("timer", "progress")

    launch = s.item(main_queue, 0, ms // 2, 12 * ms, main, main, qos=5, switches=2)
    names = ["overly-attached-girlfriend.jpg", "success-kid.jpg", "goofy.jpg", "faces.jpg"]
    fetched = []
    for number, name in enumerate(names):
        begin = [3, 4, 13, 20][number] * ms
        end = [13, 20, 29, 38][number] * ms
        runner = [w1, w2, w1, w2][number]
        item = s.item(utility, (2 + number // 2) * ms, begin, end, main, runner, within=launch,
                      qos=2, switches=number, preempted=number % 3)
        fetched.append(item)
    s.wait(w2, 22 * ms, 31 * ms, "for", object=lock, owner=w1, waker=w1, item=fetched[3])
    s.add("holds", thread=w1, object=lock, taken=16 * ms, left=31 * ms)
    s.add("holds", thread=w2, object=lock, taken=31 * ms, left=33 * ms)

    begins = [26 * ms, 38 * ms, 82 * ms, 58 * ms]
    ends = [37 * ms, 57 * ms, 96 * ms, 81 * ms]
    for number, name in enumerate(names):
        submitted = [12, 19, 21, 37][number] * ms
        face = s.item(faces, submitted, begins[number], ends[number], [w1, w2, w1, w2][number], w3,
                      within=fetched[number], qos=2, preempted=number)
        s.mark(w3, begins[number] + ms, name)
        kept = s.item(store, ends[number] - ms, ends[number] + ms // 2, ends[number] + 4 * ms, w3, w1,
                      within=face, flags=BARRIER, qos=2)
        s.item(main_queue, ends[number] + 3 * ms, ends[number] + 5 * ms, ends[number] + 8 * ms, w1, main,
               within=kept, qos=5)
    for at in (62, 63, 64):
        s.item(store, at * ms, at * ms, at * ms + 700 * MICROSECOND, main, main, flags=SYNC)
    s.item(store, 95 * ms, 100 * ms + ms // 2, 101 * ms, main, main, flags=SYNC)
    s.wait(main, 95 * ms, 100 * ms + ms // 2, "in sync, for", queue=store, owner=w1, waker=w1)
    s.item(main_queue, 50 * ms, 52 * ms, 53 * ms, -1, main, flags=HANDLER)
    s.add("timers", object=timer, thread=main, fired=52 * ms, due=45 * ms, late=7 * ms)

    idle = [(main, 12, 42), (main, 45, 52), (main, 54, 61), (main, 69, 86), (main, 105, 120)]
    for thread, begin, end in idle:
        s.wait(thread, begin * ms, end * ms, "for input of", object=loop)
    for thread, begin, end in ((w1, 0, 3), (w1, 31, 37), (w2, 0, 4), (w2, 38, 120), (w3, 0, 26),
                               (w3, 96, 120), (w1, 101, 120)):
        s.add("parked", thread=thread, began=begin * ms, ended=end * ms)
    for begin, end in ((42, 46), (52, 54), (61, 69), (86, 105)):
        s.add("passes", thread=main, object=loop, began=begin * ms, ended=end * ms)
        for step, after in ((8, 0), (1, 100), (2, 200), (11, 700)):
            s.add("steps", thread=main, at=begin * ms + after * MICROSECOND, step=step, object=loop)
    return s


def forms():
    """Every form that an item can have, on one serial queue."""
    s, us = StoryBuilder("Forms", duration=2 * MILLISECOND), MICROSECOND
    main, worker = s.thread("", "main"), s.thread("")
    queue = s.queue("forms", "concurrent")
    for number, flags in enumerate((0, BARRIER, DELAYED, HANDLER, JOB, SYNC)):
        runner = main if flags == SYNC else worker
        s.item(queue, number * 300 * us, number * 300 * us + 100 * us, number * 300 * us + 250 * us,
               main, runner, flags=flags, switches=number, preempted=number)
    s.item(queue, 1900 * us, -1, -1, main, -1)
    s.item(queue, -1, 1850 * us, -1, -1, worker)
    return s


def operations():
    """Three operations of a queue: the second waits for the first, the third has a mark."""
    s, ms = StoryBuilder("Operations", duration=20 * MILLISECOND), MILLISECOND
    main, worker = s.thread("", "main"), s.thread("")
    queue = s.queue("parcels", "concurrent")
    for number, name in enumerate(("fetch", "unpack", "print")):
        begin = (2 + 5 * number) * ms
        item = s.item(queue, begin - ms // 2, begin, begin + 4 * ms, main, worker)
        s.add("operations", object=s.object("operation", name), queued=ms,
              ready=begin - ms if number else ms, started=begin, finished=begin + 4 * ms,
              thread=worker, item=item)
    s.mark(worker, 13 * ms, "invoice")
    return s


def intervals():
    """Intervals: two within an outer one, one that another thread ends, one that is not ended, and one
    whose end was lost."""
    s, ms = StoryBuilder("Intervals", duration=100 * MILLISECOND), MILLISECOND
    main, worker = s.thread("", "main"), s.thread("worker 1")
    queue = s.queue("photos")
    item = s.item(queue, ms, 2 * ms, 90 * ms, main, main)
    outer = s.interval(main, 10 * ms, 60 * ms, "import", number=1, item=item, flags=1)
    s.interval(main, 12 * ms, 30 * ms, "decode", "goofy.jpg", number=2, item=item, within=outer,
               flags=1)
    s.interval(main, 32 * ms, 36 * ms, "decode", "faces.jpg", number=3, item=item, within=outer,
               flags=1)
    s.interval(main, 65 * ms, 80 * ms, "request", number=4, ender=worker)
    s.interval(worker, 40 * ms, -1, "upload", number=5)
    s.interval(worker, 20 * ms, -1, "cut", number=6, flags=2)
    return s


def lost():
    """A recording with lost events in the middle."""
    s = StoryBuilder("Full", duration=SECOND, lostEvents=1234, lostNames=2,
                     notes=["a thread's clock went back, by 3 µs at most; its events keep their order"])
    worker, queue = s.thread("worker"), s.queue("busy")
    s.item(queue, 10 * MILLISECOND, 20 * MILLISECOND, 300 * MILLISECOND, worker, worker)
    s.add("gaps", thread=worker, at=500 * MILLISECOND, lost=1234)
    s.item(queue, -1, 600 * MILLISECOND, 700 * MILLISECOND, -1, worker)
    return s


HOSTILE = [
    "<img src=x onerror=\"window.broken=1\">", "</script><script>window.broken=1</script>",
    "\" onclick=window.broken=1 x=\"", "'; window.broken=1; '", "two\nlines\r\nand\ttabs",
    "emoji 🚦👩‍👩‍👧‍👦", "עברית مرحبا", "\u202eturned around", "<!-- --><script>", "a" * 5000,
    "${window.broken=1}", "{{constructor.constructor('window.broken=1')()}}", "\u0000\u0007",
]


def hostile():
    """Labels everywhere that would be markup, script or another text direction."""
    s = StoryBuilder(HOSTILE[0], duration=SECOND, notes=list(HOSTILE))
    for number, label in enumerate(HOSTILE):
        thread, queue = s.thread(label, "main" if number == 0 else "worker"), s.queue(label)
        lock = s.object("lock", label)
        begin = number * 50 * MILLISECOND
        item = s.item(queue, begin, begin + 10 * MILLISECOND, begin + 40 * MILLISECOND, thread, thread)
        s.wait(thread, begin + 20 * MILLISECOND, begin + 30 * MILLISECOND, label, object=lock,
               owner=0, waker=0, item=item)
        s.mark(thread, begin + 15 * MILLISECOND, label)
        s.interval(thread, begin + 12 * MILLISECOND, begin + 38 * MILLISECOND, label, label)
    return s


def empty():
    return StoryBuilder("Nothing", duration=0)


def instant():
    """A recording of 300 nanoseconds."""
    s = StoryBuilder("Instant", duration=300)
    thread, queue = s.thread("", "main"), s.queue("quick")
    s.item(queue, 10, 120, 180, thread, thread)
    return s


def days():
    """A recording of three days with one item in each hour."""
    hour = 3600 * SECOND
    s = StoryBuilder("Patient", duration=72 * hour)
    thread, queue = s.thread("", "main"), s.queue("hourly")
    for number in range(72):
        s.item(queue, number * hour, number * hour + SECOND, number * hour + 60 * SECOND, thread, thread)
    return s


def many_queues(count=5000):
    s = StoryBuilder("Many", duration=SECOND)
    threads = [s.thread(f"worker {n + 1}") for n in range(8)]
    for number in range(count):
        begin = number * 150 * MICROSECOND
        queue = s.queue(f"com.example.account.{number}")
        s.item(queue, begin, begin + 40 * MICROSECOND, begin + 140 * MICROSECOND,
               threads[number % 8], threads[number % 8])
    return s
