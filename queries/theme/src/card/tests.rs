use super::*;

/// Letters that are all half as wide as they are high; none of Hebrew.
struct Even;

impl Letters for Even {
    fn width(&self, _: char, _: Weight) -> f32 {
        0.5
    }

    fn has(&self, letter: char) -> bool {
        !('\u{590}'..'\u{600}').contains(&letter) && letter != '☃'
    }
}

fn look() -> Look {
    Look {
        name: "Museum".to_owned(),
        theme: "mint".to_owned(),
        primary: "#16794c".to_owned(),
        ..Look::default()
    }
}

/// The texts of an SVG from top to bottom.
fn texts(svg: &str) -> Vec<String> {
    let parts = svg.split("<text").skip(1);
    let mut texts: Vec<String> = parts
        .map(|part| {
            let (_, text) = part.split_once('>').expect("its end");
            text.split("</text>").next().expect("a text").to_owned()
        })
        .collect();
    texts.reverse();
    texts
}

fn card(title: &str) -> Card {
    Card {
        title: title.to_owned(),
        description: Some("What it is about.".to_owned()),
        section: Some("Guides".to_owned()),
        ..Card::default()
    }
}

#[test]
fn a_card_says_section_title_and_description() {
    let svg = words(&look(), &card("Tickets & <more>"), &Even);
    assert_eq!(
        texts(&svg),
        ["Guides", "Tickets &amp; &lt;more&gt;", "What it is about."]
    );
}

#[test]
fn a_long_title_has_three_lines_and_an_ellipsis() {
    let title = "words of a title ".repeat(20);
    let svg = words(&look(), &card(&title), &Even);
    let texts = texts(&svg);
    assert_eq!(texts.len(), 5, "{texts:?}");
    assert!(
        texts[3].ends_with('…') && !texts[2].ends_with('…'),
        "{texts:?}"
    );
    let last = texts[3].trim_end_matches('…').split(' ').next_back();
    assert!(
        last.is_some_and(|word| title.split(' ').any(|whole| whole == word)),
        "{texts:?}"
    );
}

#[test]
fn no_line_is_wider_than_its_measure() {
    for title in [
        "word ".repeat(30),
        "x".repeat(300),
        "設定".repeat(90),
        "a/b.c-d_e:".repeat(30),
    ] {
        let style = Style {
            size: 54.0,
            weight: Weight::Semibold,
            color: Rgb::BLACK,
        };
        let set = wrapped(title.trim(), MEASURE, 3, style, &Even);
        assert!(set.is_cut && set.lines.len() == 3, "{:?}", set.lines);
        for line in &set.lines {
            assert!(lines::width(line, style, &Even) <= MEASURE, "{line}");
        }
    }
}

#[test]
fn a_name_of_code_is_broken_behind_its_signs() {
    let svg = words(
        &look(),
        &card("api.openapi.servers.variables.region.defaultValueOfTheConfiguration"),
        &Even,
    );
    let texts = texts(&svg);
    assert!(
        texts[1].ends_with('.') || texts[1].ends_with("Value"),
        "{texts:?}"
    );
    assert_eq!(
        texts[1..texts.len() - 1].concat(),
        "api.openapi.servers.variables.region.defaultValueOfTheConfiguration"
    );
}

#[test]
fn what_there_are_no_letters_for_is_left_out() {
    let svg = words(&look(), &card("שלום עולם"), &Even);
    assert_eq!(texts(&svg), ["Guides", "What it is about."]);
    // A sign is no part of a word.
    let svg = words(&look(), &card("☃ Winter"), &Even);
    assert_eq!(texts(&svg)[1], "Winter");
}

#[test]
fn an_operation_shows_method_and_path() {
    let mut card = card("List pets");
    card.endpoint = Some(("GET".to_owned(), "/pets/{petId}".to_owned()));
    let svg = words(&look(), &card, &Even);
    let texts = texts(&svg);
    assert!(texts.contains(&"GET".to_owned()) && texts.contains(&"/pets/{petId}".to_owned()));
    assert!(
        !texts.contains(&"What it is about.".to_owned()),
        "{texts:?}"
    );
}

#[test]
fn words_from_right_to_left_end_at_the_right_margin() {
    let mut card = card("Tickets");
    card.is_rtl = true;
    let svg = words(&look(), &card, &Even);
    assert!(
        svg.contains("x=\"1120.0\"") && !svg.contains("x=\"80.0\""),
        "{svg}"
    );
}

#[test]
fn each_theme_has_a_ground_of_its_own() {
    let themes = [
        "mint", "maple", "palm", "willow", "linden", "almond", "aspen", "luma", "sequoia",
    ];
    let mut seen = std::collections::BTreeSet::new();
    for theme in themes {
        for is_dark in [false, true] {
            let look = Look {
                theme: theme.to_owned(),
                is_dark,
                ..look()
            };
            seen.insert(ground(&look, false, &Even));
        }
    }
    assert_eq!(seen.len(), 18);
}

#[test]
fn words_can_be_read_on_every_ground() {
    for ground in ["#ffffff", "#000000", "#16794c", "#ffee00", "#7f7f7f"] {
        for primary in ["#ffffff", "#000000", "#16794c", "#ffee00"] {
            let palette = Palette::of(&Look {
                ground: Some(ground.to_owned()),
                primary: primary.to_owned(),
                ..look()
            });
            for color in [palette.accent, palette.ink, palette.soft] {
                let contrast = crate::color::contrast(color, palette.ground);
                assert!(contrast >= 3.0, "{color:?} on {ground}: {contrast}");
            }
        }
    }
}

#[test]
fn a_site_cannot_leave_its_text() {
    let look = Look {
        family: Some("X'\"/><image href='/etc/passwd'/>".to_owned()),
        name: "A</text><image href=\"/etc/passwd\"/>".to_owned(),
        ..look()
    };
    for svg in [
        ground(&look, false, &Even),
        words(&look, &card("<b>"), &Even),
    ] {
        assert!(!svg.contains("<image") && !svg.contains("<b>"), "{svg}");
    }
}
