//! Processes that share a list of deployments, by turns that a seed decides: they accept, run, are
//! killed, sleep longer than their lease, and lose writes and answers.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::AtomicU64;
use std::time::UNIX_EPOCH;

use queries::base::content::ContentHash;
use quire_storage::memory::Memory;
use quire_storage::{Clock, Kind, Lease, Leases, Name, Records, wait};

use super::list::published_in;
use super::tests::Watched;
use super::*;

/// Length of the lease of a run, in seconds of the simulation.
const LEASE: u64 = 20;
/// Turns of a simulation.
const TURNS: usize = 80;

/// Numbers that follow from a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }
}

/// A process: what it knows of the list, and the run that it is within.
struct Process {
    deployments: Deployments,
    run: Option<(Lease, u64)>,
}

/// What was seen of the record so far.
#[derive(Default)]
struct Seen {
    /// Numbers that a client was told.
    told: BTreeMap<u64, String>,
    /// How deployments ended.
    ended: BTreeMap<u64, Status>,
    /// What readers publish.
    published: u64,
}

struct World {
    dice: Dice,
    memory: Memory,
    now: Arc<AtomicU64>,
    /// Of hundred writes: how many do not happen, and how many happen without being told.
    faults: Arc<[AtomicU64; 2]>,
    seed: u64,
    keys: u64,
    seen: Seen,
}

fn broken() -> Error {
    let error = io::Error::other("the storage is away");
    Error::at("write", "the record".to_owned(), error)
}

impl World {
    fn new(seed: u64) -> Self {
        let now = Arc::new(AtomicU64::new(1_000));
        let read = now.clone();
        let clock: Clock =
            Arc::new(move || UNIX_EPOCH + Duration::from_secs(read.load(Ordering::Relaxed)));
        Self {
            dice: Dice(seed),
            memory: Memory::with_clock(clock),
            now,
            faults: Arc::default(),
            seed,
            keys: 0,
            seen: Seen::default(),
        }
    }

    /// A process that starts now.
    fn process(&mut self) -> Process {
        let failing = |which: usize, seed: u64| {
            let (faults, dice) = (self.faults.clone(), Mutex::new(Dice(seed)));
            move || {
                let share = faults[which].load(Ordering::Relaxed);
                match dice.lock().unwrap().next() % 100 < share {
                    true => Err(broken()),
                    false => Ok(()),
                }
            }
        };
        let (put, answer) = (self.dice.next(), self.dice.next());
        let storage = Watched {
            memory: self.memory.clone(),
            put: failing(0, put),
            answer: failing(1, answer),
        };
        Process {
            deployments: Deployments::open_as(Part::Shared, Arc::new(storage), "docs"),
            run: None,
        }
    }

    fn accept(&mut self, process: &Process) {
        // Some requests are repeated, perhaps to another process.
        if self.dice.below(4) > 0 {
            self.keys += 1;
        }
        let key = format!("key {}", self.keys);
        let accepted = process.deployments.accept(Order {
            cause: Cause::Api,
            key: Some(&key),
            request: None,
            reason: None,
            from: None,
        });
        if let Ok((deployment, _)) = accepted {
            let before = self.seen.told.insert(deployment.id, key.clone());
            let is_same = before.is_none_or(|before| before == key);
            assert!(is_same, "seed {}: a number was given twice", self.seed);
        }
    }

    fn begin(&mut self, process: &mut Process) {
        let term = Term::For(Duration::from_secs(LEASE));
        let Ok(lease) = wait(self.memory.take("run", term)) else {
            return;
        };
        let deployments = &process.deployments;
        match deployments
            .refresh()
            .ok()
            .and_then(|()| deployments.next_until(u64::MAX))
        {
            Some(id) if deployments.begin_run(id) => {
                deployments.note(id, "begins".to_owned());
                process.run = Some((lease, id));
            }
            _ => wait(self.memory.release(lease)).unwrap(),
        }
    }

    fn end(&mut self, process: &mut Process) {
        let Some((lease, id)) = process.run.take() else {
            return;
        };
        let release = ObjectId(ContentHash::of(&self.dice.next().to_le_bytes()));
        let is_good = self.dice.below(5) > 0;
        process.deployments.finish(id, |known| {
            known.status = match is_good {
                true => Status::Success,
                false => Status::Failure,
            };
            known.release = is_good.then_some(release);
        });
        // It may have ended before, and be another process's.
        wait(self.memory.release(lease)).unwrap();
    }

    /// Looks at the record as a server does.
    fn look(&mut self) {
        let name = Name::of(Kind::Deployments, "docs");
        let Some(record) = wait(self.memory.get(&name)).unwrap() else {
            assert!(self.seen.told.is_empty(), "seed {}: lost", self.seed);
            return;
        };
        let text = String::from_utf8(record.bytes).unwrap();
        let known: BTreeMap<u64, Deployment> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .map(|known: Deployment| (known.id, known))
            .collect();
        let seed = self.seed;
        for (id, key) in &self.seen.told {
            let known = known.get(id);
            let known = known.unwrap_or_else(|| panic!("seed {seed}: {id} is lost"));
            assert_eq!(known.key.as_ref(), Some(key), "seed {seed}");
        }
        for (id, known) in &known {
            if let Some(before) = self.seen.ended.get(id) {
                assert_eq!(known.status, *before, "seed {seed}: {id} ended twice");
            } else if known.status.is_final() {
                self.seen.ended.insert(*id, known.status);
            }
        }
        if let Some((published, release)) = published_in(text.as_bytes()) {
            assert!(release.is_some(), "seed {seed}: nothing is stored");
            assert!(published >= self.seen.published, "seed {seed}: went back");
            self.seen.published = published;
        }
    }

    fn set_faults(&self, lost_writes: u64, lost_answers: u64) {
        self.faults[0].store(lost_writes, Ordering::Relaxed);
        self.faults[1].store(lost_answers, Ordering::Relaxed);
    }
}

fn simulate(seed: u64) {
    let mut world = World::new(seed);
    let mut processes: Vec<Process> = (0..3).map(|_| world.process()).collect();
    for _ in 0..TURNS {
        let which = world.dice.below(processes.len());
        match world.dice.below(16) {
            0..4 => world.accept(&processes[which]),
            4..8 => {
                if processes[which].run.is_none() {
                    world.begin(&mut processes[which]);
                }
            }
            8..11 => world.end(&mut processes[which]),
            11 => {
                // Killed within a run or outside of one; its lease ends by itself.
                processes[which] = world.process();
            }
            12 => {
                let seconds = u64::try_from(world.dice.below(30)).unwrap();
                world.now.fetch_add(seconds, Ordering::Relaxed);
            }
            13 => {
                let shares = [world.dice.next() % 40, world.dice.next() % 40];
                world.set_faults(shares[0], shares[1]);
            }
            14 => world.set_faults(0, 0),
            _ => {
                // It may fail: then it is read when it is needed.
                let _ = processes[which].deployments.refresh();
            }
        }
        world.look();
    }
    // Everything that was accepted ends once the storage answers.
    world.set_faults(0, 0);
    world.now.fetch_add(1_000, Ordering::Relaxed);
    for process in &mut processes {
        world.end(process);
        world.look();
    }
    let mut last = world.process();
    for _ in 0..=TURNS {
        world.begin(&mut last);
        world.end(&mut last);
        world.look();
    }
    for id in world.seen.told.keys() {
        assert!(
            world.seen.ended.contains_key(id),
            "seed {seed}: {id} is open"
        );
    }
}

/// `QUIRE_SEEDS` says how many.
#[test]
fn nothing_that_was_accepted_is_lost_whatever_happens_to_processes() {
    let seeds = std::env::var("QUIRE_SEEDS").ok();
    let seeds: u64 = seeds.map_or(100, |seeds| seeds.parse().expect("a number"));
    for seed in 0..seeds {
        simulate(seed);
    }
}
