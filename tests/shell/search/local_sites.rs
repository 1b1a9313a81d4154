//! Sites whose passages are embedded by a model in a folder: who pays for what, and that search goes on.

use std::sync::Arc;

use quire_settings::{EmbedderSettings, SiteSettings};
use quire_storage::directory::Directory;
use quire_storage::memory::Memory;
use quire_storage::store::embedding_cache::EmbeddingCache;
use serde_json::{Value, json};

use super::embedders::{Desk, TEXTS, site};
use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;
use crate::support::{repository, wait_until};

/// A copy of the small model, in a folder of this name.
fn models() -> Folder {
    let folder = Folder::new(&[]);
    let tiny = Folder::copy_of(&repository().join("tests/shell/search/bert"));
    std::fs::rename(tiny.path(), folder.at("tiny")).unwrap();
    folder
}

fn of(models: &Folder) -> EmbedderSettings {
    EmbedderSettings {
        threads: Some(1),
        ..EmbedderSettings::of_folder(&models.at("tiny"))
    }
}

fn embedded(desk: &Desk) -> u64 {
    desk.embedder.status().embedded
}

#[test]
fn passages_get_the_vectors_of_the_folder_and_each_is_made_once() {
    let (site, models, state) = (site(), models(), Folder::new(&[]));
    let cache = || Arc::new(EmbeddingCache::new(&Directory::new(state.path())));
    let desk = Desk::new(&site, &of(&models), cache());
    desk.wait();
    let made = TEXTS.len() as u64;
    assert_eq!(embedded(&desk), made);
    let found = desk.find("steep three minutes");
    assert_eq!(
        (&found["mode"], &found["embedder"]),
        (&json!("semantic"), &json!("tiny"))
    );
    // An edit pays for the passage that changed, and nothing for looks.
    let text = std::fs::read_to_string(site.at("brew.mdx")).unwrap();
    desk.edit("brew.mdx", &text.replace("Three", "Four"));
    desk.wait();
    assert_eq!(embedded(&desk), made + 1);
    desk.edit("brew.mdx", &text.replace("Three", "**Four**"));
    desk.edit("brew.mdx", &text);
    desk.wait();
    assert_eq!(embedded(&desk), made + 1);
    let status = desk.embedder.status();
    assert_eq!(
        (status.model.as_str(), status.failed, status.error),
        ("tiny", 0, None)
    );
    drop(desk);
    // A second start makes nothing, wherever the folder is.
    std::fs::rename(models.at("tiny"), models.at("moved")).unwrap();
    let moved = EmbedderSettings {
        folder: Some(models.at("moved")),
        ..of(&models)
    };
    let desk = Desk::new(&site, &moved, cache());
    desk.wait();
    assert_eq!((embedded(&desk), desk.embedder.status().requests), (0, 0));
    assert_eq!(desk.find("steep three minutes")["embedder"], "moved");
    drop(desk);
    // Another model makes its own.
    let path = models.at("moved/config.json");
    let config = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\"gelu\"", "\"relu\"");
    std::fs::write(path, config).unwrap();
    let desk = Desk::new(&site, &moved, cache());
    desk.wait();
    assert_eq!(embedded(&desk), made);
}

#[test]
fn a_folder_that_cannot_be_read_is_said_once_and_read_when_it_was_mended() {
    let (site, models) = (site(), models());
    let weights = std::fs::read(models.at("tiny/model.safetensors")).unwrap();
    models.write("tiny/model.safetensors", &weights[..20_000]);
    let desk = Desk::new(
        &site,
        &of(&models),
        Arc::new(EmbeddingCache::new(&Memory::default())),
    );
    wait_until("it rests", || desk.slept.lock().unwrap().contains(&600));
    let status = desk.embedder.status();
    let error = status.error.expect("an error");
    let expected = format!(
        "{}: it is cut off or damaged",
        models.at("tiny/model.safetensors").display()
    );
    assert!(error.starts_with(&expected), "{error}");
    assert_eq!(
        (
            status.embedded,
            status.failed,
            desk.search_service.waiting()
        ),
        (0, 0, TEXTS.len())
    );
    // The vectors of this program serve.
    let found = desk.find("how expensive is it");
    assert_eq!(
        (&found["mode"], found.get("embedder")),
        (&json!("semantic"), None)
    );
    assert_eq!(found["results"][0]["url"], "/prices");
    let slept = || desk.slept.lock().unwrap().len();
    let before = slept();
    desk.edit(
        "prices.mdx",
        "---\ntitle: Prices\n---\n\nSencha costs less.\n",
    );
    wait_until("it rests again", || slept() > before);
    let log = desk.log();
    assert_eq!(
        log.lines().filter(|line| line.contains("damaged")).count(),
        1,
        "{log}"
    );
    models.write("tiny/model.safetensors", &weights);
    desk.edit(
        "prices.mdx",
        "---\ntitle: Prices\n---\n\nSencha costs more.\n",
    );
    desk.wait();
    assert_eq!(desk.embedder.status().error, None);
    assert_eq!(desk.find("how expensive is it")["embedder"], "tiny");
}

#[test]
fn sites_with_the_same_folder_make_each_vector_once() {
    let (site, models) = (site(), models());
    let other = Folder::copy_of(site.path());
    other.write(
        "prices.mdx",
        "---\ntitle: Prices\n---\n\nSencha costs less.\n",
    );
    let cache = Arc::new(EmbeddingCache::new(&Memory::default()));
    let first = Desk::new(&site, &of(&models), cache.clone());
    let second = Desk::new(&other, &of(&models), cache);
    first.wait();
    second.wait();
    assert_eq!(embedded(&first) + embedded(&second), TEXTS.len() as u64 + 1);
}

#[test]
fn a_daemon_says_how_the_model_of_a_site_is() {
    let (site, state, models) = (site(), Folder::new(&[]), models());
    let site = SiteSettings {
        embedder: Some(of(&models)),
        ..SiteSettings::of_folder(site.path())
    };
    let daemon = Daemon::start(settings(state.path(), &[("tea", site)]));
    let status = || {
        let status = daemon.ask("localhost", "/_quire/status").body;
        let status: Value = serde_json::from_slice(&status).unwrap();
        status["sites"][0]["search"]["embedder"].clone()
    };
    wait_until("all passages have vectors", || {
        let status = status();
        status["embedded"] == TEXTS.len() && status["waiting"] == 0
    });
    assert_eq!(
        (&status()["model"], &status()["error"]),
        (&json!("tiny"), &json!(null))
    );
    let metrics = daemon.ask("localhost", "/_quire/metrics").text();
    assert!(
        metrics.contains("quire_embedder_texts_total{site=\"tea\"} 5"),
        "{metrics}"
    );
    assert!(
        metrics.contains("quire_embedder_waiting{site=\"tea\"} 0"),
        "{metrics}"
    );
}

#[test]
fn the_command_runs_the_model_and_keeps_what_it_made() {
    let (site, cache, models) = (site(), Folder::new(&[]), models());
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quire"));
        command
            .args(["search", ".", "minutes three", "--semantic", "--json"])
            .args(arguments)
            .env("XDG_CACHE_HOME", cache.path())
            .env_remove("QUIRE_STATE")
            .env_remove("QUIRE_LOG")
            .current_dir(site.path());
        let output = command.output().expect("it starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let folder = models.at("tiny");
    let folder = folder.to_str().expect("UTF-8");
    let (code, found, said) = run(&["--embedder-folder", folder]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert_eq!(
        serde_json::from_str::<Value>(&found).unwrap()["embedder"],
        "tiny"
    );
    assert_eq!(run(&["--embedder-folder", folder]).1, found);
    let (code, _, said) = run(&["--embedder-folder", "nowhere"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("--embedder-folder: nowhere is no folder"),
        "{said}"
    );
    let (code, _, said) = run(&[
        "--embedder-folder",
        folder,
        "--embedder-url",
        "https://a.example",
    ]);
    assert_eq!(code, Some(2));
    assert!(said.contains("cannot be used with"), "{said}");
    // What is wrong with it is said, and the vectors of the program serve.
    models.remove("tiny/tokenizer.json");
    let (code, found, said) = run(&["--embedder-folder", folder]);
    assert_eq!(code, Some(0));
    assert_eq!(
        serde_json::from_str::<Value>(&found)
            .unwrap()
            .get("embedder"),
        None
    );
    assert!(said.contains("tokenizer.json: it is not there"), "{said}");
}
