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
        let start = self.at;
        if self.eat_word("async") && !self.peek("function") {
            self.at = start;
        }
        if self.eat_word("function") {
            let name = self.name()?;
            return Ok(Statement::Declare(Pattern::Name(name), self.function()?));
        }
        self.assignment()
    }

    /// `a = b`, `a += b`, `f(a)`.
    pub(super) fn assignment(&mut self) -> Parsed<Statement> {
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
        match self.expr() {
            Ok(call @ Expr::Call(..)) => Ok(Statement::Run(call)),
            _ => {
                self.at = start;
                Err(self.unexpected())
            }
        }
    }

    pub(super) fn branch(&mut self) -> Parsed<Vec<Statement>> {
        if self.peek("{") {
            self.block()
        } else {
            Ok(vec![self.nested(Self::statement)?])
        }
    }
}
