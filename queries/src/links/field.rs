//! Names of fields as links from elsewhere have them: in words, without status, and with the numbers of branches.

/// What a link to a field of an API is followed by: `#body-show-ranking-score`, `#response-created-at`,
/// `#body-webhook-ids-one-of-0`. Published sites name the fields of an operation so; the page has
/// `body-showRankingScore`, `response-200-createdAt`, `body-webhookIds`. The script that opens what an address names
/// reads them alike (`theme/js/rows.js`).
pub(super) struct FieldWords(Vec<String>);

/// Maximum number of words of a field name that is looked up.
const MAX_WORDS: usize = 40;

impl FieldWords {
    /// The field that `fragment` names, if it can be one.
    pub(super) fn of(fragment: &str) -> Option<Self> {
        let mut words = words(fragment);
        // `one-of-0`: which branch is meant, by its number.
        while let Some(at) = words.windows(3).position(|three| {
            three[0] == "one" && three[1] == "of" && three[2].bytes().all(|b| b.is_ascii_digit())
        }) {
            words.drain(at..at + 3);
        }
        (words.len() > 1 && words.len() <= MAX_WORDS).then_some(Self(words))
    }

    /// Returns true if `id` is that of the field.
    pub(super) fn is(&self, id: &str) -> bool {
        rests(id, &self.0).iter().any(|rest| rest.is_empty())
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// What is wanted below `root`, where `id` is the row whose fields are there: those of rows that have a page of their
    /// own.
    pub(super) fn within(&self, id: &str, root: &str) -> Vec<Self> {
        let rests = rests(id, &self.0).into_iter();
        let rests = rests.filter(|rest| !rest.is_empty());
        let wanted = rests.map(|rest| Self([&words(root)[..], rest].concat()));
        wanted.collect()
    }
}

/// What is left of `rows` behind the words of `id`, of which those of a status and of the name of a branch (`~name`) may
/// be missing; nothing if others are. A branch may be called by several words, so that there may be several answers.
fn rests<'a>(id: &str, rows: &'a [String]) -> Vec<&'a [String]> {
    let mut pieces = id.split('~').map(words);
    let mut first = pieces.next().unwrap_or_default();
    let is_status = |word: &String| {
        word == "default" || word.len() == 3 && word.starts_with(|c: char| c.is_ascii_digit())
    };
    let has_status =
        first.first().is_some_and(|word| word == "response") && first.get(1).is_some_and(is_status);
    if has_status && rows.get(1) != first.get(1) {
        first.remove(1);
    }
    let mut rests: Vec<&[String]> = rows.strip_prefix(&first[..]).into_iter().collect();
    for piece in pieces {
        let behind = rests.into_iter().flat_map(|rest| {
            let ends = (1..=piece.len()).filter_map(|label| rest.strip_prefix(&piece[label..]));
            ends.collect::<Vec<_>>()
        });
        rests = behind.collect();
        rests.sort_by_key(|rest| rest.len());
        rests.dedup_by_key(|rest| rest.len());
    }
    rests
}

/// The words of a name, in lower case: signs and capitals begin new ones.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in name.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        let mut was_lower = false;
        for c in part.chars() {
            if c.is_uppercase() && was_lower {
                words.push(std::mem::take(&mut word));
            }
            was_lower = c.is_lowercase() || c.is_numeric();
            word.extend(c.to_lowercase());
        }
        if !word.is_empty() {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_words() {
        let is = |fragment: &str, id: &str| FieldWords::of(fragment).is_some_and(|one| one.is(id));
        for (fragment, id) in [
            ("body-show-ranking-score", "body-showRankingScore"),
            ("body-return-url-one-of-0", "body-return_url"),
            ("response-created-at", "response-200-createdAt"),
            ("response-created-at", "response-default-createdAt"),
            ("response-200-name", "response-200-name"),
            (
                "response-one-of-0-hits-per-page",
                "response-200~FinitePagination-hitsPerPage",
            ),
            ("body-pet-name", "body-pet~A-dog-or-cat-name"),
            ("body-a-b-c", "body-a~X-b~Y-Z-c"),
            ("BODY-Name", "body-name"),
        ] {
            assert!(is(fragment, id), "{fragment} {id}");
        }
        for (fragment, id) in [
            ("body-name", "body-names"),
            ("body-name", "body-name-first"),
            ("body-name-first", "body-name"),
            ("response-201-name", "response-200-name"),
            ("body", "body"),
        ] {
            assert!(!is(fragment, id), "{fragment} {id}");
        }
    }

    #[test]
    fn fields_are_looked_for_among_rows_of_their_own() {
        let wanted = FieldWords::of("body-shipping-address-zip-code").expect("words");
        let within = wanted.within("body-shippingAddress", "rows");
        assert!(within.iter().any(|one| one.is("rows-zipCode")));
        assert!(wanted.within("body-billingAddress", "rows").is_empty());
    }
}
