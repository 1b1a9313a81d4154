//! Source to expressions: a recursive descent without a token list, because JSX and template strings change what a
//! character means.

mod jsx;

use std::rc::Rc;

use super::{Expr, Function, Item, Member, Module, Pattern, Statement};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 48;

/// Reads one expression; the error names what was not understood.
pub fn expression(source: &str) -> Result<Expr, String> {
    let mut parser = Parser {
        source,
        at: 0,
        depth: 0,
    };
    let expr = parser.expr()?;
    parser.eat(";");
    parser.space();
    if parser.at < source.len() {
        Err(parser.unexpected())
    } else {
        Ok(expr)
    }
}

/// Reads the statements of a module. A statement that is not understood is a fault, and the next one is read.
pub fn module(source: &str) -> Module {
    let mut parser = Parser {
        source,
        at: 0,
        depth: 0,
    };
    let mut module = Module::default();
    loop {
        parser.space();
        if parser.eat(";") {
            continue;
        }
        if parser.at >= source.len() {
            return module;
        }
        let start = parser.at;
        if let Err(fault) = parser.module_item(&mut module) {
            module.faults.push(fault);
            parser.depth = 0;
            parser.skip_statement(start);
        }
    }
}

type Parsed<T> = Result<T, String>;

struct Parser<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
}

/// Binary operators by how tightly they bind, the loosest first; longer ones before their beginnings.
const OPERATORS: &[&[&str]] = &[
    &["??"],
    &["||"],
    &["&&"],
    &["===", "!==", "==", "!="],
    &["<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn space(&mut self) {
        loop {
            let trimmed = self.rest().trim_start();
            self.at = self.source.len() - trimmed.len();
            if trimmed.starts_with("/*") {
                self.at += trimmed.find("*/").map_or(trimmed.len(), |end| end + 2);
            } else if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return;
            }
        }
    }

    fn peek(&mut self, text: &str) -> bool {
        self.space();
        self.rest().starts_with(text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Eats the keyword `word`, not a name that begins with it.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek(word) && !self.rest()[word.len()..].starts_with(is_name_char);
        if found {
            self.at += word.len();
        }
        found
    }

    fn unexpected(&mut self) -> String {
        self.space();
        let shown: String = self
            .rest()
            .chars()
            .take_while(|c| *c != '\n')
            .take(20)
            .collect();
        if shown.is_empty() {
            "an unfinished expression".to_owned()
        } else {
            format!("`{}`", shown.trim_end())
        }
    }

    fn name(&mut self) -> Parsed<Rc<str>> {
        self.space();
        let rest = self.rest();
        let len = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        if len == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.unexpected());
        }
        self.at += len;
        Ok(rest[..len].into())
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err("an expression that nests too deep".to_owned());
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.nested(Self::conditional)
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        if let Some(function) = self.arrow()? {
            return Ok(function);
        }
        let condition = self.binary(0)?;
        if self.peek("?") && !self.peek("?.") && !self.peek("??") {
            self.at += 1;
            let yes = self.expr()?;
            self.expect(":")?;
            let no = self.expr()?;
            return Ok(Expr::Conditional(condition.into(), yes.into(), no.into()));
        }
        if self.eat_word("as") {
            // A type assertion of TypeScript says nothing about the value.
            self.name()?;
        }
        Ok(condition)
    }

    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        'next: loop {
            self.space();
            for operator in *operators {
                let rest = self.rest();
                // `=>`, `/>` and `</` belong to others.
                let is_other = rest.starts_with("/>") || rest.starts_with("</");
                let is_longer = rest
                    .strip_prefix(operator)
                    .is_some_and(|rest| rest.starts_with('='));
                if rest.starts_with(operator) && !is_other && !is_longer {
                    self.at += operator.len();
                    let right = self.nested(|parser| parser.binary(level + 1))?;
                    left = Expr::Binary(operator, left.into(), right.into());
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.space();
        for operator in ["!", "-", "+"] {
            if self.rest().starts_with(operator)
                && !self.rest().starts_with("++")
                && !self.rest().starts_with("--")
            {
                self.at += 1;
                let operand = self.nested(Self::unary)?;
                return Ok(Expr::Unary(operator, operand.into()));
            }
        }
        if self.eat_word("typeof") {
            let operand = self.nested(Self::unary)?;
            return Ok(Expr::Unary("typeof", operand.into()));
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        loop {
            // A call or an index begins on the same line as what it belongs to, or after a dot on the next.
            if self.eat("?.") {
                if self.eat("[") {
                    let key = self.expr()?;
                    self.expect("]")?;
                    expr = Expr::Member(expr.into(), key.into(), true);
                } else {
                    let key = self.name()?;
                    expr = Expr::Member(expr.into(), Expr::Text(key).into(), true);
                }
            } else if self.peek(".") && !self.peek("..") {
                self.at += 1;
                let key = self.name()?;
                expr = Expr::Member(expr.into(), Expr::Text(key).into(), false);
            } else if self.eat("[") {
                let key = self.expr()?;
                self.expect("]")?;
                expr = Expr::Member(expr.into(), key.into(), false);
            } else if self.eat("(") {
                let arguments = self.items(")")?;
                expr = Expr::Call(expr.into(), arguments);
            } else {
                return Ok(expr);
            }
        }
    }

    fn items(&mut self, close: &str) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            let is_spread = self.eat("...");
            items.push(Item(self.expr()?, is_spread));
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        self.space();
        let first = self.rest().chars().next().unwrap_or(' ');
        match first {
            '"' | '\'' => self.text().map(Expr::Text),
            '`' => self.template(),
            '[' => {
                self.at += 1;
                self.items("]").map(Expr::Array)
            }
            '{' => self.object(),
            '(' => {
                self.at += 1;
                let expr = self.expr()?;
                self.expect(")")?;
                Ok(expr)
            }
            '<' => self.jsx().map(|jsx| Expr::Jsx(jsx.into())),
            '/' => self.regex(),
            c if c.is_ascii_digit() || c == '.' => self.number(),
            _ => {
                if self.eat_word("function") {
                    if !self.peek("(") {
                        self.name()?;
                    }
                    return self.function();
                }
                let name = self.name()?;
                Ok(match &*name {
                    "undefined" => Expr::Undefined,
                    "null" => Expr::Null,
                    "true" => Expr::Bool(true),
                    "false" => Expr::Bool(false),
                    "new" | "await" | "async" | "class" | "yield" | "delete" | "void" => {
                        return Err(format!("`{name}`"));
                    }
                    _ => Expr::Name(name),
                })
            }
        }
    }

    /// `/a/g`: a stroke inside of brackets does not end it.
    fn regex(&mut self) -> Parsed<Expr> {
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

    fn number(&mut self) -> Parsed<Expr> {
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

    fn text(&mut self) -> Parsed<Rc<str>> {
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

    fn escape(&mut self, text: &mut String) -> Parsed<()> {
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

    fn template(&mut self) -> Parsed<Expr> {
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

    fn object(&mut self) -> Parsed<Expr> {
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

    fn key(&mut self) -> Parsed<Expr> {
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

    /// Reads `a => …` or `(a, b) => …`; `None` and nothing read if no arrow function begins here.
    fn arrow(&mut self) -> Parsed<Option<Expr>> {
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

    /// Where the parenthesis that opens here has been closed.
    fn closing_parenthesis(&self) -> Option<usize> {
        super::super::tag::expression_len(self.rest()).map(|len| self.at + len)
    }

    fn function(&mut self) -> Parsed<Expr> {
        let params = self.params()?;
        self.skip_type();
        let body = self.block()?;
        Ok(Expr::Function(Function { params, body }.into()))
    }

    fn params(&mut self) -> Parsed<Vec<Pattern>> {
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

    fn pattern(&mut self) -> Parsed<Pattern> {
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

    fn object_pattern(&mut self) -> Parsed<Pattern> {
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
    fn skip_type(&mut self) {
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

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.eat("}") {
            if self.eat(";") {
                continue;
            }
            self.space();
            if self.at >= self.source.len() {
                return Err("a function that does not end".to_owned());
            }
            let start = self.at;
            match self.nested(Self::statement) {
                Ok(statement) => statements.push(statement),
                Err(fault) => {
                    statements.push(Statement::Other(fault));
                    self.skip_statement(start);
                }
            }
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        for word in ["const", "let", "var"] {
            if self.eat_word(word) {
                let pattern = self.pattern()?;
                return match pattern {
                    Pattern::Default(pattern, value) => Ok(Statement::Declare(*pattern, *value)),
                    Pattern::Name(_) => Ok(Statement::Declare(pattern, Expr::Undefined)),
                    _ => Err(format!("`{word}` without a value")),
                };
            }
        }
        if self.eat_word("return") {
            let nothing = self.peek(";") || self.peek("}");
            return Ok(Statement::Return(if nothing {
                Expr::Undefined
            } else {
                self.expr()?
            }));
        }
        if self.eat_word("if") {
            self.expect("(")?;
            let condition = self.expr()?;
            self.expect(")")?;
            let yes = self.branch()?;
            self.eat(";");
            let no = if self.eat_word("else") {
                self.branch()?
            } else {
                Vec::new()
            };
            return Ok(Statement::If(condition, yes, no));
        }
        if self.eat_word("function") {
            let name = self.name()?;
            return Ok(Statement::Declare(Pattern::Name(name), self.function()?));
        }
        self.assignment()
    }

    /// `a = b`, `a += b`.
    fn assignment(&mut self) -> Parsed<Statement> {
        let start = self.at;
        if let Ok(name) = self.name() {
            if self.eat("+=") {
                let sum = (Expr::Name(name.clone()).into(), self.expr()?.into());
                return Ok(Statement::Assign(name, Expr::Binary("+", sum.0, sum.1)));
            }
            if self.peek("=") && !self.peek("==") && !self.peek("=>") {
                self.eat("=");
                return Ok(Statement::Assign(name, self.expr()?));
            }
        }
        self.at = start;
        Err(self.unexpected())
    }

    fn branch(&mut self) -> Parsed<Vec<Statement>> {
        if self.peek("{") {
            self.block()
        } else {
            Ok(vec![self.nested(Self::statement)?])
        }
    }

    fn module_item(&mut self, module: &mut Module) -> Parsed<()> {
        if self.eat_word("import") {
            return self.import(module);
        }
        if self.eat_word("export") {
            if self.eat_word("default") {
                if self.eat_word("function") {
                    if !self.peek("(") {
                        self.name()?;
                    }
                    module.default = Some(self.function()?);
                } else {
                    module.default = Some(self.expr()?);
                }
                return Ok(());
            }
            if self.eat("{") {
                // Names are exported under their own names; other names are rare enough to be left.
                while !self.eat("}") {
                    self.name()?;
                    if self.eat_word("as") {
                        self.name()?;
                    }
                    if !self.eat(",") {
                        self.expect("}")?;
                        break;
                    }
                }
                return Ok(());
            }
        }
        match self.statement()? {
            Statement::Declare(pattern, value) => module.declarations.push((pattern, value)),
            _ => return Err("a statement at the top level".to_owned()),
        }
        Ok(())
    }

    fn import(&mut self, module: &mut Module) -> Parsed<()> {
        let mut names: Vec<(Rc<str>, Rc<str>)> = Vec::new();
        while !self.peek("\"") && !self.peek("'") {
            if self.eat("{") {
                while !self.eat("}") {
                    let there = self.name()?;
                    let here = if self.eat_word("as") {
                        self.name()?
                    } else {
                        there.clone()
                    };
                    names.push((here, there));
                    if !self.eat(",") {
                        self.expect("}")?;
                        break;
                    }
                }
            } else if self.eat("*") {
                if !self.eat_word("as") {
                    return Err(self.unexpected());
                }
                names.push((self.name()?, "*".into()));
            } else {
                names.push((self.name()?, "default".into()));
            }
            if self.eat_word("from") {
                break;
            }
            self.expect(",")?;
        }
        self.space();
        if !self.rest().starts_with(['"', '\'']) {
            return Err(self.unexpected());
        }
        let from = self.text()?;
        module.imports.extend(
            names
                .into_iter()
                .map(|(here, there)| (here, there, from.clone())),
        );
        Ok(())
    }

    /// Goes on after the statement that began at `start`: after its line and all brackets that it opens.
    fn skip_statement(&mut self, start: usize) {
        self.at = start;
        while self.at < self.source.len() {
            let rest = self.rest();
            match rest.as_bytes()[0] {
                b'{' | b'(' | b'[' | b'`' => {
                    self.at += super::super::tag::expression_len(rest).unwrap_or(rest.len());
                }
                b'}' if self.at > start => return,
                b';' | b'\n' if self.at > start => {
                    self.at += 1;
                    return;
                }
                _ => self.at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Whether `after`, what follows a closed parenthesis, makes it the parameters of an arrow function.
fn is_arrow(after: &str) -> bool {
    let after = after.trim_start();
    // A return type of TypeScript may stand between.
    after.starts_with("=>")
        || (after.starts_with(':')
            && after
                .split('\n')
                .next()
                .is_some_and(|line| line.contains("=>")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_bracket_between_statements_is_skipped() {
        for source in [
            "}",
            "a }\n}",
            "export const a = \u{fffd}}",
            "}}}\nconst b = 1",
            ") ] }",
        ] {
            let module = module(source);
            assert!(!module.faults.is_empty(), "{source:?}");
        }
        assert_eq!(module("}\nconst b = 1").declarations.len(), 1);
    }
}
