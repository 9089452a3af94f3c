//! Two tasks bounce a message over two cap-1 channels; ns per one-way handoff.
//! usage: pingpong [threads] [round trips]
use peers::*;

fn main() {
    let threads = arg(1, 1);
    let n = arg(2, 1_000_000) as u64;
    let rt = runtime(threads);
    let report = |name: &str, t: Stopwatch, handoffs: u64| {
        let ns = t.elapsed().as_nanos() as f64 / handoffs as f64;
        println!("{name}_t{threads}_ns {ns:.1}")
    };

    rt.block_on(async {
        let (a_tx, mut a_rx) = tokio::sync::mpsc::channel::<u64>(1);
        let (b_tx, mut b_rx) = tokio::sync::mpsc::channel::<u64>(1);
        let t = Stopwatch::start(threads);
        let echo = tokio::spawn(async move {
            while let Some(v) = a_rx.recv().await {
                b_tx.send(v + 1).await.unwrap();
            }
        });
        let ping = tokio::spawn(async move {
            let mut v = 0;
            for _ in 0..n {
                a_tx.send(v).await.unwrap();
                v = b_rx.recv().await.unwrap();
            }
            assert_eq!(v, n);
        });
        ping.await.unwrap();
        echo.await.unwrap();
        report("tokio_pingpong", t, 2 * n);
    });

    rt.block_on(async {
        let (a_tx, a_rx) = async_channel::bounded::<u64>(1);
        let (b_tx, b_rx) = async_channel::bounded::<u64>(1);
        let t = Stopwatch::start(threads);
        let echo = tokio::spawn(async move {
            while let Ok(v) = a_rx.recv().await {
                b_tx.send(v + 1).await.unwrap();
            }
        });
        let ping = tokio::spawn(async move {
            let mut v = 0;
            for _ in 0..n {
                a_tx.send(v).await.unwrap();
                v = b_rx.recv().await.unwrap();
            }
        });
        ping.await.unwrap();
        echo.await.unwrap();
        report("async_channel_pingpong", t, 2 * n);
    });

    rt.block_on(async {
        let t = Stopwatch::start(threads);
        let spin = move || async move {
            for _ in 0..n {
                tokio::task::yield_now().await;
            }
        };
        let (x, y) = (tokio::spawn(spin()), tokio::spawn(spin()));
        x.await.unwrap();
        y.await.unwrap();
        report("tokio_yield", t, 2 * n);
    });
}
