//! Whether a script can be parsed by recursion on the stack of this process.

/// Maximum size of a script.
const MAX_BYTES: usize = 2 << 20;

/// Deepest nesting of brackets.
const MAX_BRACKETS: usize = 400;

/// Maximum number of signs, at all levels that are open at once, that no separator stands between.
const MAX_CHAIN: usize = 100_000;

/// Maximum number of `else`, each of which nests in the one before.
const MAX_ELSE: usize = 2_000;

/// Returns true if no construct of `text` nests so deep that a parser that recurses needs more than
/// the stack that it gets.
///
/// Brackets are one way to nest. Any other, such as `!!!a` or `a ? b : c ? d : e`, needs a sign for
/// each level and no `;`, `,` or closing brace in between, so the number of signs since the last
/// separator bounds it. Strings and comments are counted too: what they hold is not looked at.
pub(super) fn is_readable(text: &str) -> bool {
    if text.len() > MAX_BYTES || text.matches("else").count() > MAX_ELSE {
        return false;
    }
    // Signs since the last separator, of each open bracket.
    let mut chains = vec![0_usize];
    let mut sum = 0_usize;
    for byte in text.bytes() {
        let Some(chain) = chains.last_mut() else {
            return false;
        };
        match byte {
            b'(' | b'[' | b'{' => {
                chains.push(0);
                if chains.len() > MAX_BRACKETS {
                    return false;
                }
            }
            b')' | b']' | b'}' => {
                if chains.len() > 1 {
                    sum -= chains.pop().unwrap_or(0);
                }
                // A block ends a statement; anything else may go on: `a[0][0]`, `f()()`.
                let is_block = byte == b'}';
                if let Some(chain) = chains.last_mut() {
                    let ended = if is_block { std::mem::take(chain) } else { 0 };
                    sum -= ended;
                    *chain += 1;
                    sum += 1;
                }
            }
            b';' | b',' => sum -= std::mem::take(chain),
            b' ' | b'\n' | b'\r' | b'\t' => {}
            _ => {
                *chain += 1;
                sum += 1;
            }
        }
        if sum > MAX_CHAIN {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_and_nesting_are_bounded() {
        for text in [
            "!", "a=", "a?b:", "a=>", "new ", "a:", "<a>", "`${", "-", "[", "({a:", "if(a)",
        ] {
            assert!(!is_readable(&text.repeat(200_000)), "{text}");
        }
        assert!(!is_readable(&"if(a)b;else ".repeat(3_000)));
        let items = "{text: 'A page', link: '/a'}, ".repeat(20_000);
        assert!(is_readable(&format!("export default [{items}]")));
        assert!(is_readable(")))]]}}};;,,"));
    }
}
