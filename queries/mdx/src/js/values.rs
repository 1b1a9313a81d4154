//! Values of JavaScript, and the names that stand for them at a place.

use std::rc::Rc;

use super::Function;
use super::eval::Fault;
use super::regex::Regex;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(Rc<str>),
    /// A regular expression.
    Regex(Rc<Regex>),
    /// An array.
    Array(Rc<Vec<Value>>),
    /// An object, members in order.
    Object(Rc<Vec<(Rc<str>, Value)>>),
    /// A function with what it was made in.
    Function(Rc<Function>, Scope),
    /// An element to be drawn.
    Element(Rc<ElementValue>),
    /// What was drawn already: the children of a component.
    Html(Rc<str>),
    /// A file of Markdown that can be drawn with props, by its number in the program.
    Snippet(usize),
}

/// An element whose props are known.
#[derive(Debug)]
pub struct ElementValue {
    /// The name of a component of the theme or of HTML; empty for a fragment.
    pub name: Rc<str>,
    /// The file that is drawn instead, if it is a snippet.
    pub snippet: Option<usize>,
    /// Props in order.
    pub props: Vec<(Rc<str>, Value)>,
    /// What it holds.
    pub children: Vec<Value>,
}

/// Names that are known at a place: a module, and what functions bound.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The module, by its number in the program.
    pub module: usize,
    locals: Option<Rc<Local>>,
}

#[derive(Debug)]
struct Local {
    name: Rc<str>,
    value: Value,
    outer: Option<Rc<Local>>,
}

impl Scope {
    /// The top level of `module`.
    pub fn of_module(module: usize) -> Self {
        Self {
            module,
            locals: None,
        }
    }

    /// Scope with `name` bound to `value`.
    #[must_use]
    pub fn with(&self, name: Rc<str>, value: Value) -> Self {
        let local = Local {
            name,
            value,
            outer: self.locals.clone(),
        };
        Self {
            module: self.module,
            locals: Some(local.into()),
        }
    }

    /// Whether any name is bound besides those of the module.
    pub fn has_locals(&self) -> bool {
        self.locals.is_some()
    }

    /// What functions bound `name` to.
    pub fn local(&self, name: &str) -> Option<&Value> {
        let mut local = self.locals.as_deref();
        while let Some(found) = local {
            if *found.name == *name {
                return Some(&found.value);
            }
            local = found.outer.as_deref();
        }
        None
    }
}

impl Value {
    /// A string.
    pub fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// Whether it is `undefined` or `null`.
    pub fn is_nullish(&self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    /// Whether it counts as true.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(bool) => *bool,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// `===`.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => Rc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// As a number; not a number if it is none.
    pub fn to_number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Bool(bool) => f64::from(u8::from(*bool)),
            Self::Null => 0.0,
            Self::Text(text) if text.trim().is_empty() => 0.0,
            Self::Text(text) => text.trim().parse().unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }

    /// As a string, as template strings show it.
    pub fn to_text(&self) -> Result<Rc<str>, Fault> {
        Ok(match self {
            Self::Undefined => "undefined".into(),
            Self::Null => "null".into(),
            Self::Bool(bool) => bool.to_string().into(),
            Self::Number(number) => number_text(*number).into(),
            Self::Text(text) => text.clone(),
            Self::Array(items) => {
                let texts = items.iter().map(|item| {
                    if item.is_nullish() {
                        Ok("".into())
                    } else {
                        item.to_text()
                    }
                });
                texts.collect::<Result<Vec<Rc<str>>, _>>()?.join(",").into()
            }
            _ => return Err(format!("{} as text", self.type_name())),
        })
    }

    /// What `typeof` says.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::Function(..) | Self::Snippet(_) => "function",
            _ => "object",
        }
    }

    /// The member `key`; `undefined` if there is none.
    pub fn member(&self, key: &Self) -> Result<Self, Fault> {
        Ok(match (self, key) {
            (Self::Array(items), Self::Number(index)) => items
                .get(*index as usize)
                .cloned()
                .unwrap_or(Self::Undefined),
            (Self::Array(items), Self::Text(name)) if &**name == "length" => {
                Self::Number(items.len() as f64)
            }
            (Self::Text(text), Self::Text(name)) if &**name == "length" => {
                Self::Number(text.encode_utf16().count() as f64)
            }
            (Self::Text(text), Self::Number(index)) => {
                let c = text.chars().nth(*index as usize);
                c.map_or(Self::Undefined, |c| Self::text(c.to_string()))
            }
            (Self::Object(members), key) => {
                let key = key.to_text()?;
                members
                    .iter()
                    .find(|(name, _)| *name == key)
                    .map_or(Self::Undefined, |(_, value)| value.clone())
            }
            (Self::Undefined | Self::Null, key) => {
                let key = key.to_text()?;
                return Err(format!(
                    "`{key}` of {}",
                    if matches!(self, Self::Null) {
                        "null"
                    } else {
                        "undefined"
                    }
                ));
            }
            _ => Self::Undefined,
        })
    }
}

/// A number as JavaScript writes it, near enough: whole numbers without a point.
pub fn number_text(number: f64) -> String {
    if number == 0.0 {
        "0".to_owned()
    } else if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned()
    } else {
        number.to_string()
    }
}
