//! A race of five tasks: four wait for an answer that does not come, the fifth has one; the
//! rest are aborted and all five are joined. ns per race. usage: scope5 [races]
use peers::*;
use std::sync::Arc;
use tokio::{sync::Notify, task::JoinSet};

async fn race(never: &Arc<Notify>) -> u64 {
    let mut set = JoinSet::new();
    for i in 0..5u64 {
        let never = never.clone();
        set.spawn(async move {
            if i < 4 {
                never.notified().await;
            } else {
                tokio::task::yield_now().await; // the others wait by now
            }
            i
        });
    }
    let won = set.join_next().await.unwrap().unwrap();
    set.shutdown().await;
    won
}

async fn races(n: usize) {
    let never = Arc::new(Notify::new());
    for _ in 0..n {
        assert_eq!(race(&never).await, 4);
    }
}

fn main() {
    let n = arg(1, 100_000);
    runtime(1).block_on(async move {
        tokio::spawn(races(n / 10)).await.unwrap();
        let t = Stopwatch::start(1);
        tokio::spawn(races(n)).await.unwrap();
        println!("tokio_scope5_ns {:.0}", t.elapsed().as_nanos() as f64 / n as f64);
    });
}
