use std::fs;
use std::path::Path;
use std::sync::mpsc;

use queries::base::content::ContentHash;
use quire_storage::directory::Directory;
use quire_storage::memory::Memory;
use quire_storage::{
    Area, Blobs, Expected, Kind, Lease, Leases, Name, Objects, Pending, Record, Records, Scratch,
    Stamp, Term, Version,
};

use super::list::REMEMBERED;
use super::*;

fn open(folder: &Path) -> Deployments {
    Deployments::open(Arc::new(Directory::new(folder)), "docs")
}

fn order(cause: Cause, key: Option<&str>) -> Order<'_> {
    Order {
        cause,
        key,
        request: None,
        reason: None,
        from: None,
    }
}

/// A line as it stands in a list.
fn line(id: u64, status: &str) -> String {
    format!(
        r#"{{"id":{id},"status":"{status}","cause":"api","key":"key {id}","created":1,"changed":0,"ms":0,"log":[]}}"#
    ) + "\n"
}

/// Storage in memory that calls `put` before each write of a record, and `answer` after it: an error of
/// the first keeps the write from happening, one of the other keeps it from being told.
pub(super) struct Watched<F, G> {
    pub(super) memory: Memory,
    pub(super) put: F,
    pub(super) answer: G,
}

/// What is called at a write.
pub(super) trait Hook: Fn() -> Result<(), Error> + Send + Sync {}

impl<F: Fn() -> Result<(), Error> + Send + Sync> Hook for F {}

impl<F: Hook, G: Hook> Records for Watched<F, G> {
    fn get<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Record>> {
        self.memory.get(name)
    }

    fn put<'a>(
        &'a self,
        name: &'a Name,
        bytes: &'a [u8],
        expected: Expected,
    ) -> Pending<'a, Version> {
        Box::pin(async move {
            (self.put)()?;
            let version = self.memory.put(name, bytes, expected).await?;
            (self.answer)()?;
            Ok(version)
        })
    }

    fn delete<'a>(&'a self, name: &'a Name, version: &'a Version) -> Pending<'a, ()> {
        self.memory.delete(name, version)
    }

    fn stamp<'a>(&'a self, name: &'a Name) -> Pending<'a, Option<Stamp>> {
        self.memory.stamp(name)
    }

    fn list<'a>(&'a self, kind: Kind, prefix: &'a str) -> Pending<'a, Vec<Name>> {
        self.memory.list(kind, prefix)
    }
}

impl<F: Hook, G: Hook> Leases for Watched<F, G> {
    fn take<'a>(&'a self, name: &'a str, term: Term) -> Pending<'a, Lease> {
        self.memory.take(name, term)
    }

    fn renew<'a>(&'a self, lease: &'a Lease, term: Term) -> Pending<'a, ()> {
        self.memory.renew(lease, term)
    }

    fn release(&self, lease: Lease) -> Pending<'_, ()> {
        self.memory.release(lease)
    }
}

impl<F: Hook, G: Hook> Storage for Watched<F, G> {
    fn blobs(&self, area: Area) -> Arc<dyn Blobs> {
        self.memory.blobs(area)
    }

    fn objects(&self) -> Arc<dyn Objects> {
        self.memory.objects()
    }

    fn scratch(&self, name: &str) -> Option<Scratch> {
        self.memory.scratch(name)
    }

    fn below(&self, folder: &str) -> Arc<dyn Storage> {
        self.memory.below(folder)
    }
}

fn over(put: impl Fn() -> Result<(), Error> + Send + Sync + 'static) -> Deployments {
    let memory = Memory::default();
    let answer = || Ok(());
    let storage = Watched {
        memory,
        put,
        answer,
    };
    Deployments::open(Arc::new(storage), "docs")
}

#[test]
fn nobody_waits_for_a_write_to_see_what_is_known() {
    let (begin, begun) = mpsc::channel();
    let (end, ended) = mpsc::channel();
    let ended = Mutex::new(ended);
    let deployments = over(move || {
        begin.send(()).unwrap();
        ended.lock().unwrap().recv().unwrap();
        Ok(())
    });
    std::thread::scope(|scope| {
        let accepting = scope.spawn(|| deployments.accept(order(Cause::Api, None)).unwrap());
        begun.recv().unwrap();
        assert_eq!(deployments.last(9), []);
        end.send(()).unwrap();
        assert_eq!(accepting.join().unwrap().0.id, 1);
        deployments.note(1, "begins".to_owned());
        scope.spawn(|| deployments.finish(1, |known| known.status = Status::Success));
        begun.recv().unwrap();
        // What is not written yet is not told.
        let status = deployments.get(1).map(|known| known.status);
        assert_eq!(status, Some(Status::InProgress));
        deployments.note(1, "goes on".to_owned());
        assert_eq!(deployments.unfinished(), [1]);
        end.send(()).unwrap();
    });
    assert_eq!(deployments.unfinished(), [0; 0]);
}

#[test]
fn a_list_that_others_write_all_the_time_is_given_up() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let deployments = over(move || match counted.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(()),
        _ => Err(Error::Conflict),
    });
    deployments.accept(order(Cause::Api, None)).unwrap();
    let error = deployments.accept(order(Cause::Api, None)).unwrap_err();
    assert!(format!("{error:#}").contains("another writer"), "{error:#}");
    assert_eq!(count.load(Ordering::Relaxed), 1 + MAX_ATTEMPTS);
    deployments.finish(1, |known| {
        known.status = Status::Success;
        known.release = Some(ObjectId(ContentHash::of(b"")));
    });
    // Servers do not see it.
    let ended = deployments.get(1).unwrap();
    assert_eq!((ended.status, ended.release), (Status::Failure, None));
    let error = ended.error.unwrap();
    assert!(
        error.starts_with("published on this daemon, but not stored: "),
        "{error}"
    );
}

#[test]
fn what_was_accepted_is_there_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let deployments = open(folder.path());
    let (first, is_new) = deployments.accept(order(Cause::Api, Some("a"))).unwrap();
    assert!(is_new);
    let (again, is_new) = deployments.accept(order(Cause::Api, Some("a"))).unwrap();
    assert_eq!((again, is_new), (first, false));
    let (second, _) = deployments.accept(order(Cause::Webhook, None)).unwrap();
    deployments.finish(1, |known| known.status = Status::Success);
    drop(deployments);
    let deployments = open(folder.path());
    assert_eq!(deployments.unfinished(), [2]);
    assert_eq!(deployments.get(2), Some(second));
    assert!(!deployments.accept(order(Cause::Api, Some("a"))).unwrap().1);
    assert_eq!(deployments.accept(order(Cause::Api, None)).unwrap().0.id, 3);
    assert_eq!(open(folder.path()).last(9).len(), 3);
}

#[test]
fn a_list_of_an_earlier_version_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deployments/docs.jsonl");
    fs::create_dir(folder.path().join("deployments")).unwrap();
    let before = [line(1, "queued"), line(2, "queued")].concat();
    let whole = before.clone() + &line(1, "success");
    // Cut off anywhere, everything before the last line is there.
    for length in before.len()..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let deployments = open(folder.path());
        let unfinished: &[u64] = match length == whole.len() {
            true => &[2],
            false => &[1, 2],
        };
        assert_eq!(deployments.unfinished(), unfinished, "{length}");
        assert_eq!(deployments.accept(order(Cause::Api, None)).unwrap().0.id, 3);
        assert!(
            !deployments
                .accept(order(Cause::Api, Some("key 1")))
                .unwrap()
                .1
        );
        drop(deployments);
        let deployments = open(folder.path());
        assert_eq!(deployments.last(9).len(), 3);
        assert_eq!(deployments.unfinished(), [unfinished, &[3]].concat());
    }
}

#[test]
fn two_processes_number_their_deployments_in_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (open(folder.path()), open(folder.path()));
    assert_eq!(one.accept(order(Cause::Api, Some("a"))).unwrap().0.id, 1);
    assert_eq!(other.accept(order(Cause::Api, Some("b"))).unwrap().0.id, 2);
    other.finish(2, |known| {
        known.status = Status::Success;
        known.changed = 7;
    });
    // What the other has done since is seen before anything is written.
    assert_eq!(one.accept(order(Cause::Api, Some("c"))).unwrap().0.id, 3);
    assert_eq!(one.get(2).map(|known| known.status), Some(Status::Success));
    // What has ended stays so.
    other.finish(2, |known| known.changed = 8);
    assert_eq!(other.get(2).map(|known| known.changed), Some(7));
    assert_eq!(one.accept(order(Cause::Api, Some("d"))).unwrap().0.id, 4);
    let deployments = open(folder.path());
    assert_eq!(deployments.unfinished(), [1, 3, 4]);
    assert_eq!(deployments.get(2).map(|known| known.changed), Some(7));
    assert!(!deployments.accept(order(Cause::Api, Some("c"))).unwrap().1);
}

#[test]
fn a_list_that_cannot_be_read_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deployments/docs.jsonl");
    let aside = folder.path().join("aside");
    open(folder.path())
        .accept(order(Cause::Api, Some("a")))
        .unwrap();
    // Whoever may everything can read every file, but no folder as one.
    fs::rename(&path, &aside).unwrap();
    fs::create_dir(&path).unwrap();
    let deployments = open(folder.path());
    let error = deployments.accept(order(Cause::Api, None)).unwrap_err();
    assert!(error.to_string().contains("docs.jsonl"), "{error:#}");
    // It is read as soon as it can be.
    fs::remove_dir(&path).unwrap();
    fs::rename(&aside, &path).unwrap();
    assert_eq!(deployments.accept(order(Cause::Api, None)).unwrap().0.id, 2);
    let (first, is_new) = deployments.accept(order(Cause::Api, Some("a"))).unwrap();
    assert_eq!((first.id, is_new), (1, false));
}

#[test]
fn nothing_is_accepted_that_cannot_be_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deployments/docs.jsonl");
    fs::create_dir(folder.path().join("deployments")).unwrap();
    // The last line is torn, and the list cannot be rewritten.
    let torn = line(1, "queued") + "{\"id\":2";
    fs::write(&path, &torn).unwrap();
    let closed = Directory::closed(folder.path(), &"read-only".into());
    let deployments = Deployments::open(Arc::new(closed), "docs");
    assert_eq!(deployments.unfinished(), [1]);
    let error = deployments.accept(order(Cause::Api, None)).unwrap_err();
    assert!(format!("{error:#}").contains("read-only"), "{error:#}");
    let (_, is_new) = deployments
        .accept(order(Cause::Api, Some("key 1")))
        .unwrap();
    assert!(!is_new, "what was accepted before is known");
    deployments.finish(1, |known| known.status = Status::Success);
    assert_eq!(deployments.unfinished(), [0; 0], "it is done all the same");
    assert_eq!(fs::read_to_string(&path).unwrap(), torn);
    // Where no list can be made either.
    let nowhere = open(Path::new("/proc/nowhere"));
    assert!(nowhere.accept(order(Cause::Api, None)).is_err());
}

#[test]
fn old_ones_are_forgotten() {
    let deployments = Deployments::open(Arc::new(Memory::default()), "docs");
    for i in 0..REMEMBERED + 10 {
        deployments
            .accept(order(Cause::Api, Some(&i.to_string())))
            .unwrap();
    }
    assert_eq!(deployments.last(usize::MAX).len(), REMEMBERED);
    assert!(deployments.accept(order(Cause::Api, Some("0"))).unwrap().1);
    assert!(
        !deployments
            .accept(order(Cause::Api, Some("100")))
            .unwrap()
            .1
    );
}

#[test]
fn a_deployment_that_ends_its_processes_is_given_up() {
    let memory = Arc::new(Memory::default());
    let open = || Deployments::open_as(Part::Shared, memory.clone(), "docs");
    open().accept(order(Cause::Api, None)).unwrap();
    for attempt in 1..=MAX_RUNS {
        let process = open();
        assert_eq!(process.next_until(9), Some(1));
        assert!(process.begin_run(1));
        assert_eq!(open().get(1).map(|known| known.attempts), Some(attempt));
    }
    let last = open();
    assert!(!last.begin_run(1));
    let ended = open().get(1).expect("it is known");
    assert_eq!(ended.status, Status::Failure);
    assert!(
        ended
            .error
            .is_some_and(|error| error.starts_with("given up"))
    );
    assert_eq!(
        last.waiting(Instant::now() + Duration::from_secs(60), Duration::ZERO),
        None
    );
}

#[test]
fn deployments_of_a_day_take_as_long_as_they_may() {
    let deployments = Deployments::open(Arc::new(Memory::default()), "docs");
    let accept = |from| {
        let cause = Cause::Api;
        deployments.accept(Order {
            from,
            ..order(cause, None)
        })
    };
    deployments.set_limits(20, Some(10));
    let (first, _) = accept(None).unwrap();
    // They count by when they were accepted, whatever became of them.
    for (id, ms, hours) in [(first.id, 9_999, 25), (2, 9_999, 23), (3, 1, 1)] {
        if id > 1 {
            accept(None).unwrap();
        }
        deployments.finish(id, |known| {
            known.status = Status::Failure;
            known.ms = ms;
            known.created = now() - hours * 60 * 60;
        });
    }
    let error = accept(None).unwrap_err();
    let used = error.downcast_ref::<QuotaUsed>().expect("a quota");
    assert_eq!(used.quota, 10);
    let hour = 60 * 60;
    assert!((hour - 60..=hour).contains(&used.wait), "{used:?}");
    // What is stored is published whatever was built before.
    let error = accept(Some(2)).unwrap_err();
    assert_eq!(error.downcast_ref(), Some(&NoRelease::NotStored));
    deployments.set_limits(20, Some(11));
    accept(None).unwrap();
}

/// With one place, a site with many deployments does not keep another one waiting until all are done.
#[test]
fn sites_are_built_by_turns() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut settings = quire_settings::Settings::default();
    settings.deployments.parallel = 1;
    for (id, folder) in [("one", &one), ("two", &two)] {
        fs::write(
            folder.path().join("docs.json"),
            r##"{"name":"T","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["start"]}}"##,
        )
        .unwrap();
        fs::write(folder.path().join("start.mdx"), "Words.\n").unwrap();
        let mut site = quire_settings::SiteSettings::of_folder(folder.path());
        site.watch = false;
        settings.sites.insert(id.to_owned(), site);
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _entered = runtime.enter();
    let sites = crate::sites::Sites::new(None);
    sites.configure(&settings);
    let (one, two) = (sites.get("one").unwrap(), sites.get("two").unwrap());
    let is_final = |slot: &crate::sites::SiteSlot, id| {
        slot.deployments
            .get(id)
            .is_some_and(|known| known.status.is_final())
    };
    let place = runtime.block_on(one.places.builds.acquire()).unwrap();
    for slot in [&one, &one, &one, &one, &one, &two] {
        let (accepted, _) = slot.deployments.accept(order(Cause::Api, None)).unwrap();
        start(slot.clone(), accepted.id);
    }
    // Each task waits for its turn now, or for one before it.
    runtime.block_on(async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(two.deployments.unfinished(), [1]);
    drop(place);
    runtime.block_on(async {
        while !is_final(&one, 5) {
            tokio::task::yield_now().await;
        }
    });
    assert!(is_final(&two, 1));
    assert_eq!(two.deployments.get(1).unwrap().error, None);
}
