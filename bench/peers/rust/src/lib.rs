//! What the programs share. Each program prints lines "metric value".
use std::time::{Duration, Instant};

/// What this process occupies, in bytes: its resident set and its page tables.
pub fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let kb: u64 = status
        .lines()
        .filter(|l| l.starts_with("VmRSS:") || l.starts_with("VmPTE:"))
        .map(|l| l.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap())
        .sum();
    kb * 1024
}

/// User plus system time of this process.
pub fn cpu() -> Duration {
    let mut u: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut u) };
    let t = |v: libc::timeval| Duration::new(v.tv_sec as u64, v.tv_usec as u32 * 1000);
    t(u.ru_utime) + t(u.ru_stime)
}

/// A stopwatch. With one thread it counts processor time, which other programs on the machine
/// do not change; with more, real time.
pub enum Stopwatch {
    Cpu(Duration),
    Real(Instant),
}
impl Stopwatch {
    pub fn start(threads: usize) -> Stopwatch {
        if threads == 1 {
            Stopwatch::Cpu(cpu())
        } else {
            Stopwatch::Real(Instant::now())
        }
    }
    pub fn elapsed(&self) -> Duration {
        match self {
            Stopwatch::Cpu(t) => cpu() - *t,
            Stopwatch::Real(t) => t.elapsed(),
        }
    }
}

/// xorshift64*: the same generator in every language of the suite.
pub struct Rng(pub u64);
impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545F4914F6CDD1D)
    }
}

/// threads = 1: current_thread; otherwise the work-stealing scheduler.
pub fn runtime(threads: usize) -> tokio::runtime::Runtime {
    use tokio::runtime::Builder;
    if threads == 1 {
        Builder::new_current_thread().enable_all().build().unwrap()
    } else {
        Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap()
    }
}

/// The n-th command-line argument as a number.
pub fn arg(n: usize, default: usize) -> usize {
    std::env::args().nth(n).map(|s| s.parse().unwrap()).unwrap_or(default)
}

/// Prints p50, p99 and the maximum of nanosecond samples.
pub fn percentiles(prefix: &str, v: &mut [u64]) {
    v.sort_unstable();
    let at = |p: f64| v[((v.len() as f64 * p) as usize).min(v.len() - 1)] as f64 / 1000.0;
    println!("{prefix}_p50_us {:.1}", at(0.50));
    println!("{prefix}_p99_us {:.1}", at(0.99));
    println!("{prefix}_max_us {:.1}", at(1.0));
}
