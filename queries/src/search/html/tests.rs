use super::*;

/// Shows passages as `#anchor A > B: body / code`.
#[track_caller]
fn check(html: &str, expected: &[&str]) {
    let lines: Vec<String> = passages(html)
        .into_iter()
        .map(|passage| {
            let mut text = String::new();
            if let Some(anchor) = &passage.anchor {
                text.push_str(&format!("#{anchor} {}: ", passage.headings.join(" > ")));
            }
            text.push_str(&passage.body.replace('\n', "⏎"));
            if !passage.code.is_empty() {
                text.push_str(&format!(" / {}", passage.code.replace('\n', "⏎")));
            }
            text
        })
        .collect();
    assert_eq!(lines, expected);
}

#[test]
fn inline_elements_join_and_blocks_break() {
    check(
        "<p>un<b>believ</b>able\n  <em>text</em></p><p>second</p><ul><li>a</li><li>b<br>c</li></ul>",
        &["unbelievable text⏎second⏎a⏎b⏎c"],
    );
    check(
        "<table><tr><th>Name</th><td>Value</td></tr><tr><td>x</td></tr></table>",
        &["Name Value⏎x"],
    );
}

#[test]
fn references_of_characters_are_resolved() {
    check(
        "<p>a&amp;b &lt;c&gt; &quot;d&quot; &#39;e&#x27; f&nbsp;g &unknown; 1 < 2 & 3</p>",
        &["a&b <c> \"d\" 'e' f g &unknown; 1 < 2 & 3"],
    );
    check("<p>so\u{ad}ft\u{200b}ly\u{a0}said</p>", &["softly said"]);
}

#[test]
fn a_passage_begins_at_each_heading_that_has_an_id() {
    check(
        "<p>first</p><h2 id=\"a\">A <code>x</code><a class=\"anchor\" href=\"#a\">¶</a></h2><p>one</p>\
         <h4 id=\"b\">B</h4>two<h3 id=\"c\">C</h3>three<h2 id=\"d&amp;e\">D</h2><h3>no id</h3>four",
        &[
            "first",
            "#a A x: one",
            "#b A x > B: two",
            "#c A x > C: three",
            "#d&e D: no id⏎four",
        ],
    );
}

#[test]
fn code_stands_apart_and_inline_code_does_not() {
    check(
        "<p>Run <code>x</code>:</p><figure class=\"code-block\"><figcaption class=\"code-title\">\
         <span class=\"code-name\">a.rs</span><span class=\"code-language\">rust</span></figcaption>\
         <div class=\"code-body\"><button class=\"copy-button\" data-copy aria-label=\"Copy code\"><span>Copy</span></button>\
         <pre><code class=\"language-rust\"><span class=\"t-k\">let</span> a = 1 &lt; 2;\n  b</code></pre></div></figure><p>Done.</p>",
        &["Run x:⏎Done. / a.rs⏎let a = 1 < 2;⏎  b⏎"],
    );
}

#[test]
fn what_is_not_content_is_left_out() {
    check(
        "<p>a<svg><path d=\"M0>1\"/><title>T</title></svg>b</p><style>p > b { color: red }</style>\
         <script>if (a < b) c()</script><template><p>t</p></template><span aria-hidden=\"true\">1<b>2</b></span>\
         <div hidden><div>gone</div></div><p aria-hidden=\"false\">here</p><!-- <p>no</p> -->\
         <section class=\"problem\" data-kind=\"error\"><p>wrong</p></section>",
        &["a b⏎here"],
    );
}

#[test]
fn pictures_are_their_description() {
    check(
        "<p>see<img src=\"a.png\" alt=\"the &quot;hall&quot; > here\"><img src=\"b.png\" alt=\"\"> now</p>",
        &["see the \"hall\" > here now"],
    );
}

#[test]
fn panels_of_tabs_that_are_not_chosen_are_content() {
    check(
        "<div class=\"tabs\" data-tabs><div class=\"tab-list\" role=\"tablist\"><button>npm</button></div>\
         <section class=\"tab-panel\" id=\"npm\" data-active><h4 class=\"tab-title\">npm</h4><p>one</p></section>\
         <section class=\"tab-panel\" id=\"yarn\"><h4 class=\"tab-title\">yarn</h4><p>two</p></section></div>",
        &["npm⏎one⏎yarn⏎two"],
    );
}

#[test]
fn parts_with_titles_are_passages_and_what_follows_them_is_not_theirs() {
    let accordion = |id: &str, title: &str, body: &str| {
        format!(
            "<details class=\"accordion\" id=\"{id}\"><summary><span class=\"chevron\"><svg></svg></span>\
             <span class=\"accordion-text\"><span class=\"accordion-title\">{title}</span></span></summary>\
             <div class=\"accordion-body\">{body}</div></details>"
        )
    };
    let html = format!(
        "<h2 id=\"f\">Questions</h2>Before.{}{}<p>After.</p><h3 id=\"g\">More</h3>end",
        accordion("x", "Why?", "<p>Because.</p>"),
        accordion("y", "How?", "<h3 id=\"z\">So</h3><p>This way.</p>"),
    );
    check(
        &html,
        &[
            "#f Questions: Before.⏎After.",
            "#x Questions > Why?: Because.",
            "#y Questions > How?: ",
            "#z Questions > How? > So: This way.",
            "#g Questions > More: end",
        ],
    );
}

#[test]
fn steps_are_passages_where_their_titles_are_headings() {
    let step = |id: &str, name: &str, title: &str| {
        format!(
            "<li class=\"step\" id=\"{id}\"><span class=\"step-number\" aria-hidden=\"true\"></span>\
             <{name} class=\"step-title\">{title}<a class=\"anchor\" href=\"#{id}\"></a></{name}>\
             <div class=\"step-body\"><p>do</p></div></li>"
        )
    };
    let html = format!(
        "<ol class=\"steps\">{}{}</ol>end",
        step("a", "p", "One"),
        step("b", "h3", "Two")
    );
    check(&html, &["One⏎do⏎end", "#b Two: do"]);
}

#[test]
fn parts_that_stand_side_by_side_are_not_one_word() {
    check(
        "<div class=\"field\" id=\"q\"><div class=\"field-head\"><code class=\"field-name\">id</code>\
         <span class=\"field-type\">string</span><span class=\"pill\">required</span></div><div class=\"field-body\"><p>It.</p></div></div>\
         <p>the <span class=\"tooltip\"><span class=\"tooltip-word\">API</span><span class=\"tooltip-box\" role=\"tooltip\"><span>An interface</span></span></span>.</p>",
        &["id string required⏎It.⏎the API An interface."],
    );
}

#[test]
fn what_is_broken_is_read_as_far_as_it_goes() {
    check("<p>a <b>c", &["a c"]);
    check("a</p></div>b <h2 id=\"x\">t", &["ab", "#x t: "]);
    check("<p class=\"a", &[]);
    check("a < b <3 <", &["a < b <3 <"]);
    check("<svg>never closed", &[]);
    check("é&#x110000;&#0;&", &["é&#x110000;\0&"]);
}

/// Shows the blocks of all passages of `html` as CommonMark.
#[track_caller]
fn check_markdown(html: &str, expected: &str) {
    let passages = passages_with_blocks(html);
    let blocks = passages.iter().flat_map(|(_, blocks)| blocks);
    assert_eq!(blocks::markdown(blocks), expected);
}

#[test]
fn lists_are_items_with_their_depth_and_number() {
    check_markdown(
        "<p>Do:</p><ol start=\"3\"><li><p>one</p><p>more</p><ul><li>a</li><li>b</li></ul></li><li>two</li></ol><p>Done.</p>",
        "Do:\n\n3. one\n\n   more\n   - a\n   - b\n4. two\n\nDone.",
    );
    check_markdown(
        "<ol class=\"steps\"><li class=\"step\"><div class=\"step-body\"><p class=\"step-title\">Install</p><p>Run it.</p>\
         <pre><code class=\"language-sh\">npm i\n</code></pre></div></li></ol>",
        "1. Install\n\n   Run it.\n\n```sh\nnpm i\n```",
    );
}

#[test]
fn a_table_stays_whole() {
    check_markdown(
        "<table><thead><tr><th>Name</th><th>Type</th></tr></thead><tbody><tr><td><code>a|b</code></td><td><p>x</p><p>y</p></td></tr>\
         <tr><td>c</td><td></td></tr></tbody></table><table><tr><td>z</td></tr></table>",
        "| Name | Type |\n| --- | --- |\n| `a\\|b` | x y |\n| c |  |\n\n|   |\n| --- |\n| z |",
    );
    check_markdown(
        "<table><thead><tr><td></td><th>b</th></tr></thead><tbody><tr><td>x</td><td>y</td></tr></tbody></table>",
        "|  | b |\n| --- | --- |\n| x | y |",
    );
    check_markdown(
        "<table><tr><td>z</td></tr></table>",
        "|   |\n| --- |\n| z |",
    );
}

#[test]
fn signs_of_text_are_no_signs_of_markdown() {
    check_markdown(
        "<p># a *b* _c_ d_e [f](g) &lt;img src=x&gt; `h` ~~i~~ &amp;amp; \\</p><p>1. x</p><p>- y</p><p>1.5 z</p>",
        "\\# a \\*b\\* \\_c\\_ d_e \\[f\\](g) \\<img src=x> \\`h\\` \\~\\~i\\~\\~ \\&amp; \\\\\n\n1\\. x\n\n\\- y\n\n1.5 z",
    );
    check_markdown(
        "<p>See <a href=\"/x\">the <code>a_b</code> page</a>, <a href=\"#y\">below</a>, <a href=\"javascript:z\">z</a> and <code>`q`</code>.</p>",
        "See [the `a_b` page](/x), below, z and `` `q` ``.",
    );
}

#[test]
fn code_keeps_its_language_and_its_name() {
    check_markdown(
        "<figure class=\"code-block\"><figcaption class=\"code-title\"><span class=\"code-name\">a.rs</span>\
         <span class=\"code-language\">rust</span></figcaption><pre><code class=\"language-rust\"><span class=\"t-k\">let</span> f = \"```\";\n</code></pre></figure>",
        "````rust a.rs\nlet f = \"```\";\n````",
    );
}

#[track_caller]
fn check_pieces(html: &str, expected: &[&str]) {
    let lines: Vec<String> = pieces(html)
        .into_iter()
        .map(|piece| match piece {
            Piece::Heading { depth, markdown } => format!("{} {markdown}", "#".repeat(depth + 1)),
            Piece::Block(block) => blocks::markdown([&block]),
            Piece::Quote(label) => format!("> {}", label.unwrap_or_default()),
            Piece::QuoteEnd => "<".to_owned(),
        })
        .collect();
    assert_eq!(lines, expected, "{html}");
}

#[test]
fn pieces_stand_in_reading_order() {
    check_pieces(
        "<p>a</p><h2 id=\"b\">B <code>c</code></h2><details class=\"accordion\" id=\"d\"><summary \
         class=\"accordion-title\">D</summary><p>e</p></details><p>f</p>",
        &["a", "# B c", "## D", "e", "f"],
    );
}

#[test]
fn links_and_emphasis_end_with_their_lines() {
    check_pieces(
        "<a href=\"/x\"><p>one</p><p>two</p></a><p><strong> bold <em>both</em></strong><em></em>.</p>",
        &["[one](/x)", "two", "**bold *both***."],
    );
    check_pieces(
        "<p>a <a href=\"/x\"></a> <img src=\"/y.png\" alt=\"Y]\"> b <code><b>c</b></code></p>",
        &["a ![Y](/y.png) b `c`"],
    );
}

/// CommonMark takes no sign with a blank on the inner side of it for emphasis.
#[test]
fn blanks_within_emphasis_stand_around_it() {
    check_pieces(
        "<p>a<b> c </b>d<em>\ne</em>f <strong> <i> g</i></strong>, h<a href=\"/x\"> i</a></p>",
        &["a **c** d *e*f ***g***, h [i](/x)"],
    );
}

#[test]
fn quotations_and_callouts_begin_and_end() {
    check_pieces(
        "<p>a</p><div class=\"callout mine\" data-kind=\"warning\"><div class=\"callout-body\"><p>b</p><blockquote>c</blockquote>\
         </div></div><div class=\"callout\" data-kind=\"plain\"><p>d</p></div>",
        &["a", "> Warning", "b", "> ", "c", "<", "<", "> ", "d", "<"],
    );
    // In an item and in a cell the kind begins the line.
    check_pieces(
        "<ul><li><p>a</p><div class=\"callout\" data-kind=\"tip\"><p>b</p><p>c</p></div></li></ul>",
        &["- a", "  **Tip:** b", "  c"],
    );
}

#[test]
fn words_on_buttons_of_an_author_are_text() {
    check(
        "<ul><li><button type=\"button\" class=\"q\">Is it free?</button><p>Yes.</p></li></ul>\
         <div><button class=\"choice\">Less</button><button>More</button></div>\
         <button class=\"code-unfold\" data-unfold>Show 40 lines</button>\
         <pre><button class=\"copy-button button\" data-copy>Copy</button><code>make</code></pre>",
        &["Is it free?⏎Yes.⏎Less More / make⏎"],
    );
}
