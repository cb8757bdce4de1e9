//! The built binary as a process: its arguments, what it prints, how it ends.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::web::Web;

/// Nothing here takes as long; a process that does hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// The crawler under test; `CRAWLER_PROOF_BINARY` names one built otherwise.
pub fn binary() -> PathBuf {
    let other = std::env::var_os("CRAWLER_PROOF_BINARY");
    other.map_or_else(|| env!("CARGO_BIN_EXE_crawler").into(), PathBuf::from)
}

/// How a process ended.
pub struct Ended {
    /// `None`: by a signal.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// Panics with what it printed unless it ended well.
    pub fn good(self) -> String {
        assert_eq!(self.code, Some(0), "stdout: {}\nstderr: {}", self.out, self.err);
        self.out
    }

    /// Panics unless it ended badly with one line on standard error that has these words.
    pub fn one_sentence(self, words: &[&str]) {
        assert!(self.code.is_some_and(|c| c != 0), "{:?}\n{}{}", self.code, self.out, self.err);
        let lines: Vec<&str> = self.err.lines().collect();
        assert_eq!(lines.len(), 1, "more than one sentence: {}", self.err);
        for word in words {
            assert!(self.err.contains(word), "`{}` does not say `{word}`", self.err);
        }
    }
}

/// A place to run the crawler in: an empty directory, the settings for a loopback web.
pub struct Place {
    pub dir: tempfile::TempDir,
    pub settings: Vec<String>,
    /// `CRAWLER_CLOCK` of everything that is run here.
    pub clock: Option<String>,
}

impl Place {
    pub fn new() -> Place {
        let settings = [
            "guard.allow=[\"127.0.0.0/8\"]",
            "guard.allow_ports=[\"1-65535\"]",
            "listen=\"\"",
            "pace.delay=0ms",
            "pace.adaptive=0.0",
            "once_patience=2s",
        ];
        let settings = settings.iter().flat_map(|s| ["--set".to_owned(), (*s).to_owned()]);
        Place { dir: tempfile::tempdir().unwrap(), settings: settings.collect(), clock: None }
    }

    /// A place whose store has the feeds of a web and two watched brands.
    pub fn seeded(web: &Web) -> Place {
        let place = Place::new();
        place.watch(web.feeds(), "Acme\nUmbra\n");
        place
    }

    /// Seeds a list of feeds, and watches the brands of another.
    pub fn watch(&self, feeds: String, brands: &str) {
        self.write("feeds.txt", feeds);
        self.write("brands.txt", brands);
        self.run(["seed", "feeds.txt"]).good();
        self.run(["brands", "import", "brands.txt"]).good();
    }

    pub fn set(&mut self, setting: &str) {
        self.settings.extend(["--set".to_owned(), setting.to_owned()]);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// The crawler with these arguments, not yet started.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(binary());
        command.args(args).args(&self.settings).current_dir(self.dir.path());
        // Variables of the tests and of whoever runs them are no settings.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CRAWLER_") {
                command.env_remove(name);
            }
        }
        self.clock.iter().for_each(|clock| _ = command.env("CRAWLER_CLOCK", clock));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end.
    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ended {
        end(self.command(args).spawn().unwrap())
    }

    /// Runs a command that reads this input.
    pub fn feed<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>, input: &str) -> Ended {
        self.pour(args, input.as_bytes().to_vec())
    }

    /// The same with any bytes.
    pub fn pour<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        input: Vec<u8>,
    ) -> Ended {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::spawn(move || stdin.write_all(&input));
        end(child)
    }

    /// Runs a command with `--json` and reads its answer.
    pub fn json<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Value {
        let out = end(self.command(args).arg("--json").spawn().unwrap());
        // `status` ends with 3 where something wants attention, and answers all the same.
        assert!(matches!(out.code, Some(0 | 3)), "{}{}", out.out, out.err);
        serde_json::from_str(&out.out).unwrap_or_else(|e| panic!("{e}: {}", out.out))
    }
}

/// Largest resident size of a process until it ends, MiB.
pub fn peak_of(id: u32) -> std::thread::JoinHandle<u64> {
    std::thread::spawn(move || {
        let mut peak = 0;
        // The file goes, or loses the line, when the process ends.
        while let Ok(text) = std::fs::read_to_string(format!("/proc/{id}/status")) {
            let Some(line) = text.lines().find(|line| line.starts_with("VmHWM")) else { break };
            let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
            peak = kib / 1024;
            std::thread::sleep(Duration::from_millis(20));
        }
        peak
    })
}

/// Waits for a process, reading all that it prints.
pub fn end(mut child: Child) -> Ended {
    let mut pipes = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = std::thread::spawn(move || {
        let mut text = String::new();
        pipes.0.read_to_string(&mut text).map(|_| text)
    });
    let err = std::thread::spawn(move || {
        let mut text = String::new();
        pipes.1.read_to_string(&mut text).map(|_| text)
    });
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the process did not end within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ended {
        code: status.code(),
        out: out.join().unwrap().unwrap(),
        err: err.join().unwrap().unwrap(),
    }
}

/// `crawler run` in the background; killed when dropped.
pub struct Daemon {
    child: Option<Child>,
}

impl Daemon {
    /// Starts it and waits until it answers on its socket.
    pub fn start(place: &Place) -> Daemon {
        Daemon::of(place, place.command(["run"]))
    }

    /// The same of a command made ready.
    pub fn of(place: &Place, mut command: Command) -> Daemon {
        let daemon = Daemon { child: Some(command.spawn().unwrap()) };
        wait_for("the daemon's socket", || {
            std::os::unix::net::UnixStream::connect(place.path("data/control.sock")).is_ok()
        });
        daemon
    }

    pub fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub fn signal(&self, name: &str) {
        signal(self.child.as_ref().unwrap(), name);
    }

    /// SIGTERM, and how it ended then.
    pub fn terminate(mut self) -> Ended {
        let child = self.child.take().unwrap();
        signal(&child, "TERM");
        end(child)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Sends a signal by name with the system's own tool.
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    // A shell has `kill` built in: nothing needs to be installed.
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {id}")]).status().unwrap();
    assert!(sent.success());
}

/// A port that nobody listens on, on any address. The system gives others to whoever asks for any: it would
/// not stay free until it is used.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = (std::process::id() % 90) as u16 * 200;
    let ports = (0..200).map(|_| 12_000 + (own + NEXT.fetch_add(1, Ordering::Relaxed)) % 18_000);
    let free = |port: &u16| std::net::TcpListener::bind(("0.0.0.0", *port)).is_ok();
    ports.into_iter().find(free).expect("a free port")
}

/// Asks until the answer is yes.
pub fn wait_for(what: &str, mut yes: impl FnMut() -> bool) {
    let began = Instant::now();
    while !yes() {
        assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a directory exists and holds something.
pub fn is_filled(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some())
}
