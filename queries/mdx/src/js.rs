//! The part of JavaScript that documentation needs: values that are known when the site is built. Nothing is ever run
//! that could loop for long, see the world or change anything but what its own functions made: no I/O. A component with
//! state is rendered as it first appears, and with what a reader can bring it to show.

pub mod builtin;
pub mod eval;
pub mod hook;
mod merge;
pub mod parse;
pub mod part;
mod react;
mod regex;
mod render;
mod values;

use std::rc::Rc;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(Rc<str>),
    /// A template string: texts and the expressions between them.
    Template(Vec<Rc<str>>, Vec<Expr>),
    /// `/a/g`: the pattern between the slashes, and the flags.
    Regex(Rc<str>, Rc<str>),
    /// A name.
    Name(Rc<str>),
    /// `[a, ...b]`.
    Array(Vec<Item>),
    /// `{a: b, ...c}`.
    Object(Vec<Member>),
    /// `a.b`, `a?.b`, `a[b]`; the flag is set if it is optional.
    Member(Box<Expr>, Box<Expr>, bool),
    /// `f(a, ...b)`.
    Call(Box<Expr>, Vec<Item>),
    /// `!a`, `-a`, `typeof a`.
    Unary(&'static str, Box<Expr>),
    /// `a + b`, `a && b`.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(a) => b`, `function (a) { … }`.
    Function(Rc<Function>),
    /// `<A b={c}>…</A>`.
    Jsx(Rc<Jsx>),
    /// `a = b`, `a.b = c`; `a += b` is `a = a + b`.
    Assign(Box<Expr>, Box<Expr>),
    /// `new A(b)`.
    New(Rc<str>, Vec<Item>),
    /// What the second part of `useState` does: the state of this hook becomes the value.
    SetState(StateKey, Box<Expr>),
    /// Unsupported expression, by its first word: `await`, `delete`. It is an error only if it is
    /// evaluated.
    Other(Rc<str>),
}

/// Identity of a hook within one page: the component that calls it, and how many hooks that called before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateKey {
    /// Path of the component in the tree.
    pub instance: u64,
    /// Number of the hook.
    pub hook: u32,
}

/// An item of an array or an argument; the flag is set if it is spread.
#[derive(Clone, Debug, PartialEq)]
pub struct Item(pub Expr, pub bool);

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `key: value`.
    Pair(Expr, Expr),
    /// `...object`.
    Spread(Expr),
}

/// Target of a parameter or a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A name.
    Name(Rc<str>),
    /// `{a, b: c = d, ...rest}`: key, pattern, default.
    Object(Vec<(Rc<str>, Pattern, Option<Expr>)>, Option<Rc<str>>),
    /// `[a, b]`.
    Array(Vec<Option<Pattern>>),
    /// `a = b`.
    Default(Box<Pattern>, Box<Expr>),
    /// `...a`.
    Rest(Rc<str>),
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Parameters.
    pub params: Vec<Pattern>,
    /// Body.
    pub body: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `const a = b`.
    Declare(Pattern, Expr),
    /// `function a() { … a() … }`, which knows itself.
    Recursive(Rc<str>, Rc<Function>),
    /// `const a = b, c = d`.
    Several(Vec<Statement>),
    /// `a = b`, `f(a)`, for what it does: of hooks that run later, nothing.
    Run(Expr),
    /// `return a`.
    Return(Expr),
    /// `if (a) { … } else { … }`.
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// `{ … }`, and what `try` tries.
    Block(Vec<Statement>),
    /// `for (a; b; c) { … }` and `while (b) { … }`.
    Loop(Rc<Loop>),
    /// `for (const a of b) { … }`.
    Of(Pattern, Expr, Vec<Statement>),
    /// `switch (a) { case b: … default: … }`.
    Switch(Expr, Vec<(Option<Expr>, Vec<Statement>)>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// Anything else, by its first word: it is reported when it is reached.
    Other(String),
}

/// A loop with a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Initialization.
    pub start: Option<Statement>,
    /// Condition to continue.
    pub condition: Option<Expr>,
    /// Step after each iteration.
    pub step: Option<Expr>,
    /// Body.
    pub body: Vec<Statement>,
    /// Whether it does it once before it asks: `do { … } while (b)`.
    pub is_late: bool,
}

/// An element in JavaScript; its text is no Markdown.
#[derive(Clone, Debug, PartialEq)]
pub struct Jsx {
    /// Name with dots; empty for a fragment.
    pub name: Rc<str>,
    /// Attributes; one without a name is spread.
    pub attributes: Vec<(Rc<str>, Expr)>,
    /// Children.
    pub children: Vec<Expr>,
}

/// A module: what a page or a file imports, declares and exports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Imports: the local name, the name there (`default`, `*`), and where from.
    pub imports: Vec<(Rc<str>, Rc<str>, Rc<str>)>,
    /// Declarations at the top level, exported or not.
    pub declarations: Vec<(Pattern, Expr)>,
    /// Value of `export default`.
    pub default: Option<Expr>,
    /// Statements that were not understood, by their first words.
    pub faults: Vec<String>,
}
