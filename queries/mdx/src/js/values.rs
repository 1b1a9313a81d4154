//! JavaScript values, and the names bound to them at a place.

use std::cell::Cell;
#[expect(
    clippy::disallowed_types,
    reason = "the memory of one evaluation, which ends with it"
)]
use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

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
    /// `new Set(…)`, in order.
    Set(Rc<Vec<Value>>),
    /// `new Map(…)`, in order.
    Map(Rc<Vec<(Value, Value)>>),
    /// A function with the scope it was made in.
    Function(Rc<Function>, Scope),
    /// An element to be rendered.
    Element(Rc<ElementValue>),
    /// Rendered HTML: the children of a component.
    Html(Rc<str>),
    /// A file of Markdown that can be rendered with props, by its number in the program.
    Snippet(usize),
}

/// An element whose props are known.
#[derive(Clone, Debug)]
pub struct ElementValue {
    /// The name of a component of the theme or of HTML; empty for a fragment.
    pub name: Rc<str>,
    /// The component of the site that it is an element of, which [`Program::render`] calls.
    ///
    /// [`Program::render`]: super::eval::Program::render
    pub component: Option<Value>,
    /// Identity of the expression that made it, within one evaluation; 0 for none.
    pub origin: usize,
    /// File that is rendered instead, if it is a snippet.
    pub snippet: Option<usize>,
    /// Props in order.
    pub props: Vec<(Rc<str>, Value)>,
    /// Children.
    pub children: Vec<Value>,
}

impl ElementValue {
    /// The member `name` of an element of React.
    fn member(&self, name: &str) -> Value {
        match name {
            "props" => Value::Object(self.all_props().into()),
            "type" => match (&self.component, self.snippet) {
                (Some(component), _) => component.clone(),
                (None, Some(module)) => Value::Snippet(module),
                (None, None) => Value::Text(self.name.clone()),
            },
            "key" => self.prop("key").cloned().unwrap_or(Value::Null),
            _ => Value::Undefined,
        }
    }

    /// Returns true if it is rendered by the theme: a component of it, or a snippet.
    pub fn is_of_theme(&self) -> bool {
        let is_named = self.name.starts_with(|c: char| c.is_ascii_uppercase());
        self.component.is_none() && (is_named || self.snippet.is_some())
    }

    /// The value of the prop `name`.
    pub fn prop(&self, name: &str) -> Option<&Value> {
        let found = self.props.iter().rev().find(|(known, _)| **known == *name);
        found.map(|(_, value)| value)
    }

    /// The props, among them the children.
    pub(super) fn all_props(&self) -> Vec<(Rc<str>, Value)> {
        let mut props = self.props.clone();
        let children = match &*self.children {
            [] => return props,
            [only] => only.clone(),
            several => Value::Array(several.to_vec().into()),
        };
        props.push(("children".into(), children));
        props
    }
}

/// Names that are known at a place: a module, and what functions bound.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The module, by its number in the program.
    pub module: usize,
    locals: Option<Rc<Local>>,
}

/// A name that a function bound.
#[derive(Debug)]
pub struct Local {
    name: Rc<str>,
    #[expect(
        clippy::disallowed_types,
        reason = "what a name of a function stands for changes while it runs"
    )]
    slot: RefCell<Slot>,
    /// Number of parameters that alias it.
    lent: Cell<u32>,
    /// Whether a cycle through its value is already taken care of.
    is_watched: Cell<bool>,
    outer: Option<Rc<Local>>,
}

/// Content of a name.
#[derive(Debug)]
enum Slot {
    /// A value.
    Value(Value),
    /// The value of a name of the caller: a function that changes what it is given changes it there.
    Of(Rc<Local>),
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Self::Of(local) = self {
            local.lent.set(local.lent.get() - 1);
        }
    }
}

impl Local {
    /// Marks that a cycle through its value is taken care of; returns true if it was not before.
    pub fn watch(&self) -> bool {
        !self.is_watched.replace(true)
    }

    /// Returns the current value of the name.
    pub fn value(&self) -> Value {
        match &*self.slot.borrow() {
            Slot::Value(value) => value.clone(),
            Slot::Of(local) => local.value(),
        }
    }

    /// Returns the name that holds the value: that of a caller, if it is a parameter that aliases
    /// one.
    pub fn root(self: &Rc<Self>) -> Rc<Self> {
        match &*self.slot.borrow() {
            Slot::Value(_) => self.clone(),
            Slot::Of(local) => local.root(),
        }
    }

    /// Sets the value of the name. No alias of it may exist, since it would get that value, too.
    pub fn set(&self, value: Value) -> Result<(), Fault> {
        if self.lent.get() > 0 {
            return Err(shared());
        }
        *self.slot.borrow_mut() = Slot::Value(value);
        Ok(())
    }

    /// Changes the value, or the part of it that `keys` lead to. No other name may refer to that
    /// part, since it would not see the change.
    pub fn change<T>(
        &self,
        keys: &[Value],
        change: impl FnOnce(&mut Value) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        match &mut *self.slot.borrow_mut() {
            Slot::Of(local) => local.change(keys, change),
            Slot::Value(value) => {
                let mut part = value;
                for key in keys {
                    part = part.part(key)?;
                }
                change(part)
            }
        }
    }
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
        self.with_slot(name, Slot::Value(value))
    }

    /// Returns the scope with `name` as an alias of `of`, a name of a caller.
    #[must_use]
    pub fn lent(&self, name: Rc<str>, of: &Rc<Local>) -> Self {
        let of = of.root();
        of.lent.set(of.lent.get() + 1);
        self.with_slot(name, Slot::Of(of))
    }

    fn with_slot(&self, name: Rc<str>, slot: Slot) -> Self {
        let local = Local {
            name,
            slot: slot.into(),
            lent: Cell::new(0),
            is_watched: Cell::new(false),
            outer: self.locals.clone(),
        };
        Self {
            module: self.module,
            locals: Some(local.into()),
        }
    }

    /// Returns true if any name is bound besides those of the module.
    pub fn has_locals(&self) -> bool {
        self.locals.is_some()
    }

    /// Names that functions bound, each with the value that is seen here.
    pub fn locals(&self) -> Vec<(Rc<str>, Value)> {
        let mut all: Vec<(Rc<str>, Value)> = Vec::new();
        let mut local = self.locals.as_ref();
        while let Some(found) = local {
            if !all.iter().any(|(name, _)| *name == found.name) {
                all.push((found.name.clone(), found.value()));
            }
            local = found.outer.as_ref();
        }
        all
    }

    /// Returns the value that functions bound `name` to.
    pub fn local(&self, name: &str) -> Option<Value> {
        self.lookup(name).map(|local| local.value())
    }

    /// Returns true if a function bound `name`.
    pub fn has_local(&self, name: &str) -> bool {
        self.lookup(name).is_some()
    }

    /// The name `name` of the innermost function that bound it.
    pub fn lookup(&self, name: &str) -> Option<&Rc<Local>> {
        let mut local = self.locals.as_ref();
        while let Some(found) = local {
            if *found.name == *name {
                return Some(found);
            }
            local = found.outer.as_ref();
        }
        None
    }
}

/// Nesting depths of values, by address: a shared value is counted once.
#[derive(Default)]
pub(super) struct Depths(FxHashMap<*const (), u32>);

impl Depths {
    /// Returns the number of values inspected.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the nesting depth below `value`, including names that functions capture.
    pub(super) fn of(&mut self, value: &Value) -> u32 {
        let at: *const () = match value {
            Value::Array(items) | Value::Set(items) => Rc::as_ptr(items).cast(),
            Value::Object(members) => Rc::as_ptr(members).cast(),
            Value::Map(pairs) => Rc::as_ptr(pairs).cast(),
            Value::Element(element) => Rc::as_ptr(element).cast(),
            Value::Function(_, scope) => return 1 + self.of_names(scope),
            _ => return 0,
        };
        if let Some(depth) = self.0.get(&at) {
            return *depth;
        }
        self.0.insert(at, 0);
        let below = match value {
            Value::Array(items) | Value::Set(items) => self.deepest(items.iter()),
            Value::Object(members) => self.deepest(members.iter().map(|(_, value)| value)),
            Value::Map(pairs) => self.deepest(pairs.iter().flat_map(|(key, value)| [key, value])),
            Value::Element(element) => {
                let props = element.props.iter().map(|(_, value)| value);
                self.deepest(props.chain(&element.children))
            }
            _ => 0,
        };
        self.0.insert(at, 1 + below);
        1 + below
    }

    fn deepest<'a>(&mut self, values: impl Iterator<Item = &'a Value>) -> u32 {
        values.map(|value| self.of(value)).max().unwrap_or(0)
    }

    fn of_names(&mut self, scope: &Scope) -> u32 {
        let mut seen = Vec::new();
        let mut depth = 0;
        let mut local = scope.locals.as_ref();
        while let Some(found) = local {
            let at: *const () = Rc::as_ptr(found).cast();
            if let Some(known) = self.0.get(&at) {
                depth = depth.max(*known);
                break;
            }
            self.0.insert(at, 0);
            seen.push(at);
            depth = depth.max(self.of(&found.value()));
            local = found.outer.as_ref();
        }
        self.0.extend(seen.into_iter().map(|at| (at, depth)));
        depth
    }
}

/// The fault of a change that another name would not see.
fn shared() -> Fault {
    "a change of what has two names".to_owned()
}

/// The items of an array, or whatever else is behind a pointer, to be changed.
pub(super) fn make_mut<T>(items: &mut Rc<T>) -> Result<&mut T, Fault> {
    Rc::get_mut(items).ok_or_else(shared)
}

impl Value {
    /// A string.
    pub fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// Returns true if it is `undefined` or `null`.
    pub fn is_nullish(&self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    /// Returns true if it cannot hold other values.
    pub fn is_plain(&self) -> bool {
        matches!(
            self,
            Self::Undefined | Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_)
        )
    }

    /// Returns true if it is truthy.
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
            (Self::Array(a), Self::Array(b)) | (Self::Set(a), Self::Set(b)) => Rc::ptr_eq(a, b),
            (Self::Map(a), Self::Map(b)) => Rc::ptr_eq(a, b),
            (Self::Object(a), Self::Object(b)) => Rc::ptr_eq(a, b),
            (Self::Element(a), Self::Element(b)) => Rc::ptr_eq(a, b),
            // Declarations are evaluated wherever they are named: the same text is the same function.
            (Self::Function(a, _), Self::Function(b, _)) => Rc::ptr_eq(a, b),
            (Self::Snippet(a), Self::Snippet(b)) => a == b,
            _ => false,
        }
    }

    /// Returns the items that a loop over it yields; `None` if it is not iterable.
    pub fn items(&self) -> Option<Vec<Self>> {
        Some(match self {
            Self::Array(items) | Self::Set(items) => items.to_vec(),
            Self::Map(pairs) => {
                let pair = |(key, value): &(Self, Self)| {
                    Self::Array(vec![key.clone(), value.clone()].into())
                };
                pairs.iter().map(pair).collect()
            }
            Self::Text(text) => text.chars().map(|c| Self::text(c.to_string())).collect(),
            _ => return None,
        })
    }

    /// Returns the member `key` for a change; it is created if it does not exist.
    fn part(&mut self, key: &Self) -> Result<&mut Self, Fault> {
        match self {
            Self::Array(items) => {
                let index = key.to_number();
                let items = make_mut(items)?;
                if index.fract() != 0.0 || index < 0.0 || index > items.len() as f64 {
                    return Err("a change beyond an array".to_owned());
                }
                let index = index as usize;
                if index == items.len() {
                    items.push(Self::Undefined);
                }
                Ok(&mut items[index])
            }
            Self::Object(members) => {
                let key = key.to_text()?;
                let members = make_mut(members)?;
                let at = members.iter().position(|(known, _)| *known == key);
                let at = at.unwrap_or_else(|| {
                    members.push((key, Self::Undefined));
                    members.len() - 1
                });
                Ok(&mut members[at].1)
            }
            Self::Map(pairs) => {
                let pairs = make_mut(pairs)?;
                let at = pairs.iter().position(|(known, _)| known.equals(key));
                let at = at.ok_or_else(|| "a change of what a map has not".to_owned())?;
                Ok(&mut pairs[at].1)
            }
            value => Err(format!("a change of a part of {}", value.type_name())),
        }
    }

    /// Converts it to a number; NaN if it is not one.
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

    /// Converts it to a string, as template strings do.
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

    /// Returns the result of `typeof`.
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
            (Self::Set(items), Self::Text(name)) if &**name == "size" => {
                Self::Number(items.len() as f64)
            }
            (Self::Map(pairs), Self::Text(name)) if &**name == "size" => {
                Self::Number(pairs.len() as f64)
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
            (Self::Element(element), Self::Text(name)) => element.member(name),
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
