"""A stand-in for GooglyPuff's server, for the tests of its page: the same requests and answers. The
test decides what happens to each photo. It does not detect faces.

Run as a program, it serves the page with a few photos to look at."""
import http.server
import json
import pathlib
import sys
import threading
import urllib.parse

from googly_pictures import gradient, size, with_eyes

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Examples/GooglyPuff/Sources/GooglyPage/Page"
PHOTOS = ROOT / "Examples/GooglyPuff/Photos"
PROMPT = "Add photos with faces to Googlyify them!"
POLICY = ("default-src 'none'; img-src 'self' blob:; style-src 'self'; script-src 'self'; "
          "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
WAIT = 30


def kind_of(data):
    return "image/png" if data[:4] == b"\x89PNG" else "image/jpeg"


class Refused(Exception):
    def __init__(self, status, sentence, **headers):
        super().__init__(sentence)
        self.status, self.headers = status, headers


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A browser delays the acknowledgement of headers that are sent alone.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.handle_request("GET")

    def do_POST(self):
        self.handle_request("POST")

    def do_DELETE(self):
        self.handle_request("DELETE")

    def handle_request(self, method):
        mock, url = self.server.mock, urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, encoding="utf-8", errors="strict")
        mock.requests.append((method, url.path))
        try:
            self.check(method)
            refusal = mock.refusals.get((method, url.path))
            if refusal:
                raise Refused(*refusal)
            getattr(self, method.lower())(url.path, query)
        except Refused as refused:
            self.drain()
            self.json({"error": str(refused)}, refused.status, **refused.headers)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def check(self, method):
        port = self.server.server_address[1]
        if self.headers["Host"] not in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
            raise Refused(421, "This server has another name")
        if method == "GET":
            return
        origin = self.headers["Origin"]
        if origin and origin != f"http://{self.headers['Host']}":
            raise Refused(403, "Another site asked for this")
        if self.headers["X-GooglyPuff"] != "1":
            raise Refused(403, "The header X-GooglyPuff is missing")

    def drain(self):
        """If the server does not read a request, it does not answer: the browser continues to send
        it."""
        left = 0 if getattr(self, "was_read", False) else int(self.headers["Content-Length"] or 0)
        while left > 0:
            left -= len(self.rfile.read(min(left, 1 << 16))) or left
        self.was_read = False

    def answer(self, body, status=200, kind="application/json", **headers):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(body),
                            "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer",
                            "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
                            **{name.replace("_", "-"): value for name, value in headers.items()},
                            }.items():
            if status != 204 or name != "Content-Length":
                self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def json(self, value, status=200, **headers):
        self.answer(json.dumps(value).encode(), status, **headers)

    # GET

    def get(self, path, query):
        mock, parts = self.server.mock, path.strip("/").split("/")
        if path == "/state":
            after = query.get("after", [None])[0]
            wait = min(WAIT, float(query.get("wait", ["0"])[0]))
            return self.json(mock.wait_for_news(None if after is None else int(after), wait))
        if path == "/healthz":
            return self.answer(b"ok", kind="text/plain")
        if path == "/timeline":
            return self.answer(b"<!DOCTYPE html><title>Timeline</title>"
                               b'<link rel="icon" href="icon.svg">', kind=TYPES[".html"])
        if parts[0] == "photos" and len(parts) == 3 and parts[1].isdigit():
            data = mock.picture(int(parts[1]), parts[2])
            forever = {"Cache_Control": "max-age=31536000, immutable"} if query.get("v") else {}
            return self.answer(data, kind=kind_of(data), **forever)
        name = "index.html" if path == "/" else parts[0]
        file = PAGE / name
        if len(parts) > 1 or file.suffix not in TYPES or not file.is_file():
            raise Refused(404, "There is nothing at this address")
        return self.answer(file.read_bytes(), kind=TYPES[file.suffix])

    # POST, DELETE

    def post(self, path, query):
        mock, parts = self.server.mock, path.strip("/").split("/")
        if path == "/photos":
            return self.upload(query.get("name", [""])[0])
        if parts[0] == "photos" and parts[-1] == "work":
            mock.begin_work(int(parts[1]))
            return self.json({}, 202)
        if path == "/internet":
            mock.begin_internet()
            return self.json({}, 202)
        if parts[0] == "notice" and parts[-1] == "seen":
            mock.notice_seen(int(parts[1]))
            return self.answer(b"", 204)
        raise Refused(404, "There is nothing at this address")

    def delete(self, path, _):
        parts = path.strip("/").split("/")
        if parts[0] != "photos" or len(parts) != 2:
            raise Refused(405, "This cannot be deleted", Allow="GET")
        self.server.mock.remove(int(parts[1]))
        self.answer(b"", 204)

    def upload(self, name):
        mock, length = self.server.mock, int(self.headers["Content-Length"] or 0)
        if not name or len(name.encode()) > 255 or any(ord(each) < 32 for each in name):
            raise Refused(400, "The photo's name cannot be used")
        if length > mock.limits["uploadBytes"]:
            raise Refused(413, "The photo is too large")
        mock.passes.wait()
        data = self.rfile.read(length)
        self.was_read = True
        if not size(data):
            raise Refused(415, "Not a JPEG or PNG photo")
        self.json({"id": mock.add(name, kind="upload", data=data)}, 201)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """A browser that leaves closes its connections."""


class GooglyMock:
    def __init__(self):
        self.changed = threading.Condition()
        self.version = self.last_id = 0
        self.photos, self.data, self.results = {}, {}, {}
        self.prompt = self.notice = self.downloads = None
        self.internet, self.ended = False, False
        self.limits = {"uploadBytes": 33554432, "photos": 2000, "megapixels": 64}
        self.answers = {"p50": 0.06, "p99": 1.4, "max": 6.2, "samples": 1180}
        # Maps method and path to status and sentence.
        self.refusals, self.requests = {}, []
        # The server reads uploads while this is set.
        self.passes = threading.Event()
        self.passes.set()
        self.server = None

    # The program

    def start(self, port=0):
        self.ended = False
        self.server = Server(("127.0.0.1", port), Handler)
        self.server.mock = self
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    @property
    def port(self):
        return self.server.server_address[1]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/"

    def stop(self):
        """Ends the program: it stops listening and closes waiting connections."""
        self.server.shutdown()
        self.server.server_close()
        with self.changed:
            self.ended = True
            self.changed.notify_all()
        self.passes.set()

    # The state

    def state(self):
        return {"version": self.version, "prompt": self.prompt, "notice": self.notice,
                "photos": list(self.photos.values()), "downloads": self.downloads,
                "internet": self.internet, "limits": self.limits, "answer": self.answers}

    def wait_for_news(self, after, wait):
        with self.changed:
            self.changed.wait_for(lambda: self.ended or self.version != after, wait)
            if self.ended:
                raise ConnectionResetError
            return self.state()

    def change(self, **fields):
        """Sets parts of the state, which together make one new state."""
        with self.changed:
            for name, value in fields.items():
                setattr(self, name, value)
            self.news()

    def news(self):
        self.version += 1
        self.changed.notify_all()

    # Photos

    def add(self, name, *, kind="file", data=None, **fields):
        with self.changed:
            self.last_id += 1
            number = self.last_id
            self.data[number] = data or gradient(number % 24)
            arrived = fields.get("status", "ready") == "ready"
            self.photos[number] = {
                "id": number, "name": name, "kind": kind, "status": "ready",
                "received": len(self.data[number]), "expected": None, "error": None,
                "work": "none", "faces": None, "width": None, "height": None,
                "thumbnail": f"{number}.1" if arrived else None, **fields}
            self.prompt = None
            self.news()
            return number

    def update(self, number, **fields):
        with self.changed:
            self.photos[number] = {**self.photos[number], **fields}
            self.news()

    def arrive(self, number):
        self.update(number, status="ready", thumbnail=f"{number}.1")

    def found(self, number):
        if number not in self.photos:
            raise Refused(404, "There is no such photo")
        return self.photos[number]

    def begin_work(self, number):
        # The look and the change are one step: the test may finish the work at the same time.
        with self.changed:
            if self.found(number)["work"] == "none":
                self.update(number, work="waiting")

    def finish(self, number, eyes=((60, 50, 14), (100, 50, 12)), faces=1):
        """Draws the eyes, one at each (x, y, radius)."""
        width, height = size(self.data[number])
        if faces:
            self.results[number] = with_eyes(self.data[number], tuple(eyes))
        self.update(number, work="done", faces=faces, width=width, height=height,
                    thumbnail=f"{number}.2")

    def picture(self, number, which):
        self.found(number)
        if which in ("googly", "after") and self.photos[number]["work"] != "done":
            raise Refused(409, "The work on this photo is not done")
        if which in ("googly", "after", "thumbnail"):
            return self.results.get(number, self.data[number])
        if which not in ("original", "before"):
            raise Refused(404, "There is nothing at this address")
        return self.data[number]

    def remove(self, number):
        with self.changed:
            if self.found(number)["work"] in ("waiting", "running"):
                raise Refused(409, "This photo is being worked on")
            del self.photos[number]
            self.news()

    # Le Internet, notices

    def begin_internet(self):
        with self.changed:
            if not self.internet:
                raise Refused(404, "No addresses are at hand")
            if self.downloads:
                raise Refused(409, "The photos of Le Internet are on their way")
            self.downloads = {"outstanding": 3, "total": 3}
            self.news()

    def notice_seen(self, number):
        with self.changed:
            if self.notice and self.notice["id"] == number:
                self.notice = None
            self.news()


def samples(mock):
    """Shows the bundled photos in many states, to look at."""
    astronaut = mock.add("astronaut.png", data=(PHOTOS / "astronaut.png").read_bytes())
    mock.finish(astronaut, ((203, 113, 21), (251, 112, 19)))
    for name, fields in (("rocket.jpg", {"work": "running"}), ("coffee.png", {"work": "waiting"}),
                         ("hubble_deep_field.jpg", {})):
        mock.add(name, data=(PHOTOS / name).read_bytes(), **fields)
    cat = mock.add("chelsea.png", data=(PHOTOS / "chelsea.png").read_bytes())
    mock.finish(cat, faces=0)
    mock.add("overly-attached-girlfriend.jpg", kind="address", status="downloading",
             received=2_300_000, expected=5_100_000)
    mock.add("success-kid.jpg", kind="address", status="downloading", received=81_920)
    mock.add("lotr.jpg", kind="address", status="failed",
             error="the server answered 404 Not Found")
    mock.change(internet=True, downloads={"outstanding": 2, "total": 3})
    return astronaut


if __name__ == "__main__":
    shown = GooglyMock().start(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    samples(shown)
    print(f"GooglyPuff: {shown.address}", flush=True)
    shown.thread.join()
