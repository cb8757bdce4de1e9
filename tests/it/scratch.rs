//! A throw-away PostgreSQL (`scripts/postgres-scratch`): it ends when this process does, however it
//! ends. Where PostgreSQL is missing, what needs it fails.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The running cluster.
pub struct Scratch {
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    url: String,
}

impl Scratch {
    pub fn start() -> Scratch {
        let mut child =
            Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/postgres-scratch"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("scripts/postgres-scratch starts");
        let commands = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().expect("piped"));
        let mut url = String::new();
        answers.read_line(&mut url).expect("its URL");
        assert!(url.starts_with("postgres://"), "PostgreSQL is needed: apt-get install postgresql");
        Scratch { child, commands, answers, url: url.trim().to_owned() }
    }

    pub fn client(&self) -> postgres::Client {
        postgres::Client::connect(&self.url, postgres::NoTls).expect("it accepts connections")
    }

    /// URL of a new database.
    pub fn database(&self, name: &str) -> String {
        self.client().batch_execute(&format!("CREATE DATABASE {name}")).expect("a new database");
        let (server, _) = self.url.rsplit_once('/').expect("a URL");
        format!("{server}/{name}")
    }

    /// Ends every other connection.
    pub fn cut(&self) -> i64 {
        let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                   WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
        self.client().query_one(sql, &[]).map_or(0, |row| row.get(0))
    }

    /// `restart` or `crash`; returns when it accepts connections again.
    pub fn tell(&mut self, what: &str) {
        let commands = self.commands.as_mut().expect("open until it is dropped");
        writeln!(commands, "{what}").expect("it listens");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("an answer");
        assert_eq!(answer.trim(), "ready");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(self.commands.take());
        let _ = self.child.wait();
    }
}
