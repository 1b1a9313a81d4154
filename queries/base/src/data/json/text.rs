//! Skips JSON values without parsing them; shared by the splitter and the search for positions.

/// A place in a JSON text. Every step ends at the end of the text at the latest, whatever the text is.
pub(in crate::data) struct JsonText<'t> {
    /// The text.
    pub(in crate::data) text: &'t str,
    /// The byte offset of what comes next.
    pub(in crate::data) at: usize,
}

/// Why a step could not be taken.
pub(in crate::data) type Step = Result<(), &'static str>;

impl JsonText<'_> {
    /// The byte that comes next; 0 at the end.
    pub(in crate::data) fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Steps over white space.
    pub(in crate::data) fn space(&mut self) {
        while matches!(self.byte(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    /// Steps over a string, whose quote comes next.
    pub(in crate::data) fn string(&mut self) -> Step {
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            match memchr::memchr2(b'"', b'\\', rest) {
                Some(found) if rest[found] == b'"' => {
                    self.at += found + 1;
                    return Ok(());
                }
                Some(found) => self.at += found + 2,
                None => {
                    self.at = bytes.len();
                    return Err("a string does not end");
                }
            }
        }
    }

    /// Reads the key of a member, the colon behind it included.
    pub(in crate::data) fn key(&mut self) -> Result<String, &'static str> {
        let start = self.at;
        if self.byte() != b'"' {
            return Err("a key in quotes was expected");
        }
        self.string()?;
        let key = serde_json::from_str(&self.text[start..self.at]);
        let key = key.map_err(|_| "a key that is no string")?;
        self.space();
        if self.byte() != b':' {
            return Err("a colon was expected");
        }
        self.at += 1;
        Ok(key)
    }

    /// Steps over a value.
    pub(in crate::data) fn skip(&mut self) -> Step {
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.string()?;
                    if depth == 0 {
                        return Ok(());
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => return Ok(()),
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return Ok(()),
                _ => {}
            }
            self.at += 1;
        }
        match depth {
            0 => Ok(()),
            _ => Err("the document ends within a value"),
        }
    }
}
