//! Spawn and join tiny tasks, all at once and in waves of 1000: tasks that never wait, and in
//! waves also tasks that wait once (yield_now). Each figure is taken warm: a tenth of the tasks
//! runs first. usage: spawn [threads] [tasks]
use peers::*;

async fn waves(n: u64, wave: u64, wait: bool) -> u64 {
    let mut sum = 0;
    let mut hs = Vec::with_capacity(wave as usize);
    let mut i = 0;
    while i < n {
        for _ in 0..wave {
            hs.push(if wait {
                tokio::spawn(async move {
                    tokio::task::yield_now().await;
                    i
                })
            } else {
                tokio::spawn(async move { i })
            });
            i += 1;
        }
        for h in hs.drain(..) {
            sum += h.await.unwrap();
        }
    }
    sum
}

fn main() {
    let threads = arg(1, 2);
    let n = arg(2, 1_000_000) as u64;
    let rt = runtime(threads);
    // From inside a task, so that spawns go to the local run queue.
    let run = |n: u64, wave: u64, wait: bool| {
        let sum = rt.block_on(async move { tokio::spawn(waves(n, wave, wait)).await.unwrap() });
        assert_eq!(sum, n * (n - 1) / 2);
    };
    let kinds = [("all", n, false), ("waves", 1000, false), ("wait_waves", 1000, true)];
    for (name, wave, wait) in kinds {
        run(n / 10, wave.min(n / 10), wait);
        let t = Stopwatch::start(threads);
        run(n, wave, wait);
        let rate = n as f64 / t.elapsed().as_secs_f64();
        println!("tokio_spawn_{name}_t{threads}_per_s {rate:.0}");
    }
}
