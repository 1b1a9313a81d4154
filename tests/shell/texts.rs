//! Large texts are followed from edit to edit.

use queries::base::content::{ContentHash, LARGE, TextBytes};
use queries::base::path::SitePath;
use queries::change::Text;
use quire_engine::texts::Texts;

#[test]
fn a_text_that_is_followed_has_the_digest_of_one_that_is_read() {
    let path = SitePath::new("api.json").unwrap();
    let mut texts = Texts::default();
    let mut text = "{\"paths\": 1}\n".repeat(LARGE / 12).into_bytes();
    let mut held: Option<(TextBytes, ContentHash)> = None;
    for step in 0..40 {
        let at = step * 99_991 % text.len();
        match step % 4 {
            0 => drop(text.splice(at..at, *b"more")),
            1 => text[at] ^= 1,
            2 => drop(text.drain(at..(at + 70).min(text.len()))),
            // Around the bound below which a text is read whole.
            _ => text.resize(LARGE + 20 - step, b'x'),
        }
        let bytes: TextBytes = text[..].into();
        let before = held.as_ref().map(|(bytes, digest)| (bytes, *digest));
        let seen = texts.see(&path, bytes.clone(), before);
        assert_eq!(seen.digest, ContentHash::of_text(&text), "step {step}");
        if let Some((before, _)) = &held {
            let afresh = Text::new(bytes.clone(), seen.digest);
            assert_eq!(seen.same_as(before), afresh.same_as(before), "step {step}");
        }
        held = match step % 9 {
            // Nobody holds it any more, or what it was before that.
            0 => None,
            4 => held,
            _ => Some((bytes, seen.digest)),
        };
    }
}
