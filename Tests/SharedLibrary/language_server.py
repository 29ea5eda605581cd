"""A client of a language server: as much of the protocol as a test needs."""
import json
import queue
import subprocess
import threading


class Server:
    """Starts the server, and ends it with the context."""

    def __init__(self, command, folder, environment, limit):
        self.folder, self.limit, self.asked = folder, limit, 0
        self.process = subprocess.Popen([str(word) for word in command], cwd=folder, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.answers = queue.Queue()
        threading.Thread(target=self.receive, daemon=True).start()

    def __enter__(self):
        self.ask("initialize", processId=None, rootUri=self.folder.as_uri(), capabilities={},
                 initializationOptions={"backgroundIndexing": True})
        self.tell("initialized")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def receive(self):
        """Keeps the answers, and answers what the server asks with nothing."""
        while length := self.length():
            message = json.loads(self.process.stdout.read(length))
            if "method" not in message:
                self.answers.put(message)
            elif "id" in message:
                self.send(id=message["id"], result=None)
        self.answers.put(None)

    def length(self):
        """The length of the next message, from its header; None at the end of the stream."""
        length = None
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                length = int(value)
        return length

    def send(self, **message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()

    def tell(self, method, **parameters):
        self.send(method=method, params=parameters)

    def ask(self, method, **parameters):
        """The result, or the error's message in brackets."""
        self.asked += 1
        self.send(id=self.asked, method=method, params=parameters)
        try:
            answer = self.answers.get(timeout=self.limit)
        except queue.Empty:
            raise AssertionError(f"no answer to {method} in {self.limit} s") from None
        if answer is None:
            raise AssertionError(f"the server ended during {method}: {self.process.wait()}")
        assert answer["id"] == self.asked, answer
        return answer["result"] if "result" in answer else f"<{answer['error']['message']}>"

    def open(self, path):
        self.tell("textDocument/didOpen", textDocument={
            "uri": path.as_uri(), "languageId": "swift", "version": 1, "text": path.read_text()})

    def change(self, path, version, text):
        self.tell("textDocument/didChange", textDocument={"uri": path.as_uri(), "version": version},
                  contentChanges=[{"text": text}])

    def end(self):
        """Ends the server as an editor does.

        - Returns: its status."""
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(timeout=self.limit)
