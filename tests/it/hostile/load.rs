//! How busy the web keeps the machine that it shares with the crawler, and the same without a web: so it
//! is known which part of a delay is the machine's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Ticks of the processor's time in a second, as Linux counts them.
const TICKS: f64 = 100.0;
/// A part of the load comes once in such a while.
const ROUND: Duration = Duration::from_millis(40);

/// Seconds of the processor that a process has taken so far: its own code's and the system's for it.
pub fn spent(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name stands in parentheses, and may have spaces.
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / TICKS
}

/// Keeps so many cores busy until it is dropped.
pub struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Load {
    pub fn start(cores: f64) -> Load {
        let over = Arc::new(AtomicBool::new(false));
        let count = cores.ceil().max(0.0) as usize;
        let threads = (0..count).map(|_| {
            let (over, busy) = (over.clone(), ROUND.mul_f64(cores / count as f64));
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    let mut n = 0_u64;
                    while began.elapsed() < busy {
                        n = std::hint::black_box(n.wrapping_mul(31).wrapping_add(7));
                    }
                    std::thread::sleep(ROUND.saturating_sub(began.elapsed()));
                }
            })
        });
        Load { threads: threads.collect(), over }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
