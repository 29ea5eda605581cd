"""One cycle of load: phases that differ in how many connections there are, and what they do."""
import asyncio
import random

from soaking import request
from soaking.client import Client

# What a burst asks for: no children, because a thousand at once would only wait for each other.
WITHOUT_CHILDREN = {kind: weight for kind, weight in request.MIX.items() if kind != "child"}


class Load:
    def __init__(self, port, tally, seed):
        self.port, self.tally, self.seed = port, tally, seed
        self.cycle = 0
        self.end = 0.0
        self.echoes = []  # the seconds of each echo of the steady part

    async def run(self, seconds):
        """A cycle, without its pause. Returns the latencies of the steady part, in order."""
        self.cycle += 1
        self.echoes = []
        for phase, share in ((self.steady, 0.25), (self.crowd, 0.3), (self.bursts, 0.15),
                             (self.brief, 0.1), (self.broken, 0.1), (self.slow, 0.1)):
            self.end = asyncio.get_running_loop().time() + share * seconds
            await phase()
        self.tally.end_cycle()
        return sorted(self.echoes)

    def goes_on(self):
        return asyncio.get_running_loop().time() < self.end and not self.tally.is_hopeless

    async def together(self, body, count):
        """`count` clients at a time, each with a generator of its own."""
        sources = [random.Random(f"{self.seed} {self.cycle} {body.__name__} {index}") for index in range(count)]
        await asyncio.gather(*(body(source) for source in sources))

    async def open(self, source, **options):
        return await Client.open(self.port, self.tally, source, **options)

    # Few connections at a low rate, where latency is measured

    async def steady(self):
        await asyncio.gather(self.together(self.echoing, 6), self.together(self.asking_slowly, 2))

    async def echoing(self, source):
        client = await self.open(source)
        while self.goes_on():
            seconds = await client.ask(request.echo)
            if seconds is None:
                break
            self.echoes.append(seconds)
            await asyncio.sleep(source.uniform(0.01, 0.03))
        await client.close()

    async def asking_slowly(self, source):
        await self.asking(source, 0.02, 0.1)

    async def asking(self, source, shortest, longest):
        client = await self.open(source)
        while self.goes_on() and await client.ask(request.drawn) is not None:
            await asyncio.sleep(source.uniform(shortest, longest))
        await client.close()

    # Many connections

    async def crowd(self):
        await self.together(self.in_the_crowd, 200)

    async def in_the_crowd(self, source):
        await asyncio.sleep(source.uniform(0, 0.2))
        await self.asking(source, 0.05, 0.3)

    # Bursts

    async def bursts(self):
        await self.together(self.bursting, 20)

    async def bursting(self, source):
        client = await self.open(source)
        while self.goes_on() and not client.over.done():
            await client.answers(*(client.send(request.drawn, WITHOUT_CHILDREN) for _ in range(100)))
            await asyncio.sleep(source.uniform(0.2, 0.6))
        await client.close()

    # Connections that open and close quickly

    async def brief(self):
        await self.together(self.coming_and_going, 8)

    async def coming_and_going(self, source):
        while self.goes_on():
            client = await self.open(source)
            for _ in range(source.randrange(3)):
                await client.ask(request.drawn)
            await client.close()
            await asyncio.sleep(0.02)

    # Connections that end in the middle of something

    async def broken(self):
        await self.together(self.breaking, 12)

    async def breaking(self, source):
        while self.goes_on():
            client = await self.open(source)
            futures = [client.send(request.drawn) for _ in range(source.randrange(1, 20))]
            if source.random() < 0.4:
                await client.half_close()
            else:
                await asyncio.wait(futures, timeout=source.uniform(0, 0.05))
                client.break_off(resets=source.random() < 0.7)
            await client.over
            await asyncio.sleep(0.02)

    # Clients that ask for more than they read

    async def slow(self):
        await self.together(self.reading_slowly, 8)

    async def reading_slowly(self, source):
        client = await self.open(source, reads_slowly=True)
        while self.goes_on() and not client.over.done():
            client.transport.pause_reading()
            futures = [client.send(request.echo, 4096) for _ in range(400)]
            await asyncio.sleep(0.5)
            client.transport.resume_reading()
            await client.answers(*futures)
        await client.close()
