//! A handoff that must cross threads: two current_thread runtimes on two OS threads pinned to
//! cores 0 and 1, cap-1 channels between them. usage: xthread [round trips]
use peers::*;
use std::time::Instant;

fn pin(cpu: usize) {
    unsafe {
        let mut s: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut s);
        libc::sched_setaffinity(0, std::mem::size_of_val(&s), &s);
    }
}

fn report(name: &str, t: Instant, n: u64) {
    println!("{name}_xthread_ns {:.0}", t.elapsed().as_nanos() as f64 / (2 * n) as f64);
}

fn main() {
    let n = arg(1, 20_000) as u64;
    let (a_tx, mut a_rx) = tokio::sync::mpsc::channel::<u64>(1);
    let (b_tx, mut b_rx) = tokio::sync::mpsc::channel::<u64>(1);
    let echo = std::thread::spawn(move || {
        pin(1);
        runtime(1).block_on(async move {
            while let Some(v) = a_rx.recv().await {
                b_tx.send(v + 1).await.unwrap();
            }
        })
    });
    pin(0);
    runtime(1).block_on(async move {
        let t = Instant::now();
        let mut v = 0;
        for _ in 0..n {
            a_tx.send(v).await.unwrap();
            v = b_rx.recv().await.unwrap();
        }
        report("tokio", t, n);
    });
    echo.join().unwrap();

    let (a_tx, a_rx) = crossbeam_channel::bounded::<u64>(1);
    let (b_tx, b_rx) = crossbeam_channel::bounded::<u64>(1);
    let echo = std::thread::spawn(move || {
        pin(1);
        while let Ok(v) = a_rx.recv() {
            b_tx.send(v + 1).unwrap();
        }
    });
    let t = Instant::now();
    let mut v = 0;
    for _ in 0..n {
        a_tx.send(v).unwrap();
        v = b_rx.recv().unwrap();
    }
    report("crossbeam", t, n);
    drop(a_tx);
    echo.join().unwrap();
}
