//! Values on the wire, byte for byte: the table of section 4.8.12.4 of the specification, and what it leaves open.

use openapi::endpoint::Location;
use openapi::playground::Style;
use openapi::serialize::{Serialization, address, cookie, encode, form, header, path, query};
use serde_json::{Value, json};

fn spec(style: Style, explode: bool) -> Serialization {
    Serialization {
        style,
        explode,
        allow_reserved: false,
        json: false,
    }
}

fn values() -> [Value; 4] {
    [
        Value::Null,
        json!("blue"),
        json!(["blue", "black", "brown"]),
        json!({ "R": 100, "G": 200, "B": 150 }),
    ]
}

#[test]
fn the_table_of_styles_in_a_path() {
    use Style::{Label, Matrix, Simple};
    let table = [
        (
            Matrix,
            false,
            [
                ";color",
                ";color=blue",
                ";color=blue,black,brown",
                ";color=R,100,G,200,B,150",
            ],
        ),
        (
            Matrix,
            true,
            [
                ";color",
                ";color=blue",
                ";color=blue;color=black;color=brown",
                ";R=100;G=200;B=150",
            ],
        ),
        (
            Label,
            false,
            [".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
        ),
        (
            Label,
            true,
            [".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
        ),
        (
            Simple,
            false,
            ["", "blue", "blue,black,brown", "R,100,G,200,B,150"],
        ),
        (
            Simple,
            true,
            ["", "blue", "blue,black,brown", "R=100,G=200,B=150"],
        ),
    ];
    for (style, explode, expected) in table {
        let written = values().map(|value| path(&spec(style, explode), "color", &value));
        assert_eq!(written, expected, "{style:?} {explode}");
    }
}

#[test]
fn the_table_of_styles_in_a_query() {
    use Style::{DeepObject, Form, PipeDelimited, SpaceDelimited};
    let exploded = [
        "color=",
        "color=blue",
        "color=blue&color=black&color=brown",
        "R=100&G=200&B=150",
    ];
    let table = [
        (
            Form,
            false,
            [
                "color=",
                "color=blue",
                "color=blue,black,brown",
                "color=R,100,G,200,B,150",
            ],
        ),
        (Form, true, exploded),
        (
            SpaceDelimited,
            false,
            [
                "color=",
                "color=blue",
                "color=blue%20black%20brown",
                "color=R%20100%20G%20200%20B%20150",
            ],
        ),
        (
            PipeDelimited,
            false,
            [
                "color=",
                "color=blue",
                "color=blue%7Cblack%7Cbrown",
                "color=R%7C100%7CG%7C200%7CB%7C150",
            ],
        ),
        (SpaceDelimited, true, exploded),
        (PipeDelimited, true, exploded),
        (
            DeepObject,
            true,
            [
                "color=",
                "color=blue",
                "color=blue&color=black&color=brown",
                "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
            ],
        ),
    ];
    for (style, explode, expected) in table {
        let written = values().map(|value| query(&spec(style, explode), "color", &value).join("&"));
        assert_eq!(written, expected, "{style:?} {explode}");
    }
}

#[test]
fn empty_and_nested_values() {
    let exploded = spec(Style::Form, true);
    let joined = spec(Style::Form, false);
    assert_eq!(query(&exploded, "a", &json!([])), Vec::<String>::new());
    assert_eq!(query(&joined, "a", &json!([])), ["a="]);
    assert_eq!(query(&exploded, "a", &json!({})), Vec::<String>::new());
    assert_eq!(query(&joined, "a", &json!({})), Vec::<String>::new());
    assert_eq!(query(&exploded, "a", &json!([[1, 2]])), ["a=%5B1%2C2%5D"]);
    let deep = spec(Style::DeepObject, true);
    assert_eq!(
        query(&deep, "f", &json!({ "a": { "b": 1 }, "c": [1, 2] })),
        ["f%5Ba%5D%5Bb%5D=1", "f%5Bc%5D=1", "f%5Bc%5D=2"]
    );
}

#[test]
fn headers_and_cookies_are_not_encoded() {
    let simple = spec(Style::Simple, false);
    assert_eq!(header(&simple, &json!([1, 2])), "1,2");
    assert_eq!(header(&simple, &json!("a b\r\nEvil: 1")), "a b  Evil: 1");
    assert_eq!(
        header(&spec(Style::Simple, true), &json!({ "a": 1, "b": "x y" })),
        "a=1,b=x y"
    );
    let form = spec(Style::Form, true);
    assert_eq!(cookie(&form, "ids", &json!([1, 2])), ["ids=1", "ids=2"]);
    assert_eq!(
        cookie(&spec(Style::Form, false), "ids", &json!([1, 2])),
        ["ids=1,2"]
    );
    assert_eq!(cookie(&form, "c", &json!("a b%")), ["c=a b%"]);
}

#[test]
fn reserved_characters() {
    assert_eq!(encode("a b&c/d", false), "a%20b%26c%2Fd");
    assert_eq!(encode("a b&c/d", true), "a%20b%26c/d");
    assert_eq!(
        encode(":/?#[]@!$&'()*+,;=%41%zz", true),
        ":/?%23[]@!$%26'()*%2B,;=%41%25zz"
    );
    assert_eq!(encode("ä~-._*", false), "%C3%A4~-._%2A");
    assert_eq!(
        form(&["q=a%20b%2B".to_owned(), "r=1".to_owned()]),
        "q=a+b%2B&r=1"
    );
}

#[test]
fn content_is_compact_json_encoded_for_its_place() {
    let json = Serialization {
        json: true,
        ..spec(Style::Form, true)
    };
    assert_eq!(
        query(&json, "f", &json!({ "a": "b c" })),
        ["f=%7B%22a%22%3A%22b%20c%22%7D"]
    );
    assert_eq!(header(&json, &json!({ "a": 1 })), r#"{"a":1}"#);
    assert_eq!(path(&json, "f", &json!([1])), "%5B1%5D");
}

#[test]
fn defaults_of_styles() {
    let of = |text: &str, location| {
        let members: Value = serde_json::from_str(text).unwrap();
        let spec = Serialization::of(members.as_object().unwrap(), location);
        (spec.style, spec.explode)
    };
    assert_eq!(of("{}", Location::Query), (Style::Form, true));
    assert_eq!(of("{}", Location::Cookie), (Style::Form, true));
    assert_eq!(of("{}", Location::Path), (Style::Simple, false));
    assert_eq!(of("{}", Location::Header), (Style::Simple, false));
    assert_eq!(
        of(r#"{"style":"pipeDelimited"}"#, Location::Query),
        (Style::PipeDelimited, false)
    );
    assert_eq!(
        of(r#"{"style":"deepObject","explode":false}"#, Location::Query),
        (Style::DeepObject, true)
    );
}

#[test]
fn numbers_are_sent_as_they_are_written() {
    let form = spec(Style::Form, true);
    for text in ["9007199254740993", "1e+30", "0.10", "-0"] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(
            query(&form, "n", &value),
            [format!("n={}", text.replace('+', "%2B"))]
        );
    }
}

#[test]
fn addresses_are_joined_not_resolved() {
    assert_eq!(address("https://h/v1/", "/users"), "https://h/v1/users");
    assert_eq!(address("https://h/v1", "/users"), "https://h/v1/users");
}
