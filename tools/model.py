#!/usr/bin/env python3
"""A file as an array in C: model.py NAME INPUT OUTPUT

INPUT is compressed (zlib) and holds 32-bit words, little-endian; OUTPUT defines NAME[] and
NAME_words.
"""
import pathlib
import struct
import sys
import zlib

name, source, target = sys.argv[1:]
blob = zlib.decompress(pathlib.Path(source).read_bytes())
words = struct.unpack(f"<{len(blob) // 4}I", blob)
lines = [", ".join(f"{word:#x}" for word in words[at:at + 12])
         for at in range(0, len(words), 12)]
text = ("#include <stddef.h>\n#include <stdint.h>\n"
        f"extern const uint32_t {name}[];\nextern const size_t {name}_words;\n"
        f"const uint32_t {name}[] = {{\n" + ",\n".join(lines) + "\n};\n"
        f"const size_t {name}_words = {len(words)};\n")
pathlib.Path(target).write_text(text)
