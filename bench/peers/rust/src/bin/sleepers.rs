//! n tasks sleeping until random instants in a one-second window: lateness and CPU time.
//! usage: sleepers [threads] [n]
use peers::*;
use std::time::{Duration, Instant};

fn main() {
    let threads = arg(1, 2);
    let n = arg(2, 100_000);
    let rt = runtime(threads);
    let mut late: Vec<u64> = rt.block_on(async move {
        tokio::spawn(async move {
            let mut rng = Rng(88172645463325252);
            let base = Instant::now() + Duration::from_millis(500);
            let hs: Vec<_> = (0..n)
                .map(|_| {
                    let at = base + Duration::from_nanos(rng.next() % 1_000_000_000);
                    tokio::spawn(async move {
                        tokio::time::sleep_until(at.into()).await;
                        at.elapsed().as_nanos() as u64
                    })
                })
                .collect();
            let mut v = Vec::with_capacity(n);
            for h in hs {
                v.push(h.await.unwrap());
            }
            v
        })
        .await
        .unwrap()
    });
    println!("tokio_sleepers_t{threads}_cpu_ms {:.1}", cpu().as_secs_f64() * 1e3);
    percentiles(&format!("tokio_sleepers_t{threads}_late"), &mut late);
}
