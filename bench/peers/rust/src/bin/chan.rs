//! Bounded channels of capacity 512: messages per second.
//! usage: chan [threads] [messages]
//! tokio's mpsc has one consumer, so it has no 4p4c. crossbeam blocks threads: shown, no peer.
use peers::*;
use std::time::Instant;

const CAP: usize = 512;

trait Msg: Copy + Send + Sync + std::fmt::Debug + 'static {
    const SIZE: usize;
    fn new(v: u64) -> Self;
    fn get(&self) -> u64;
}
impl Msg for u64 {
    const SIZE: usize = 8;
    fn new(v: u64) -> Self { v }
    fn get(&self) -> u64 { *self }
}
impl Msg for [u64; 8] {
    const SIZE: usize = 64;
    fn new(v: u64) -> Self { [v; 8] }
    fn get(&self) -> u64 { self[7] }
}

fn report<M: Msg>(name: &str, p: usize, c: usize, t: Instant, n: u64, sum: u64) {
    let per = n / p as u64;
    assert_eq!(sum, p as u64 * (per * (per - 1) / 2));
    let rate = n as f64 / t.elapsed().as_secs_f64();
    println!("{name}_chan_{p}p{c}c_{}B_per_s {rate:.0}", M::SIZE);
}

fn tokio_mpsc<M: Msg>(rt: &tokio::runtime::Runtime, p: usize, n: u64) {
    rt.block_on(async {
        let (tx, mut rx) = tokio::sync::mpsc::channel::<M>(CAP);
        let t = Instant::now();
        for _ in 0..p {
            let tx = tx.clone();
            tokio::spawn(async move {
                for i in 0..n / p as u64 {
                    tx.send(M::new(i)).await.unwrap();
                }
            });
        }
        drop(tx);
        let sum = tokio::spawn(async move {
            let mut s = 0;
            while let Some(m) = rx.recv().await {
                s += m.get();
            }
            s
        });
        report::<M>("tokio", p, 1, t, n, sum.await.unwrap());
    })
}

fn async_channel<M: Msg>(rt: &tokio::runtime::Runtime, p: usize, c: usize, n: u64) {
    rt.block_on(async {
        let (tx, rx) = async_channel::bounded::<M>(CAP);
        let t = Instant::now();
        for _ in 0..p {
            let tx = tx.clone();
            tokio::spawn(async move {
                for i in 0..n / p as u64 {
                    tx.send(M::new(i)).await.unwrap();
                }
            });
        }
        drop(tx);
        let cs: Vec<_> = (0..c)
            .map(|_| {
                let rx = rx.clone();
                tokio::spawn(async move {
                    let mut s = 0;
                    while let Ok(m) = rx.recv().await {
                        s += m.get();
                    }
                    s
                })
            })
            .collect();
        let mut sum = 0;
        for h in cs {
            sum += h.await.unwrap();
        }
        report::<M>("async_channel", p, c, t, n, sum);
    })
}

fn crossbeam<M: Msg>(p: usize, c: usize, n: u64) {
    let (tx, rx) = crossbeam_channel::bounded::<M>(CAP);
    let t = Instant::now();
    for _ in 0..p {
        let tx = tx.clone();
        std::thread::spawn(move || {
            for i in 0..n / p as u64 {
                tx.send(M::new(i)).unwrap();
            }
        });
    }
    drop(tx);
    let cs: Vec<_> = (0..c)
        .map(|_| {
            let rx = rx.clone();
            std::thread::spawn(move || rx.iter().map(|m| m.get()).sum::<u64>())
        })
        .collect();
    let sum = cs.into_iter().map(|h| h.join().unwrap()).sum();
    report::<M>("crossbeam", p, c, t, n, sum);
}

fn all<M: Msg>(rt: &tokio::runtime::Runtime, threads: usize, n: u64) {
    tokio_mpsc::<M>(rt, 1, n);
    tokio_mpsc::<M>(rt, 4, n);
    async_channel::<M>(rt, 1, 1, n);
    async_channel::<M>(rt, 4, 1, n);
    async_channel::<M>(rt, 4, 4, n);
    if threads > 1 {
        crossbeam::<M>(1, 1, n);
        crossbeam::<M>(4, 4, n);
    }
}

fn main() {
    let threads = arg(1, 2);
    let n = arg(2, 4_000_000) as u64;
    let rt = runtime(threads);
    all::<u64>(&rt, threads, n);
    all::<[u64; 8]>(&rt, threads, n);
}
