use expect_test::{Expect, expect};

use super::*;
use base::diagnostic::MAX_LISTED_PER_CODE;

#[track_caller]
fn check_tree(text: &str, expected: &Expect) {
    let document = scan(
        &SitePath::new("a.mdx").unwrap(),
        text,
        0,
        Dollars::default(),
    );
    let mut output = String::new();
    show(&document, &document.root, 0, &mut output);
    for module in &document.modules {
        output.push_str(&format!("module {module:?}\n"));
    }
    for diagnostic in &document.diagnostics {
        output.push_str(&format!(
            "{}: {}\n",
            diagnostic.code.name(),
            diagnostic.message
        ));
    }
    expected.assert_eq(&output);
}

fn show(document: &Document, fragment: &Fragment, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    out.push_str(&format!(
        "{pad}{:?}{}\n",
        fragment.text,
        if fragment.is_inline { " inline" } else { "" }
    ));
    let mut rest = fragment.text.as_str();
    while let Some(at) = rest.find("x-m") {
        let at = rest[..at].rfind('<').unwrap();
        let end = at + rest[at..].find('>').unwrap() + 1;
        match &document.nodes[super::super::markdown::node_index(&rest[at..end]).unwrap()] {
            Node::Element(element) => {
                out.push_str(&format!("{pad}<{}>\n", element.name));
                if !element.children.text.is_empty() {
                    show(document, &element.children, depth + 1, out);
                }
            }
            Node::Expression { source, .. } => out.push_str(&format!("{pad}{{{source}}}\n")),
            Node::Formula { source, .. } => out.push_str(&format!("{pad}${source}$\n")),
        }
        rest = &rest[end..];
    }
}

#[test]
fn elements_on_their_own_lines_are_blocks() {
    check_tree(
        "text\n<Note>\n  inside\n\n      more\n</Note>\n# after\n",
        &expect![[r#"
            "text\n<!--x-m0-->\n# after\n"
            <Note>
              "\ninside\n\n   more\n"
        "#]],
    );
}

/// A blank line would turn the enclosing tight list into a loose one.
#[test]
fn elements_bring_no_blank_lines() {
    for text in [
        "- a\n  <br/>\n- b\n",
        "- a\n<br/>\n- b\n",
        "1. a\n   <Note>\n   x\n   </Note>\n2. b\n",
        "- a\n  - b\n    <Icon />\n  - c\n",
        "> - a\n>   <br/>\n> - b\n",
        "- a\n  {x}\n- b\n",
        "- a\n  $$x$$\n- b\n",
    ] {
        let root = parse(text).root.text;
        assert!(
            !root.contains("\n\n") && !root.contains("\n>\n"),
            "{root:?}"
        );
    }
}

/// Blanks beside a tag are blanks of its line, whether they are spaces or the ends of lines.
#[test]
fn blanks_beside_tags_in_a_line_are_kept() {
    for (text, children) in [
        ("a<b>\nc\n</b>d\n", "&#32;c&#32;"),
        ("a<b>c\n</b>d\n", "c&#32;"),
        ("a<b>\nc</b>d\n", "&#32;c"),
        ("a<b>c</b>d\n", "c"),
        ("a <b> c </b> d\n", "&#32;c&#32;"),
        ("<b>c </b>d\n", "c&#32;"),
        ("a <Tooltip>\nc\n</Tooltip> d\n", "&#32;c&#32;"),
        ("- a<b>\n  c\n  </b>d\n", "&#32;c&#32;"),
        ("> a<b>\n> c\n> </b>d\n", "&#32;c&#32;"),
        ("a<b>\n# c\n</b>d\n", "\n# c\n"),
        ("<Note> c </Note>\n", "c "),
        ("a<b>\n</b>d\n", "\n"),
    ] {
        let document = parse(text);
        let Some(Node::Element(element)) = document.nodes.last() else {
            panic!("{text:?}");
        };
        assert_eq!(element.children.text, children, "{text:?}");
    }
}

#[test]
fn elements_within_a_line_stay_in_it() {
    check_tree(
        "a <b>bold</b> *c* <br> <Icon icon=\"x\" /> d\n",
        &expect![[r#"
            "a <x-m0/> *c* <x-m1/> <x-m2/> d\n"
            <b>
              "bold" inline
            <br>
            <Icon>
        "#]],
    );
}

fn parse(text: &str) -> Document {
    scan(
        &SitePath::new("page.mdx").unwrap(),
        text,
        0,
        Dollars::default(),
    )
}

#[test]
fn a_comment_between_items_ends_the_list() {
    let document = parse("- a\n{/* c */}\n- b\n");
    assert_eq!(document.root.text, "- a\n<!-- -->\n- b\n");
}

#[test]
fn braces_in_an_address_are_text() {
    for text in [
        "at https://api.org/{id} now\n",
        "https://mcp.${DOMAIN}.com\n",
    ] {
        let document = parse(text);
        assert_eq!(
            (document.root.text.as_str(), document.nodes.len()),
            (text, 0)
        );
    }
    assert_eq!(
        parse("`https://a.b`.{x} <a>https://a.b</a>{y}\n")
            .nodes
            .len(),
        3
    );
    assert_eq!(parse("https:// {x} http://{y}\n").nodes.len(), 2);
}

#[test]
fn modules_and_comments_leave_nothing() {
    check_tree(
        "import A from '/a.mdx'\nimport {\n  B\n} from './b'\n\nexport const c = {\n\n  d: 1\n}\n\n{/* no */}\nimport the goods.\n",
        &expect![[r#"
            "\n\n\n\n<!-- -->\nimport the goods.\n"
            module "import A from '/a.mdx'\nimport {\n  B\n} from './b'"
            module "export const c = {\n\n  d: 1\n}"
        "#]],
    );
}

#[test]
fn a_sentence_is_no_statement() {
    for sentence in [
        "import data from CSV files",
        "import from there",
        "import, then export",
        "imports from \"a\"",
        "export default settings to a file",
        "export const values like these",
        "export class names of all",
        "export function names and more",
        "export const",
        "exports { a }",
    ] {
        assert!(!is_module_line(sentence), "{sentence}");
    }
    for statement in [
        "import A from '/a.mdx'\n",
        "import A, {",
        "import A, { b } from \"./b\"",
        "import { a } from 'a'",
        "import * as a from 'a'",
        "import './a.css'",
        "import {",
        "import $a  from  'a'",
        "export const a = 1",
        "export const { a } = b",
        "export let a: string =",
        "export default function A() {",
        "export default A;",
        "export default ({ children }) => <div>{children}</div>",
        "export function a() {}",
        "export async function a() {",
        "export class A extends B {",
        "export { a }",
        "export * from 'a'",
    ] {
        assert!(is_module_line(statement), "{statement}");
    }
}

#[test]
fn a_module_may_stand_within_a_block() {
    check_tree(
        "<Step>\n\nText\n\nimport A from \"/a.mdx\";\n\n<A />\n\n</Step>\n\n> <Note>\n>\n\nimport B from '/b'\n",
        &expect![[r#"
            "<!--x-m1-->\n\n> <!--x-m2-->\n>\n\nimport B from '/b'\n"
            <Step>
              "\n\nText\n\n\n\n<!--x-m0-->\n\n"
              <A>
            <Note>
            module "import A from \"/a.mdx\";"
            unclosed-tag: `<Note>` is never closed
        "#]],
    );
}

#[test]
fn a_module_may_follow_a_comment() {
    check_tree(
        "é <b>ú</b>\n\n{/* a\n\n b */}\nexport const c = 1\n",
        &expect![[r#"
            "é <x-m0/>\n\n<!-- -->\n\n"
            <b>
              "ú" inline
            module "export const c = 1"
        "#]],
    );
}

#[test]
fn code_is_left_alone() {
    check_tree(
        "`<a>` ``{b`}`` $$\\frac{1}{2}$$\n\n```js\n<c>{d}\n```\n\n- ```\n  {e}\n  ```\n",
        &expect![[r#"
            "`<a>` ``{b`}`` <x-m0/><x-g/>\n\n```js\n<c>{d}\n```\n\n- ```\n  {e}\n  ```\n"
            $\frac{1}{2}$
        "#]],
    );
}

#[test]
fn lenient_prose_is_text_with_a_warning() {
    check_tree(
        "<5s, a { b, <https://x.y/{z}> \\{c\\} \\<d>\n\n}\n",
        &expect![[r#"
            "&lt;5s, a &#123; b, <https://x.y/{z}> \\{c\\} \\<d>\n\n}\n"
            stray-angle: `<5` is not a tag; shown as text
            stray-brace: `{` does not begin an expression; shown as text
        "#]],
    );
}

/// In MDX an angle bracket before a space or the end of a line begins no tag.
#[test]
fn an_angle_before_a_space_is_text_and_no_mistake() {
    check_tree(
        "less than < 5, x <\ny, < b>\n",
        &expect![[r#"
            "less than &lt; 5, x &lt;\ny, &lt; b>\n"
        "#]],
    );
}

#[test]
fn a_tag_that_never_closes_loses_nothing() {
    check_tree(
        "<Card>\na\n<Note>\nb\n</Card>\nc </Tip>\n",
        &expect![[r#"
            "<!--x-m1-->\nc \n"
            <Card>
              "\na\n<!--x-m0-->\nb\n"
              <Note>
            unclosed-tag: `<Note>` is never closed
            unexpected-closing-tag: `</Tip>` closes nothing
        "#]],
    );
}

#[test]
fn elements_in_block_quotes_have_marks_on_their_lines() {
    check_tree(
        "> text\n> <Field\n>   type=\"A<B>\"\n> >\n>   inside\n> </Field>\n> more\n",
        &expect![[r#"
            "> text\n> <!--x-m0-->\n> more\n"
            <Field>
              "\ninside\n"
        "#]],
    );
}

#[test]
fn a_link_destination_in_angle_brackets_is_no_tag() {
    check_tree(
        "![a](</b c().png>)\n",
        &expect![[r#"
            "![a](</b c().png>)\n"
        "#]],
    );
}

#[test]
fn ten_thousand_stray_braces_cost_linear_time() {
    let document = scan(
        &SitePath::new("a.mdx").unwrap(),
        &"{ <a b=\" ".repeat(10_000),
        0,
        Dollars::default(),
    );
    // Braces and angles, of each the first and how many more there are.
    assert_eq!(document.diagnostics.len(), 2 * (MAX_LISTED_PER_CODE + 1));
    let last = &document.diagnostics[2 * MAX_LISTED_PER_CODE].message;
    assert_eq!(last, "and 9900 more of these on this page");
}

/// Reads `start`, then `unit` over and over, then `end`; returns how often a byte was looked at, on average.
fn looked_at(start: &str, unit: &str, end: &str) -> usize {
    let text = format!("{start}{}{end}", unit.repeat(50_000 / unit.len()));
    let path = SitePath::new("a.mdx").unwrap();
    let mut scanner = Scanner::new(&path, &text, 0, Dollars::Formulas);
    scanner.run();
    scanner.bytes_read.get() / text.len()
}

#[test]
fn a_long_line_is_looked_at_a_bounded_number_of_times() {
    for (start, unit, end) in [
        ("", "<!-- ", ""),
        ("", "<!-- a -->", ""),
        ("", "</div> ", ""),
        ("", "</div>", ""),
        ("", "‹", ""),
        ("", "<a ", ""),
        ("", "<a", ""),
        ("", "<a b=\" ", ""),
        ("", "<a b={", ""),
        ("", "{a}", ""),
        ("", "{a} ", ""),
        ("a", "\t{1}", ""),
        ("", "&", ""),
        ("<a b=\"", "&", "\"/>"),
        ("", "<?", ""),
        ("", "<![CDATA[", ""),
        ("", "{{}", ""),
        ("", "{[(", ""),
        ("{", "\\'", ""),
        ("{`", "${", ""),
        ("", "<b>x</b> ", ""),
        ("", "<b><i>x</i></b> ", ""),
        ("", "<br/>", ""),
        ("> ", "<b/> ", ""),
        ("> ", "<b", ""),
        ("", "> <b\n> c/>\n", ""),
        ("", "http://a{b", ""),
        ("", "[a](<b", ""),
        ("", "$a ", ""),
    ] {
        // Of what never ends, as far as it is looked for: not half of the line for each.
        let times = looked_at(start, unit, end);
        assert!(times <= 600, "{start}{unit}…: {times} times");
    }
}

#[test]
fn what_an_import_never_closes_is_looked_at_a_bounded_number_of_times() {
    for (start, unit) in [
        ("import ", "{ "),
        ("import '", "\\'"),
        ("export const a = ", "{'\\'"),
    ] {
        let text = format!("{start}{}", unit.repeat(50_000 / unit.len()));
        let document = scan(
            &SitePath::new("a.mdx").unwrap(),
            &text,
            0,
            Dollars::default(),
        );
        assert_eq!(document.modules, [text.trim_end()]);
    }
}

#[test]
fn a_tag_in_a_block_quote_may_take_any_number_of_lines() {
    let attributes: String = (0..500)
        .map(|i| format!(">   a{i}={{{{ b: '}}' }}}}\n"))
        .collect();
    let text = format!("> <Field\n{attributes}> />\n> more\n");
    let document = scan(
        &SitePath::new("a.mdx").unwrap(),
        &text,
        0,
        Dollars::default(),
    );
    let [Node::Element(element)] = &document.nodes[..] else {
        panic!("{:?}", document.diagnostics);
    };
    assert_eq!(element.attributes.len(), 500);
    assert_eq!(document.root.text, "> <!--x-m0-->\n> more\n");
}

#[test]
fn more_marks_than_are_drawn_are_text() {
    use crate::markdown::{Event, Tag};

    for mark in [">", "> ", "- ", "1. "] {
        let drawn = check_marks(mark, MAX_MARKERS);
        assert_eq!(drawn.diagnostics, [], "{mark}");
        let drawn = check_marks(mark, MAX_MARKERS + 2);
        let codes: Vec<_> = drawn.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(codes, [Code::DeepNesting], "{mark}");
        let is_block =
            |event: &Event<'_>| matches!(event, Event::Start(Tag::BlockQuote(_) | Tag::Item));
        let blocks = crate::markdown::plain_events(&drawn.root.text).filter(is_block);
        assert_eq!(blocks.count(), MAX_MARKERS, "{mark}");
    }
}

fn check_marks(mark: &str, count: usize) -> Document {
    let text = mark.repeat(count) + "a\n";
    scan(
        &SitePath::new("a.mdx").unwrap(),
        &text,
        0,
        Dollars::default(),
    )
}

#[test]
fn nesting_without_end_is_bounded() {
    let document = scan(
        &SitePath::new("a.mdx").unwrap(),
        &"<a>".repeat(10_000),
        0,
        Dollars::default(),
    );
    assert!(document.nodes.len() <= MAX_DEPTH);
}

#[test]
fn containers_are_elements() {
    check_tree(
        "text\n:::tip Read\n*this*\n:::\n# after\n\n- item\n\n  ::: warning\n  in a list\n  :::\n\n> :::note\n> quoted\n> :::\n",
        &expect![[r#"
            "text\n<!--x-m0-->\n# after\n\n- item\n\n  <!--x-m1-->\n\n> <!--x-m2-->\n"
            <Tip>
              "\n*this*\n"
            <Warning>
              "\nin a list\n\n"
            <Note>
              "\nquoted\n"
        "#]],
    );
}

#[test]
fn containers_nest() {
    check_tree(
        "::::info\n:::tip\na\n:::\nb\n::::\nc\n",
        &expect![[r#"
            "<!--x-m1-->\nc\n"
            <Info>
              "\n<!--x-m0-->\nb\n"
              <Tip>
                "\na\n"
        "#]],
    );
    check_tree(
        ":::info\n:::tip\na\n:::\n:::\nc\n",
        &expect![[r#"
        "<!--x-m1-->\nc\n"
        <Info>
          "\n<!--x-m0-->\n"
          <Tip>
            "\na\n"
    "#]],
    );
    check_tree(
        "<Tab>\n  :::info\n  a\n</Tab>\nb\n",
        &expect![[r#"
        "<!--x-m1-->\nb\n"
        <Tab>
          "\n<!--x-m0-->"
          <Info>
            "\na\n"
        unclosed-tag: `:::info` is never closed; it ends with what is around it
    "#]],
    );
    check_tree(
        ":::info\n<Card>\na\n:::\nb\n",
        &expect![[r#"
        "<!--x-m1-->\nb\n"
        <Info>
          "\n<!--x-m0-->\na\n"
          <Card>
        unclosed-tag: `<Card>` is never closed
    "#]],
    );
    check_tree(
        ":::info\na\n",
        &expect![[r#"
        "<!--x-m0-->"
        <Info>
          "\na\n"
        unclosed-tag: `:::info` is never closed; it ends with what is around it
    "#]],
    );
    check_tree(
        ":::python\na\n:::\n",
        &expect![[r#"
        ":::python\na\n:::\n"
        foreign-syntax: `:::python` is no container that is known; shown as text
    "#]],
    );
    check_tree(
        "::: details\n```\n:::\n```\n:::\n",
        &expect![[r#"
        "<!--x-m0-->\n"
        <Accordion>
          "\n```\n:::\n```\n"
    "#]],
    );
}

#[test]
fn blocks_of_python_markdown_end_with_their_indentation() {
    check_tree(
        "!!! note \"A *title*\"\n    a\n\n        code\n\n    b\nc\n",
        &expect![[r#"
            "<!--x-m0-->\nc\n"
            <Note>
              "\na\n\n   code\n\nb\n"
        "#]],
    );
    check_tree(
        "1. one\n\n    !!! tip\n        in the list\n\n2. two\n",
        &expect![[r#"
        "1. one\n\n    <!--x-m0-->\n2. two\n"
        <Tip>
          "\nin the list\n\n"
    "#]],
    );
    check_tree(
        "=== \"A\"\n    a\n\n    ```c\n    int a;\n    ```\n\n=== \"B\"\n    b\n\nc\n",
        &expect![[r#"
            "<!--x-m2-->\nc\n"
            <Tabs>
              "<!--x-m0-->\n<!--x-m1-->"
              <Tab>
                "\na\n\n```c\nint a;\n```\n\n"
              <Tab>
                "\nb\n\n"
        "#]],
    );
    check_tree(
        "!!! tip\n    a\n    ??? note\n        b\n    c\n",
        &expect![[r#"
        "<!--x-m1-->"
        <Tip>
          "\na\n<!--x-m0-->\nc\n"
          <Accordion>
            "\nb\n"
    "#]],
    );
    check_tree(
        "Title\n===\n\n!!! this is loud\n\n!!! note\ntext\n",
        &expect![[r#"
        "Title\n===\n\n!!! this is loud\n\n!!! note\ntext\n"
    "#]],
    );
}

#[test]
fn syntax_of_other_tools_is_text_and_reported_once() {
    check_tree(
        "{% hint style=\"info\" %}\na <b> {% endhint %}\n\n{{< note >}}\n\n<<< @/a.ts{2}\n\n[[toc]]\n\nb\n",
        &expect![[r#"
            "&#123;&#37; hint style&#61;&#34;info&#34; &#37;&#125;\na <x-m0/> &#123;&#37; endhint &#37;&#125;\n\n&#123;&#123;&#60; note &#62;&#125;&#125;\n\n&#60;&#60;&#60; &#64;&#47;a&#46;ts&#123;2&#125;\n\n\nb\n"
            <b>
            foreign-syntax: blocks of GitBook (`{% … %}`) are shown as text
            foreign-syntax: shortcodes of Hugo (`{{< … >}}`) are shown as text
            foreign-syntax: the inclusion of a file in VitePress (`<<< @/file`) is shown as text
            foreign-syntax: the mark for a table of contents (`[TOC]`, `[[toc]]`) is left out
            unclosed-tag: `<b>` is never closed
        "#]],
    );
}
