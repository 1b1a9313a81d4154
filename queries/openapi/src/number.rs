//! Arithmetic of numbers as they are written: exact where 38 digits are enough, else as floats.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// `mantissa` times ten to the power of `exponent`.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    mantissa: i128,
    exponent: i32,
}

impl Decimal {
    fn of(number: &Number) -> Option<Self> {
        let text = number.as_str();
        if let Ok(whole) = text.parse::<i64>() {
            return Some(Self {
                mantissa: whole.into(),
                exponent: 0,
            });
        }
        let (digits, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let mantissa = format!("{whole}{fraction}").parse::<i128>().ok()?;
        let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        if mantissa == 0 {
            return Some(Self {
                mantissa,
                exponent: 0,
            });
        }
        Some(Self { mantissa, exponent })
    }

    /// The mantissas of both at the smaller exponent, and that exponent.
    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        let scaled = |one: Self| {
            let by = u32::try_from(one.exponent - exponent).ok()?;
            one.mantissa.checked_mul(10i128.checked_pow(by)?)
        };
        Some((scaled(self)?, scaled(other)?, exponent))
    }

    fn number(self) -> Option<Number> {
        let (mut mantissa, mut exponent) = (self.mantissa, self.exponent);
        while exponent > 0 {
            mantissa = mantissa.checked_mul(10)?;
            exponent -= 1;
        }
        while exponent < 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        if exponent == 0
            && let Ok(whole) = i64::try_from(mantissa)
        {
            return Some(Number::from(whole));
        }
        let mut text = mantissa.unsigned_abs().to_string();
        if exponent < 0 {
            let places = usize::try_from(-exponent)
                .ok()
                .filter(|places| *places < 60)?;
            while text.len() <= places {
                text.insert(0, '0');
            }
            text.insert(text.len() - places, '.');
        }
        if mantissa < 0 {
            text.insert(0, '-');
        }
        of_text(&text)
    }
}

/// The number that a text writes, with its digits kept.
pub fn of_text(text: &str) -> Option<Number> {
    match serde_json::from_str(text) {
        Ok(Value::Number(number)) => Some(number),
        _ => None,
    }
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(0.0)
}

/// The order of two numbers.
pub fn compare(a: &Number, b: &Number) -> Ordering {
    let exact = Decimal::of(a).zip(Decimal::of(b));
    match exact.and_then(|(a, b)| a.aligned(b)) {
        Some((a, b, _)) => a.cmp(&b),
        None => float(a).total_cmp(&float(b)),
    }
}

/// Returns true if a number has no fraction; `1.0` has none.
pub fn is_integer(number: &Number) -> bool {
    match Decimal::of(number) {
        Some(Decimal { mantissa, exponent }) if exponent < 0 => {
            let scale = 10i128.checked_pow(exponent.unsigned_abs());
            scale.is_some_and(|scale| mantissa % scale == 0)
        }
        Some(_) => true,
        None => float(number).fract() == 0.0,
    }
}

/// Returns true if `number` is a multiple of `step`.
pub fn is_multiple(number: &Number, step: &Number) -> bool {
    let exact = Decimal::of(number).zip(Decimal::of(step));
    match exact.and_then(|(a, b)| a.aligned(b)) {
        Some((_, 0, _)) => true,
        Some((a, b, _)) => a % b == 0,
        None => (float(number) / float(step)).fract() == 0.0,
    }
}

/// `a + b`.
pub fn add(a: &Number, b: &Number) -> Option<Number> {
    let (x, y, exponent) = Decimal::of(a)?.aligned(Decimal::of(b)?)?;
    let mantissa = x.checked_add(y)?;
    Decimal { mantissa, exponent }.number()
}

/// Half of `a + b`.
pub fn middle(a: &Number, b: &Number) -> Option<Number> {
    let (x, y, exponent) = Decimal::of(a)?.aligned(Decimal::of(b)?)?;
    let mantissa = x.checked_add(y)?.checked_mul(5)?;
    let exponent = exponent.checked_sub(1)?;
    Decimal { mantissa, exponent }.number()
}

/// The multiple of `step` that is nearest to `target` within the limits, the greater of two.
///
/// A limit is a number with whether it is excluded.
pub fn nearest_multiple(
    target: &Number,
    step: &Number,
    min: Option<(&Number, bool)>,
    max: Option<(&Number, bool)>,
) -> Option<Number> {
    let step = Decimal::of(step)?;
    let in_steps = |number: &Number, round: Round| {
        let (number, step, _) = Decimal::of(number)?.aligned(step)?;
        let (whole, rest) = (number.div_euclid(step), number.rem_euclid(step));
        Some(match round {
            Round::Down => whole,
            Round::Up => whole + i128::from(rest != 0),
            Round::Nearest => whole + i128::from(rest * 2 >= step),
            Round::Below => whole - i128::from(rest == 0),
            Round::Above => whole + 1,
        })
    };
    let mut count = in_steps(target, Round::Nearest)?;
    let lowest = match min {
        Some((min, true)) => Some(in_steps(min, Round::Above)?),
        Some((min, false)) => Some(in_steps(min, Round::Up)?),
        None => None,
    };
    let highest = match max {
        Some((max, true)) => Some(in_steps(max, Round::Below)?),
        Some((max, false)) => Some(in_steps(max, Round::Down)?),
        None => None,
    };
    if let Some(lowest) = lowest {
        count = count.max(lowest);
    }
    if let Some(highest) = highest {
        count = count.min(highest);
        if lowest.is_some_and(|lowest| lowest > highest) {
            return None;
        }
    }
    let mantissa = count.checked_mul(step.mantissa)?;
    Decimal {
        mantissa,
        exponent: step.exponent,
    }
    .number()
}

#[derive(Clone, Copy)]
enum Round {
    Down,
    Up,
    Nearest,
    Below,
    Above,
}

/// The least common multiple of two numbers greater than 0.
pub fn common_multiple(a: &Number, b: &Number) -> Option<Number> {
    let (x, y, exponent) = Decimal::of(a)?.aligned(Decimal::of(b)?)?;
    let (mut m, mut n) = (x, y);
    while n != 0 {
        (m, n) = (n, m % n);
    }
    let mantissa = (x / m).checked_mul(y)?;
    Decimal { mantissa, exponent }.number()
}

/// Returns true if two JSON values are equal, numbers by their value.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b).is_eq(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Number {
        of_text(text).unwrap()
    }

    #[test]
    fn numbers_are_compared_as_written() {
        assert_eq!(
            compare(&n("9007199254740993"), &n("9007199254740992")),
            Ordering::Greater
        );
        assert_eq!(compare(&n("1e2"), &n("100.0")), Ordering::Equal);
        assert_eq!(compare(&n("-0.1"), &n("0")), Ordering::Less);
        assert!(is_integer(&n("1.0")) && is_integer(&n("1e3")) && !is_integer(&n("0.10")));
        assert!(is_multiple(&n("0.3"), &n("0.1")) && !is_multiple(&n("0.35"), &n("0.1")));
    }

    #[test]
    fn multiples_move_into_range() {
        let near = |step, min: Option<(&str, bool)>, max: Option<(&str, bool)>| {
            let (min, max) = (min.map(|(t, e)| (n(t), e)), max.map(|(t, e)| (n(t), e)));
            let min = min.as_ref().map(|(n, e)| (n, *e));
            let max = max.as_ref().map(|(n, e)| (n, *e));
            nearest_multiple(&n("1"), &n(step), min, max).map(|n| n.to_string())
        };
        assert_eq!(near("5", Some(("0", true)), None).as_deref(), Some("5"));
        assert_eq!(
            near("1", Some(("10", false)), Some(("12", false))).as_deref(),
            Some("10")
        );
        assert_eq!(near("1", None, Some(("0", true))).as_deref(), Some("-1"));
        assert_eq!(near("0.25", None, None).as_deref(), Some("1"));
        assert_eq!(near("2", None, None).as_deref(), Some("2"));
        assert_eq!(near("1", Some(("2", true)), Some(("3", true))), None);
        assert_eq!(middle(&n("1"), &n("2")).unwrap().to_string(), "1.5");
        assert_eq!(
            common_multiple(&n("0.4"), &n("6")).unwrap().to_string(),
            "6"
        );
    }
}
