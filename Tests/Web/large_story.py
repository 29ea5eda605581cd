"""A large story from a seed: a pool of workers that runs short items of many queues."""
import random

from story_builder import BARRIER, MICROSECOND, SYNC, StoryBuilder


def large_story(events=200_000, seed=1, queues=40, workers=8):
    """A story of at least this many events: three for an item, two each for a wait, a parking, a
    hold."""
    dice = random.Random(seed)
    s = StoryBuilder("Saturated")
    main = s.thread("main thread", "main")
    threads = [s.thread(f"worker {n + 1}") for n in range(workers)]
    kinds = ["main"] + [dice.choice(["serial", "serial", "concurrent"]) for _ in range(queues - 1)]
    labels = [s.queue(f"com.example.stage.{n}", kind) for n, kind in enumerate(kinds)]
    locks = [s.object("lock", f"table {n}") for n in range(6)]
    free = dict.fromkeys(threads, 0)
    queue_free = dict.fromkeys(labels, 0)
    recorded, now, previous = 0, 0, -1
    while recorded < events:
        now += dice.randrange(1, 2 * MICROSECOND)
        queue = dice.choices(labels, weights=range(1, queues + 1))[0]
        runner = min(free, key=free.get)
        serial = kinds[queue] != "concurrent"
        begin = max(now, free[runner], queue_free[queue] if serial else 0) + dice.randrange(200, 3000)
        end = begin + int(dice.lognormvariate(8.6, 1))
        if begin - free[runner] > 20 * MICROSECOND:
            s.add("parked", thread=runner, began=free[runner], ended=begin)
            recorded += 2
        flags = BARRIER if kinds[queue] == "concurrent" and dice.random() < 0.02 else 0
        flags |= SYNC if dice.random() < 0.05 else 0
        item = s.item(queue, now, begin, end, dice.choice(threads + [main]), runner,
                      within=previous if dice.random() < 0.5 else -1, flags=flags,
                      qos=dice.randrange(7), preempted=int(dice.random() < 0.02))
        recorded += 3
        if dice.random() < 0.05:
            wait_end = begin + (end - begin) * 2 // 3
            s.wait(runner, begin + (end - begin) // 3, wait_end, "for", object=dice.choice(locks),
                   owner=dice.choice(threads), waker=dice.choice(threads), item=item)
            recorded += 2
        free[runner] = end
        queue_free[queue] = end
        previous = item
    s.meta["duration"] = max(free.values())
    return s
