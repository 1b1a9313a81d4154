//! Answers in the styles of models: what of them stays, and what goes.

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::super::cited::CitationLinker;
use super::*;

const QUESTION: &str = "How do I rotate a key in Quire?";

const PASSAGES: &[(&str, &[&str], &str)] = &[
    (
        "/guides/keys#rotate",
        &["Keys", "Rotate a key"],
        "Open **Settings** and choose **Rotate key**, or run `acme keys rotate --grace 30m`. The old key works for \
         30 minutes. Each project has at most five keys.\n\n```sh\nacme keys rotate --grace 30m\nexport QUIRE_KEY=<new \
         key>\n```",
    ),
    (
        "/guides/limits",
        &["Limits"],
        "A client may send 10,000 requests per hour. Requests beyond that fail with status 429 and the header \
         `Retry-After`. Uploads are limited to 25 MB; the setting `max_upload_size` in `docs.json` raises this on the \
         Enterprise plan. See [the status page](https://status.example.com/live).",
    ),
    (
        "/api/tickets",
        &["Tickets API", "Create a ticket"],
        "`POST /v1/tickets/{id}`\n\nRequired:\n\n- `subject` (body, string)\n- `priority` (body, `low` or \
         `high`)\n\n| Plan | Tickets per day |\n|---|---|\n| Free | 50 |\n| Team | 2,000 |\n\nTickets are kept for 90 \
         days in Frankfurt.",
    ),
    (
        "/ja/keys",
        &["キー"],
        "キーは`acme keys rotate`で変更します。古いキーは30分間有効です。プロジェクトごとに5個まで作成できます。",
    ),
    (
        "/ar/keys",
        &["المفاتيح"],
        "يمكنك تدوير المفتاح من صفحة الإعدادات. يبقى المفتاح القديم صالحًا لمدة 30 دقيقة.",
    ),
    (
        "/de/keys",
        &["Schlüssel"],
        "Der alte Schlüssel gilt noch 30 Minuten. Ein Projekt hat höchstens 5 Schlüssel, die der Besitzer anlegt.",
    ),
];

fn passages() -> Vec<QuotablePassage> {
    let passages = PASSAGES.iter().map(|(url, place, text)| QuotablePassage {
        citation: Citation {
            url: (*url).to_owned(),
            place: place.iter().map(|part| (*part).to_owned()).collect(),
        },
        text: (*text).to_owned(),
    });
    passages.collect()
}

/// What is left of an answer that arrives in `pieces`, the places that it cites, and how much was left out.
fn checked(question: &str, pieces: &[&str]) -> (String, Vec<String>, usize) {
    checked_by(&passages(), question, pieces)
}

fn checked_by(
    passages: &[QuotablePassage],
    question: &str,
    pieces: &[&str],
) -> (String, Vec<String>, usize) {
    let mut cited = CitationLinker::new(passages.iter().map(|one| &one.citation).collect());
    let mut checked = Checked::new(passages, [question]);
    let mut text = String::new();
    for piece in pieces {
        text.push_str(&checked.push(&cited.push(piece)));
    }
    text.push_str(&checked.push(&cited.finish()));
    text.push_str(&checked.finish());
    let urls = checked.citations().into_iter().map(|one| one.url);
    (text, urls.collect(), checked.left_out())
}

/// Checks that of `answer` all of `stays` stay, none of `goes`, and that `left_out` sentences are left out.
#[track_caller]
fn check_of(question: &str, answer: &str, stays: &[&str], goes: &[&str], left_out: usize) {
    let whole = checked(question, &[answer]);
    let (text, urls, count) = &whole;
    for part in stays {
        assert!(text.contains(part), "{part:?} is gone from {text:?}");
    }
    for part in goes {
        assert!(!text.contains(part), "{part:?} is still in {text:?}");
    }
    assert_eq!(*count, left_out, "{text:?}");
    // Each number is that of a citation, in the order of the text.
    for (i, url) in urls.iter().enumerate() {
        let number = format!("[{}]({url})", i + 1);
        assert!(
            text.contains(&number) || text.contains(&format!("]({url})")),
            "{number}: {text:?}"
        );
    }
    for at in (0..=answer.len()).filter(|at| answer.is_char_boundary(*at)) {
        assert_eq!(
            checked(question, &[&answer[..at], &answer[at..]]),
            whole,
            "cut at {at}"
        );
    }
    let letters: Vec<String> = answer.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(checked(question, &letters), whole);
}

#[track_caller]
fn check(answer: &str, stays: &[&str], goes: &[&str], left_out: usize) {
    check_of(QUESTION, answer, stays, goes, left_out);
}

/// Checks that all of `answer` stays, letter by letter but for its citations.
#[track_caller]
fn check_all(answer: &str) {
    let (text, _, left_out) = checked(QUESTION, &[answer]);
    let letters = |text: &str| -> String {
        let mut out = String::new();
        let mut from = 0;
        for link in links(text) {
            out.push_str(&text[from..link.span.start]);
            from = link.span.end;
        }
        out.push_str(&text[from..]);
        let out = out.replace(['\\', '[', ']', '【', '】', '^', '`', '<', '>', ','], "");
        out.chars()
            .filter(|c| !c.is_whitespace() && !c.is_ascii_digit())
            .collect()
    };
    assert_eq!(letters(&text), letters(answer), "{text:?}");
    assert_eq!(left_out, 0, "{text:?}");
    check(answer, &[], &[], 0);
}

#[test]
fn sentences_that_are_borne_out_stay_wherever_they_cite() {
    for answer in [
        // Before the full stop, after it, after each.
        "The old key works for 30 minutes [1]. Each project has at most 5 keys [1].",
        "The old key works for 30 minutes.[1] A client may send 10,000 requests per hour.[2]",
        "The old key works for 30 minutes. [1] A client may send 10,000 requests per hour. [2]",
        "The old key works for 30 minutes【1】. Uploads are limited to 25 MB【2】.",
        "The old key works for 30 minutes[^1]. Uploads are limited to 25 MB [2].",
        // Several at once.
        "The old key works for 30 minutes, and 10,000 requests an hour are allowed [1][2].",
        "The old key works for 30 minutes, and 10,000 requests an hour are allowed [1, 2].",
        // At the end of the paragraph.
        "Open Settings and choose Rotate key. The old key works for 30 minutes. Each project has at most 5 keys. [1]",
        "Open Settings.\nThe old key works for 30 minutes.\n[1]",
        // In front.
        "[1] The old key works for 30 minutes. Each project has at most 5 keys.\n\n[2] Uploads are limited to 25 MB.",
        "According to [1], the old key works for 30 minutes.",
        "As [2] says, uploads are limited to 25 MB, and [1] adds that keys rotate.",
        // Links with words.
        "See [the guide](/guides/keys#rotate): the old key works for 30 minutes.",
    ] {
        check_all(answer);
    }
}

#[test]
fn citations_in_any_brackets_are_citations() {
    check(
        "The old key works for 30 minutes【1†L3-L4】. Uploads are limited to 25 MB [source 2]. Open Settings [^1].",
        &[
            "30 minutes[1](/guides/keys#rotate).",
            "25 MB [2](/guides/limits).",
            "Open Settings [1](/guides/keys#rotate).",
        ],
        &["†", "source"],
        0,
    );
}

#[test]
fn lists_and_tables_that_are_borne_out_stay() {
    for answer in [
        "To rotate a key:\n\n1. Open **Settings** [1].\n2. Choose **Rotate key** [1].\n3. Wait for 30 minutes. [1]",
        "To rotate a key [1]:\n\n1. Open **Settings**.\n2. Choose **Rotate key**.\n\n3. Wait for 30 minutes.",
        "There are limits [2]:\n- 10,000 requests per hour\n- 25 MB of an upload",
        "There are limits:[2]\n* 10 000 requests per hour\n* 25MB of an upload",
        // The last item cites for all.
        "Steps to rotate:\n\n1. Open Settings.\n2. Choose Rotate key.\n3. The old key works for 30 minutes [1].",
        // Labels, nested lists.
        "- **Requests**: 10,000 per hour [2].\n- **Uploads:** 25 MB [2].",
        "- Keys:\n  - The old key works for 30 minutes [1].\n  - Each project has 5 keys [1].\n- Limits [2]:\n  - 25 MB\n",
        "- Requests\n  - 10,000 per hour [2]\n",
        // A citation on a line of its own.
        "Keys rotate like this:\n\n- Open Settings.\n- Choose Rotate key.\n\n[1]",
        "The old key works for 30 minutes.\n\nUploads are limited to 25 MB.\n\nSources: [1], [2]",
        "The old key works for 30 minutes.\n\n**Sources:**\n- [1]\n- [2]",
        "The old key works for 30 minutes.\n\nSources:\n[1] Keys > Rotate a key\n[2] Limits",
        // A lead without a colon; bold labels on lines of their own.
        "You get the following [2]\n- 10,000 requests per hour\n- 25 MB",
        "1. **Open Settings**\n   Choose the key there [1].\n2. **Rotate key**\n   Wait for 30 minutes [1].",
        "✅ **Requests** – 10,000 per hour [2]\n\n✅ **Uploads** — 25 MB [2]",
        "- **Requests** (10,000 per hour) [2]\n\n- **Uploads** (25 MB) [2]",
        "Here are the limits.[2]\n\n1) 10,000 requests per hour [2]\n\n2) 25 MB [2]\n\n[1]",
        "## Keys\n\nThe old key works for 30 minutes [1].\n\n### Limits\n\n25 MB [2].",
        "**Rotate a key**\n\nThe old key works for 30 minutes [1].",
        "| Plan | Tickets |\n|---|---|\n| Free | 50 [3] |\n| Team | 2000 [3] |",
        "Tickets per day [3]:\n\n| Plan | Tickets |\n|---|---|\n| Free | 50 |\n| Team | 2000 |",
        "| Plan | Tickets [3] |\n|---|---|\n| Free | 50 |\n| Team | 2,000 |",
        "> **Note:** Uploads are limited to 25 MB [2].\n> The old key works for 30 minutes [1].",
    ] {
        check_all(answer);
    }
}

#[test]
fn code_that_is_borne_out_stays() {
    for answer in [
        "Run `acme keys rotate` [1].",
        "Run this [1]:\n\n```sh\nacme keys rotate --grace 30m\n```",
        "Run this:\n\n```sh\nacme keys rotate --grace 30m\n```\n\nThe old key works for 30 minutes [1].",
        "1. Rotate it:\n   ```sh\n   acme keys rotate --grace 30m\n   ```\n2. The old key works for 30 minutes [1].",
        "```sh\nexport QUIRE_KEY=YOUR_API_KEY\nacme keys rotate\n```\n[1]",
        "Send `POST /v1/tickets/{ticketId}` with `subject` and `priority` set to `high` [3].",
        "Raise `max_upload_size` in docs.json [2], and see <https://status.example.com/live> [2].",
        "Use the option --grace [1], or the path /v1/tickets [3].",
    ] {
        check_all(answer);
    }
}

#[test]
fn what_is_said_in_other_ways_stays() {
    for answer in [
        // What the question, the title and other forms of a word say.
        "In Quire, the Tickets API keeps tickets for 90 days [3].",
        "The keys of Quire's projects rotate: the old one works for half an hour or 30 min [1].",
        "It’s “Rotate key” in the **Settings** [1].",
        "You get ten thousand requests, i.e. 10.000 per hour, e.g. for Enterprise customers [2].",
        "Step 2: choose *Rotate key* [1].",
        "Status 429 means that you have to wait for `Retry-After` [2].",
    ] {
        check_all(answer);
    }
}

#[test]
fn what_cites_nothing_goes() {
    check(
        "Sure! The old key works for 30 minutes [1]. Hope that helps!",
        &["Sure! The old key works for 30 minutes [1](/guides/keys#rotate)."],
        &["Hope"],
        1,
    );
    check(
        "Rotation is easy.\n\nThe old key works for 30 minutes [1].\n\nLet me know if you need more.",
        &["The old key works"],
        &["easy", "Let me know"],
        2,
    );
    check("Keys are great. They last. [9]", &[], &["great", "last"], 2);
    check("- Keys are great.\n- They last.", &[], &["great"], 2);
    // A lead with nothing behind it, and a heading.
    check(
        "The old key works for 30 minutes [1].\n\n## More\n\nDo this:\n\nIt is easy.",
        &["The old key"],
        &["More", "Do this", "easy"],
        2,
    );
}

#[test]
fn numbers_that_no_passage_has_go() {
    check(
        "The old key works for 45 minutes [1]. Each project has at most 5 keys [1].",
        &["Each project has at most 5 keys [1](/guides/keys#rotate)."],
        &["45"],
        1,
    );
    // The unit is another one; the number is one of another passage.
    check("The old key works for 30 hours [1].", &[], &["30"], 1);
    check("Uploads are limited to 25 GB [2].", &[], &["25"], 1);
    check(
        "A client may send 10,000 requests per hour [1].",
        &[],
        &["10,000"],
        1,
    );
    check(
        "A client may send 1,000 requests per hour [2].",
        &[],
        &["1,000"],
        1,
    );
    // A citation that is left out with its sentence moves to what it stood for.
    check(
        "Open Settings. The old key works for 31 minutes [1].",
        &["Open Settings. [1](/guides/keys#rotate)"],
        &["31"],
        1,
    );
    check_of(
        "May it be 77 days?",
        "Tickets are kept for 90 days, not 77 days [3].",
        &["77 days"],
        &[],
        0,
    );
}

#[test]
fn code_and_names_that_no_passage_has_go() {
    check(
        "Run `acme keys revoke` [1]. Or run `acme keys rotate` [1].",
        &["Or run `acme keys rotate`"],
        &["revoke"],
        1,
    );
    check(
        "Set `max_download_size` [2].",
        &[],
        &["max_download_size"],
        1,
    );
    check(
        "Set max_download_size in settings.json [2].",
        &[],
        &["max_download_size"],
        1,
    );
    check("Use the option --force [1].", &[], &["--force"], 1);
    check("Send it to /v2/tickets [3].", &[], &["/v2"], 1);
    check(
        "See <https://evil.example.com/live> [2].",
        &[],
        &["evil"],
        1,
    );
    check(
        "Tickets are kept for 90 days in Dublin [3].",
        &[],
        &["Dublin"],
        1,
    );
    check(
        "It works with GraphQL and createTicket too [3].",
        &[],
        &["GraphQL"],
        1,
    );
    check("Set `MAX_UPLOAD_SIZE` [2].", &[], &["MAX_UPLOAD_SIZE"], 1);
    // It has to be the passage that is cited.
    check("Tickets are kept in Frankfurt [1].", &[], &["Frankfurt"], 1);
    check(
        "Tickets are kept in Frankfurt [1][3].",
        &["Frankfurt"],
        &[],
        0,
    );
}

#[test]
fn items_and_rows_go_one_by_one() {
    check(
        "Do this:\n\n1. Open the Cockpit [1].\n2. Open Settings [1].\n3. Choose Rotate key [1].",
        &["Do this:\n\n1. Open Settings", "\n2. Choose Rotate key"],
        &["Cockpit", "3."],
        1,
    );
    check(
        "Limits [2]:\n- 10,000 requests per hour\n- 99 keys\n- 25 MB",
        &["- 10,000 requests per hour\n- 25 MB"],
        &["99"],
        1,
    );
    check(
        "| Plan | Tickets |\n|---|---|\n| Free | 50 [3] |\n| Team | 3,000 [3] |",
        &["| Free | 50 [1](/api/tickets) |"],
        &["Team"],
        1,
    );
    check(
        "There are limits:\n\n- 11 requests [2]\n- 12 MB [2]",
        &[],
        &["limits"],
        3,
    );
    // An item without a citation that the passage of the last one does not speak of.
    check(
        "Steps:\n- Restart the server daemon with elevated privileges.\n- Choose Rotate key [1].",
        &["Steps:\n- Choose Rotate key"],
        &["Restart"],
        1,
    );
    // Nested items stay items.
    check(
        "- Buy 7 dogs [1]:\n  - Open Settings [1].\n",
        &["- Open Settings [1]"],
        &["dogs", "  -"],
        1,
    );
}

#[test]
fn code_of_nowhere_goes() {
    check(
        "Run this:\n\n```python\nimport boto3\nclient = boto3.client('s3')\nclient.delete_bucket(Bucket='x')\n```\n\nThe \
         old key works for 30 minutes [1].",
        &["The old key"],
        &["boto3", "Run this"],
        2,
    );
    check(
        "Open Settings [1].\n\n```sh\nacme keys rotate --grace 30m\n```\n\n```sh\nrm -rf /var/lib/data\n```",
        &["acme keys rotate"],
        &["rm -rf"],
        1,
    );
}

#[test]
fn languages_without_blanks_and_from_right_to_left_are_checked() {
    let question = "キーはどうやって変更しますか？";
    check_of(
        question,
        "キーは`acme keys rotate`で変更します[4]。古いキーは３０分間有効です。[4]古いキーは60分間有効です[4]。",
        &[
            "変更します[1](/ja/keys)。",
            "古いキーは３０分間有効です。[1](/ja/keys)",
        ],
        &["60"],
        1,
    );
    check_of(
        question,
        "プロジェクトごとに5個まで作成できます。古いキーは30秒間有効です。[4]",
        &["5個", "[1](/ja/keys)"],
        &["30秒"],
        1,
    );
    check_of(
        question,
        "古いキーは30分間有効です【4】。お役に立てば幸いです。",
        &["30分間"],
        &["幸い"],
        1,
    );
    let question = "كيف أغير المفتاح؟";
    check_of(
        question,
        "يبقى المفتاح القديم صالحًا لمدة ٣٠ دقيقة [5]. يبقى المفتاح القديم صالحًا لمدة ٤٥ دقيقة [5].",
        &["٣٠"],
        &["٤٥"],
        1,
    );
}

#[test]
fn nouns_of_german_are_no_names() {
    let question = "Wie lange gilt der alte Schlüssel?";
    check_of(
        question,
        "Der alte Schlüssel gilt nach dem Wechsel noch 30 Minuten, und das reicht für die Umstellung [6]. Er gilt 40 \
         Minuten [6].",
        &["Wechsel", "Umstellung"],
        &["40"],
        1,
    );
    // Passages in another language bear out numbers and code; their names may be translated.
    check_of(
        question,
        "Der alte Schlüssel gilt noch 30 Minuten, wenn er mit `acme keys rotate` ersetzt wird [1]. Oder mit `acme keys \
         swap` [1].",
        &["30 Minuten"],
        &["swap"],
        1,
    );
}

#[test]
fn what_comes_to_the_start_of_a_line_opens_no_block() {
    for (answer, expected) in [
        (
            "It is 77. ~~~ and wait [1].",
            "\\~\\~\\~ and wait [1](/guides/keys#rotate).",
        ),
        (
            "It is 77. # Keys [1].",
            "\\# Keys [1](/guides/keys#rotate).",
        ),
        (
            "It is 77. - Keys [1].",
            "\\- Keys [1](/guides/keys#rotate).",
        ),
        (
            "It is 77. > Keys [1].",
            "\\> Keys [1](/guides/keys#rotate).",
        ),
        (
            "It is 77. **Keys** rotate [1].",
            "**Keys** rotate [1](/guides/keys#rotate).",
        ),
    ] {
        assert_eq!(checked(QUESTION, &[answer]).0, expected);
    }
}

#[test]
fn long_answers_of_any_form_are_checked() {
    for unit in [
        "。a",
        "a. ",
        "`a` ",
        "`/a/b` ",
        "9 ",
        "Xy [1] ",
        "[1]",
        "(",
        "- a [1]\n",
        "- a\n\n",
        "| a | b |\n|---|---|\n",
        "a:\n\n",
        "# a\n\n",
        "  ",
        "\\",
        "](",
        "9,",
    ] {
        let text = unit.repeat((100 << 10) / unit.len());
        // Seconds without optimization; what is quadratic would take minutes.
        let (kept, urls, left_out) = checked(QUESTION, &[&text]);
        assert!(urls.len() <= 1, "{unit:?}");
        assert!(
            kept.is_empty() || !urls.is_empty(),
            "{unit:?}: {left_out} left out"
        );
    }
}

#[test]
fn whatever_a_model_writes_stays_sanitized() {
    const PIECES: &[&str] = &[
        "`",
        "`",
        "``",
        "```",
        "~~~",
        "~",
        "[",
        "]",
        "(",
        ")",
        "!",
        "![",
        "](",
        "<",
        ">",
        "|",
        "|",
        "|---|",
        "---",
        "\n",
        "\n",
        "\n\n",
        "\n\n",
        "    ",
        "  ",
        "\t",
        "- ",
        "- ",
        "> ",
        "1. ",
        "# ",
        "\\",
        "\\",
        "[1]",
        "[2]",
        "[1]",
        "[9]",
        "【1】",
        ". ",
        ". ",
        ": ",
        "。",
        ":\n",
        "<img src=x>",
        "http://evil.example/x.png",
        "javascript:alert(1)",
        "&lt;",
        "*",
        "**",
        "_",
        "a",
        "b c",
        "30 minutes",
        "45",
        "`quire`",
        "`evil`",
        "Keys",
        "Dublin",
        "[x](/guides/limits)",
        "<http://evil.example>",
        "[^a]:",
        "===",
        "é",
        "$",
        "・",
        "終",
        "\u{1}",
        "\u{202f}",
        "٣",
    ];
    let allowed: Vec<&str> = PASSAGES.iter().map(|(url, ..)| *url).collect();
    let mut next = 7_u32;
    let mut random = |most: usize| {
        next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (next >> 8) as usize % most
    };
    let mut found = 0;
    let passages = &passages()[..2];
    for _ in 0..10_000 {
        let text: String = (0..1 + random(28))
            .map(|_| PIECES[random(PIECES.len())])
            .collect();
        let whole = checked_by(passages, QUESTION, &[&text]);
        let mut at = random(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        assert_eq!(
            checked_by(passages, QUESTION, &[&text[..at], &text[at..]]),
            whole,
            "{text:?} cut at {at}"
        );
        let out = &whole.0;
        let tables = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS;
        for options in [Options::empty(), tables | Options::ENABLE_STRIKETHROUGH] {
            for event in Parser::new_ext(out, options) {
                match event {
                    Event::Start(Tag::Link { dest_url, .. }) => {
                        found += 1;
                        assert!(allowed.contains(&&*dest_url), "{text:?} {out:?}");
                    }
                    Event::Start(Tag::Image { .. } | Tag::FootnoteDefinition(_))
                    | Event::Html(_)
                    | Event::InlineHtml(_)
                    | Event::FootnoteReference(_) => panic!("{event:?}: {text:?} {out:?}"),
                    _ => {}
                }
            }
        }
    }
    assert!(found > 1000, "{found}");
}
