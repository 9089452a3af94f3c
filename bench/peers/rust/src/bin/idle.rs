//! Bytes per parked task, page tables included. usage: idle [tasks] [bare|notify]
//! bare: awaiting a future that never completes. notify: parked on a tokio Notify.
use peers::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

fn main() {
    let n = arg(1, 100_000);
    let kind = std::env::args().nth(2).unwrap_or("notify".into());
    let rt = runtime(2);
    rt.block_on(async {
        let notify = Arc::new(tokio::sync::Notify::new());
        let parked = Arc::new(AtomicUsize::new(0));
        tokio::task::yield_now().await;
        let before = memory();
        for _ in 0..n {
            let (notify, parked) = (notify.clone(), parked.clone());
            if kind == "bare" {
                tokio::spawn(async move {
                    parked.fetch_add(1, Ordering::Relaxed);
                    std::future::pending::<()>().await
                });
            } else {
                tokio::spawn(async move {
                    parked.fetch_add(1, Ordering::Relaxed);
                    notify.notified().await
                });
            }
        }
        while parked.load(Ordering::Relaxed) < n {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        println!("tokio_idle_{kind}_{n}_bytes {:.1}", (memory() - before) as f64 / n as f64);
        std::process::exit(0);
    });
}
