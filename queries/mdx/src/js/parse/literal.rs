//! Literals: regular expressions, numbers, strings, templates, objects.

use super::*;

impl<'a> Parser<'a> {
    /// `/a/g`: a stroke inside of brackets does not end it.
    pub(super) fn regex(&mut self) -> Parsed<Expr> {
        let rest = &self.rest()[1..];
        let (mut is_escaped, mut is_class) = (false, false);
        let end = rest.find(|c: char| {
            let ends = c == '\n' || (c == '/' && !is_escaped && !is_class);
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => is_class = true,
                ']' => is_class = false,
                _ => {}
            }
            ends
        });
        let end = end
            .filter(|end| rest[*end..].starts_with('/'))
            .ok_or_else(|| self.unexpected())?;
        let flags = &rest[end + 1..];
        let flags = &flags[..flags.bytes().take_while(u8::is_ascii_alphabetic).count()];
        self.at += end + 2 + flags.len();
        Ok(Expr::Regex(rest[..end].into(), flags.into()))
    }

    pub(super) fn number(&mut self) -> Parsed<Expr> {
        let rest = self.rest();
        let len = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'))
            .unwrap_or(rest.len());
        let digits = rest[..len].replace('_', "");
        self.at += len;
        let number = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16)
                .ok()
                .map(|number| number as f64),
            None => digits.parse().ok(),
        };
        number
            .map(Expr::Number)
            .ok_or_else(|| format!("`{digits}`"))
    }

    pub(super) fn text(&mut self) -> Parsed<Rc<str>> {
        let quote = self.rest().chars().next().unwrap_or('"');
        self.at += 1;
        let mut text = String::new();
        loop {
            let c = self
                .rest()
                .chars()
                .next()
                .ok_or("a string that does not end")?;
            self.at += c.len_utf8();
            match c {
                c if c == quote => return Ok(text.into()),
                '\\' => self.escape(&mut text)?,
                c => text.push(c),
            }
        }
    }

    pub(super) fn escape(&mut self, text: &mut String) -> Parsed<()> {
        let c = self
            .rest()
            .chars()
            .next()
            .ok_or("a string that does not end")?;
        self.at += c.len_utf8();
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '\n' => {}
            'u' | 'x' => {
                let rest = self.rest();
                let (digits, len) = match rest.strip_prefix('{') {
                    Some(inner) => {
                        let end = inner.find('}').ok_or("an escape that does not end")?;
                        (&inner[..end], end + 2)
                    }
                    None => {
                        let len = if c == 'u' { 4 } else { 2 };
                        (rest.get(..len).ok_or("an escape that does not end")?, len)
                    }
                };
                let code = u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32);
                text.push(code.unwrap_or('\u{fffd}'));
                self.at += len;
            }
            c => text.push(c),
        }
        Ok(())
    }

    pub(super) fn template(&mut self) -> Parsed<Expr> {
        self.at += 1;
        let (mut texts, mut between, mut text) = (Vec::new(), Vec::new(), String::new());
        loop {
            if self.rest().starts_with("${") {
                self.at += 2;
                texts.push(std::mem::take(&mut text).into());
                between.push(self.expr()?);
                self.expect("}")?;
                continue;
            }
            let c = self
                .rest()
                .chars()
                .next()
                .ok_or("a template string that does not end")?;
            self.at += c.len_utf8();
            match c {
                '`' => {
                    texts.push(text.into());
                    return Ok(Expr::Template(texts, between));
                }
                '\\' => self.escape(&mut text)?,
                c => text.push(c),
            }
        }
    }

    pub(super) fn object(&mut self) -> Parsed<Expr> {
        self.expect("{")?;
        let mut members = Vec::new();
        while !self.eat("}") {
            if self.eat("...") {
                members.push(Member::Spread(self.expr()?));
            } else {
                let key = self.key()?;
                if self.eat(":") {
                    members.push(Member::Pair(key, self.expr()?));
                } else if let Expr::Text(name) = &key {
                    let value = Expr::Name(name.clone());
                    members.push(Member::Pair(key, value));
                } else {
                    return Err(self.unexpected());
                }
            }
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Expr::Object(members))
    }

    pub(super) fn key(&mut self) -> Parsed<Expr> {
        self.space();
        match self.rest().chars().next() {
            Some('"' | '\'') => self.text().map(Expr::Text),
            Some('[') => {
                self.at += 1;
                let key = self.expr()?;
                self.expect("]")?;
                Ok(key)
            }
            Some(c) if c.is_ascii_digit() => self.number(),
            _ => self.name().map(Expr::Text),
        }
    }
}
