"""A provider that is no node: it speaks OAP/1 as far as OBJ_GET, and then does as it likes.

    with Stranger(gives(b"other bytes")) as liar:
        liar.address                    "tcp://127.0.0.1:34567"
        liar.asked                      how often it was

Manners get the connection, and a function that sends a piece of the answer.
"""
import socket
import struct
import threading

HELLO = b'{"max_frame":1048576,"max_inflight":64,"flags_supported":255,"tls":false}'
HEAD = ">IHHHH16sHQ"
SIZE = struct.calcsize(HEAD)
RESP, START, END = 2, 8, 16
PIECE = 64 << 10


def gives(content):
    """The whole of it, at once."""
    def manner(_, send):
        for at in range(0, len(content), PIECE):
            send(content[at:at + PIECE])
        send(b"", end=True)
    return manner


def stops_after(content):
    """It begins, and says no more."""
    def manner(link, send):
        send(content)
        link.recv(1)
    return manner


def breaks_off_after(content):
    def manner(_, send):
        send(content)
    return manner


def is_silent(link, _):
    link.recv(1)


def never_ends(_, send):
    while True:
        send(bytes(PIECE))


class Stranger:
    def __init__(self, manner, greets=True):
        self.manner, self.greets, self.asked = manner, greets, 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = "tcp://127.0.0.1:%d" % self.server.getsockname()[1]
        self.links = []
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in (self.server, *self.links):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def accept(self):
        try:
            while True:
                link, _ = self.server.accept()
                self.links.append(link)
                threading.Thread(target=self.serve, args=(link,), daemon=True).start()
        except OSError:
            pass                # it is over

    def serve(self, link):
        try:
            self.talk(link)
        except OSError:
            pass                # who asked has gone
        link.close()

    def talk(self, link):
        _, corr = self.take(link)
        if not self.greets:
            self.asked += 1
            link.recv(1)
            return
        self.give(link, corr, 0, HELLO, START | END)
        proto, corr = self.take(link)
        self.asked += 1
        self.manner(link, lambda piece, end=False: self.give(link, corr, proto, piece,
                                                             END if end else 0))

    @staticmethod
    def read(link, size):
        got = b""
        while len(got) < size:
            part = link.recv(size - len(got))
            if not part:
                raise OSError("it has gone")
            got += part
        return got

    def take(self, link):
        """A frame: what it asks for, and its number."""
        size, _, _, _, proto, _, _, corr = struct.unpack(HEAD, self.read(link, SIZE))
        self.read(link, size - SIZE)
        return proto, corr

    @staticmethod
    def give(link, corr, proto, payload, flags):
        link.sendall(struct.pack(HEAD, SIZE + len(payload), 1, RESP | flags, 200, proto,
                                 bytes(16), 0, corr) + payload)
