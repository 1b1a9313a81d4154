use super::rewrite::{COMMANDS, prefixed};
use super::*;

#[test]
fn latex_becomes_mathml() {
    assert_eq!(
        formula("a^2 < \\frac{1}{b}", false).unwrap(),
        "<math display=\"inline\"><msup><mi>a</mi><mn>2</mn></msup><mo>&lt;</mo>\
         <mfrac><mrow><mn>1</mn></mrow><mrow><mi>b</mi></mrow></mfrac></math>"
    );
    for source in [
        "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
        "\\begin{aligned} a &= b \\\\ &= c \\end{aligned}",
        "\\sum_{i=0}^n i \\le \\int_0^1 \\sqrt[3]{x}\\,dx",
        "\\mathbb{R} \\to \\mathcal{L}, \\hat{x}, \\operatorname{softmax}(x), \\text{if } x",
    ] {
        let math = formula(source, true).unwrap();
        assert!(math.starts_with("<math display=\"block\">"), "{source}");
    }
}

/// Commands that KaTeX renders and documentation uses: from its tables of commands, one of each
/// kind.
#[test]
fn what_katex_draws_is_drawn() {
    for source in [
        "a \\\\ b",
        "a &= b \\\\ c &= d",
        "\\text{a_b}",
        "\\text{100\\%}",
        "\\text{cost: \\$5}",
        "\\operatorname*{argmax}_x f",
        "x \\tag{1}",
        "\\begin{cases} 1 & x \\\\ 2 & y \\end{cases}",
        "\\mathbf{x}",
        "\\boldsymbol{x}",
        "\\bm{x}",
        "\\dfrac{1}{2}",
        "\\tfrac12",
        "a \\quad b \\qquad c",
        "\\xrightarrow{f}",
        "\\underbrace{x}_{n}",
        "\\overline{x}",
        "\\argmax_x",
        "\\lVert x \\rVert",
        "a \\mid b",
        "\\textbf{x}",
        "\\textit{x}",
        "\\texttt{x}",
        "\\textrm{a b}",
        "\\text{if \\textbf{x}}",
        "\\textcolor{red}{x}",
        "\\color{red} x",
        "\\Large x",
        "\\large x",
        "\\mathrm{d}x",
        "\\mathit{x}",
        "\\mathsf{x}",
        "\\mathtt{x}",
        "\\mathfrak{x}",
        "\\Bigl( x \\Bigr)",
        "\\big| x",
        "\\left. x \\right|",
        "\\cdots \\ldots \\vdots \\ddots",
        "\\displaystyle \\sum",
        "\\textstyle x",
        "\\lim_{x \\to 0}",
        "\\max(a,b)",
        "\\log_2 x",
        "x \\bmod n",
        "a \\pmod{n}",
        "\\binom{n}{k}",
        "\\stackrel{a}{=}",
        "\\overset{a}{=}",
        "\\underset{x}{\\max}",
        "\\prod\\limits_{i}",
        "\\mathop{x}\\limits_i",
        "\\implies \\iff",
        "\\therefore",
        "\\because",
        "\\checkmark",
        "\\degree",
        "90^\\circ",
        "\\#",
        "\\&",
        "\\%",
        "\\_",
        "\\{x\\}",
        "\\lbrace x \\rbrace",
        "\\begin{align} a &= b \\\\ c &= d \\end{align}",
        "\\begin{align*} a &= b \\end{align*}",
        "\\begin{equation} a \\end{equation}",
        "\\begin{equation*} a \\end{equation*}",
        "\\begin{gather} a \\\\ b \\end{gather}",
        "\\begin{gathered} a \\\\ b \\end{gathered}",
        "\\begin{split} a &= b \\end{split}",
        "\\begin{array}{ll} a & b \\end{array}",
        "\\begin{bmatrix} a \\end{bmatrix}",
        "\\begin{vmatrix} a \\end{vmatrix}",
        "\\begin{smallmatrix} a \\end{smallmatrix}",
        "\\mathcal{O}(n)",
        "\\Theta",
        "\\varepsilon",
        "\\hat{y}",
        "\\widehat{xy}",
        "\\tilde{x}",
        "\\widetilde{xy}",
        "\\vec{x}",
        "\\overrightarrow{AB}",
        "\\dot{x}",
        "\\bar{x}",
        "\\cancel{x}",
        "\\boxed{x}",
        "\\fbox{x}",
        "\\phantom{x}",
        "\\hphantom{x}",
        "\\mathbb{E}",
        "\\mathbb R",
        "\\R",
        "\\N",
        "\\Z",
        "\\sim \\approx \\propto \\equiv \\neq \\ne \\leq \\geq",
        "\\ll \\gg",
        "\\in \\notin \\subset \\subseteq \\cup \\cap \\emptyset \\varnothing",
        "\\forall \\exists \\nexists",
        "\\land \\lor \\lnot \\neg",
        "\\rightarrow \\to \\mapsto \\Rightarrow \\Leftrightarrow \\leftrightarrow",
        "\\langle x \\rangle",
        "\\lfloor x \\rfloor \\lceil x \\rceil",
        "\\| x \\|",
        "\\Vert x",
        "\\, \\: \\; \\!",
        "a\\ b",
        "~",
        "x'",
        "x''",
        "f^{\\prime}",
        "\\partial \\nabla \\infty",
        "\\times \\cdot \\div \\pm \\mp",
        "\\star \\ast \\oplus \\otimes",
        "\\dagger",
        "\\ell",
        "\\Re \\Im",
        "\\aleph",
        "\\hbar",
        "\\mathrm{CO_2}",
        "\\text{CO}_2",
        "\\rm x",
        "\\bf x",
        "{\\bf x}",
        "{\\rm x}",
        "\\it x",
        "\\newline",
        "\\label{a} x",
        "\\nonumber",
        "\\notag",
        "\\mbox{x}",
        "\\hspace{1cm}",
        "\\!\\!",
        "\\sqrt[3]{x}",
        "\\not=",
        "\\textsf{x}",
        "\\textnormal{x}",
        "\\operatorname{softmax}",
        "\\mathrm{softmax}\\left(\\frac{QK^T}{\\sqrt{d_k}}\\right)",
        "\\substack{a \\\\ b}",
        "\\sum_{\\substack{i<j \\\\ k}}",
        "\\begin{aligned}[t] a \\end{aligned}",
        "\\newcommand{\\x}{y} \\x",
        "\\def\\x{y}\\x",
        "\\underline{x}",
        "\\overbrace{x}^{n}",
        "\\middle| x",
        "\\left( a \\middle| b \\right)",
        "\\smash{x}",
        "\\dots",
        "\\dotsc",
        "\\colon",
        "\\coloneqq",
        ":=",
        "\\vcentcolon",
        "\\triangleq",
        "\\lt \\gt",
        "\\&c",
        "5\\,\\mathrm{ms}",
        "\\text{é}",
        "\\mathrm{é}",
        "é",
        "中文",
        "\\text{中文}",
        "a \\text{ and } b",
        "\\left\\{ a \\right\\}",
        "\\left\\lbrace a \\right\\rbrace",
        "\\left[ a \\right)",
        "\\left\\| a \\right\\|",
        "\\left\\lVert a \\right\\rVert",
        "\\left\\langle a \\right\\rangle",
        "\\left\\lfloor a \\right\\rfloor",
        "\\Pr",
        "\\gcd",
        "\\sup \\inf",
        "\\arg\\max",
        "\\min\\limits_x",
        "\\mathrm{min}",
        "\\begin{cases} a, & \\text{if } b \\\\[2pt] c \\end{cases}",
        "\\begin{dcases} a \\end{dcases}",
        "\\begin{rcases} a \\end{rcases}",
        "\\enspace",
        "\\thinspace",
        "\\negthinspace",
        "\\allowbreak",
        "\\nobreak",
        "x_1^2",
        "x_{a_b}",
        "{}_a^b X",
        "\\sideset{}{'}\\sum",
        "\\iint \\iiint \\oint",
        "\\bigcup \\bigcap \\bigoplus",
        "\\complement",
        "\\square \\blacksquare",
        "\\triangle",
        "\\angle",
        "\\perp \\parallel",
        "\\cong \\simeq",
        "\\prec \\succ",
        "\\uparrow \\downarrow",
        "\\hookrightarrow",
        "\\longrightarrow",
        "\\leadsto",
        "\\Longrightarrow",
        "\\vdash \\models",
        "\\top \\bot",
        "\\lambda \\Lambda",
        "\\Omega",
        "\\varphi \\vartheta",
        "\\digamma",
        "\\mho",
        "\\eth",
        "\\S",
        "\\P",
        "\\copyright",
        "\\pounds",
        "\\yen",
        "\\euro",
        "\\backslash",
        "\\slash",
        "\\cfrac{1}{2}",
        "\\genfrac{}{}{0pt}{}{a}{b}",
        "\\mathstrut",
        "\\strut",
        "\\bigg(",
        "\\Big[",
        "\\lvert x \\rvert",
        "\\vert",
        "\\tag*{a} x",
        "\\mathrel{x}",
        "\\mathbin{+}",
        "\\mathord{x}",
        "\\mathopen{(}",
        "\\normalsize x",
        "\\small x",
        "\\tiny x",
        "\\scriptsize x",
        "\\newcommand{\\norm}[1]{\\lVert #1 \\rVert} \\norm{x}",
        "\\renewcommand*\\x{y} \\x",
        "\\providecommand{\\x}{y} \\x",
        "\\gdef\\f#1{#1}\\f{x}",
        "\\lang x \\rang",
        "\\xRightarrow[below]{above} x",
        "\\hbox{a} \\emph{b} \\textup{c} \\hspace*{1em} d",
    ] {
        let drawn = formula(source, true);
        assert!(drawn.is_ok(), "{source}: {drawn:?}");
    }
    for (name, takes, _) in COMMANDS {
        let given = match takes.len() / 2 {
            0 => " x".to_owned(),
            count => "{x}".repeat(count),
        };
        let source = format!("a \\{name}{given} b");
        let drawn = formula(&source, true);
        assert!(drawn.is_ok(), "{source}: {drawn:?}");
    }
    assert_eq!(
        formula("a \\\\ b", true),
        formula("\\begin{gathered}a \\\\ b\\end{gathered}", true)
    );
    let within = |source: &str| formula(source, false).unwrap();
    assert!(within("\\bm{x}").contains("<mi>𝒙</mi>"));
    assert!(within("\\R").contains("<mi>ℝ</mi>"));
    for source in [
        "\\operatorname*{arg\\,max}_x f",
        "\\operatorname{arg max}_x f",
        "\\argmax_x f",
    ] {
        let drawn = within(source).replace(' ', "\u{2009}");
        assert!(
            drawn.contains("<msub><mi>arg\u{2009}max</mi><mi>x</mi></msub>"),
            "{drawn}"
        );
    }
    assert!(within("\\mbox{if any}").contains("<mtext>if any</mtext>"));
    for lines in [
        "a \\\\ b",
        "a &= b \\\\ c &= d",
        "\\begin{aligned} a &= b \\end{aligned}",
    ] {
        let drawn = formula(lines, true).unwrap();
        assert!(drawn.contains("<mtable displaystyle=\"true\""), "{drawn}");
    }
    let tagged = within("a \\tag{1}");
    assert!(
        tagged.contains("<mn>1</mn>") && !tagged.contains('{'),
        "{tagged}"
    );
    let half = within("\\newcommand{\\half}[1]{\\frac{#1}{2}}\\half{a}");
    assert!(
        half.contains("<mfrac>") && half.contains("<mi>a</mi>"),
        "{half}"
    );
    // What stands between two parts takes those of its braces.
    for (infix, prefix) in [
        ("a + b \\over c", "\\frac{a + b }{ c}"),
        (
            "x + {a \\over {b \\over c}}",
            "x + {\\frac{a }{ {\\frac{b }{ c}}}}",
        ),
        (
            "{n \\choose k} \\overline{x}",
            "{\\binom{n }{ k}} \\overline{x}",
        ),
        (
            "\\left( {a \\atop b} \\right)",
            "\\left( {\\begin{matrix}a \\\\ b\\end{matrix}} \\right)",
        ),
    ] {
        assert_eq!(prefixed(infix), prefix);
        assert_eq!(formula(infix, true), formula(prefix, true), "{infix}");
    }
    for same in ["\\overline{a}", "{a \\over b", "\\{a \\} b", "a} \\frac12"] {
        assert_eq!(prefixed(same), same);
    }
    // A name that begins like one of these is another one.
    assert!(formula("\\tagged{x}", false).is_err());
}

#[test]
fn what_is_wrong_is_said() {
    assert_eq!(
        formula("\\frac{a}{b} \\nope{a}", false).unwrap_err(),
        "`\\nope` is not a known command"
    );
    assert_eq!(
        formula("\\frac{1", false).unwrap_err(),
        "unbalanced group found, expected it to be closed with `}`"
    );
    assert!(formula("\\charé", false).is_err());
    assert!(formula("\\href{javascript:x}{a}", false).is_err());
}

#[test]
fn no_markup_of_the_author_gets_through() {
    for source in [
        "\\text{</math><script>x</script>}",
        "</math><script>x</script>",
        "\\color{red\"><script>}a",
        "\\begin{</math><script>}",
        "\\operatorname{<script>}",
        "\\hspace{1em\"><script>}",
    ] {
        let shown = formula(source, true).unwrap_or_default();
        assert!(!shown.contains("<script"), "{shown}");
    }
}

#[test]
fn hostile_formulas_end() {
    for part in [
        "{",
        "\\frac a",
        "\\sqrt",
        "\\frac{}",
        "\\left(",
        "a^\\sqrt",
        "\\binom a",
        "\\hat",
        "\\overset{a}",
        "'",
        "\\color{red}\\sqrt",
        "\\begin{matrix}",
        "\\\\",
        "&",
        "^{",
        "\\text{",
        "\\not",
        "\\boxed{",
        "\\bm{",
        "\\newline",
        "\\newcommand{\\x}[1]{",
        "\\newcommand",
        "\\tag{1}",
    ] {
        for n in [1, 99, 399, 2_000, 9_000] {
            let _ = formula(&part.repeat(n), true);
        }
    }
}

/// Pieces of formulas in any order: an error or MathML, never a panic.
#[test]
fn random_formulas_are_drawn_or_refused() {
    let parts = [
        "\\frac",
        "{",
        "}",
        "a",
        "^",
        "_",
        "\\left(",
        "\\right)",
        "\\begin{matrix}",
        "\\end{matrix}",
        "&",
        "\\\\",
        "\\sqrt",
        "[",
        "]",
        "\\text{",
        "'",
        "\\over",
        "\\color{red}",
        "\\def\\x{",
        "\\x",
        "#1",
        "\\middle|",
        "\\operatorname",
        "\\sum",
        "\\limits",
        " ",
        "$",
        "%",
        "~",
        "é",
        "\\",
        "\\mathrm",
        "\\not",
        "\\hspace{1em}",
        "\\hline",
        "\\begin{array}{c|c}",
        "\\end{array}",
        "\\big",
        "\\let",
        "1.5em",
        "\\kern",
        "\\char",
        "\\tag{1}",
        "\\boxed",
        "\\newcommand{\\y}[1]",
        "\\newline",
        "\\bm",
    ];
    let mut state: u64 = 88_172_645_463_325_252;
    let mut below = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end as u64) as usize
    };
    for _ in 0..5_000 {
        let count = below(14);
        let source: String = (0..count).map(|_| parts[below(parts.len())]).collect();
        assert_ne!(
            formula(&source, true),
            Err("it cannot be read".to_owned()),
            "{source}"
        );
    }
}

#[test]
fn what_stands_in_other_words_is_drawn_as_in_the_usual_ones() {
    for (source, usual) in [
        ("\\left< x \\right>", "\\left\\langle x \\right\\rangle"),
        ("\\genfrac{(}{)}{0pt}{}{n}{k}", "\\genfrac(){0pt}{}{n}{k}"),
        ("\\char\"3B1", "{α}"),
        ("\\char65", "{A}"),
        ("a \\above{2pt} b", "\\frac{a }{ b}"),
        ("\\fbox{a}", "\\boxed{\\text{a}}"),
        ("\\bgroup x \\egroup", "{ x }"),
        ("\\global\\def\\a{b}\\a", "\\def\\a{b}\\a"),
        (
            "\\begin{CD} A @>f>> B \\\\ @VgVV @| \\\\ C @= D \\end{CD}",
            "\\begin{matrix}A&\\xrightarrow[]{f}&B\\\\{\\scriptstyle g}\\downarrow{\\scriptstyle }&&\\|\\\\C&=&D\\end{matrix}",
        ),
    ] {
        assert_eq!(formula(source, true), formula(usual, true), "{source}");
        assert!(formula(source, true).is_ok(), "{source}");
    }
    let verbatim = formula("\\verb|a_b <\\x{&}\"|", true).unwrap();
    assert!(
        verbatim.contains("𝚊_𝚋\u{a0}&lt;\\𝚡{&amp;}&quot;"),
        "{verbatim}"
    );
    // What has no end is told of, and nothing is lost on the way.
    for source in [
        "\\verb|a",
        "\\begin{CD} A",
        "\\genfrac{(",
        "\\fbox{a",
        "a \\above{2pt",
        "\\char",
    ] {
        assert!(formula(source, true).is_err(), "{source}");
    }
    assert!(formula("\\char\"3c", true).is_err());
}
