//! Checks that a text is well-formed XML (XML 1.0, 2.1), as far as tags go: one root, every element
//! closed, attributes quoted and not repeated. Entities of a document type are unknown, so
//! references are accepted as they are.

/// Returns an error, with its line, if `text` is not well-formed.
pub(super) fn well_formed(text: &str) -> Result<(), String> {
    let mut reader = Reader { text, at: 0 };
    let result = reader.document();
    let line = text[..reader.at.min(text.len())].matches('\n').count() + 1;
    result.map_err(|why| format!("line {line}: {why}"))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes behind `end`, which must come.
    fn take_until(&mut self, end: &str, what: &str) -> Result<&'a str, String> {
        let rest = self.rest();
        let Some(length) = rest.find(end) else {
            return Err(format!("{what} has no end"));
        };
        self.at += length + end.len();
        Ok(&rest[..length])
    }

    fn document(&mut self) -> Result<(), String> {
        let mut open: Vec<&str> = Vec::new();
        let mut has_root = false;
        if self.rest().starts_with('\u{feff}') {
            self.at += '\u{feff}'.len_utf8();
        }
        loop {
            let rest = self.rest();
            let length = rest.find('<').unwrap_or(rest.len());
            if open.is_empty() && !rest[..length].trim().is_empty() {
                return Err("text outside of the root element".to_owned());
            }
            self.at += length;
            let rest = self.rest();
            if rest.is_empty() {
                break;
            }
            if rest.starts_with("<!--") {
                self.at += "<!--".len();
                self.take_until("-->", "a comment")?;
            } else if rest.starts_with("<![CDATA[") && !open.is_empty() {
                self.take_until("]]>", "a CDATA section")?;
            } else if rest.starts_with("<?") {
                self.take_until("?>", "a processing instruction")?;
            } else if rest.starts_with("<!DOCTYPE") && !has_root {
                self.doctype()?;
            } else if rest.starts_with("</") {
                self.at += "</".len();
                let name = self.take_until(">", "a closing tag")?.trim_end();
                match open.pop() {
                    Some(opened) if opened == name => {}
                    Some(opened) => {
                        return Err(format!("`</{name}>` stands where `</{opened}>` belongs"));
                    }
                    None => return Err(format!("`</{name}>` closes nothing")),
                }
            } else {
                if open.is_empty() && has_root {
                    return Err("a second root element".to_owned());
                }
                has_root = true;
                if let Some(name) = self.tag()? {
                    open.push(name);
                }
            }
        }
        match (open.pop(), has_root) {
            (Some(name), _) => Err(format!("`<{name}>` is not closed")),
            (None, false) => Err("there is no element".to_owned()),
            (None, true) => Ok(()),
        }
    }

    /// Goes behind a document type, with what it declares.
    fn doctype(&mut self) -> Result<(), String> {
        let rest = self.rest();
        let end = rest.find(['[', '>']);
        if end.is_some_and(|end| rest.as_bytes()[end] == b'[') {
            self.take_until("]", "the document type")?;
        }
        self.take_until(">", "the document type").map(|_| ())
    }

    /// Reads a tag; its name, unless it is closed at once.
    fn tag(&mut self) -> Result<Option<&'a str>, String> {
        self.at += "<".len();
        let name = self.name();
        if name.is_empty() {
            return Err("`<` begins no element; write `&lt;`".to_owned());
        }
        let mut attributes: Vec<&str> = Vec::new();
        loop {
            let before = self.at;
            self.blanks();
            let rest = self.rest();
            if rest.starts_with("/>") {
                self.at += "/>".len();
                return Ok(None);
            }
            if rest.starts_with('>') {
                self.at += ">".len();
                return Ok(Some(name));
            }
            let attribute = self.name();
            if attribute.is_empty() || self.at == before {
                return Err(format!("the tag `<{name}` has no end"));
            }
            if attributes.contains(&attribute) {
                return Err(format!("`{attribute}` stands twice in `<{name}>`"));
            }
            attributes.push(attribute);
            self.blanks();
            let has_sign = self.rest().starts_with('=');
            self.at += usize::from(has_sign);
            self.blanks();
            let quote = self
                .rest()
                .chars()
                .next()
                .filter(|c| matches!(c, '"' | '\''));
            let Some(quote) = quote.filter(|_| has_sign) else {
                return Err(format!(
                    "`{attribute}` of `<{name}>` has no value in quotes"
                ));
            };
            self.at += quote.len_utf8();
            let value = self.take_until(&quote.to_string(), "the value of an attribute")?;
            if value.contains('<') {
                return Err(format!(
                    "the value of `{attribute}` holds `<`; write `&lt;`"
                ));
            }
        }
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Returns the characters that may be a name (XML 1.0, 2.3); empty if there are none.
    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-' | '.');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        if name.starts_with(|c: char| c.is_numeric() || matches!(c, '-' | '.')) {
            return "";
        }
        self.at += end;
        name
    }
}

#[cfg(test)]
mod tests {
    use super::well_formed;

    #[test]
    fn documents_that_are_well_formed() {
        for text in [
            "<a/>",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>\n<!-- <b> --><a x='1' y=\"2\"><b:c>&b; t</b:c><![CDATA[<]]></a>\n",
            "\u{feff}<ä ö = \"1 > 0\"  ></ä >",
        ] {
            assert_eq!(well_formed(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn documents_that_are_not() {
        for (text, why) in [
            ("", "line 1: there is no element"),
            ("<a>\n<b></a>", "line 2: `</a>` stands where `</b>` belongs"),
            ("<a>", "line 1: `<a>` is not closed"),
            ("<a/><b/>", "line 1: a second root element"),
            ("x<a/>", "line 1: text outside of the root element"),
            ("<a/>x", "line 1: text outside of the root element"),
            ("</a>", "line 1: `</a>` closes nothing"),
            ("<a x=1/>", "line 1: `x` of `<a>` has no value in quotes"),
            ("<a x/>", "line 1: `x` of `<a>` has no value in quotes"),
            ("<a x='1' x='2'/>", "line 1: `x` stands twice in `<a>`"),
            (
                "<a x='<'/>",
                "line 1: the value of `x` holds `<`; write `&lt;`",
            ),
            ("<a x='1", "line 1: the value of an attribute has no end"),
            ("<a> < </a>", "line 1: `<` begins no element; write `&lt;`"),
            ("<a", "line 1: the tag `<a` has no end"),
            ("<!-- <a/>", "line 1: a comment has no end"),
            ("{\"a\": 1}", "line 1: text outside of the root element"),
        ] {
            assert_eq!(well_formed(text).unwrap_err(), why, "{text}");
        }
    }
}
