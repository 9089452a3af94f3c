"""Cases of the end-to-end tests: each is a claim about a running node.

    @case("a request is answered")
    def answered(node):
        expect(node.get("/v1/hello")[0], 200)

The names of a case's parameters say which servers it wants; see run.  One that measures how
fast the node is has the machine for itself: @case("...", alone=True).
"""
CASES = []


class Refuted(Exception):
    """The claim does not hold; the text says why."""


class Skipped(Exception):
    """It cannot be tried here; the text says why."""


def case(claim, alone=False):
    def add(function):
        function.alone = alone
        CASES.append((claim, function))
        return function
    return add


def expect(seen, *allowed):
    if seen not in allowed:
        raise Refuted(f"saw {seen!r}, expected {' or '.join(map(repr, allowed))}")


def require(holds, why):
    if not holds:
        raise Refuted(why)
