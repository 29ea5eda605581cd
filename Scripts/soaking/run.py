"""The cycles of a run, with a pause after each."""
import asyncio
import gc
import random

from soaking import process, request, trend
from soaking.client import Client
from soaking.load import Load
from soaking.verdict import Cycle, Run

# Seconds without any request. A worker of the pool that has nothing to do stays for a while
# (`Pool.retirement`); in a pause all those that only the load needed must have ended.
PAUSE = 8
# Seconds of a cycle, and how many there are at least if they fit.
SHORTEST, LONGEST, CYCLES = 24, 60, 10
LIMIT = 60  # seconds in which a server that has lost its clients must be idle


class Runner:
    def __init__(self, server, tally, seed, show):
        self.server, self.tally, self.seed, self.show = server, tally, seed, show

    async def run(self, minutes):
        """Ends early if the server has ended, or if too much is wrong."""
        run = Run(self.descriptors())
        gc.disable()  # or the collector would hold up clients in the middle of a measurement
        try:
            await self.cycles(run, minutes)
            await self.end(run)
        except OSError as error:
            self.tally.fault(f"the run ended early: {error!r}")
        return run

    async def cycles(self, run, minutes):
        loop, load = asyncio.get_running_loop(), Load(self.server.port, self.tally, self.seed)
        length, end = min(LONGEST, max(SHORTEST, 60 * minutes / CYCLES)), loop.time() + 60 * minutes
        while (not run.cycles or loop.time() + length / 2 < end) and not self.tally.is_hopeless:
            before = self.tally.answered.total()
            echoes = await load.run(length - PAUSE)
            if not await until(lambda: len(self.descriptors()) <= len(run.before)):
                self.tally.fault("the server has not closed the descriptors of its connections")
            gc.collect()
            await asyncio.sleep(PAUSE)
            count, reading = self.tally.answered.total() - before, self.server.reading()
            await self.ask()
            run.cycles.append(Cycle(
                count, trend.percentile(echoes, 0.5), trend.percentile(echoes, 0.99),
                self.tally.counts.get("heap", 0) / 1024, reading))
            self.show(run.cycles)

    async def ask(self):
        """Asks for the server's own counts."""
        client = await Client.open(self.server.port, self.tally, random.Random(self.seed))
        await client.ask(request.stats)
        await client.close()

    async def end(self, run):
        """Asks for the server's own counts, and reads what is left when the last connection is closed."""
        await self.ask()
        first = run.cycles[0].reading.threads
        await until(lambda: len(self.descriptors()) <= len(run.before) and self.server.reading().threads <= first)
        run.after, run.last = self.descriptors(), self.server.reading()

    def descriptors(self):
        return process.descriptors(self.server.program.pid)


async def until(holds):
    """Looks again and again, because no event tells of it. Returns whether it holds in time."""
    loop = asyncio.get_running_loop()
    end = loop.time() + LIMIT
    while not holds():
        if loop.time() > end:
            return False
        await asyncio.sleep(0.05)
    return True
