//! `check --explore N` on all cores: the command starts itself once for each other core, and they tell what schedules show.
//!
//! Every process has the addresses of the first, so that a kernel that computes with them does the same in all.

use crate::arguments::{CheckArguments, Explore, SCOUT, Scout};
use crate::interrupt;
use crate::report::Stop;
use crate::run::{self, Said};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::num::NonZeroUsize;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};
use warpwise::{CheckOptions, Exploration, News, Scouted, Scouts, Share};

/// How long an exploration has gone on, and how long it would still take, before scouts are worth their start.
const BEFORE: Duration = Duration::from_millis(50);
const LEFT: Duration = Duration::from_millis(200);

/// What the command does as a scout: a line of JSON for each schedule, until nobody reads them.
pub(crate) fn scout(arguments: &CheckArguments, Scout { which, of }: Scout) -> Result<(), Stop> {
    let Some(Explore(Exploration::Some { count, seed })) = arguments.explore else { return Ok(()) };
    let prepared = run::prepare(&arguments.run, &mut Said::new(&arguments.run))?;
    let args = prepared.args();
    let options = CheckOptions { pedantic: arguments.pedantic };
    let share = Share { count, seed, which, of };
    let mut tell = |scouted: Scouted| {
        let mut out = io::stdout().lock();
        let line = serde_json::to_string(&scouted).map_err(io::Error::other);
        line.and_then(|line| writeln!(out, "{line}")).is_ok()
    };
    run::configured(&arguments.run, None, |config| {
        prepared.kernel.scout(&prepared.device, config, options, share, &args, &mut tell)
    })?;
    Ok(())
}

/// The scouts of an exploration. They begin when it turns out to take long.
pub(crate) struct Processes {
    /// Schedules of the exploration.
    count: u64,
    /// How many scouts there may be.
    most: usize,
    /// What the first run showed, and when it had.
    fingerprint: u64,
    since: Instant,
    running: Vec<Child>,
    heard: Option<Receiver<(u64, Vec<News>)>>,
    news: HashMap<u64, Vec<News>>,
}

impl Processes {
    /// None yet; later one less than `threads` of the host, of which 0 are all.
    pub(crate) fn new(count: u64, threads: usize) -> Processes {
        let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = if threads == 0 { cores() } else { threads };
        let (running, heard, news) = (Vec::new(), None, HashMap::new());
        let (most, since) = (threads - 1, Instant::now());
        Processes { count, most, fingerprint: 0, since, running, heard, news }
    }

    /// Whether the rest takes long, as it seems after `done` schedules.
    fn pays(&self, done: u64) -> bool {
        let so_far = self.since.elapsed();
        let left = so_far.div_f64(done.max(1) as f64).mul_f64((self.count - done) as f64);
        so_far >= BEFORE && left >= LEFT
    }

    /// Starts the command as it was started, as a scout. Where that is not possible, there is none.
    fn start(&mut self) {
        let (sender, receiver) = mpsc::channel();
        self.heard = Some(receiver);
        let Ok(program) = std::env::current_exe() else { return };
        for which in 0..self.most {
            let mut command = Command::new(&program);
            command.args(std::env::args_os().skip(1));
            command.env(SCOUT, format!("{which}/{}", self.most));
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
            let Ok(mut child) = command.spawn() else { return };
            if let Some(lines) = child.stdout.take() {
                let (fingerprint, sender) = (self.fingerprint, sender.clone());
                thread::spawn(move || listen(lines, fingerprint, &sender));
            }
            self.running.push(child);
        }
    }
}

/// Passes on what a scout says, if it has seen the same first run.
fn listen(lines: ChildStdout, expected: u64, sender: &Sender<(u64, Vec<News>)>) {
    let mut is_known = false;
    for line in BufReader::new(lines).lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(Scouted::First { fingerprint }) => is_known = fingerprint == expected,
            Ok(Scouted::Schedule { nth, news }) if is_known => {
                if sender.send((nth, news)).is_err() {
                    return;
                }
            }
            _ => return,
        }
    }
}

impl Scouts for Processes {
    fn begin(&mut self, fingerprint: u64) {
        (self.fingerprint, self.since) = (fingerprint, Instant::now());
    }

    fn news(&mut self, nth: u64) -> Option<Vec<News>> {
        match &self.heard {
            None if self.most > 0 && !interrupt::asked() && self.pays(nth) => self.start(),
            None => {}
            Some(heard) => self.news.extend(heard.try_iter()),
        }
        self.news.remove(&nth)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in &mut self.running {
            // They write nothing that could be left half done.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
