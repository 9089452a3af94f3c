"""A row of an evaluation, and where the data and the programs are."""
import dataclasses
import os
import pathlib

import build                # tools/build.py

TOP = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("WEIR_DATA", TOP.parent / "shared/data"))


class Skipped(Exception):
    """What it needs is not there; the text says what."""


@dataclasses.dataclass
class Row:
    name: str
    value: str
    must: str = "-"
    aim: str = "-"
    holds: bool = True


def data(*parts):
    """A path of the data, which must exist."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        raise Skipped(f"{path} is not there (WEIR_DATA says where data is)")
    return path


def program(*parts):
    """A program of the build, made now."""
    return build.build("gcc").joinpath(*parts)
