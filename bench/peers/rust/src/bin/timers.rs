//! Arm n timers with deadlines spread over 1..61 s, then cancel all of them.
//! usage: timers [threads] [n]
use peers::*;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// A future that arms n timers when it is polled: Sleep registers itself with the wheel at its
/// first poll.
struct Arm {
    n: usize,
    rng: Rng,
    armed: Vec<Pin<Box<tokio::time::Sleep>>>,
}

impl Future for Arm {
    type Output = Vec<Pin<Box<tokio::time::Sleep>>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        for _ in 0..self.n {
            let after = Duration::from_micros(1_000_000 + self.rng.next() % 60_000_000);
            let mut s = Box::pin(tokio::time::sleep(after));
            assert!(s.as_mut().poll(cx).is_pending());
            self.armed.push(s);
        }
        Poll::Ready(std::mem::take(&mut self.armed))
    }
}

fn main() {
    let threads = arg(1, 1);
    let n = arg(2, 1_000_000);
    let rt = runtime(threads);
    rt.block_on(async move {
        tokio::spawn(async move {
            let arm = Arm { n, rng: Rng(88172645463325252), armed: Vec::with_capacity(n) };
            let t = Stopwatch::start(threads);
            // Unconstrained: the cooperative budget would let only the first 128 polls register.
            let v = tokio::task::unconstrained(arm).await;
            let armed = t.elapsed();
            let t = Stopwatch::start(threads);
            drop(v);
            let cancelled = t.elapsed();
            let per = |d: Duration| d.as_nanos() as f64 / n as f64;
            println!("tokio_timer_arm_ns {:.1}", per(armed));
            println!("tokio_timer_cancel_ns {:.1}", per(cancelled));
            println!("tokio_timer_ns {:.1}", per(armed + cancelled));
        })
        .await
        .unwrap();
    });
}
