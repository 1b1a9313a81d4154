//! Equality of values as data.

use std::rc::Rc;

use crate::js::eval::Value;

/// Maximum number of values that one comparison looks at.
const MAX_COMPARED: u32 = 20_000;

/// Returns true if both are the same data. What is larger than can be compared is not.
pub(in crate::js) fn same_value(a: &Value, b: &Value) -> bool {
    is_same_within(a, b, &mut MAX_COMPARED.clone())
}

fn is_same_within(a: &Value, b: &Value, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match (a, b) {
        (Value::Array(a), Value::Array(b)) | (Value::Set(a), Value::Set(b)) => {
            Rc::ptr_eq(a, b) || all_same(a, b, budget)
        }
        (Value::Object(a), Value::Object(b)) => Rc::ptr_eq(a, b) || same_members(a, b, budget),
        (Value::Element(a), Value::Element(b)) => {
            let is_alike = a.origin == b.origin && a.name == b.name;
            Rc::ptr_eq(a, b)
                || is_alike
                    && same_members(&a.props, &b.props, budget)
                    && all_same(&a.children, &b.children, budget)
        }
        (Value::Html(a), Value::Html(b)) => a == b,
        _ => a.equals(b),
    }
}

fn all_same(a: &[Value], b: &[Value], budget: &mut u32) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_within(a, b, budget))
}

fn same_members(a: &[(Rc<str>, Value)], b: &[(Rc<str>, Value)], budget: &mut u32) -> bool {
    let mut pairs = a.iter().zip(b);
    a.len() == b.len() && pairs.all(|((a, x), (b, y))| a == b && is_same_within(x, y, budget))
}
