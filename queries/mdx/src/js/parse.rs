//! Source to expressions: a recursive descent without a token list, because JSX and template strings change what a
//! character means.

mod function;
mod jsx;
mod literal;
mod module;
mod statement;

use std::rc::Rc;

use super::{Expr, Function, Item, Loop, Member, Module, Pattern, Statement};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 48;

/// Reads one expression; the error names the unsupported syntax.
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

/// Operators that change their left operand, with the operation that they apply.
const ASSIGNMENTS: &[(&str, &str)] = &[
    ("+=", "+"),
    ("-=", "-"),
    ("*=", "*"),
    ("/=", "/"),
    ("%=", "%"),
    ("??=", "??"),
    ("||=", "||"),
    ("&&=", "&&"),
];

/// Returns `target` with `operator` applied to its value and `value`. The target is read twice, so
/// one that does something when it is read, as `a[i++]` does, has no value here.
fn compound_assignment(target: Expr, operator: &'static str, value: Expr) -> Expr {
    if !matches!(target, Expr::Name(_) | Expr::Member(..)) || !is_still(&target) {
        return Expr::Other("a change of what does something itself".into());
    }
    let value = Expr::Binary(operator, target.clone().into(), value.into());
    Expr::Assign(target.into(), value.into())
}

/// Returns true if reading `expr` has no side effects.
fn is_still(expr: &Expr) -> bool {
    match expr {
        Expr::Name(_) | Expr::Text(_) | Expr::Number(_) => true,
        Expr::Member(of, key, _) => is_still(of) && is_still(key),
        Expr::Binary(_, left, right) => is_still(left) && is_still(right),
        Expr::Unary(_, operand) => is_still(operand),
        Expr::Template(_, parts) => parts.iter().all(is_still),
        _ => false,
    }
}

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
        let excerpt: String = self
            .rest()
            .chars()
            .take_while(|c| *c != '\n')
            .take(20)
            .collect();
        if excerpt.is_empty() {
            "an unfinished expression".to_owned()
        } else {
            format!("`{}`", excerpt.trim_end())
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
        let start = self.at;
        // When the site is built nothing waits: a function that could is as good as one that does not.
        let is_async = self.eat_word("async");
        if let Some(function) = self.arrow()? {
            return Ok(function);
        }
        if is_async && !self.peek("function") {
            self.at = start;
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
            // A type assertion of TypeScript does not affect the value.
            self.name()?;
        }
        self.assigned(condition)
    }

    /// `target = value`, where `target` is something that has a value and an assignment follows.
    fn assigned(&mut self, target: Expr) -> Parsed<Expr> {
        if !matches!(target, Expr::Name(_) | Expr::Member(..)) {
            return Ok(target);
        }
        if self.peek("=") && !self.peek("==") && !self.peek("=>") {
            self.at += 1;
            let value = self.expr()?;
            return Ok(Expr::Assign(target.into(), value.into()));
        }
        for (sign, operator) in ASSIGNMENTS {
            if self.eat(sign) {
                return Ok(compound_assignment(target, operator, self.expr()?));
            }
        }
        Ok(target)
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
        for (sign, operator) in [("++", "+"), ("--", "-")] {
            if self.eat(sign) {
                let target = self.nested(Self::unary)?;
                return Ok(compound_assignment(target, operator, Expr::Number(1.0)));
            }
        }
        if self.eat_word("new") {
            return self.new_expression();
        }
        for word in ["await", "delete", "void"] {
            if self.eat_word(word) {
                self.nested(Self::unary)?;
                return Ok(Expr::Other(word.into()));
            }
        }
        if self.eat_word("typeof") {
            let operand = self.nested(Self::unary)?;
            return Ok(Expr::Unary("typeof", operand.into()));
        }
        self.postfix()
    }

    /// Parses the rest of a `new` expression.
    fn new_expression(&mut self) -> Parsed<Expr> {
        let name = self.name()?;
        let mut expr = Expr::New(name, Vec::new());
        while self.eat(".") {
            self.name()?;
            expr = Expr::Other("new".into());
        }
        if self.eat("(") {
            let arguments = self.items(")")?;
            if let Expr::New(_, of) = &mut expr {
                *of = arguments;
            }
        }
        self.trailing_operators(expr)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let expr = self.primary()?;
        let expr = self.trailing_operators(expr)?;
        for (sign, operator, back) in [("++", "+", "-"), ("--", "-", "+")] {
            if matches!(expr, Expr::Name(_) | Expr::Member(..)) && self.eat(sign) {
                let changed = compound_assignment(expr, operator, Expr::Number(1.0));
                return Ok(Expr::Binary(back, changed.into(), Expr::Number(1.0).into()));
            }
        }
        Ok(expr)
    }

    /// `expr` with the calls and members that follow it.
    fn trailing_operators(&mut self, mut expr: Expr) -> Parsed<Expr> {
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
                    "async" | "class" | "yield" => {
                        return Err(format!("`{name}`"));
                    }
                    _ => Expr::Name(name),
                })
            }
        }
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns true if `after`, the text after a closing parenthesis, makes it the parameters of an
/// arrow function.
fn is_arrow(after: &str) -> bool {
    let after = after.trim_start();
    // A return type of TypeScript may come in between.
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
