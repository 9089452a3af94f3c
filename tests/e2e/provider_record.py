"""Records of providers, as nodes put them into the DHT; made by another program than theirs.

    key = Key(folder)                               an Ed25519 key, by openssl
    bytes = key.record(cid, "tcp://127.0.0.1:9101") "I have this", for ten minutes
    dht_key(cid)                                    where it belongs: 40 hex digits
"""
import pathlib
import subprocess
import time

DAY = 86400


def head(major, value):
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 24:
            return bytes([major << 5 | value])
        if value < 1 << 8 * size:
            return bytes([major << 5 | code]) + value.to_bytes(size, "big")
    raise ValueError(value)


def cbor(value):
    """Numbers, bytes, texts and lists, each in its shortest form."""
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    return head(4, len(value)) + b"".join(map(cbor, value))


def dht_key(cid):
    """Of a "b3:..."."""
    return cid[3:43]


class Key:
    def __init__(self, folder, name="key"):
        self.path = pathlib.Path(folder) / f"{name}.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.path],
                       check=True, capture_output=True)
        public = subprocess.run(["openssl", "pkey", "-in", self.path, "-pubout", "-outform",
                                 "DER"], check=True, capture_output=True).stdout
        self.id = public[-32:]

    def sign(self, text):
        told = self.path.with_suffix(".told")
        told.write_bytes(text)
        return subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", self.path,
                               "-in", told], check=True, capture_output=True).stdout

    def record(self, cid, addr, region="", issued=0, lasts=600, by=None):
        """`issued` so many seconds from now; `by` is the id that it names: its own."""
        begins = int((time.time() + issued) * 1000)
        said = cbor(["weir/provider", 1, bytes.fromhex(cid[3:]), by or self.id, addr, region,
                     begins, begins + int(lasts * 1000)])
        return said + cbor(self.sign(said))
