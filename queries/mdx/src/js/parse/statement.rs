//! Statements in the bodies of functions.

use super::*;

impl<'a> Parser<'a> {
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
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

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        for word in ["const", "let", "var"] {
            if self.eat_word(word) {
                return self.declarations(word);
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
        if self.eat_word("throw") {
            self.expr()?;
            return Ok(Statement::Other("an error that it throws".to_owned()));
        }
        if self.eat_word("if") {
            let condition = self.in_parentheses()?;
            let yes = self.branch()?;
            self.eat(";");
            let no = if self.eat_word("else") {
                self.branch()?
            } else {
                Vec::new()
            };
            return Ok(Statement::If(condition, yes, no));
        }
        if self.eat_word("for") {
            return self.for_loop();
        }
        if self.eat_word("while") {
            let condition = Some(self.in_parentheses()?);
            let body = self.branch()?;
            return Ok(repeated(None, condition, None, body, false));
        }
        if self.eat_word("do") {
            let body = self.branch()?;
            self.eat(";");
            if !self.eat_word("while") {
                return Err(self.unexpected());
            }
            let condition = Some(self.in_parentheses()?);
            return Ok(repeated(None, condition, None, body, true));
        }
        if self.eat_word("switch") {
            return self.switch();
        }
        if self.eat_word("try") {
            return self.attempt();
        }
        if self.eat_word("break") {
            return Ok(Statement::Break);
        }
        if self.eat_word("continue") {
            return Ok(Statement::Continue);
        }
        if self.peek("{") {
            return self.block().map(Statement::Block);
        }
        let start = self.at;
        if self.eat_word("async") && !self.peek("function") {
            self.at = start;
        }
        if self.eat_word("function") {
            let name = self.name()?;
            let start = self.at;
            let function = self.function()?;
            return Ok(self.declared(Pattern::Name(name), function, start));
        }
        let start = self.at;
        match self.expr() {
            // `count++` is one less than what `count` is then.
            Ok(expr @ (Expr::Call(..) | Expr::Assign(..) | Expr::Binary(..))) => {
                Ok(Statement::Run(expr))
            }
            _ => {
                self.at = start;
                Err(self.unexpected())
            }
        }
    }

    /// `a = b, c = d` behind `word`.
    fn declarations(&mut self, word: &str) -> Parsed<Statement> {
        let mut declared = Vec::new();
        loop {
            let start = self.at;
            declared.push(match self.pattern()? {
                Pattern::Default(pattern, value) => self.declared(*pattern, *value, start),
                pattern @ Pattern::Name(_) => Statement::Declare(pattern, Expr::Undefined),
                _ => return Err(format!("`{word}` without a value")),
            });
            if !self.eat(",") {
                break;
            }
        }
        Ok(match <[Statement; 1]>::try_from(declared) {
            Ok([only]) => only,
            Err(declared) => Statement::Several(declared),
        })
    }

    /// Returns the declaration of `value`, which follows `start`.
    fn declared(&self, pattern: Pattern, value: Expr, start: usize) -> Statement {
        match (pattern, value) {
            (Pattern::Name(name), Expr::Function(function)) => {
                let source = self.source.get(start..self.at).unwrap_or_default();
                let mut words = source.split(|c| !is_name_char(c));
                // Where it is declared, and where it is named again.
                let first =
                    usize::from(words.clone().find(|word| !word.is_empty()) == Some(&*name));
                match words.by_ref().filter(|word| **word == *name).count() > first {
                    true => Statement::Recursive(name, function),
                    false => Statement::Declare(Pattern::Name(name), Expr::Function(function)),
                }
            }
            (pattern, value) => Statement::Declare(pattern, value),
        }
    }

    fn in_parentheses(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let expr = self.expr()?;
        self.expect(")")?;
        Ok(expr)
    }

    /// Parses the rest of a `for` statement.
    fn for_loop(&mut self) -> Parsed<Statement> {
        self.expect("(")?;
        let start = self.at;
        if ["const", "let", "var"]
            .iter()
            .any(|word| self.eat_word(word))
        {
            let pattern = self.pattern()?;
            if self.eat_word("of") {
                let items = self.expr()?;
                self.expect(")")?;
                return Ok(Statement::Of(pattern, items, self.branch()?));
            }
            if self.eat_word("in") {
                let object = self.expr()?;
                self.expect(")")?;
                let keys = Expr::Member(
                    Expr::Name("Object".into()).into(),
                    Expr::Text("keys".into()).into(),
                    false,
                );
                let keys = Expr::Call(keys.into(), vec![Item(object, false)]);
                return Ok(Statement::Of(pattern, keys, self.branch()?));
            }
            self.at = start;
        }
        let start = match self.peek(";") {
            true => None,
            false => Some(self.statement()?),
        };
        self.expect(";")?;
        let condition = match self.peek(";") {
            true => None,
            false => Some(self.expr()?),
        };
        self.expect(";")?;
        let step = match self.peek(")") {
            true => None,
            false => Some(self.expr()?),
        };
        self.expect(")")?;
        let body = self.branch()?;
        Ok(repeated(start, condition, step, body, false))
    }

    /// Parses the rest of a `switch` statement.
    fn switch(&mut self) -> Parsed<Statement> {
        let of = self.in_parentheses()?;
        self.expect("{")?;
        let mut cases: Vec<(Option<Expr>, Vec<Statement>)> = Vec::new();
        while !self.eat("}") {
            if self.eat_word("case") {
                let case = self.expr()?;
                self.expect(":")?;
                cases.push((Some(case), Vec::new()));
            } else if self.eat_word("default") {
                self.expect(":")?;
                cases.push((None, Vec::new()));
            } else if !self.eat(";") {
                let Some((_, body)) = cases.last_mut() else {
                    return Err(self.unexpected());
                };
                body.push(self.nested(Self::statement)?);
            }
        }
        Ok(Statement::Switch(of, cases))
    }

    /// Parses the rest of a `try` statement. Nothing is caught: an unsupported expression is
    /// reported instead.
    fn attempt(&mut self) -> Parsed<Statement> {
        let mut tried = self.block()?;
        if self.eat_word("catch") {
            if self.eat("(") {
                self.pattern()?;
                self.expect(")")?;
            }
            self.block()?;
        }
        if self.eat_word("finally") {
            tried.push(Statement::Block(self.block()?));
        }
        Ok(Statement::Block(tried))
    }

    pub(super) fn branch(&mut self) -> Parsed<Vec<Statement>> {
        if self.peek("{") {
            self.block()
        } else if self.eat(";") {
            Ok(Vec::new())
        } else {
            Ok(vec![self.nested(Self::statement)?])
        }
    }
}

fn repeated(
    start: Option<Statement>,
    condition: Option<Expr>,
    step: Option<Expr>,
    body: Vec<Statement>,
    is_late: bool,
) -> Statement {
    let repeated = Loop {
        start,
        condition,
        step,
        body,
        is_late,
    };
    Statement::Loop(repeated.into())
}
