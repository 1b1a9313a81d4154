//! Values of expressions, what has none, and what would never end.

use super::*;
use crate::js::parse;

#[track_caller]
fn check_value(source: &str, expected: &str) {
    let module = parse::module(
        "export const list = [1, 2, 3]\nexport const user = { name: 'Ada', tags: ['x'] };\nconst twice = (n) => n * 2\nfunction greet({ name, mark = '!' }) {\n  const whole = `Hi ${name}`;\n  if (mark === '?') return whole;\n  return whole + mark;\n}\nconst names = (props) => {\n  let names;\n  let mark = '+'\n  if (props.list) {\n    names = props.list.split(/, */)\n  } else if (!props.list) { names = ['no']; names = names.concat('body'); mark = '' }\n  return names.join(mark)\n}\nconst shadowed = (n) => { let a = n; if (n) { let a = 0; a = 5 } return a }",
    );
    assert!(module.faults.is_empty(), "{:?}", module.faults);
    let mut program = Program::default();
    program.modules.push(LoadedModule {
        module,
        ..LoadedModule::default()
    });
    let value =
        parse::expression(source).and_then(|expr| program.eval(&expr, &Scope::of_module(0)));
    let shown = match value {
        Ok(value) => value
            .to_text()
            .map_or_else(|fault| fault, |text| text.to_string()),
        Err(fault) => format!("needs {fault}"),
    };
    assert_eq!(shown, expected, "{source}");
}

#[test]
fn what_is_known_when_the_site_is_built_has_a_value() {
    for (source, expected) in [
        ("1 + 2 * 3", "7"),
        ("'a' + 1", "a1"),
        ("`x${1 + 1}y`", "x2y"),
        ("user.name", "Ada"),
        ("user?.nope?.deeper", "undefined"),
        (r"'a1  b2'.split(/\s+/).join('|')", "a1|b2"),
        (r"'a1b2'.replace(/[a-z/]/g, '<$&>')", "<a>1<b>2"),
        (r"'a-b'.replace(/(\w)-(\w)/, '$2$$$1')", "b$a"),
        ("'ab'.replace(/B/i, (found) => found + '!')", "ab!"),
        ("/^a/.test('ba')", "false"),
        ("'x'.match(/y/) || 'none'", "none"),
        ("4 / 2 / 1", "2"),
        ("names({ list: 'a, b' })", "a+b"),
        ("names({})", "nobody"),
        ("useState(() => 2)[0] + React.useMemo(() => 3)", "5"),
        (
            "(() => { const [n] = useState(1); useEffect(async () => { await x }, []); const go = async () => new X(); return n })()",
            "1",
        ),
        ("shadowed(1)", "1"),
        ("user.tags[0] ?? 'none'", "x"),
        ("list.length > 2 ? 'many' : 'few'", "many"),
        ("list.map((n, i) => n * i).join('-')", "0-2-6"),
        ("list.filter(n => n !== 2).map(twice)", "2,6"),
        ("[...list, 4].slice(-2)", "3,4"),
        ("greet(user)", "Hi Ada!"),
        ("greet({ ...user, mark: '?' })", "Hi Ada"),
        ("Object.keys(user).join()", "name,tags"),
        ("['', 'a'].filter(Boolean)", "a"),
        ("true && null", "null"),
        ("Math.max(...list)", "3"),
        ("JSON.stringify({ a: [1, 'x'] })", "{\"a\":[1,\"x\"]}"),
        ("(() => { const { name: n } = user; return n })()", "Ada"),
        (
            "(() => { const { useState } = React; const [n] = useState(4); return n })()",
            "4",
        ),
        ("typeof window === 'undefined' && typeof list", "object"),
        ("list.reduce((sum, n) => sum + n, 0)", "6"),
        ("list.reduce((a, n) => a + '-' + n)", "1-2-3"),
        ("list.reduceRight((a, n) => [...a, n], [])", "3,2,1"),
        ("[10, 9, 1].sort()", "1,10,9"),
        ("[10, 9, 1].sort((a, b) => a - b)", "1,9,10"),
        (
            "['b', 'A', 'a', 'C'].toSorted((a, b) => a.localeCompare(b))",
            "A,a,b,C",
        ),
        ("list.sort(() => 1)", "3,2,1"),
        ("Array.from({ length: 3 }, (_, i) => i * 2)", "0,2,4"),
        ("Array.from('abc').toReversed()", "c,b,a"),
        (
            "JSON.stringify(Object.fromEntries(Object.entries({ a: 1, b: 2 }).map(([k, v]) => [k, v * 2])))",
            "{\"a\":2,\"b\":4}",
        ),
        (
            "JSON.stringify(Object.assign({}, { a: 1, b: 2 }, { a: 3 }))",
            "{\"a\":3,\"b\":2}",
        ),
        ("(1234567.8911).toLocaleString()", "1,234,567.891"),
        ("(-999).toLocaleString() + (0).toLocaleString()", "-9990"),
        ("Math.pow(2, 10) + Math.trunc(-1.5) + Math.sign(-3)", "1022"),
        (
            "isNaN('x') && encodeURI('https://a.b/c d?e=ä')",
            "https://a.b/c%20d?e=%C3%A4",
        ),
        ("btoa('key:')", "a2V5Og=="),
        ("!list.includes(9)", "true"),
        (
            "(() => { const all = []; for (const n of list) { if (n === 2) continue; all.push(n, -n) } return all })()",
            "1,-1,3,-3",
        ),
        (
            "(() => { let s = ''; for (let i = 0, n = 3; i < n; i++) s += i; return s })()",
            "012",
        ),
        (
            "(() => { let n = 3, s = 0; while (true) { s += n--; if (n <= 0) break } do { s *= 2 } while (s < 20); return s + ',' + n })()",
            "24,0",
        ),
        (
            "(() => { const by = {}; ['ax', 'b', 'ay'].forEach((w) => { (by[w[0]] = by[w[0]] || []).push(w) }); return JSON.stringify(by) })()",
            r#"{"a":["ax","ay"],"b":["b"]}"#,
        ),
        (
            "(() => { const by = new Map(); for (const w of ['ax', 'b', 'ay']) { if (!by.has(w[0])) by.set(w[0], []); by.get(w[0]).push(w) } return [...by].map(([k, v]) => k + v.length) + '' + by.size })()",
            "a2,b12",
        ),
        (
            "(() => { const seen = new Set([1, 2, 2]); seen.add(3); seen.delete(1); return [...seen, seen.size, seen.has(3)] })()",
            "2,3,2,true",
        ),
        (
            "(() => { const name = (n) => { switch (n) { case 1: return 'one'; case 2: { return 'two' } default: break } return 'many' }; return list.map(name) })()",
            "one,two,many",
        ),
        (
            "(() => { const a = [3, 1, 2]; a.sort(); a.reverse(); const cut = a.splice(1, 1, 7, 8); const last = a.pop(); a.unshift(a.shift() + 1); a[0] += 1; return [a, cut, last] })()",
            "5,7,8,2,1",
        ),
        (
            "(() => { let out = ''; try { for (const k in user) out += k + ' ' } catch (e) { out = 'no' } finally { out += '.' } return out })()",
            "name tags .",
        ),
        (
            "(() => { const made = () => { const rows = []; rows.push(1); return rows }; const rows = made(); rows.push(2); return rows })()",
            "1,2",
        ),
        (
            "(() => { const found = []; const collect = (to, n) => { to.push(n); if (n) collect(to, n - 1) }; collect(found, 2); let all = found; const less = (all) => { all = all.filter((n) => n); return all }; return less(found) + '|' + found })()",
            "2,1|2,1,0",
        ),
        (
            "(() => { const tree = { name: 'a', below: [{ name: 'b', below: [{ name: 'c' }] }, { name: 'd' }] }; function walk({ name, below = [] }) { return name + below.map((one) => walk(one)).join('') } return walk(tree) })()",
            "abcd",
        ),
        (
            "(() => { let n = 0; const more = () => { n += 1 }; more(); more(); return n })()",
            "2",
        ),
        (
            r"(() => { let out = ''; for (const [i, c] of ['a', 'b'].entries()) out += i + c; return out })()",
            "0a1b",
        ),
        (
            r"'É'.normalize('NFD').length + 'ﬁ'.normalize('NFKC') + ['a', 'b', 'a'].lastIndexOf('a') + 'abab'.lastIndexOf('ab') + 'A'.charCodeAt(0)",
            "2fi2265",
        ),
        (
            "(() => { console.log('x'); return String.fromCharCode(65 + 1, 67) })()",
            "BC",
        ),
        ("1 < 2 && 2 >= 2", "true"),
    ] {
        check_value(source, expected);
    }
}

#[test]
fn what_is_not_known_names_its_construct() {
    for (source, expected) in [
        (
            "useContext(0)",
            "needs the hook `useContext` of what is no context",
        ),
        ("new Date()", "needs `new Date`"),
        ("new Intl.X().y(1)", "needs `new`"),
        (
            "(() => { const a = []; const b = a; b.push(1); return a })()",
            "needs a change of what has two names",
        ),
        (
            "(() => { const a = []; a.push(a); return a })()",
            "needs a change of what has two names",
        ),
        (
            "(() => { const a = {}; a.b = { a }; return a })()",
            "needs a change of what has two names",
        ),
        ("list.push(4)", "needs `push` of an array"),
        (
            "(() => { const a = []; a[9] = 1 })()",
            "needs a change beyond an array",
        ),
        ("fetch('/x')", "needs `fetch`, which is not defined here"),
        ("window.x", "needs `window`, which is not defined here"),
        (
            "(() => {\n list = 2\n return list })()",
            "needs a change of `list`, which is not of the function",
        ),
        ("[].reduce((a, b) => a)", "needs `reduce` of an empty array"),
        (
            "list.sort((a, b) => nope)",
            "needs `nope`, which is not defined here",
        ),
        (
            "Array.from({ length: 1e9 })",
            "needs an array that is too long",
        ),
        ("btoa('€')", "needs `btoa` of letters beyond Latin-1"),
        ("user.nope.deeper", "needs `deeper` of undefined"),
    ] {
        check_value(source, expected);
    }
}

#[test]
fn nothing_loops_for_long() {
    check_value("(function f() { return f() })", "function as text");
    let module = parse::module(
        "const f = (n) => f(n + 1)\nconst g = () => [1,2,3,4,5,6,7,8,9,10].map(h)\nconst h = () => g()\nconst loops = () => { for (;;) {} }\nconst grows = () => { let a = [1]; while (true) a = [...a, ...a] }\nconst writes = () => { let s = 'x'; const all = []; while (true) { s = s + s.slice(0, 99999); all.push(s) } }\nconst nests = () => { let a = () => 1; while (true) { const b = a; a = () => b } }\nconst boxes = () => { let a = 1; while (true) a = [a] }\nconst folds = () => Array.from({ length: 9999 }).reduce((a) => [a], 0)\nconst hides = () => { let a = 1, b = 1; while (true) { a = [b, [[b]]]; b = a } }\nconst fills = () => { const all = new Set(); let n = 0; while (true) all.add(n++) }",
    );
    assert!(module.faults.is_empty(), "{:?}", module.faults);
    let mut program = Program::default();
    program.modules.push(LoadedModule {
        module,
        ..LoadedModule::default()
    });
    for source in [
        "f(0)", "g()", "loops()", "grows()", "writes()", "nests()", "boxes()", "folds()",
        "hides()", "fills()",
    ] {
        program.steps.set(0);
        let expr = parse::expression(source).unwrap();
        assert!(program.eval(&expr, &Scope::of_module(0)).is_err());
    }
    // What is changed is read twice: once in it is enough.
    let _ = parse::expression(&format!("{}3", "-".repeat(96)));
    let _ = parse::expression(&format!("{}a", "++".repeat(46)));
    for change in ["++", " += 1", " ||= 1"] {
        let nested = format!("{}0{}", "a[".repeat(22), format!("]{change}").repeat(22));
        let _ = parse::expression(&nested);
    }
    assert!(parse::expression(&"(".repeat(100_000)).is_err());
    assert!(parse::expression(&"<a>".repeat(100_000)).is_err());
}

/// Numbers that look random and are the same each time (Knuth, MMIX).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, most: u64) -> u64 {
        self.0 = (self.0.wrapping_mul(6_364_136_223_846_793_005))
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn name(&mut self) -> &'static str {
        ["a", "b", "c", "f", "g"][self.roll(5) as usize]
    }

    fn expr(&mut self, depth: u32) -> String {
        let name = self.name();
        if depth == 0 {
            return match self.roll(5) {
                0 => self.roll(100).to_string(),
                1 => "'text'".to_owned(),
                _ => name.to_owned(),
            };
        }
        let (one, two) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.roll(16) {
            0 => format!("[{one}, ...{two}]"),
            1 => format!("{{ x: {one}, ...{two} }}"),
            2 => format!("{name}.push({one})"),
            3 => format!("{name}.map((b) => {one})"),
            4 => format!("{name}.reduce((c, n) => {one}, {two})"),
            5 => format!("{name}[{one}]"),
            6 => format!("({name} = {one})"),
            7 => format!("{name}({one}, {two})"),
            8 => format!("{one} + {two}"),
            9 => format!("({name}.x = {one})"),
            10 => format!("new Set({one})"),
            11 => format!("new Map([[{one}, {two}]])"),
            12 => format!("{name}.get({one}).push({two})"),
            13 => format!("({one} ? {two} : {name}++)"),
            14 => format!("{name}.splice({one}, 1, {two})"),
            _ => format!("<a b={{{one}}}>{{{two}}}</a>"),
        }
    }

    fn statements(&mut self, depth: u32) -> String {
        let mut out = String::new();
        for _ in 0..=self.roll(4) {
            let (name, expr) = (self.name(), self.expr(2));
            let body = match depth {
                0 => "break;".to_owned(),
                _ => self.statements(depth - 1),
            };
            out += &match self.roll(10) {
                0 => format!("let {name} = {expr};"),
                1 => format!("const {name} = (a, b) => {{ {body} }};"),
                2 => format!("for (const {name} of {expr}) {{ {body} }}"),
                3 => format!("for (let i = 0; i < {expr}; i++) {{ {body} }}"),
                4 => format!("while ({expr}) {{ {body} }}"),
                5 => format!("if ({expr}) {{ {body} }} else {name} += {expr};"),
                6 => format!("switch ({expr}) {{ case 1: {body} default: {name}--; }}"),
                7 => format!("return {expr};"),
                8 => format!("function {name}(c) {{ {body} return {name}(c) }}"),
                _ => format!("{expr};"),
            };
        }
        out
    }
}

#[test]
fn programs_of_any_kind_end() {
    let rounds = 1500;
    let mut ended = 0;
    for round in 0..rounds {
        let body = Dice(round).statements(3);
        let source = format!(
            "(() => {{ let a = [1, 2], b = {{ x: [] }}, c = 3; const f = (c) => a, g = (a) => a.push(c); {body} }})()"
        );
        let Ok(expr) = parse::expression(&source) else {
            continue;
        };
        let mut program = Program::default();
        program.modules.push(LoadedModule::default());
        if let Ok(value) = program.eval(&expr, &Scope::of_module(0)) {
            ended += 1;
            let _ = value.to_text();
        }
        // Nothing is left that holds itself.
        let changed = program.changed.0.take();
        let weak: Vec<_> = changed.iter().map(std::rc::Rc::downgrade).collect();
        program.changed.0.set(changed);
        drop(program);
        assert!(
            weak.iter().all(|local| local.upgrade().is_none()),
            "{source}"
        );
    }
    assert!(ended * 20 > rounds, "{ended} of {rounds} have a value");
}

#[test]
fn what_nests_in_functions_that_call_themselves_has_an_end() {
    let nested = format!("{}f(n + 1);{}", "if (true) { ".repeat(30), " }".repeat(30));
    let source = format!("(() => {{ const f = (n) => {{ {nested} }}; return f(0) }})()");
    let mut program = Program::default();
    program.modules.push(LoadedModule::default());
    let value =
        parse::expression(&source).and_then(|expr| program.eval(&expr, &Scope::of_module(0)));
    assert_eq!(value.unwrap_err(), "an expression that calls too deep");
}
