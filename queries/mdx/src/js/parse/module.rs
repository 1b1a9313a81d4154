//! Imports, exports, and the text between them.

use super::*;

impl<'a> Parser<'a> {
    pub(super) fn module_item(&mut self, module: &mut Module) -> Parsed<()> {
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
        let statements = match self.statement()? {
            Statement::Several(statements) => statements,
            statement => vec![statement],
        };
        for statement in statements {
            match statement {
                Statement::Declare(pattern, value) => module.declarations.push((pattern, value)),
                // Whatever a module declares knows all of it.
                Statement::Recursive(name, function) => {
                    let function = (Pattern::Name(name), Expr::Function(function));
                    module.declarations.push(function);
                }
                _ => return Err("a statement at the top level".to_owned()),
            }
        }
        Ok(())
    }

    pub(super) fn import(&mut self, module: &mut Module) -> Parsed<()> {
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
    pub(super) fn skip_statement(&mut self, start: usize) {
        self.at = start;
        while self.at < self.source.len() {
            let rest = self.rest();
            match rest.as_bytes()[0] {
                b'{' | b'(' | b'[' | b'`' => {
                    self.at += crate::tag::expression_len(rest).unwrap_or(rest.len());
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
