//! The one place where the crawl reads the clock, and a clock that nobody can set while it runs:
//! the system's time at the start plus the time that has passed since, suspended time counted.
//!
//! When the system's clock is set meanwhile, [`now`] goes on as before and [`jump`] says by how
//! much they differ; the dispatcher moves the schedule along and then calls [`adjust`], at a moment
//! when no request is under way. So no delay, pause or lease is cut short or drawn out by it.
//!
//! For tests, `CRAWLER_CLOCK=RATE` lets time pass so many times as fast for everything but limits
//! of the network, and `CRAWLER_CLOCK=RATE:FILE` sets the system's clock, as seen here, off by the
//! milliseconds that the file holds.
//!
//! Must not know: what is scheduled.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::model::{Millis, day_of};

/// A smaller difference is the work of whoever keeps the system's clock right, and none of ours.
const SLACK: Millis = 200;
/// Most readings of both clocks to find one that nothing came between.
const READINGS: usize = 8;

struct Clock {
    /// System's clock at the start, milliseconds.
    wall: Millis,
    /// Boot-time clock at the start.
    boot: Duration,
    /// By how much the system's clock was set since then, as far as that has been followed.
    followed: AtomicI64,
    rate: f64,
    /// Instead of the system's clock: milliseconds that it is off.
    off: Option<PathBuf>,
}

static CLOCK: LazyLock<Clock> = LazyLock::new(|| {
    let hook = std::env::var("CRAWLER_CLOCK").unwrap_or_default();
    let (rate, off) = hook.split_once(':').map_or((hook.as_str(), None), |(r, f)| (r, Some(f)));
    let rate: f64 = rate.parse().unwrap_or(1.0);
    let start = Reading::take();
    let clock = Clock {
        wall: start.wall,
        boot: start.boot,
        followed: AtomicI64::new(0),
        rate: if rate > 0.0 { rate } else { 1.0 },
        off: off.map(PathBuf::from),
    };
    let already = clock.off();
    clock.followed.store(already, Ordering::Relaxed);
    clock
});

/// Both clocks at one instant.
struct Reading {
    wall: Millis,
    boot: Duration,
    /// The instant is known so well: what passed while they were read.
    within: Duration,
}

impl Reading {
    /// On a busy machine a thread may be held up between the two clocks for longer than a jump is
    /// long, which would pass for one: of a few readings, the quickest.
    fn take() -> Reading {
        let once = || {
            let (before, wall) = (boot(), system());
            Reading { wall, boot: before, within: boot().saturating_sub(before) }
        };
        let mut best = once();
        for _ in 1..READINGS {
            if best.within < Duration::from_millis(1) {
                break;
            }
            let other = once();
            if other.within < best.within {
                best = other;
            }
        }
        best
    }
}

impl Clock {
    /// Time from the start to a reading of the boot-time clock, milliseconds.
    fn passed(&self, boot: Duration) -> Millis {
        let passed = boot.saturating_sub(self.boot).as_secs_f64();
        (passed * self.rate * 1_000.0) as Millis
    }

    fn off(&self) -> Millis {
        let file = self.off.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        file.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// By how much the system's clock was set since the start, and how far that may be off.
    fn set(&self) -> (Millis, Millis) {
        match (&self.off, self.rate == 1.0) {
            (Some(_), _) => (self.off(), 0),
            (None, true) => {
                let Reading { wall, boot, within } = Reading::take();
                (wall - self.wall - self.passed(boot), within.as_millis() as Millis)
            }
            (None, false) => (0, 0),
        }
    }
}

fn system() -> Millis {
    jiff::Timestamp::now().as_millisecond()
}

/// Time since some fixed instant, suspended time counted where the system can tell.
fn boot() -> Duration {
    use rustix::time::ClockId;
    #[cfg(target_os = "linux")]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: ClockId = ClockId::Monotonic;
    let time = rustix::time::clock_gettime(CLOCK);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Unix time in milliseconds, UTC; never runs backwards between two calls of [`adjust`].
pub fn now() -> Millis {
    CLOCK.wall + CLOCK.followed.load(Ordering::Relaxed) + CLOCK.passed(boot())
}

/// By how much the system's clock has been set and is not yet followed, milliseconds; negative:
/// back.
pub fn jump() -> Option<Millis> {
    let (set, within) = CLOCK.set();
    let by = set - CLOCK.followed.load(Ordering::Relaxed);
    (by.abs() > SLACK + within).then_some(by)
}

/// Follows a jump of so much.
pub fn adjust(by: Millis) {
    CLOCK.followed.fetch_add(by, Ordering::Relaxed);
}

/// Waits so long by this clock.
pub async fn sleep(wait: Millis) {
    let seconds = wait.max(0) as f64 / 1_000.0 / CLOCK.rate;
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
}

/// What a stretch of time that the network's limits are given in amounts to by this clock.
pub fn stretched(span: Millis) -> Millis {
    (span as f64 * CLOCK.rate).ceil() as Millis
}

/// The instant at which the calendar day of another one is over in a zone.
pub fn tomorrow(at: Millis, zone: &jiff::tz::TimeZone) -> Millis {
    let next = day_of(at, zone).tomorrow().and_then(|next| next.to_zoned(zone.clone()));
    next.map_or(Millis::MAX, |next| next.timestamp().as_millisecond())
}
