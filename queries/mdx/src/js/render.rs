//! Renders elements: calls components from the outside in, as React does, so that each knows the contexts around it.
//!
//! A component with state is rendered several times: first as it first appears, then with each state that its own
//! handlers and effects lead to, as far as that shows something new. Nothing of it depends on a reader, so the result
//! is the same in every build; `merge.rs` puts the trees together.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::eval::{Fault, Program, Value, is_handler};
use super::merge::{Change, Handler, Tree, same_value};
use super::part::Part;
use super::react::{ContextPart, context, context_part};
use super::values::ElementValue;
use super::{Pattern, StateKey};

/// Maximum number of states of one use of a component that are rendered.
const MAX_RENDERS: usize = 96;
/// Maximum number of steps that all further states on one page take together.
const MAX_STATE_STEPS: u32 = 1_000_000;
/// Maximum number of components of the theme that are noted for one use.
const MAX_PARTS: usize = 96;
/// Deepest nesting of elements and components.
const MAX_ELEMENTS: u32 = 160;

/// States of hooks, in the order in which they were set.
type States = Vec<(StateKey, Value)>;

/// What an evaluation is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The component as it first appears.
    #[default]
    First,
    /// One of its states: handlers and effects are collected.
    State,
    /// A handler or an effect runs.
    Reaction,
}

/// Components that are being rendered, and the states of their hooks.
#[derive(Default)]
pub(super) struct Rendering {
    phase: Cell<Phase>,
    /// Component that is being called, by its path, and number of hooks that it called.
    instance: Cell<u64>,
    hooks: Cell<u32>,
    depth: Cell<u32>,
    /// Values of the contexts around it, innermost last.
    contexts: Cell<Vec<(u64, Value)>>,
    /// States that reactions have set.
    states: Cell<States>,
    /// State of each hook that was called, where nothing was set.
    initial: Cell<States>,
    effects: Cell<Vec<Handler>>,
    /// Whether an element had a handler.
    is_handled: Cell<bool>,
    /// Components of the theme that the states show, each once.
    parts: Cell<Vec<Part>>,
    /// Names of states, and those that nothing has filled.
    names: Cell<Vec<(StateKey, Rc<str>)>>,
    unfilled: Cell<Vec<Rc<str>>>,
    /// State of the hook that was called last.
    latest: Cell<Option<StateKey>>,
    /// Steps that further states may still take.
    spent: Cell<u32>,
    limit: Cell<Option<u32>>,
}

impl std::fmt::Debug for Rendering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rendering")
    }
}

/// Calls `with` on what a cell holds.
fn with_cell<T: Default, R>(cell: &Cell<T>, with: impl FnOnce(&mut T) -> R) -> R {
    let mut value = cell.take();
    let result = with(&mut value);
    cell.set(value);
    result
}

impl Rendering {
    /// Maximum number of steps, which is `usual` for what is rendered once.
    pub(super) fn most_steps(&self, usual: u32) -> u32 {
        self.limit.get().unwrap_or(usual)
    }

    /// Returns true while a handler or an effect runs.
    pub(super) fn is_reacting(&self) -> bool {
        self.phase.get() == Phase::Reaction
    }

    /// Identity of the hook that is called now.
    pub(super) fn next_hook(&self) -> StateKey {
        let hook = self.hooks.get();
        self.hooks.set(hook + 1);
        StateKey {
            instance: self.instance.get(),
            hook,
        }
    }

    /// Returns the value of the context `id` that is provided around the component.
    pub(super) fn context(&self, id: u64) -> Option<Value> {
        with_cell(&self.contexts, |contexts| {
            let found = contexts.iter().rev().find(|(known, _)| *known == id);
            found.map(|(_, value)| value.clone())
        })
    }

    /// Notes the name that a declaration gives to the state of the hook that was called last.
    pub(super) fn name_state(&self, pattern: &Pattern) {
        let latest = self.latest.take();
        if let (Some(key), Pattern::Array(parts)) = (latest, pattern)
            && let Some(Some(Pattern::Name(name))) = parts.first()
        {
            with_cell(&self.names, |names| {
                if !names.iter().any(|(known, _)| *known == key) {
                    names.push((key, name.clone()));
                }
            });
        }
    }

    /// Adds the effect of a hook, which may lead to another state.
    pub(super) fn add_effect(&self, function: Value) {
        if self.phase.get() == Phase::State {
            let path = child_path(self.instance.get(), u64::from(self.hooks.get()) << 32);
            with_cell(&self.effects, |effects| {
                effects.push(Handler {
                    path,
                    function,
                    events: vec![Value::Undefined],
                });
            });
        }
    }
}

/// Path of the child `index` of what is at `path`.
fn child_path(path: u64, index: u64) -> u64 {
    (path.rotate_left(5) ^ (index + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A rendered component.
#[derive(Debug)]
pub struct Rendered {
    /// Elements of the theme and of HTML, with everything that any state shows.
    pub value: Value,
    /// What it shows at first, if its states show more.
    pub first: Option<Value>,
    /// Whether it calls a hook or handles an event: in a browser it does more than to be shown.
    pub is_live: bool,
    /// Components of the theme that it shows in any state, if it is live.
    pub parts: Vec<Part>,
    /// Names of states without content that nothing fills while it is rendered: answers from elsewhere.
    pub unfilled: Vec<Rc<str>>,
}

impl Rendered {
    /// A value that holds no component.
    pub fn of(value: Value) -> Self {
        Self {
            value,
            first: None,
            is_live: false,
            parts: Vec::new(),
            unfilled: Vec::new(),
        }
    }
}

impl Program {
    /// Renders the value that `first` returns, and that of its further states.
    pub fn render(&self, first: impl Fn() -> Result<Value, Fault>) -> Result<Rendered, Fault> {
        self.take_hook();
        self.rendering.is_handled.set(false);
        let value = self.complete(&first)?;
        let hook = self.take_hook();
        let is_live = hook.is_some() || self.rendering.is_handled.take();
        if is_live {
            self.note_parts(&value);
        }
        let merged = hook.and_then(|_| self.all_states(&first));
        let (value, first) = match merged {
            Some(merged) => (merged, Some(value)),
            None => (value, None),
        };
        Ok(Rendered {
            value,
            first,
            is_live,
            parts: self.rendering.parts.take(),
            unfilled: self.rendering.unfilled.take(),
        })
    }

    /// Notes the components of the theme in `value`.
    fn note_parts(&self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.note_parts(item)),
            Value::Element(element) if element.is_of_theme() => {
                with_cell(&self.rendering.parts, |parts| {
                    for part in Part::of(element) {
                        let is_known = parts.iter().any(|known| known.key == part.key);
                        if !is_known && parts.len() < MAX_PARTS {
                            parts.push(part);
                        }
                    }
                });
                element
                    .children
                    .iter()
                    .for_each(|child| self.note_parts(child));
            }
            Value::Element(element) => element
                .children
                .iter()
                .for_each(|child| self.note_parts(child)),
            _ => {}
        }
    }

    /// The state of the hook `key`.
    pub(super) fn state(
        &self,
        key: StateKey,
        initial: impl Fn() -> Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        let initial = initial()?;
        with_cell(&self.rendering.initial, |states| {
            set(states, key, initial.clone());
        });
        self.rendering.latest.set(Some(key));
        let known = with_cell(&self.rendering.states, |states| get(states, key));
        Ok(known.unwrap_or(initial))
    }

    /// Sets the state of the hook `key`, in a reaction. A function is called with the state before.
    pub(super) fn set_state(&self, key: StateKey, value: Value) -> Result<(), Fault> {
        if !self.rendering.is_reacting() {
            return Ok(());
        }
        let value = match value {
            function @ Value::Function(..) => {
                let before = with_cell(&self.rendering.states, |states| get(states, key));
                let before = before
                    .or_else(|| with_cell(&self.rendering.initial, |states| get(states, key)));
                self.call(&function, vec![before.unwrap_or(Value::Undefined)])?
            }
            value => value,
        };
        with_cell(&self.rendering.states, |states| set(states, key, value));
        Ok(())
    }

    fn complete(&self, first: &impl Fn() -> Result<Value, Fault>) -> Result<Value, Fault> {
        self.rendering.instance.set(0);
        self.rendering.hooks.set(0);
        self.rendering.contexts.take();
        let value = first()?;
        Ok(self.resolve_elements(&value, 1)?.unwrap_or(value))
    }

    /// Elements of the theme and of HTML instead of components; `None` if `value` holds no element that changes.
    fn resolve_elements(&self, value: &Value, path: u64) -> Result<Option<Value>, Fault> {
        match value {
            Value::Element(element) => self.resolved_element(element, path),
            Value::Array(items) => {
                let items = self.resolved_all(items.iter(), path)?;
                Ok(items.map(|items| Value::Array(items.into())))
            }
            Value::Object(members) => {
                let values = self.resolved_all(members.iter().map(|(_, value)| value), path)?;
                Ok(values.map(|values| {
                    let names = members.iter().map(|(name, _)| name.clone());
                    Value::Object(names.zip(values).collect::<Vec<_>>().into())
                }))
            }
            _ => Ok(None),
        }
    }

    fn resolved_all<'a>(
        &self,
        values: impl Iterator<Item = &'a Value> + Clone,
        path: u64,
    ) -> Result<Option<Vec<Value>>, Fault> {
        self.nested(|| {
            let mut changed: Option<Vec<Value>> = None;
            for (at, value) in values.clone().enumerate() {
                let resolved = self.resolve_elements(value, child_path(path, at as u64))?;
                match (&mut changed, resolved) {
                    (Some(changed), resolved) => {
                        changed.push(resolved.unwrap_or_else(|| value.clone()));
                    }
                    (None, Some(resolved)) => {
                        let before = values.clone().take(at).cloned();
                        changed = Some(before.chain([resolved]).collect());
                    }
                    (None, None) => {}
                }
            }
            Ok(changed)
        })
    }

    fn nested<T>(&self, resolve: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        self.spend(1)?;
        let depth = self.rendering.depth.get();
        if depth >= MAX_ELEMENTS {
            return Err("an expression that calls too deep".to_owned());
        }
        self.rendering.depth.set(depth + 1);
        let result = resolve();
        self.rendering.depth.set(depth);
        result
    }

    fn resolved_element(
        &self,
        element: &Rc<ElementValue>,
        path: u64,
    ) -> Result<Option<Value>, Fault> {
        let Some(component) = &element.component else {
            return self.resolved_native(element, path);
        };
        self.nested(|| {
            let value = match context_part(component) {
                None => self.call_component(component, element, path)?,
                Some(ContextPart::Consumer) => {
                    let value = context(component)
                        .map(|(id, default)| self.rendering.context(id).unwrap_or(default));
                    let child = element
                        .children
                        .first()
                        .cloned()
                        .unwrap_or(Value::Undefined);
                    self.call(&child, vec![value.unwrap_or(Value::Undefined)])?
                }
                Some(ContextPart::Provider) => {
                    let id = context(component).map_or(0, |(id, _)| id);
                    let value = element.prop("value").cloned().unwrap_or(Value::Undefined);
                    with_cell(&self.rendering.contexts, |contexts| {
                        contexts.push((id, value));
                    });
                    let children = Value::Array(element.children.clone().into());
                    let resolved = self.resolve_elements(&children, path);
                    with_cell(&self.rendering.contexts, Vec::pop);
                    return Ok(Some(resolved?.unwrap_or(children)));
                }
            };
            let resolved = self.resolve_elements(&value, child_path(path, 0))?;
            Ok(Some(resolved.unwrap_or(value)))
        })
    }

    fn call_component(
        &self,
        component: &Value,
        element: &ElementValue,
        path: u64,
    ) -> Result<Value, Fault> {
        let outer = (
            self.rendering.instance.replace(path),
            self.rendering.hooks.replace(0),
        );
        let value = self.call(component, vec![Value::Object(element.all_props().into())]);
        self.rendering.instance.set(outer.0);
        self.rendering.hooks.set(outer.1);
        value
    }

    /// An element that is no component: handlers are kept only to be run.
    fn resolved_native(
        &self,
        element: &Rc<ElementValue>,
        path: u64,
    ) -> Result<Option<Value>, Fault> {
        let keeps_handlers = self.rendering.phase.get() == Phase::State;
        let stays = |name: &str| keeps_handlers || !is_handler(name);
        if element.props.iter().any(|(name, _)| is_handler(name)) {
            self.rendering.is_handled.set(true);
        }
        let has_handlers = element.props.iter().any(|(name, _)| !stays(name));
        let props = element.props.iter().filter(|(name, _)| stays(name));
        let values =
            self.resolved_all(props.clone().map(|(_, value)| value), child_path(path, 1))?;
        let children = self.resolved_all(element.children.iter(), child_path(path, 2))?;
        if !has_handlers && values.is_none() && children.is_none() {
            return Ok(None);
        }
        let props = match values {
            Some(values) => props.map(|(name, _)| name.clone()).zip(values).collect(),
            None => props.cloned().collect(),
        };
        let element = ElementValue {
            name: element.name.clone(),
            component: None,
            origin: element.origin,
            snippet: element.snippet,
            props,
            children: children.unwrap_or_else(|| element.children.clone()),
        };
        Ok(Some(Value::Element(element.into())))
    }

    /// Everything that any state shows; `None` if that is what is shown at first.
    fn all_states(&self, first: &impl Fn() -> Result<Value, Fault>) -> Option<Value> {
        let steps = self.steps.get();
        let rendering = &self.rendering;
        let left = MAX_STATE_STEPS.saturating_sub(rendering.spent.get());
        rendering.limit.set(Some(steps.saturating_add(left)));
        let merged = self.explored(first);
        let spent = self.steps.replace(steps).saturating_sub(steps);
        rendering
            .spent
            .set(rendering.spent.get().saturating_add(spent));
        rendering.limit.set(None);
        rendering.phase.set(Phase::First);
        rendering.states.take();
        rendering.initial.take();
        rendering.effects.take();
        rendering.names.take();
        self.take_hook();
        merged
    }

    fn explored(&self, first: &impl Fn() -> Result<Value, Fault>) -> Option<Value> {
        let (value, effects) = self.in_state(first, &States::new()).ok()?;
        let mut tree = Tree::new(&value, 1);
        let mut seen = vec![States::new()];
        let mut reactions = tree.handlers();
        reactions.extend(effects);
        let mut queue = VecDeque::from([(States::new(), reactions)]);
        let mut renders = 0;
        while let Some((states, reactions)) = queue.pop_front() {
            for handler in &reactions {
                for event in &handler.events {
                    if renders >= MAX_RENDERS {
                        return tree.into_value();
                    }
                    let next = self.reacted(handler, event, &states);
                    let known = seen.iter().any(|known| same_states(known, &next));
                    if known {
                        continue;
                    }
                    renders += 1;
                    let trigger = Some((handler.path, &states));
                    let further = self.merge_state(first, &mut tree, &next, trigger);
                    seen.push(next.clone());
                    if let Some((grafted, all)) = further {
                        let again = all.into_iter().filter(|one| one.path == handler.path);
                        queue.push_back((next, grafted.into_iter().chain(again).collect()));
                    }
                }
            }
            if !queue.is_empty() {
                continue;
            }
            // What only a key, a timer or an answer from elsewhere changes is rendered as it would be then.
            let initial = with_cell(&self.rendering.initial, |states| states.clone());
            let untried = initial.iter().find_map(|(key, value)| match value {
                Value::Bool(value) if !seen.iter().any(|states| get(states, *key).is_some()) => {
                    Some(vec![(*key, Value::Bool(!value))])
                }
                _ => None,
            });
            if let (Some(next), true) = (untried, renders < MAX_RENDERS) {
                renders += 1;
                let further = self.merge_state(first, &mut tree, &next, None);
                seen.push(next.clone());
                let grafted = further.map(|(grafted, _)| grafted);
                queue.push_back((next, grafted.unwrap_or_default()));
            }
        }
        self.note_unfilled(&seen);
        tree.into_value()
    }

    /// Notes the states that hold nothing at first and were never set.
    fn note_unfilled(&self, seen: &[States]) {
        let rendering = &self.rendering;
        let names = rendering.names.take();
        let initial = with_cell(&rendering.initial, |states| states.clone());
        let unfilled = initial.iter().filter(|(key, value)| {
            let is_empty = match value {
                Value::Undefined | Value::Null => true,
                Value::Array(items) => items.is_empty(),
                _ => false,
            };
            is_empty && !seen.iter().any(|states| get(states, *key).is_some())
        });
        let unfilled = unfilled.filter_map(|(key, _)| {
            let named = names.iter().find(|(known, _)| known == key)?;
            Some(named.1.clone())
        });
        let mut unfilled: Vec<Rc<str>> = unfilled.collect();
        unfilled.sort();
        unfilled.dedup();
        rendering.unfilled.set(unfilled);
    }

    /// Renders the component with `states`; also returns the effects of its hooks.
    fn in_state(
        &self,
        first: &impl Fn() -> Result<Value, Fault>,
        states: &States,
    ) -> Result<(Value, Vec<Handler>), Fault> {
        let rendering = &self.rendering;
        rendering.phase.set(Phase::State);
        rendering.states.set(states.clone());
        rendering.effects.take();
        let value = self.complete(first)?;
        self.note_parts(&value);
        Ok((value, rendering.effects.take()))
    }

    /// The states that `handler` leads to. What it did before it failed counts.
    fn reacted(&self, handler: &Handler, event: &Value, states: &States) -> States {
        let rendering = &self.rendering;
        rendering.phase.set(Phase::Reaction);
        rendering.states.set(states.clone());
        let _ = self.call(&handler.function, vec![event.clone()]);
        rendering.phase.set(Phase::State);
        rendering.states.take()
    }

    /// Merges what the component shows in `states`; returns the handlers of what is new, and all of them.
    fn merge_state(
        &self,
        first: &impl Fn() -> Result<Value, Fault>,
        tree: &mut Tree,
        states: &States,
        trigger: Option<(u64, &States)>,
    ) -> Option<(Vec<Handler>, Vec<Handler>)> {
        let (value, effects) = self.in_state(first, states).ok()?;
        let other = Tree::new(&value, 1);
        let mut all = other.handlers();
        all.extend(effects);
        let initial = with_cell(&self.rendering.initial, |states| states.clone());
        // What differs from the states `before`.
        let changed = |before: &States| -> Vec<(Value, Value)> {
            let changed = states.iter().filter_map(|(key, value)| {
                let before = get(before, *key).or_else(|| get(&initial, *key))?;
                (!same_value(&before, value)).then(|| (before, value.clone()))
            });
            changed.collect()
        };
        let mut change = Change::new(&changed(&States::new()));
        if let Some((path, before)) = trigger {
            change.set_trigger(path, &changed(before));
        }
        let grafted = tree.merge(other, change)?;
        Some((grafted, all))
    }
}

fn same_states(a: &States, b: &States) -> bool {
    let is_in = |(key, value): &(StateKey, Value)| {
        get(b, *key).is_some_and(|other| same_value(value, &other))
    };
    a.len() == b.len() && a.iter().all(is_in)
}

fn get(states: &States, key: StateKey) -> Option<Value> {
    let found = states.iter().find(|(known, _)| *known == key);
    found.map(|(_, value)| value.clone())
}

fn set(states: &mut States, key: StateKey, value: Value) {
    match states.iter_mut().find(|(known, _)| *known == key) {
        Some((_, known)) => *known = value,
        None => states.push((key, value)),
    }
}
