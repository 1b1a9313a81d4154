//! Functions and their parameters; types are skipped.

use super::*;

impl<'a> Parser<'a> {
    /// Reads `a => …` or `(a, b) => …`; `None` and nothing read if no arrow function begins here.
    pub(super) fn arrow(&mut self) -> Parsed<Option<Expr>> {
        self.space();
        let start = self.at;
        let params = if self.peek("(") {
            match self.closing_parenthesis() {
                Some(end) if is_arrow(&self.source[end..]) => self.params()?,
                _ => return Ok(None),
            }
        } else {
            match self.name() {
                Ok(name) if self.peek("=>") => vec![Pattern::Name(name)],
                _ => {
                    self.at = start;
                    return Ok(None);
                }
            }
        };
        self.skip_type();
        self.expect("=>")?;
        let body = if self.peek("{") {
            self.block()?
        } else {
            vec![Statement::Return(self.expr()?)]
        };
        Ok(Some(Expr::Function(Function { params, body }.into())))
    }

    /// Returns the offset after the parenthesis that closes the one opened here.
    pub(super) fn closing_parenthesis(&self) -> Option<usize> {
        crate::tag::expression_len(self.rest()).map(|len| self.at + len)
    }

    pub(super) fn function(&mut self) -> Parsed<Expr> {
        let params = self.params()?;
        self.skip_type();
        let body = self.block()?;
        Ok(Expr::Function(Function { params, body }.into()))
    }

    pub(super) fn params(&mut self) -> Parsed<Vec<Pattern>> {
        self.expect("(")?;
        let mut params = Vec::new();
        while !self.eat(")") {
            params.push(self.pattern()?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(params)
    }

    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        self.nested(|parser| {
            let pattern = if parser.eat("...") {
                Pattern::Rest(parser.name()?)
            } else if parser.eat("{") {
                parser.object_pattern()?
            } else if parser.eat("[") {
                let mut items = Vec::new();
                while !parser.eat("]") {
                    items.push(if parser.peek(",") {
                        None
                    } else {
                        Some(parser.pattern()?)
                    });
                    if !parser.eat(",") {
                        parser.expect("]")?;
                        break;
                    }
                }
                Pattern::Array(items)
            } else {
                Pattern::Name(parser.name()?)
            };
            parser.skip_type();
            if parser.peek("=") && !parser.peek("==") && !parser.peek("=>") {
                parser.at += 1;
                let default = parser.expr()?;
                return Ok(Pattern::Default(pattern.into(), default.into()));
            }
            Ok(pattern)
        })
    }

    pub(super) fn object_pattern(&mut self) -> Parsed<Pattern> {
        let (mut members, mut rest) = (Vec::new(), None);
        while !self.eat("}") {
            if self.eat("...") {
                rest = Some(self.name()?);
            } else {
                let key = match self.key()? {
                    Expr::Text(key) => key,
                    _ => return Err(self.unexpected()),
                };
                let bound = if self.eat(":") {
                    self.pattern()?
                } else {
                    Pattern::Name(key.clone())
                };
                let (bound, default) = match bound {
                    Pattern::Default(bound, default) => (*bound, Some(*default)),
                    bound => (bound, None),
                };
                let default = if self.peek("=") && !self.peek("==") {
                    self.at += 1;
                    Some(self.expr()?)
                } else {
                    default
                };
                members.push((key, bound, default));
            }
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Pattern::Object(members, rest))
    }

    /// Skips a type annotation of TypeScript: `: A<B>[]`, `: { a: b }`.
    pub(super) fn skip_type(&mut self) {
        if !self.peek(":") {
            return;
        }
        self.at += 1;
        self.space();
        let mut depth = 0usize;
        for (i, c) in self.rest().char_indices() {
            let ends = depth == 0 && matches!(c, '=' | ',' | ')' | ';' | '}');
            let opens_body = depth == 0 && c == '{' && i > 0;
            match c {
                _ if ends || opens_body => {
                    self.at += i;
                    return;
                }
                '{' | '(' | '[' | '<' => depth += 1,
                '}' | ')' | ']' | '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.at = self.source.len();
    }
}
