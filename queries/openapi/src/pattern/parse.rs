//! Reads a pattern of ECMA-262 into a tree; lazy and greedy repeats are the same here.

/// A part of a pattern.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Empty,
    Set(Set),
    Start,
    End,
    /// `\b`, or `\B` if false.
    Word(bool),
    Group(Box<Node>, Option<usize>),
    Back(usize),
    Concat(Vec<Node>),
    Either(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: usize,
        max: Option<usize>,
    },
    Look {
        node: Box<Node>,
        is_ahead: bool,
        is_negative: bool,
    },
}

/// Set of characters.
#[derive(Clone, Debug)]
pub(super) struct Set {
    pub(super) is_negated: bool,
    pub(super) items: Vec<Item>,
}

/// A part of a set.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Range(char, char),
    /// A class, and whether what is not in it is meant.
    Class(Class, bool),
}

/// A named set of characters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Class {
    Digit,
    Word,
    Space,
    Line,
    Letter,
    Upper,
    Lower,
    Number,
    Punctuation,
}

impl Item {
    pub(super) fn contains(&self, c: char) -> bool {
        match self {
            Self::Range(from, to) => (*from..=*to).contains(&c),
            Self::Class(class, is_negated) => class.contains(c) != *is_negated,
        }
    }
}

impl Class {
    fn contains(self, c: char) -> bool {
        match self {
            Self::Digit => c.is_ascii_digit(),
            Self::Word => c.is_ascii_alphanumeric() || c == '_',
            Self::Space => c.is_whitespace() || c == '\u{feff}',
            Self::Line => matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}'),
            Self::Letter => c.is_alphabetic(),
            Self::Upper => c.is_uppercase(),
            Self::Lower => c.is_lowercase(),
            Self::Number => c.is_numeric(),
            Self::Punctuation => c.is_ascii_punctuation(),
        }
    }
}

/// Reads a whole pattern.
pub(super) fn parse(text: &str) -> Option<Node> {
    let mut parser = Parser {
        text: text.chars().collect(),
        at: 0,
        groups: 0,
        names: Vec::new(),
        depth: 0,
    };
    let node = parser.either()?;
    (parser.at == parser.text.len()).then_some(node)
}

struct Parser {
    text: Vec<char>,
    at: usize,
    groups: usize,
    names: Vec<(String, usize)>,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = text
            .chars()
            .enumerate()
            .all(|(i, c)| self.text.get(self.at + i) == Some(&c));
        if found {
            self.at += text.chars().count();
        }
        found
    }

    fn either(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > 60 {
            return None;
        }
        let mut branches = vec![self.concat()?];
        while self.eat("|") {
            branches.push(self.concat()?);
        }
        self.depth -= 1;
        if branches.len() == 1 {
            return branches.pop();
        }
        Some(Node::Either(branches))
    }

    fn concat(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            let node = self.atom()?;
            nodes.push(self.repeated(node)?);
        }
        Some(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.pop()?,
            _ => Node::Concat(nodes),
        })
    }

    fn repeated(&mut self, node: Node) -> Option<Node> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.braces() {
                Some((min, max)) => {
                    self.eat("?");
                    return Some(repeat(node, min, max));
                }
                None => return Some(node),
            },
            _ => return Some(node),
        };
        self.at += 1;
        self.eat("?");
        if matches!(self.peek(), Some('*' | '+')) {
            // `a++` of other dialects; here it is the same.
            self.at += 1;
        }
        Some(repeat(node, min, max))
    }

    /// `{2}`, `{2,}`, `{2,4}`; anything else is text.
    fn braces(&mut self) -> Option<(usize, Option<usize>)> {
        let end = self.text[self.at..].iter().position(|c| *c == '}')? + self.at;
        let inner: String = self.text[self.at + 1..end].iter().collect();
        let (min, max) = match inner.split_once(',') {
            Some((min, "")) => (min.parse().ok()?, None),
            Some((min, max)) => (min.parse().ok()?, Some(max.parse().ok()?)),
            None => {
                let count = inner.parse().ok()?;
                (count, Some(count))
            }
        };
        self.at = end + 1;
        Some((min, max))
    }

    fn atom(&mut self) -> Option<Node> {
        let c = self.peek()?;
        self.at += 1;
        Some(match c {
            '^' => Node::Start,
            '$' => Node::End,
            '.' => set(true, vec![Item::Class(Class::Line, false)]),
            '(' => return self.group(),
            '[' => return self.class(),
            '\\' => return self.escape(),
            '*' | '+' | '?' => return None,
            c => one(c),
        })
    }

    fn group(&mut self) -> Option<Node> {
        let look = |is_ahead, is_negative| Some((is_ahead, is_negative));
        let (kind, index) = if self.eat("?:") {
            (None, None)
        } else if self.eat("?=") {
            (look(true, false), None)
        } else if self.eat("?!") {
            (look(true, true), None)
        } else if self.eat("?<=") {
            (look(false, false), None)
        } else if self.eat("?<!") {
            (look(false, true), None)
        } else if self.eat("?i)") {
            return Some(Node::Empty);
        } else {
            self.groups += 1;
            let index = self.groups;
            if self.eat("?<") || self.eat("?P<") {
                let name = self.until('>')?;
                self.names.push((name, index));
            } else if self.peek() == Some('?') {
                return None;
            }
            (None, Some(index))
        };
        let node = Box::new(self.either()?);
        if !self.eat(")") {
            return None;
        }
        Some(match kind {
            Some((is_ahead, is_negative)) => Node::Look {
                node,
                is_ahead,
                is_negative,
            },
            None => Node::Group(node, index),
        })
    }

    fn until(&mut self, end: char) -> Option<String> {
        let length = self.text[self.at..].iter().position(|c| *c == end)?;
        let text = self.text[self.at..self.at + length].iter().collect();
        self.at += length + 1;
        Some(text)
    }

    fn escape(&mut self) -> Option<Node> {
        match self.peek()? {
            'b' | 'B' => {
                let is_boundary = self.peek() == Some('b');
                self.at += 1;
                return Some(Node::Word(is_boundary));
            }
            'A' => {
                self.at += 1;
                return Some(Node::Start);
            }
            'z' | 'Z' => {
                self.at += 1;
                return Some(Node::End);
            }
            'k' if self.text.get(self.at + 1) == Some(&'<') => {
                self.at += 2;
                let name = self.until('>')?;
                let known = self.names.iter().find(|(known, _)| *known == name);
                return known.map(|(_, index)| Node::Back(*index));
            }
            '1'..='9' => {
                let digit = self.peek()?.to_digit(10)? as usize;
                self.at += 1;
                return Some(Node::Back(digit));
            }
            _ => {}
        }
        let item = self.escaped_item()?;
        Some(set(false, vec![item]))
    }

    /// Parses the rest of an escape, inside a class or outside.
    fn escaped_item(&mut self) -> Option<Item> {
        let c = self.peek()?;
        self.at += 1;
        let class = |class| Some(Item::Class(class, c.is_uppercase()));
        let c = match c {
            'd' | 'D' => return class(Class::Digit),
            'w' | 'W' => return class(Class::Word),
            's' | 'S' => return class(Class::Space),
            'p' | 'P' => {
                let name = if self.eat("{") {
                    self.until('}')?
                } else {
                    let one = self.peek()?;
                    self.at += 1;
                    one.to_string()
                };
                let value = name.rsplit('=').next().unwrap_or(&name);
                let of = match value {
                    "Lu" | "Upper" | "Uppercase" | "Uppercase_Letter" => Class::Upper,
                    "Ll" | "Lower" | "Lowercase" | "Lowercase_Letter" => Class::Lower,
                    "L" | "Letter" | "Alpha" | "Alphabetic" | "Latin" => Class::Letter,
                    "N" | "Nd" | "Number" | "Digit" => Class::Number,
                    "P" | "S" | "Punct" | "Punctuation" | "Symbol" => Class::Punctuation,
                    "Z" | "Zs" | "White_Space" | "Space" => Class::Space,
                    _ => return None,
                };
                return class(of);
            }
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' => '\0',
            'x' => self.code(2)?,
            'u' if self.eat("{") => {
                let digits = self.until('}')?;
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            'u' => self.code(4)?,
            c => c,
        };
        Some(Item::Range(c, c))
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let text: String = self.text.get(self.at..self.at + digits)?.iter().collect();
        self.at += digits;
        char::from_u32(u32::from_str_radix(&text, 16).ok()?)
    }

    fn class(&mut self) -> Option<Node> {
        let is_negated = self.eat("^");
        let mut items = Vec::new();
        loop {
            if self.eat("]") {
                break;
            }
            let item = self.class_item()?;
            let is_range = self.peek() == Some('-') && self.text.get(self.at + 1) != Some(&']');
            if let (Item::Range(from, _), true) = (&item, is_range) {
                let back = self.at;
                self.at += 1;
                match self.class_item()? {
                    Item::Range(to, _) if *from <= to => {
                        items.push(Item::Range(*from, to));
                        continue;
                    }
                    Item::Range(..) => return None,
                    Item::Class(..) => self.at = back,
                }
            }
            items.push(item);
        }
        Some(set(is_negated, items))
    }

    fn class_item(&mut self) -> Option<Item> {
        let posix = [
            ("[:alpha:]", Class::Letter),
            ("[:digit:]", Class::Digit),
            ("[:alnum:]", Class::Word),
        ];
        for (name, class) in posix {
            if self.eat(name) {
                return Some(Item::Class(class, false));
            }
        }
        let c = self.peek()?;
        self.at += 1;
        match c {
            '\\' if self.eat("b") => Some(Item::Range('\u{8}', '\u{8}')),
            '\\' => self.escaped_item(),
            c => Some(Item::Range(c, c)),
        }
    }
}

fn set(is_negated: bool, items: Vec<Item>) -> Node {
    Node::Set(Set { is_negated, items })
}

fn one(c: char) -> Node {
    set(false, vec![Item::Range(c, c)])
}

fn repeat(node: Node, min: usize, max: Option<usize>) -> Node {
    Node::Repeat {
        node: Box::new(node),
        min,
        max,
    }
}
