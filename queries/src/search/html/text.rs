//! Text as it is put together: white space as a browser shows it, references of characters resolved.

/// Text with one blank between words and a line break between lines.
#[derive(Default)]
pub(super) struct Text {
    text: String,
    gap: Gap,
    /// Whether a sign was opened that stands close to the next word.
    is_begun: bool,
    /// Place of the first of the signs that were opened.
    begun_at: usize,
}

/// Gap before the next word.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    /// A blank, unless a sign follows that stands close to the word before.
    Apart,
    Blank,
    Line,
}

impl Text {
    /// The next word is another one.
    pub(super) fn gap(&mut self) {
        self.gap = self.gap.max(Gap::Apart);
    }

    /// The next word begins a line.
    pub(super) fn line(&mut self) {
        self.gap = Gap::Line;
    }

    /// Appends text as it is written in HTML.
    pub(super) fn push(&mut self, html: &str) {
        let bytes = html.as_bytes();
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if byte.is_ascii_whitespace() {
                self.word(&html[from..at]);
                self.gap = self.gap.max(Gap::Blank);
                from = at + 1;
            }
        }
        self.word(&html[from..]);
    }

    fn word(&mut self, word: &str) {
        if !word.is_empty() {
            self.end_gap(word);
            push_decoded(&mut self.text, word);
        }
    }

    /// Writes what stands before the next word.
    fn end_gap(&mut self, word: &str) {
        match self.gap {
            // A blank behind an opened sign stands before it, where it parts words.
            Gap::Blank if self.is_begun => {
                let before = &self.text[..self.begun_at];
                if !before.is_empty() && !before.ends_with(char::is_whitespace) {
                    self.text.insert(self.begun_at, ' ');
                    self.begun_at += 1;
                }
            }
            _ if self.text.is_empty() || self.is_begun => {}
            Gap::None => {}
            Gap::Apart if word.starts_with(['.', ',', ';', ':', '!', '?', ')']) => {}
            Gap::Apart | Gap::Blank => self.text.push(' '),
            Gap::Line => self.text.push('\n'),
        }
        self.gap = Gap::None;
        self.is_begun = false;
    }

    /// Appends text as it is written in HTML, so that CommonMark takes it for text.
    pub(super) fn push_escaped(&mut self, html: &str) {
        let words = html.split_inclusive(|c: char| c.is_ascii_whitespace());
        for piece in words {
            let word = piece.trim_end_matches(|c: char| c.is_ascii_whitespace());
            if !word.is_empty() {
                self.end_gap(word);
                let is_first = self.text.is_empty();
                push_escaped(&mut self.text, &decoded(word), is_first);
            }
            if word.len() < piece.len() {
                self.gap = self.gap.max(Gap::Blank);
            }
        }
    }

    /// Appends a sign that belongs to the next word.
    pub(super) fn open(&mut self, sign: &str) {
        self.end_gap(sign);
        self.text.push_str(sign);
    }

    /// Appends a sign that stands close to the next word.
    pub(super) fn begin(&mut self, sign: &str) {
        let is_inner = self.is_begun;
        self.open(sign);
        if !is_inner {
            self.begun_at = self.text.len() - sign.len();
        }
        self.is_begun = true;
    }

    /// Appends a sign that belongs to the word before.
    pub(super) fn close(&mut self, sign: &str) {
        self.text.push_str(sign);
    }

    /// Ends a link whose `[` was opened; one without text is none.
    pub(super) fn close_link(&mut self, href: &str) {
        match self.is_begun && self.text.ends_with('[') {
            true => drop(self.text.pop()),
            false => self.close(&format!("]({href})")),
        }
    }

    /// Ends emphasis whose `sign` was opened; what emphasizes nothing is left out.
    pub(super) fn close_sign(&mut self, sign: &str) {
        match self.text.strip_suffix(sign).filter(|_| self.is_begun) {
            Some(rest) => self.text.truncate(rest.len()),
            None => self.close(sign),
        }
    }

    /// Appends text without references of characters, so that CommonMark takes it for text.
    pub(super) fn push_plain(&mut self, text: &str) {
        for word in text.split_whitespace() {
            self.end_gap(word);
            push_escaped(&mut self.text, word, false);
            self.gap = Gap::Blank;
        }
    }

    /// Takes the text so far, and begins again.
    pub(super) fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        self.gap = Gap::None;
        self.is_begun = false;
        without_odd_blanks(text).replace('\n', " ")
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        without_odd_blanks(self.text)
    }
}

/// Appends `word` with a backslash before what CommonMark would take for a sign of its own; `is_first`: of a line.
fn push_escaped(out: &mut String, word: &str, is_first: bool) {
    let is_marker = is_first
        && (matches!(word, "-" | "+" | "=")
            || word.starts_with('#')
            || word.starts_with('>')
            || word.starts_with("---")
            || word.starts_with("===")
            || (word.ends_with(['.', ')'])
                && word.len() > 1
                && word[..word.len() - 1]
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())));
    if is_marker && word.starts_with(|c: char| c.is_ascii_digit()) {
        let (number, sign) = word.split_at(word.len() - 1);
        out.push_str(number);
        out.push('\\');
        out.push_str(sign);
        return;
    }
    if is_marker {
        out.push('\\');
    }
    let last = word.char_indices().last().map_or(0, |(at, _)| at);
    let last_end = word.rfind(';').unwrap_or(0);
    for (at, c) in word.char_indices() {
        let is_sign = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' => true,
            // Within a word it is none.
            '_' => at == 0 || at == last,
            '&' => at < last_end,
            _ => false,
        };
        if is_sign {
            out.push('\\');
        }
        out.push(c);
    }
}

/// `text` with blanks that do not break turned into blanks, and without marks that have no width.
fn without_odd_blanks(text: String) -> String {
    if memchr::memchr2(0xc2, 0xe2, text.as_bytes()).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' => {}
            '\n' => {
                out.truncate(out.trim_end().len());
                out.push('\n');
            }
            ' ' | '\u{a0}' | '\u{202f}' => {
                if !out.is_empty() && !out.ends_with([' ', '\n']) {
                    out.push(' ');
                }
            }
            c => out.push(c),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// `html` with the references of characters resolved.
pub(super) fn decoded(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    push_decoded(&mut out, html);
    out
}

/// Appends `html` with the references of characters resolved; what is none stays as it is.
pub(super) fn push_decoded(out: &mut String, html: &str) {
    let mut rest = html;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match reference(rest) {
            Some((sign, len)) => {
                out.push(sign);
                rest = &rest[len..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
}

/// The character that `text`, which begins with `&`, stands for, and how many bytes say so.
fn reference(text: &str) -> Option<(char, usize)> {
    let end = memchr::memchr(b';', &text.as_bytes()[..text.len().min(12)])?;
    let name = &text[1..end];
    let sign = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((sign, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ampersand_is_escaped_where_a_reference_may_end() {
        for (word, expected) in [("a&b;c&d", "a\\&b;c&d"), ("&", "&"), ("&;", "\\&;")] {
            let mut out = String::new();
            push_escaped(&mut out, word, false);
            assert_eq!(out, expected);
        }
        // Half a terabyte of looks, if each of them looked for the end.
        let mut out = String::new();
        let word = "&".repeat(1_000_000);
        push_escaped(&mut out, &word, false);
        assert_eq!(out, word);
    }
}
