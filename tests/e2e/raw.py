"""Bytes as they are, to and from a server."""
import re
import socket
import time


class Link:
    """A connection that sends what it is told to, however wrong it is."""

    def __init__(self, node, within=8, source="", tls=True):
        self.socket = socket.create_connection(("127.0.0.1", node.port), timeout=within,
                                               source_address=(source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if node.tls and tls:
            self.socket = node.tls.wrap_socket(self.socket, server_hostname="127.0.0.1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """False when the server has closed."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def read_now(self):
        """What has come so far; nothing where the server has let go."""
        self.socket.setblocking(False)
        try:
            return self.socket.recv(65536)
        except (BlockingIOError, ConnectionResetError):
            return b""

    def read_to_end(self, within=8):
        """Everything until the server closes; the second value says whether it did."""
        got, end = b"", time.monotonic() + within
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                part = self.socket.recv(65536)
            except TimeoutError:
                return got, False
            except ConnectionResetError:
                return got, True
            if not part:
                return got, True
            got += part
        return got, False


def statuses(data):
    """The status of each answer in a stream of HTTP/1 answers."""
    found = []
    while (head := re.match(rb"HTTP/1\.1 (\d{3}) [^\r]*\r\n(.*?)\r\n\r\n", data, re.S)):
        length = re.search(rb"content-length: *(\d+)", head[2], re.I)
        found.append(int(head[1]))
        data = data[head.end() + (int(length[1]) if length else 0):]
    return found


def ask(node, data, within=8):
    """Send bytes: the statuses of what is answered, and whether the server then closed."""
    with Link(node) as link:
        link.send(data)
        got, closed = link.read_to_end(within)
    return statuses(got), closed
