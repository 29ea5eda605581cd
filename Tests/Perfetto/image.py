"""Recordings made by hand, only from the description of the format."""
import struct

SUBMITTED, STARTED, FINISHED, SYNC_ENTERED, SYNC_LEFT = 1, 2, 3, 4, 5
PARKED, UNPARKED, WAIT_BEGAN, WAIT_ENDED = 8, 10, 11, 12
TIMER_FIRED, SIGNALLED, MARK = 16, 17, 28
BEGINS, ENDS, SCOPED = 1, 2, 4  # flags of a mark
QUEUE, THREAD, OBJECT, TEXT = 1, 2, 3, 4
BEGAN, WALL = 5_000_000_000, 1_795_197_600_000_000_000
CHUNK = 65536


class Image:
    def __init__(self, program="painter", pid=4711):
        self.program, self.pid, self.names, self.threads = program, pid, b"", {}

    def name(self, kind, number, text, flags=0, extra=0):
        text = text.encode()
        length = (32 + len(text) + 7) // 8 * 8
        record = struct.pack("<IBBHQQQ", length, kind, flags, len(text), number, extra, 0) + text
        self.names += record.ljust(length, b"\0")

    def event(self, after, thread, kind, number=0, detail=0, flags=0, a=0, b=0):
        record = struct.pack("<QBBHIQQ", BEGAN + after, kind, flags, a, b, number, detail)
        self.threads.setdefault(thread, []).append(record)

    def bytes(self):
        chunks, room = [], (CHUNK - 32) // 32
        for thread, events in self.threads.items():
            for first in range(0, len(events), room):
                part = events[first:first + room]
                head = struct.pack("<IIQQQ", thread, len(part), len(chunks) + 1, first, 0)
                chunks.append((head + b"".join(part)).ljust(CHUNK, b"\0"))
        header = b"SBTRACE1" + struct.pack(
            "<IIIIIIQQQIIQQI", 3, 128, len(self.names), CHUNK, len(chunks), self.pid, BEGAN, WALL,
            0, 4, 1, 0, 0, len(self.names)) + self.program.encode()
        return header.ljust(128, b"\0") + self.names + b"".join(chunks)
