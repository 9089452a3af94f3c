//! Processor time of a process in which nothing happens: 1000 parked tasks, no timer but the
//! one that ends it. usage: idlecpu [seconds]
use peers::*;
use std::sync::Arc;
use std::time::Duration;

fn main() {
    let seconds = arg(1, 5);
    runtime(2).block_on(async {
        let notify = Arc::new(tokio::sync::Notify::new());
        for _ in 0..1000 {
            let notify = notify.clone();
            tokio::spawn(async move { notify.notified().await });
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let before = cpu();
        tokio::time::sleep(Duration::from_secs(seconds as u64)).await;
        let used = (cpu() - before).as_secs_f64();
        println!("tokio_idlecpu_percent {:.4}", used / seconds as f64 * 100.0);
    });
}
