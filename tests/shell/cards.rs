//! Pictures of pages for those who show links to them: where they are, what they are of, and how often they are drawn.

use queries::site::{CardLook, card_look, page_card};
use quire_cards::Painter;
use quire_cards::faces::FallbackFaces;
use quire_export::{BuildResult, Plan, build};
use quire_storage::store::Store;

use crate::support::folder::{Folder, files_of};
use crate::support::preview::Preview;

fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name": "Museum", "theme": "mint", "colors": {"primary": "#0a7a5a"},
                "navigation": {"groups": [{"group": "Guides", "pages": ["index", "guides/first", "guides/own", "guides/hidden"]},
                    {"group": "API", "openapi": "api.json"}]}}"##,
        ),
        ("index.mdx", "---\ntitle: Welcome\n---\n\nHello.\n"),
        (
            "guides/first.mdx",
            "---\ntitle: First\ndescription: The first of them.\n---\n\nWords.\n",
        ),
        (
            "guides/own.mdx",
            "---\ntitle: Own\n\"og:image\": /images/own.png\n---\n\nWords.\n",
        ),
        (
            "guides/hidden.mdx",
            "---\ntitle: Hidden\nhidden: true\n---\n\nWords.\n",
        ),
        (
            "api.json",
            r##"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {"/things/{id}":
                {"get": {"summary": "Read a thing", "responses": {"200": {"description": "OK"}}}}}}"##,
        ),
        ("images/own.png", "\u{89}PNG"),
    ])
}

fn plan(folder: &Folder, out: &Folder, state: Option<&Folder>) -> Plan {
    Plan {
        folder: folder.path().to_owned(),
        out: out.path().to_owned(),
        base_path: String::new(),
        base_url: Some("https://docs.example".to_owned()),
        clean: false,
        force: false,
        cards: true,
        state: state.map(|state| state.path().to_owned()),
        trailing_slash: true,
    }
}

#[track_caller]
fn built(plan: &Plan) -> BuildResult {
    let built = build(plan, &|_, _| {}).expect("a build");
    assert_eq!((&built.failed, &built.unwritten), (&vec![], &vec![]));
    built
}

/// The file of the card at `path`.
#[track_caller]
fn card_at(preview: &Preview, path: &str) -> Vec<u8> {
    let reply = preview.get(path);
    assert_eq!(reply.status, 200, "{path}");
    reply.body
}

/// The cards below a folder of output.
fn cards_of(out: &Folder) -> Vec<String> {
    let mut files = files_of(out.path());
    files.retain(|file| file.starts_with("og/"));
    files
}

/// Width and height that a PNG says it has.
#[track_caller]
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

/// The pixels of a PNG, as red, green and blue.
fn pixels(png: &[u8]) -> Vec<[u8; 3]> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("a picture");
    bytes
        .chunks_exact(3)
        .map(|rgb| [rgb[0], rgb[1], rgb[2]])
        .collect()
}

#[test]
fn every_page_has_a_card_at_its_address() {
    let folder = site();
    let preview = Preview::of(&folder);
    let mut connection = preview.connect();
    for path in [
        "/og/index.png",
        "/og/guides/first.png",
        "/og/guides/hidden.png",
        "/og/api-reference/read-a-thing.png",
    ] {
        let reply = connection.get(path);
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(reply.header("content-type"), Some("image/png"), "{path}");
        assert_eq!(size(&reply.body), (1200, 630), "{path}");
        assert!(reply.body.len() < 40_000, "{path}: {}", reply.body.len());
        let tag = reply.header("etag").expect("a tag").to_owned();
        connection.request("GET", path, &[("If-None-Match", &tag)]);
        assert_eq!(connection.reply().status, 304, "{path}");
    }
    for path in [
        "/og/nothing.png",
        "/og/.png",
        "/og/guides/.png",
        "/og/guides/first",
        "/og/guides/first.jpg",
        "/og/docs.json.png",
    ] {
        assert_eq!(preview.status(path), 404, "{path}");
    }
}

#[test]
fn a_file_of_the_author_stands_in_place_of_a_card() {
    let folder = site();
    folder.write("og/guides/first.png", "my own");
    let preview = Preview::of(&folder);
    assert_eq!(preview.get("/og/guides/first.png").body, b"my own");
    let out = Folder::new(&[]);
    built(&plan(&folder, &out, None));
    assert_eq!(out.read("og/guides/first.png"), "my own");
}

#[test]
fn a_title_is_on_the_card_as_soon_as_it_is_saved() {
    let folder = site();
    let preview = Preview::of(&folder);
    let before = card_at(&preview, "/og/guides/first.png");
    let other = card_at(&preview, "/og/index.png");
    let text = folder.read("guides/first.mdx");
    folder.write("guides/first.mdx", text.replace("Words.", "Other words."));
    preview.page("/guides/first");
    assert!(card_at(&preview, "/og/guides/first.png") == before);
    folder.write(
        "guides/first.mdx",
        text.replace("title: First", "title: Last"),
    );
    preview.page("/guides/first");
    assert!(card_at(&preview, "/og/guides/first.png") != before);
    assert!(card_at(&preview, "/og/index.png") == other);
}

#[test]
fn heads_name_the_cards_that_an_export_holds() {
    let (folder, out) = (site(), Folder::new(&[]));
    let first = built(&plan(&folder, &out, None));
    let expected = [
        "og/api-reference/introduction.png",
        "og/api-reference/read-a-thing.png",
        "og/guides/first.png",
        "og/guides/hidden.png",
        "og/index.png",
    ];
    assert_eq!(
        (first.drawn, cards_of(&out)),
        (5, expected.map(str::to_owned).to_vec())
    );
    let html = out.read("guides/first/index.html");
    for tag in [
        "<meta property=\"og:image\" content=\"https://docs.example/og/guides/first.png\">",
        "<meta property=\"og:image:width\" content=\"1200\">",
        "<meta property=\"og:image:height\" content=\"630\">",
        "<meta property=\"og:image:alt\" content=\"First\">",
        "<meta name=\"twitter:card\" content=\"summary_large_image\">",
        "<meta name=\"twitter:image\" content=\"https://docs.example/og/guides/first.png\">",
    ] {
        assert!(html.contains(tag), "{tag}");
    }
    // What the author chose stands, and nothing is said of its size.
    let own = out.read("guides/own/index.html");
    assert!(
        own.contains("content=\"https://docs.example/images/own.png\""),
        "{own}"
    );
    assert!(!own.contains("/og/") && !own.contains("og:image:width"));
}

#[test]
fn a_site_without_an_address_and_one_that_wants_none_has_no_cards() {
    for change in [
        |plan: &mut Plan| plan.base_url = None,
        |plan: &mut Plan| plan.cards = false,
    ] {
        let (folder, out) = (site(), Folder::new(&[]));
        let mut plan = plan(&folder, &out, None);
        change(&mut plan);
        assert_eq!(built(&plan).drawn, 0);
        assert_eq!(cards_of(&out), Vec::<String>::new());
        let html = out.read("guides/first/index.html");
        assert!(!html.contains("/og/") && html.contains("content=\"summary\""));
    }
    // What the author calls canonical is an address too.
    let (folder, out) = (site(), Folder::new(&[]));
    let docs = folder.read("docs.json");
    let seo =
        "{\"name\": \"Museum\", \"seo\": {\"metatags\": {\"canonical\": \"https://own.example\"}},";
    folder.write("docs.json", docs.replace("{\"name\": \"Museum\",", seo));
    let mut plan = plan(&folder, &out, None);
    plan.base_url = None;
    assert_eq!(built(&plan).drawn, 5);
    let html = out.read("guides/first/index.html");
    assert!(html.contains("content=\"https://own.example/og/guides/first.png\""));
}

#[test]
fn a_build_draws_what_says_something_new() {
    let (folder, out, state) = (site(), Folder::new(&[]), Folder::new(&[]));
    let plan = plan(&folder, &out, Some(&state));
    assert_eq!(built(&plan).drawn, 5);
    assert_eq!(built(&plan).drawn, 0);
    let text = folder.read("guides/first.mdx");
    folder.write("guides/first.mdx", text.replace("Words.", "Other words."));
    assert_eq!(built(&plan).drawn, 0);
    folder.write(
        "guides/first.mdx",
        text.replace("title: First", "title: Last"),
    );
    assert_eq!(built(&plan).drawn, 1);
    let docs = folder.read("docs.json");
    folder.write("docs.json", docs.replace("#0a7a5a", "#7a0a5a"));
    assert_eq!(built(&plan).drawn, 5);
    // As a build that knows of nothing draws them.
    let clean = Folder::new(&[]);
    built(&self::plan(&folder, &clean, None));
    assert_eq!(cards_of(&clean), cards_of(&out));
    for card in cards_of(&clean) {
        let read = |folder: &Folder| std::fs::read(folder.path().join(&card)).expect("a card");
        assert!(read(&clean) == read(&out), "{card}");
    }
}

/// How the cards of a site look, with what one of its pages says.
fn card_of(folder: &Folder, route: &str) -> (CardLook, queries::theme::card::Card) {
    let preview = Preview::of(folder);
    let snapshot = preview.publisher().snapshot();
    let pages = &snapshot.routes.pages;
    let page = pages.iter().find(|(known, _)| known.as_str() == route);
    let page = *page.expect("a page").1;
    let card = snapshot
        .host
        .read(|db, site| (card_look(db, site).clone(), page_card(db, page).clone()));
    card.expect("a card")
}

#[test]
fn letters_that_nobody_has_are_left_out_and_never_boxes() {
    let folder = site();
    let (look, first) = card_of(&folder, "/guides/first");
    let painter = Painter::new(FallbackFaces::Nothing);
    let store = Store::in_memory();
    let draw = |title: &str, description: Option<&str>| {
        let mut card = first.clone();
        card.title = title.to_owned();
        card.description = description.map(str::to_owned);
        let drawn = painter.card(&*store, &look, &card, &|_| None);
        pixels(&drawn.expect("a card").bytes)
    };
    let without = draw("", None);
    assert!(draw("入門", Some("最初のページ")) == without);
    assert!(draw("\u{e000}", None) == without);
    assert!(draw("🚀 First", None) == draw("First", None));
    assert!(draw("First", None) != without);
    // Latin, Greek and Cyrillic are part of the program.
    for title in ["Übersicht", "Αρχή", "Начало"] {
        assert!(draw(title, None) != without, "{title}");
    }
}

#[test]
fn a_ground_follows_what_the_site_says_of_it() {
    let folder = site();
    let corner = |docs: &str| {
        folder.write("docs.json", docs);
        let preview = Preview::of(&folder);
        let body = card_at(&preview, "/og/guides/first.png");
        let all = pixels(&body);
        (all[1200 * 629], all)
    };
    let docs = folder.read("docs.json");
    let (light, _) = corner(&docs);
    assert_eq!(light, [255, 255, 255]);
    let with = |more: &str| docs.replace("{\"name\"", &format!("{{{more}, \"name\""));
    let (dark, _) = corner(&with(r#""thumbnails": {"appearance": "dark"}"#));
    assert!(dark.iter().all(|part| *part < 40), "{dark:?}");
    let (own, _) = corner(&with(r##""background": {"color": {"light": "#fff7ed"}}"##));
    assert_eq!(own, [0xff, 0xf7, 0xed]);
    // A picture of the author lies below the words: its color is seen where they are not.
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 12 6'><rect width='12' height='6' fill='#ff0000'/></svg>";
    folder.write("images/ground.svg", svg);
    let (_, all) = corner(&with(
        r#""thumbnails": {"background": "/images/ground.svg"}"#,
    ));
    let [red, green, _] = all[1199];
    assert!(red > 200 && green < 200, "{:?}", all[1199]);
    // One that is not there is as none.
    let (gone, _) = corner(&with(r#""thumbnails": {"background": "/images/none.svg"}"#));
    assert_eq!(gone, [255, 255, 255]);
}

#[test]
fn a_picture_of_a_site_reads_no_other_file() {
    let folder = site();
    // A secret beside the site, which is red.
    let secret = Folder::new(&[(
        "secret.svg",
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 12 6'><rect width='12' height='6' fill='#ff0000'/></svg>",
    )]);
    let path = secret.path().join("secret.svg").display().to_string();
    let docs = folder.read("docs.json");
    let more = r#"{"thumbnails": {"background": "/images/ground.svg"}, "name""#;
    folder.write("docs.json", docs.replace("{\"name\"", more));
    let drawn = |href: &str| {
        let svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 12 6'><rect width='3' height='3' fill='#00f'/>\
             <image href='{href}' width='12' height='6'/></svg>"
        );
        folder.write("images/ground.svg", svg);
        pixels(&card_at(&Preview::of(&folder), "/og/guides/first.png"))
    };
    let none = drawn("");
    for href in [
        path.clone(),
        format!("file://{path}"),
        "logo".to_owned(),
        "background".to_owned(),
    ] {
        assert!(drawn(&href) == none, "{href}");
    }
    // What stands in the file itself is no other file.
    let red = "data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 12 6%22%3E%3Crect width=%2212%22 \
               height=%226%22 fill=%22red%22/%3E%3C/svg%3E";
    assert!(drawn(red) != none);
}

#[test]
fn many_who_ask_at_once_get_the_same_card() {
    let folder = site();
    let preview = Preview::of(&folder);
    let bodies: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..12)
            .map(|_| scope.spawn(|| card_at(&preview, "/og/guides/first.png")))
            .collect();
        asked
            .into_iter()
            .map(|asked| asked.join().expect("a reply"))
            .collect()
    });
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]));
}
