"""One connection to the server: it sends requests, and checks each answer that comes."""
import asyncio
import itertools
import socket
import struct
import time

LIMIT = 60.0  # seconds that an answer may take; far more than any takes on a busy machine
SMALL = 16 << 10  # bytes that the kernel keeps for a client that reads slowly


class Client(asyncio.Protocol):
    def __init__(self, tally, source):
        self.tally, self.source = tally, source
        self.numbers = itertools.count(source.randrange(1 << 40))
        self.waiting = {}  # by number: a future, the request, when it was sent
        self.rest = b""
        self.transport = None
        self.may_break = False  # the client itself breaks the connection
        self.over = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(cls, port, tally, source, reads_slowly=False):
        connection = socket.socket()
        try:
            connection.setblocking(False)
            if reads_slowly:  # before it is connected, or the window is agreed without it
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(connection, ("127.0.0.1", port))
            _, client = await loop.create_connection(lambda: cls(tally, source), sock=connection)
            return client
        except BaseException:
            connection.close()
            raise

    def connection_made(self, transport):
        self.transport = transport

    # Sending

    def send(self, make, *arguments):
        """Sends a request. The future has the seconds until its answer; None if there is none."""
        request = make(self.source, next(self.numbers), *arguments)
        future = asyncio.get_running_loop().create_future()
        if self.over.done():
            self.tally.fault(f"the server has closed a connection: {request.kind} cannot be asked")
            future.set_result(None)
            return future
        self.waiting[request.number] = future, request, time.perf_counter()
        self.transport.write(request.line)
        return future

    async def ask(self, make, *arguments):
        return (await self.answers(self.send(make, *arguments)))[0]

    async def answers(self, *futures):
        _, late = await asyncio.wait(futures, timeout=LIMIT)
        if late:
            self.tally.fault(f"{len(late)} of {len(futures)} requests without an answer after {LIMIT:.0f} s")
            self.break_off()
            await self.over
        return [future.result() for future in futures]

    # Receiving

    def data_received(self, data):
        now = time.perf_counter()
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            number, _, answer = line.decode(errors="replace").partition(" ")
            kind, _, result = answer.partition(" ")
            found = self.waiting.pop(int(number), None) if number.isdecimal() else None
            if found is None or found[1].kind != kind:
                self.tally.fault(f"an answer to no request: {line[:80]!r}")
                continue
            future, request, sent = found
            self.tally.check(request, result, now - sent)
            future.set_result(now - sent)

    def connection_lost(self, error):
        if self.waiting and not self.may_break:
            self.tally.fault(f"the connection ended before {len(self.waiting)} answers: {error}")
        for future, _, _ in self.waiting.values():
            future.set_result(None)
        self.waiting.clear()
        self.over.set_result(None)

    # Ending

    async def close(self):
        self.transport.close()
        await self.over

    async def half_close(self):
        """Sends no more, and reads until the server has answered everything and closed."""
        self.transport.write_eof()
        _, late = await asyncio.wait([self.over], timeout=LIMIT)
        if late:
            self.tally.fault(f"the server has not closed a half-closed connection after {LIMIT:.0f} s")
            self.break_off()

    def break_off(self, resets=False):
        """Closes at once, whatever is under way: with `resets` by a reset, which is not read as an end."""
        self.may_break = True
        if resets and not self.over.done():
            linger = struct.pack("ii", 1, 0)
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.transport.abort()
