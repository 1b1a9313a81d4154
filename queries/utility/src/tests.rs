use super::*;

#[track_caller]
fn check(classes: &str, expected: &str) {
    let classes = classes.split_whitespace().map(str::to_owned).collect();
    assert_eq!(stylesheet(&classes, ""), expected);
}

#[test]
fn each_utility_becomes_its_rule() {
    check(
        "w-full -mt-4",
        ".-mt-4{margin-top:-1rem}.w-full{width:100%}",
    );
    check("w-full w-full", ".w-full{width:100%}");
    check(
        "w-[calc(100%-2rem)] [mask:none]",
        ".w-\\[calc\\(100\\%-2rem\\)\\]{width:calc(100% - 2rem)}.\\[mask\\:none\\]{mask:none}",
    );
    check("!text-black", ".\\!text-black{color:#000 !important}");
    check(
        "bg-black/50",
        ".bg-black\\/50{background-color:color-mix(in oklab, #000 50%, transparent)}",
    );
}

#[test]
fn the_colors_of_the_site_are_its_own() {
    check("text-primary", ".text-primary{color:rgb(var(--primary))}");
    check(
        "hover:border-primary-dark/50",
        ".hover\\:border-primary-dark\\/50:hover{border-color:color-mix(in oklab, rgb(var(--primary-dark)) 50%, transparent)}",
    );
    check_dark(
        "dark:bg-background-dark",
        &[".dark\\:bg-background-dark{background-color:rgb(var(--background-dark))}"],
    );
}

#[test]
fn dark_follows_the_choice_of_the_reader() {
    check_dark(
        "dark:hidden dark:hover:block",
        &[
            ".dark\\:hidden{display:none}",
            ".dark\\:hover\\:block:hover{display:block}",
        ],
    );
    // The mark of the theme is around everything, and so in front of the groups within the text.
    check_dark(
        "dark:group-hover:flex",
        &[".group:hover .dark\\:group-hover\\:flex{display:flex}"],
    );
    check_dark(
        "group-hover:dark:flex",
        &[".group:hover .group-hover\\:dark\\:flex{display:flex}"],
    );
    check_dark(
        "dark:peer-checked:flex",
        &[".peer:checked ~ .dark\\:peer-checked\\:flex{display:flex}"],
    );
}

#[test]
fn what_is_dark_at_some_width_keeps_both_conditions() {
    let rule =
        |mark: &str| format!("@media (width >= 48rem){{{mark} .md\\:dark\\:flex{{display:flex}}}}");
    check(
        "md:dark:flex",
        &format!(
            "{}@media (prefers-color-scheme:dark){{{}}}",
            rule(".dark"),
            rule("html:not(.js,[data-theme])")
        ),
    );
}

/// Checks that `classes` become `rules` in the dark theme: of the reader's choice, and of the system where no script runs.
#[track_caller]
fn check_dark(classes: &str, rules: &[&str]) {
    let of = |mark: &str| {
        rules
            .iter()
            .map(|rule| format!("{mark} {rule}"))
            .collect::<String>()
    };
    let system = of("html:not(.js,[data-theme])");
    check(
        classes,
        &format!(
            "{}@media (prefers-color-scheme:dark){{{system}}}",
            of(".dark")
        ),
    );
}

#[test]
fn what_holds_for_one_width_stands_together_and_after_the_rest() {
    check(
        "lg:p-2 md:flex md:p-1 p-0",
        ".p-0{padding:0px}@media (width >= 48rem){.md\\:p-1{padding:0.25rem}.md\\:flex{display:flex}}\
         @media (width >= 64rem){.lg\\:p-2{padding:0.5rem}}",
    );
    // A narrower limit says more than a wider one, whatever else is asked for.
    check(
        "md:mt-4 sm:first:mt-0 max-sm:mt-1 max-lg:mt-2 [color:red]",
        ".\\[color\\:red\\]{color:red}@media (width < 64rem){.max-lg\\:mt-2{margin-top:0.5rem}}\
         @media (width < 40rem){.max-sm\\:mt-1{margin-top:0.25rem}}\
         @media (width >= 40rem){.sm\\:first\\:mt-0:first-child{margin-top:0px}}\
         @media (width >= 48rem){.md\\:mt-4{margin-top:1rem}}",
    );
    check(
        "max-md:hidden",
        "@media (width < 48rem){.max-md\\:hidden{display:none}}",
    );
}

#[test]
fn states_are_those_of_the_element_and_of_its_group() {
    check(
        "group group-hover:underline first:mt-0 odd:p-1",
        ".first\\:mt-0:first-child{margin-top:0px}.odd\\:p-1:nth-child(odd){padding:0.25rem}\
         .group:hover .group-hover\\:underline{-webkit-text-decoration-line:underline;text-decoration-line:underline}",
    );
}

#[test]
fn names_of_version_three_keep_their_meaning() {
    check(
        "rounded rounded-sm rounded-t md:rounded !rounded",
        ".\\!rounded{border-radius:0.25rem !important}.rounded{border-radius:0.25rem}.rounded-sm{border-radius:0.125rem}\
         .rounded-t{border-top-left-radius:0.25rem;border-top-right-radius:0.25rem}\
         @media (width >= 48rem){.md\\:rounded{border-radius:0.25rem}}",
    );
    check("size-4", ".size-4{height:1rem}.size-4{width:1rem}");
    check("flex-shrink-0", ".flex-shrink-0{flex-shrink:0}");
    check(
        "placeholder-white",
        ".placeholder-white::placeholder{color:#fff}",
    );
    let shadow = stylesheet(&BTreeSet::from(["shadow-sm".to_owned()]), "");
    assert!(shadow.contains("0 1px 2px 0"), "{shadow}");
}

#[test]
fn classes_of_authors_give_nothing() {
    check("alert my-own card-body prose not-prose rounded-button", "");
    check("", "");
}

#[test]
fn no_class_reaches_out_of_its_rule() {
    for class in [
        "[color:red</style><script>]",
        "[color:red}body{color:blue]",
        "[color:red;background:blue]",
        "before:content-['x]",
        "bg-[url(x]",
        "w-[calc(1px]",
        "[content:/*]",
        "[a:\\]",
    ] {
        check(class, "");
    }
}

/// No class, however strange, causes a panic or an unclosed bracket in the sheet.
#[test]
fn strange_classes_are_survived() {
    let parts = [
        "w-",
        "-",
        "[",
        "]",
        "(",
        ")",
        "!",
        ":",
        "/",
        "50",
        "md",
        "dark",
        "text",
        "bg-",
        "red-500",
        "px",
        "--x",
        "&",
        "_p",
        "99999999999999999999999",
        "0.5",
        "'",
        "\"",
        "@",
        "@container",
        "group-",
        "hover",
        "not-",
        "has-",
        "#fff",
        "%",
        "rounded",
        "from-",
        "theme(",
        "var(",
        "url(",
        ",",
        "nth-",
        "data-",
        "space-x-",
        "grid-cols-",
        "opacity-",
        "aspect-",
        "1/2",
        "line-clamp-",
        "→",
        "'é'",
        "👍",
        "content-['→']",
        "calc(",
    ];
    let mut state = 7_u64;
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..20_000 {
        let class: String = (0..=next(6)).map(|_| parts[next(parts.len())]).collect();
        let sheet = stylesheet(&BTreeSet::from([class.clone()]), "");
        let count = |c| sheet.matches(c).count();
        assert_eq!(count('{'), count('}'), "{class}: {sheet}");
        assert!(!sheet.contains('<'), "{class}: {sheet}");
    }
}

#[test]
fn addresses_of_files_are_below_the_base_path() {
    let sheet = |class: &str| stylesheet(&BTreeSet::from([class.to_owned()]), "/docs/");
    assert!(sheet("bg-[url(/a.png)]").contains("url(/docs/a.png)"));
    assert!(sheet("bg-[url('/a.png')]").contains("url('/docs/a.png')"));
    assert!(sheet("bg-[url(//cdn.example.org/a.png)]").contains("url(//cdn"));
    assert!(sheet("bg-[url(https://example.org/a.png)]").contains("url(https://example"));
}

#[test]
fn what_the_generator_does_not_know_is_spelled_out() {
    check(
        "bg-[#F1F1F1]/95",
        ".bg-\\[\\#F1F1F1\\]\\/95{background-color:rgb(241 241 241/95%)}",
    );
    check_dark(
        "dark:border-[#abc]/[0.3]",
        &[".dark\\:border-\\[\\#abc\\]\\/\\[0\\.3\\]{border-color:rgb(170 187 204/0.3)}"],
    );
    check("-mt-[1000px]", ".-mt-\\[1000px\\]{margin-top:-1000px}");
    check(
        "focus:outline-none",
        ".focus\\:outline-none:focus{outline-offset:2px}.focus\\:outline-none:focus{outline:2px solid transparent}",
    );
    check(
        "antialiased object-left-bottom brightness-[1.1]",
        ".antialiased{-moz-osx-font-smoothing:grayscale}.antialiased{-webkit-font-smoothing:antialiased}.brightness-\\[1\\.1\\]{--en-brightness:brightness(1.1)}.brightness-\\[1\\.1\\]{filter:var(--en-blur) var(--en-brightness) var(--en-contrast) var(--en-grayscale) var(--en-hue-rotate) var(--en-invert) var(--en-saturate) var(--en-sepia) var(--en-drop-shadow)}.object-left-bottom{object-position:left bottom}",
    );
    check("bg-[#zzz]/95 bg-[#12345]/95", "");
}
fn sheet(classes: &[&str]) -> String {
    let classes = classes.iter().map(|class| (*class).to_owned()).collect();
    stylesheet(&classes, "")
}

#[test]
fn everyday_utilities_of_version_three_have_rules() {
    for (class, expected) in [
        (
            "text-sm/6",
            ".text-sm\\/6{font-size:0.875rem;line-height:1.25rem}.text-sm\\/6{line-height:1.5rem}",
        ),
        (
            "text-[14px]/[20px]",
            ".text-\\[14px\\]\\/\\[20px\\]{font-size:14px}.text-\\[14px\\]\\/\\[20px\\]{line-height:20px}",
        ),
        ("z-[60]", ".z-\\[60\\]{z-index:60}"),
        ("-z-[60]", ".-z-\\[60\\]{z-index:-60}"),
        ("-z-10", ".-z-10{z-index:-10}"),
        (
            "bg-white/[.06]",
            ".bg-white\\/\\[\\.06\\]{background-color:color-mix(in oklab, #fff 6%, transparent)}",
        ),
        ("ring-inset", ".ring-inset{--en-ring-inset:inset}"),
        ("max-w-2", ".max-w-2{max-width:0.5rem}"),
        ("collapse", ".collapse{visibility:collapse}"),
        (
            "md:hyphens-auto",
            "@media (width >= 48rem){.md\\:hyphens-auto{hyphens:auto}}",
        ),
        ("self-baseline", ".self-baseline{align-self:baseline}"),
        (
            "decoration-double",
            ".decoration-double{text-decoration-style:double}",
        ),
        ("-col-start-2", ".-col-start-2{grid-column-start:-2}"),
    ] {
        assert_eq!(sheet(&[class]), expected, "{class}");
        assert!(!is_without_rule(class, ""), "{class}");
        assert!(!is_without_rule(class, expected), "{class}");
    }
    // Colors of a gradient stand where their positions say.
    let gradient = sheet(&[
        "bg-gradient-to-r",
        "from-blue-500",
        "to-pink-500",
        "from-10%",
    ]);
    assert!(
        gradient.contains("var(--en-gradient-from) var(--en-from-position,),"),
        "{gradient}"
    );
    assert!(
        gradient.contains(".from-10\\%{--en-from-position:10%}"),
        "{gradient}"
    );
}

#[test]
fn each_block_of_a_sheet_is_whole() {
    for whole in [
        ".a{b:c}",
        ".a{b:c}\n\n@media (x){.b{c:d}}",
        ".a\\[b{content:'}'}",
        "",
        "@keyframes a{to{b:c}}\n.d{e:url(f)}",
    ] {
        assert!(blocks(whole).is_some(), "{whole}");
    }
    for torn in [
        ".a{b:c", ".a{b:c]}", ".a{b:(c}", ".a{b:c}}", ".a{b:'c}", "a",
    ] {
        assert!(blocks(torn).is_none(), "{torn}");
    }
    assert_eq!(
        blocks(".a{b:c}\n\n.d{e:f}").unwrap(),
        [".a{b:c}", ".d{e:f}"]
    );
    assert!(blocks(&sheet(&["animate-bounce", "animate-spin", "mt-4"])).is_some());
}

#[test]
fn class_that_is_written_as_a_utility_and_has_no_rule_is_noticed() {
    for class in [
        "hover:no-such-thing",
        "w-[12px",
        "no-such-[12px]",
        "md:my-card",
    ] {
        assert_eq!(is_without_rule(class, ""), class != "w-[12px", "{class}");
    }
    for class in [
        "my-card",
        "mt-4",
        "hover:mt-4",
        "w-[12px]",
        "[&>p]:mt-4",
        "card:",
    ] {
        assert!(!is_without_rule(class, ""), "{class}");
    }
}

#[test]
fn opacity_of_a_class_of_its_own_is_heard() {
    check("bg-black", ".bg-black{background-color:#000}");
    let shown = "color-mix(in oklab, #000 calc(var(--en-bg-opacity)*100%), transparent)";
    check(
        "bg-black bg-opacity-50",
        &format!(
            ".bg-black{{--en-bg-opacity:1;background-color:{shown}}}.bg-opacity-50{{--en-bg-opacity:0.5}}"
        ),
    );
    // What says itself how much of it shows, and what has no color, stays.
    for class in [
        "bg-black/50",
        "bg-transparent",
        "bg-current",
        "bg-[var(--x)]",
    ] {
        let alone = sheet(&[class]);
        let both = sheet(&[class, "bg-opacity-50"]);
        assert!(both.starts_with(&alone), "{class}: {both}");
    }
    for (color, opacity) in [
        ("text-black", "text-opacity-50"),
        ("border-t-black", "border-opacity-50"),
        ("divide-black", "divide-opacity-50"),
        ("placeholder-black", "placeholder-opacity-50"),
        ("ring-black", "ring-opacity-50"),
        ("hover:bg-black", "hover:bg-opacity-5"),
    ] {
        let both = sheet(&[color, opacity]);
        assert!(both.contains(":1;") && both.contains("calc(var("), "{both}");
        let (plain, variant) = (
            both.find("-opacity:0.").unwrap(),
            both.find("-opacity:1;").unwrap(),
        );
        assert!(variant < plain, "{both}");
    }
}

#[test]
fn what_version_four_does_otherwise_is_as_in_version_three() {
    // Turned within its plane.
    assert!(sheet(&["rotate-45"]).starts_with(".rotate-45{--en-rotate-z:45deg;transform:"));
    assert!(sheet(&["-rotate-[17deg]"]).contains("{--en-rotate-z:-17deg;transform:"));
    // Lines and room are between children.
    assert!(sheet(&["divide-x"]).contains("border-inline-start-width:calc(1px * calc(1 - "));
    assert!(
        sheet(&["space-y-4"])
            .contains("> :not([hidden]) ~ :not([hidden]){margin-block-end:calc(1rem * var(")
    );
    assert!(sheet(&["ring-2"]).contains("--en-ring-shadow:var(--en-ring-inset) 0 0 0 calc(2px"));
    check("text-red-500", ".text-red-500{color:#ef4444}");
    check(
        "h-[calc(100vh-var(--header-height,4rem))]",
        ".h-\\[calc\\(100vh-var\\(--header-height\\,4rem\\)\\)\\]{height:calc(100vh - var(--header-height,4rem))}",
    );
    check(
        "-mt-[var(--nav-height)]",
        ".-mt-\\[var\\(--nav-height\\)\\]{margin-top:calc(0px - var(--nav-height))}",
    );
}
