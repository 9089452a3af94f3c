"""The runtime: what a handoff, a channel, a task, a timer and a parked fiber cost."""
from table import Plain, Question, Row, Times

QUESTIONS = [
    Question("floor", [("c", "ctxswitch")]),
    Question("pingpong", [("ours", "pingpong", "1"), ("rust", "pingpong", "1"),
                          ("go", "pingpong", "1")], cpu_only=True),
    Question("xthread", [("ours", "xthread"), ("rust", "xthread"), ("go", "xthread")]),
    Question("chan", [("ours", "chan", "2"), ("rust", "chan", "2"), ("go", "chan", "2")]),
    Question("spawn on one worker", [("ours", "spawn", "1"), ("rust", "spawn", "1"),
                                     ("go", "spawn", "1")], cpu_only=True),
    Question("spawn on two workers", [("ours", "spawn", "2"), ("rust", "spawn", "2"),
                                      ("go", "spawn", "2")]),
    Question("timers", [("ours", "timers"), ("rust", "timers"), ("go", "timers")],
             cpu_only=True),
    Question("sleepers", [("ours", "sleepers", "2"), ("rust", "sleepers", "2"),
                          ("go", "sleepers", "2")]),
    Question("scope5", [("ours", "scope5"), ("rust", "scope5"), ("go", "scope5")],
             cpu_only=True),
    Question("idle 100k", [("ours", "idle", "100000"), ("rust", "idle", "100000"),
                           ("go", "idle", "100000")], cpu_only=True),
    Question("idle 1M", [("ours", "idle", "1000000"), ("rust", "idle", "1000000"),
                         ("go", "idle", "1000000")], cpu_only=True),
    Question("idlecpu", [("ours", "idlecpu"), ("rust", "idlecpu"), ("go", "idlecpu")],
             cpu_only=True),
]


def chan(shape, size, must, aim):
    cell = f"chan_{shape}_{size}B_per_s"
    peers = {"async-channel": f"async_channel_{cell}", "Go": f"go_{cell}"}
    if shape.endswith("1c"):
        peers["tokio mpsc"] = f"tokio_{cell}"
    return Row(f"chan cap 512, {size} B, {shape}", "msg/s", f"weir_{cell}", peers, less=False,
               must=must, aim=aim, beside={"crossbeam (threads)": f"crossbeam_{cell}"})


def spawn(workers):
    on = "one worker" if workers == 1 else "two workers"
    end = f"t{workers}_per_s"
    return [
        Row(f"spawn + join, waves of 1000, never wait, {on}", "tasks/s",
            f"weir_spawn_waves_{end}", {"tokio": f"tokio_spawn_waves_{end}"}, less=False,
            must=Times(1.5), aim=Times(2.5), beside={"Go": f"go_spawn_waves_{end}"}),
        Row(f"spawn + join, waves of 1000, wait once, {on}", "tasks/s",
            f"weir_spawn_wait_waves_{end}", {"Go": f"go_spawn_wait_waves_{end}"}, less=False,
            must=Times(1), aim=Times(2), beside={"tokio": f"tokio_spawn_wait_waves_{end}"}),
        Row(f"spawn + join, 1M at once, never wait, {on}", "tasks/s",
            f"weir_spawn_all_{end}", {"tokio": f"tokio_spawn_all_{end}",
                                      "Go": f"go_spawn_all_{end}"}, less=False),
    ]


def sleepers(what, unit, name):
    return Row(f"100k sleepers in 1 s, {name}", unit, f"weir_sleepers_t2_{what}",
               {"tokio": f"tokio_sleepers_t2_{what}", "Go": f"go_sleepers_t2_{what}"},
               less=True, must=Times(1), aim=Times(0.3))


def idle(count, name):
    return Row(f"parked fiber with page tables, {name} alive", "bytes",
               f"weir_idle_{count}_bytes", {"tokio": f"tokio_idle_notify_{count}_bytes",
                                            "Go": f"go_idle_{count}_bytes"},
               less=True, must=Plain(4.5 * 1024),
               beside={"ours, just parked": f"weir_idle_{count}_fresh_bytes"})


ROWS = [
    Row("handoff over a cap-1 channel, one worker", "ns", "weir_pingpong_t1_ns",
        {"tokio mpsc": "tokio_pingpong_t1_ns", "async-channel": "async_channel_pingpong_t1_ns",
         "Go": "go_pingpong_t1_ns"}, less=True, must=Times(0.35), aim=Times(0.2),
        beside={"bare switch of stacks": "c_switch_jmp_2_ns"}),
    Row("yield to another fiber, one worker", "ns", "weir_yield_t1_ns",
        {"tokio": "tokio_yield_t1_ns", "Go": "go_yield_t1_ns"}, less=True),
    Row("handoff between fibers on two workers, spinning", "ns", "weir_xthread_ns",
        {"tokio mpsc": "tokio_xthread_ns", "Go": "go_xthread_ns"}, less=True,
        must=Plain(2000), aim=Plain(500),
        beside={"crossbeam (threads)": "crossbeam_xthread_ns",
                "bare spinning threads": "c_thread_spin_ns",
                "bare futex": "c_thread_futex_ns"}),
    Row("idle process, all workers parked", "% CPU", "weir_idlecpu_percent",
        {"tokio": "tokio_idlecpu_percent", "Go": "go_idlecpu_percent"}, less=True,
        must=Plain(0.5), aim=Plain(0.1)),
    chan("1p1c", 8, Times(1), Times(1.5)),
    chan("1p1c", 64, Times(1), Times(1.5)),
    chan("4p4c", 8, Times(1), Times(1.5)),
    chan("4p4c", 64, Times(1), Times(1.5)),
    chan("4p1c", 8, None, None),
    chan("4p1c", 64, None, None),
    *spawn(1),
    *spawn(2),
    Row("timer arm + cancel", "ns", "weir_timer_ns",
        {"tokio": "tokio_timer_ns", "Go": "go_timer_ns"}, less=True,
        must=Times(0.35), aim=Times(0.15)),
    sleepers("late_p99_us", "us", "p99 lateness"),
    sleepers("cpu_ms", "ms", "CPU"),
    idle(100000, "100k"),
    idle(1000000, "1M"),
    Row("scope of 5 fibers, one worker, first success cancels the rest", "ns",
        "weir_scope5_ns", {"tokio": "tokio_scope5_ns", "Go": "go_scope5_ns"}, less=True,
        must=Plain(2000), aim=Plain(1000)),
]
