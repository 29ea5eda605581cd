"""PNG pictures for the tests of GooglyPuff's page: gradients, and eyes on a picture."""
import functools
import struct
import zlib


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def encoded(width, height, rows):
    """Makes a PNG of RGB rows."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 6)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body)
            + chunk(b"IEND", b""))


@functools.lru_cache(maxsize=64)
def gradient(seed, width=160, height=120):
    """Makes a picture that differs from seed to seed."""
    red, green, blue = (seed * 67) % 256, (seed * 29 + 80) % 256, (seed * 113 + 40) % 256
    rows = []
    for y in range(height):
        row = bytearray()
        for x in range(width):
            light = (x * 90 // width) + (y * 60 // height)
            row += bytes((min(255, red // 2 + light), min(255, green // 2 + light),
                          min(255, blue // 2 + light)))
        rows.append(row)
    return encoded(width, height, rows)


def size(data):
    """Width and height of a JPEG or PNG, or None for anything else."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    if data[:3] != b"\xff\xd8\xff":
        return None
    at = 2
    while at + 9 < len(data) and data[at] == 0xff:
        kind, length = data[at + 1], struct.unpack(">H", data[at + 2:at + 4])[0]
        if 0xc0 <= kind <= 0xcf and kind not in (0xc4, 0xc8, 0xcc):
            height, width = struct.unpack(">HH", data[at + 5:at + 9])
            return width, height
        at += 2 + length
    return None


def decoded(data):
    """The RGB rows of a non-interlaced PNG with 8 bits for each channel."""
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    assert depth == 8 and colour in (2, 6) and not interlaced
    at, packed = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, step = zlib.decompress(packed), 3 if colour == 2 else 4
    stride, rows, above = width * step, [], bytearray(width * step)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(kind, row, above, step)
        rows.append(row if step == 3 else bytearray(
            value for at, value in enumerate(row) if at % 4 != 3))
        above = row
    return width, height, rows


def unfilter(kind, row, above, step):
    for at in range(len(row) if kind else 0):
        left = row[at - step] if at >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[at]
        elif kind == 3:
            guess = (left + above[at]) // 2
        else:
            corner = above[at - step] if at >= step else 0
            p = left + above[at] - corner
            guess = min((abs(p - left), 0, left), (abs(p - above[at]), 1, above[at]),
                        (abs(p - corner), 2, corner))[2]
        row[at] = (row[at] + guess) & 255


@functools.lru_cache(maxsize=16)
def with_eyes(data, eyes):
    """The picture with a googly eye at each (x, y, radius)."""
    width, height, rows = decoded(data)
    for x0, y0, radius in eyes:
        for y in range(max(0, y0 - radius), min(height, y0 + radius + 1)):
            for x in range(max(0, x0 - radius), min(width, x0 + radius + 1)):
                far = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
                pupil = ((x - x0 - radius / 4) ** 2 + (y - y0 - radius / 4) ** 2) ** 0.5
                if far <= radius:
                    dark = pupil < radius / 2 or far > radius - 2
                    rows[y][3 * x:3 * x + 3] = b"\x17\x17\x1c" if dark else b"\xff\xff\xff"
    return encoded(width, height, rows)
