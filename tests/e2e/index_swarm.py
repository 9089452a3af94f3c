"""The network that the cases of the index stand on: nodes that freeze, die and return."""
import concurrent.futures
import os

from case import case, expect, require
from index_net import net

NODES, VALUES = 8, 20


def lost(member, values):
    """Of what was put, how much it does not find."""
    with concurrent.futures.ThreadPoolExecutor(len(values)) as pool:
        found = pool.map(member.get, values)
        return sum(got != [value] for got, value in zip(found, values.values()))


@case("a swarm of eight dhtnodes keeps what one proxy took while three die, one hangs and they"
      " return")
def swarm_holds(program):
    values = {os.urandom(20).hex(): os.urandom(40) for _ in range(VALUES)}
    with net(NODES) as nodes:
        for key, value in values.items():
            require(nodes[1].put(key, value), "nobody else has taken a value")
        expect(lost(nodes[7], values), 0)
        for number in (1, 2, 3):
            nodes[number].kill()
        nodes[4].freeze()
        expect(len(nodes.live()), NODES - 4)
        expect(nodes[4].peers(), -1)
        expect(lost(nodes[7], values), 0)
        nodes[4].thaw()
        for number in (1, 2, 3):
            nodes[number].restart()
        nodes.await_up(nodes.live())
        expect(len(nodes.live()), NODES)
        expect(lost(nodes[2], values), 0)       # it has nothing of its own
    expect([member.process.poll() is None for member in nodes.members], [False] * NODES)
