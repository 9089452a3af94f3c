#!/usr/bin/env python3
"""Models that are none, on loopback, for tests: they answer as text-embeddings-inference does,
always the same, and misbehave when they are told to.

    with models.Models() as served:
        ...--queue-embedding-url served.url --queue-nli-url served.url
        served.embed = models.shorter           (or `fail`, or `mislabel` of served.predict)

POST /v1/embeddings: each word of a text turns its vector in a direction of its own, so texts
with the same words are near one another.  POST /predict: a premise with most words of the
hypothesis speaks for it, and against it if one of the two has a "not" that the other has not.
"""
import hashlib
import http.server
import json
import math
import re
import threading

DIMENSION = 64
ALIKE = 0.6             # of the words of a hypothesis
SMALL = 3               # letters of words that say little
NOT = {"no", "not", "never", "only"}


def words(text):
    return re.findall(r"\w+", text.lower())


def vector(text, dimension=DIMENSION):
    sums = [0.0] * dimension
    for word in words(text) or [""]:
        digest = hashlib.blake2s(word.encode()).digest()
        for place, byte in zip(digest[:8], digest[8:16]):
            sums[place % dimension] += 1 if byte & 1 else -1
    length = math.sqrt(sum(one * one for one in sums)) or 1
    return [one / length for one in sums]


def embed(question):
    return 200, {"object": "list", "model": question["model"], "data": [
        {"object": "embedding", "index": number, "embedding": vector(text)}
        for number, text in enumerate(question["input"])]}


def judge(premise, hypothesis):
    there, wanted = set(words(premise)), set(words(hypothesis))
    telling = {word for word in wanted if len(word) > SMALL} - NOT
    if not telling or len(telling & there) < ALIKE * len(telling):
        return "neutral"
    return "contradiction" if bool(there & NOT) != bool(wanted & NOT) else "entailment"


def predict(question):
    return 200, [[{"label": label, "score": 0.9 if label == said else 0.05}
                  for label in ("entailment", "contradiction", "neutral")]
                 for said in (judge(*pair) for pair in question["inputs"])]


# ---- what may be wrong with them ----

def fail(_):
    return 500, {"error": {"message": "out of memory on device 0"}}


def shorter(question):
    """Another model, under the old name."""
    return 200, {"data": [{"embedding": vector(text, DIMENSION // 2)}
                          for text in question["input"]]}


def mislabel(question):
    return 200, [[{"label": "POSITIVE", "score": 0.9}] for _ in question["inputs"]]


class Models:
    def __init__(self):
        self.embed, self.predict = embed, predict
        self.log = []           # (path, key, how many texts or pairs)
        models = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                models.log.append((self.path, self.headers["Authorization"],
                                   len(question.get("input", question.get("inputs")))))
                status, said = (models.embed if self.path == "/v1/embeddings"
                                else models.predict)(question)
                body = json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
