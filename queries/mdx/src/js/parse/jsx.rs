//! Elements among expressions: JSX as JavaScript reads it, where text is text and no Markdown.

use std::rc::Rc;

use super::{Parsed, Parser, is_name_char};
use crate::js::eval::is_handler;
use crate::js::{Expr, Jsx};

impl Parser<'_> {
    pub(super) fn jsx(&mut self) -> Parsed<Jsx> {
        self.nested(|parser| {
            parser.expect("<")?;
            let name = if parser.peek(">") {
                "".into()
            } else {
                parser.jsx_name()?
            };
            let mut attributes = Vec::new();
            loop {
                if parser.eat("/>") {
                    return Ok(Jsx {
                        name,
                        attributes,
                        children: Vec::new(),
                    });
                }
                if parser.eat(">") {
                    break;
                }
                if parser.eat("{") {
                    parser.expect("...")?;
                    attributes.push(("".into(), parser.expr()?));
                    parser.expect("}")?;
                    continue;
                }
                let attribute = parser.jsx_name()?;
                let value = if parser.eat("=") {
                    let is_handler = is_handler(&attribute) && parser.peek("{");
                    let start = parser.at;
                    match parser.jsx_value() {
                        // What happens on events is not shown: a handler that is not understood is left out.
                        Err(_) if is_handler => {
                            parser.at = start;
                            parser.skip_braces()?;
                            continue;
                        }
                        value => value?,
                    }
                } else {
                    Expr::Bool(true)
                };
                attributes.push((attribute, value));
            }
            let children = parser.jsx_children(&name)?;
            Ok(Jsx {
                name,
                attributes,
                children,
            })
        })
    }

    fn jsx_value(&mut self) -> Parsed<Expr> {
        self.space();
        if self.rest().starts_with(['"', '\'']) {
            let quote = &self.rest()[..1];
            let end = self.rest()[1..]
                .find(quote)
                .ok_or("an attribute that does not end")?;
            let text = crate::tag::unescape(&self.rest()[1..=end]);
            self.at += end + 2;
            return Ok(Expr::Text(text.into()));
        }
        if self.peek("<") {
            return self.jsx().map(|jsx| Expr::Jsx(jsx.into()));
        }
        self.expect("{")?;
        let value = self.expr()?;
        self.expect("}")?;
        Ok(value)
    }

    fn skip_braces(&mut self) -> Parsed<()> {
        let len = crate::tag::expression_len(self.rest());
        self.at += len.ok_or("an attribute that does not end")?;
        Ok(())
    }

    fn jsx_name(&mut self) -> Parsed<Rc<str>> {
        self.space();
        let rest = self.rest();
        let len = rest
            .find(|c: char| !(is_name_char(c) || "-.:".contains(c)))
            .unwrap_or(rest.len());
        if len == 0 {
            return Err(self.unexpected());
        }
        self.at += len;
        let name = &rest[..len];
        Ok(crate::tag::of_theme(name).unwrap_or(name).into())
    }

    fn jsx_children(&mut self, name: &str) -> Parsed<Vec<Expr>> {
        let mut children = Vec::new();
        loop {
            let rest = self.rest();
            let end = rest
                .find(['<', '{'])
                .ok_or_else(|| format!("`<{name}>` that is never closed"))?;
            if let Some(text) = jsx_text(&rest[..end]) {
                children.push(Expr::Text(crate::tag::unescape(&text).into()));
            }
            self.at += end;
            if self.rest().starts_with("</") {
                self.at += 2;
                let closed = if self.peek(">") {
                    "".into()
                } else {
                    self.jsx_name()?
                };
                self.expect(">")?;
                return if *closed == *name {
                    Ok(children)
                } else {
                    Err(format!("`</{closed}>` in `<{name}>`"))
                };
            }
            if self.rest().starts_with('<') {
                children.push(Expr::Jsx(self.jsx()?.into()));
                continue;
            }
            self.at += 1;
            self.space();
            if self.eat("}") {
                continue;
            }
            children.push(self.expr()?);
            self.expect("}")?;
        }
    }
}

/// The text between tags as JSX reads it: lines are trimmed and joined by a space, blank ones go.
fn jsx_text(raw: &str) -> Option<String> {
    if raw.is_empty() {
        return None;
    }
    if !raw.contains('\n') {
        return Some(raw.to_owned());
    }
    let lines: Vec<&str> = raw.split('\n').collect();
    let last = lines.len() - 1;
    let texts: Vec<&str> = lines
        .iter()
        .enumerate()
        .map(|(i, line)| {
            let line = if i > 0 { line.trim_start() } else { line };
            if i < last { line.trim_end() } else { line }
        })
        .filter(|line| !line.is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}
