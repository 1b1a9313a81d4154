//! Composed schemas mean what they say: the type, the rows of each direction, the sample and the check are of one schema.

use base::diagnostic::Code;
use openapi::endpoint::{Endpoint, Modelled};

use super::seen::{
    PETS, POST, chips, compact, request, response, returned, row, schema, schema30, sent, with,
};
use super::{both_ways, codes, outline, page};

/// Asserts type, rows and sample of a schema in a request, and what its author is told.
#[track_caller]
fn check(page: &Modelled<Endpoint>, label: &str, rows: &str, sample: &str, told: &[&str]) {
    let view = request(page);
    assert_eq!(view.label.plain(), label);
    assert_eq!(outline(&view.contents), rows);
    assert_eq!(sent(page), sample);
    assert_eq!(codes(page), told);
}

#[test]
fn a_union_of_limits_leaves_the_array_open() {
    let items = "items: {type: object, properties: {z: {type: string}}}";
    let limits = "anyOf: [{minItems: 1}, {maxItems: 0}]";
    for text in [
        format!("{{type: array, {items}, {limits}}}"),
        format!("{{allOf: [{{type: array, {items}}}, {{{limits}}}]}}"),
        format!(
            "{{allOf: [{{type: array, {items}}}, {{anyOf: [{{type: object}}, {{type: array}}, {{type: string}}]}}]}}"
        ),
        format!(
            "{{type: array, {items}, anyOf: [{{type: object, properties: {{a: {{}}}}}}, {{type: array}}]}}"
        ),
    ] {
        check(
            &schema(&text),
            "object[]",
            "z string\n",
            r#"[{"z":"string"}]"#,
            &[],
        );
    }
}

#[test]
fn an_array_in_a_union_opens() {
    check(
        &schema(
            "{oneOf: [{title: List, type: array, items: {oneOf: [{title: A, type: object, required: [a], properties: {a: {type: string}}}, {title: B, type: object, required: [b], properties: {b: {type: string}}}]}}, {title: One, type: object, required: [c], properties: {c: {type: string}}}]}",
        ),
        "object[] | object",
        "one of\n| List\n  one of\n  | A\n    a string required\n  | B\n    b string required\n| One\n  c string required\n",
        r#"[{"a":"string"}]"#,
        &[],
    );
    // Beside a union the items of an array are those of each branch.
    check(
        &schema(
            "{type: array, items: {type: object, properties: {z: {type: string}}}, oneOf: [{title: A, items: {required: [a], properties: {a: {type: string}}}}, {title: B, items: {required: [b], properties: {b: {type: string}}}}]}",
        ),
        "object[]",
        "one of\n| A\n  z string\n  a string required\n| B\n  z string\n  b string required\n",
        r#"[{"z":"string","a":"string"}]"#,
        &[],
    );
    // What is an object and an array has rows of both.
    check(
        &schema(
            "{type: [object, array], properties: {a: {type: string}}, items: {type: object, properties: {b: {type: string}}}}",
        ),
        "object | object[]",
        "a string\n[…] object\n  b string\n",
        r#"{"a":"string"}"#,
        &[],
    );
}

/// The example of a member of `allOf` is one of that member: what the others add it need not have.
#[test]
fn an_inherited_example_is_held_against_what_it_was_written_for() {
    let base = |example: &str| {
        format!(
            "{{type: object, required: [a], properties: {{a: {{type: string}}}}, example: {example}}}"
        )
    };
    let more = "{required: [b], properties: {b: {type: integer, example: 7}}}";
    let (good, bad) = (base("{a: x}"), base("{a: 1}"));
    let composed = schema(&format!("{{allOf: [{good}, {more}]}}"));
    assert_eq!(sent(&composed), r#"{"a":"x","b":7}"#);
    assert_eq!(codes(&composed), <[&str; 0]>::default());
    // Through a reference, and through another composition.
    let nested = schema(&format!("{{allOf: [{{allOf: [{good}]}}, {more}]}}"));
    assert_eq!(codes(&nested), <[&str; 0]>::default());
    // What is wrong by itself is said, as is what stands beside the members.
    let wrong = schema(&format!("{{allOf: [{bad}, {more}]}}"));
    assert_eq!(codes(&wrong), ["example-mismatch"]);
    let beside = schema(&format!(
        "{{allOf: [{}, {more}], example: {{a: x}}}}",
        base("{a: x}")
    ));
    assert_eq!(codes(&beside), ["example-mismatch"]);
}

/// A schema without other properties is told of where another member has some, and only there.
#[test]
fn a_closed_member_is_told_of_where_it_leaves_something_out() {
    let closed = "{type: object, additionalProperties: false, properties: {kind: {type: string}, a: {type: string}}}";
    let told = |schema_text: &str| codes(&schema(schema_text)).join(" ");
    for (other, expected) in [
        ("{properties: {a: {minLength: 1}}}", ""),
        ("{properties: {b: {type: string}}}", "allof-closed"),
    ] {
        assert_eq!(told(&format!("{{allOf: [{closed}, {other}]}}")), expected);
        assert_eq!(told(&format!("{{allOf: [{other}, {closed}]}}")), expected);
    }
    let patterned = "{type: object, additionalProperties: false, properties: {a: {type: string}}, patternProperties: {'^x-': {type: string}}}";
    assert_eq!(
        told(&format!(
            "{{allOf: [{patterned}, {{properties: {{x-b: {{type: string}}}}}}]}}"
        )),
        ""
    );
    // One that has no properties of its own would exclude all that its members have.
    let base = "{$ref: '#/components/schemas/Base'}";
    let of_base = |schema_text: &str| {
        let components = "Base: {type: object, properties: {a: {type: string}}}";
        codes(&with(components, schema_text)).join(" ")
    };
    for (composed, expected) in [
        (
            format!("{{allOf: [{base}], additionalProperties: false}}"),
            "allof-closed",
        ),
        (
            format!("{{oneOf: [{base}, {{type: string}}], additionalProperties: false}}"),
            "allof-closed",
        ),
        (
            format!("{{allOf: [{base}], unevaluatedProperties: false}}"),
            "",
        ),
        (
            format!("{{allOf: [{base}], additionalProperties: true}}"),
            "",
        ),
    ] {
        assert_eq!(of_base(&composed), expected, "{composed}");
    }
    // What a discriminator says of its branch is no member.
    let union = "{oneOf: [{$ref: '#/components/schemas/Planet'}, {$ref: '#/components/schemas/Moon'}], discriminator: {propertyName: kind, mapping: {rock: '#/components/schemas/Planet', gas: '#/components/schemas/Planet', moon: '#/components/schemas/Moon'}}}";
    let planets = format!(
        "{{Planet: {closed}, Moon: {{type: object, properties: {{kind: {{type: string}}}}}}}}"
    );
    assert_eq!(codes(&with(&planets, union)), <[&str; 0]>::default());
}

/// Of schemas that are based on one with a discriminator a sample takes one that ends.
#[test]
fn a_sample_takes_the_kind_that_ends() {
    let schemas = "{
        Condition: {type: object, discriminator: {propertyName: op}, required: [op], properties: {op: {type: string}}},
        and: {allOf: [{$ref: '#/components/schemas/Condition'}, {$ref: '#/components/schemas/logical'}]},
        equals: {allOf: [{$ref: '#/components/schemas/Condition'}, {type: object, required: [value], properties: {value: {type: string}}}]},
        logical: {type: object, required: [conditions], properties: {conditions: {type: array, minItems: 2, items: {$ref: '#/components/schemas/Condition'}}}}
    }";
    let page = with(schemas, "{$ref: '#/components/schemas/Condition'}");
    assert_eq!(sent(&page), r#"{"op":"equals","value":"string"}"#);
    assert_eq!(codes(&page), <[&str; 0]>::default());
}

#[test]
fn a_schema_for_other_members_does_not_describe_named_ones() {
    for text in [
        r#"{allOf: [{properties: {v: {type: integer, description: the version, example: 3}}}, {additionalProperties: {description: any value, example: x, deprecated: true, title: Any}}]}"#,
        r#"{allOf: [{additionalProperties: {description: any value, example: x, deprecated: true, title: Any}}, {properties: {v: {type: integer, description: the version, example: 3}}}]}"#,
    ] {
        let page = schema(text);
        let v = row(&request(&page).contents, "v");
        assert_eq!(v.description, "the version");
        assert_eq!((v.is_deprecated, v.view.title.as_deref()), (false, None));
        assert_eq!(sent(&page), r#"{"v":3}"#);
        assert_eq!(codes(&page), <[&str; 0]>::default());
    }
}

#[test]
fn what_is_required_beside_a_union_is_required_in_its_branches() {
    let text = "{required: [id, name], oneOf: [{title: A, properties: {id: {type: integer, readOnly: true}, name: {type: string}}}, {title: B, properties: {id: {type: integer}, name: {type: string}, size: {type: integer}}, required: [size]}]}";
    let page = schema(text);
    check(
        &page,
        "object",
        "one of\n| A\n  name string required\n| B\n  id integer required\n  name string required\n  size integer required\n",
        r#"{"name":"string"}"#,
        &[],
    );
    let expected = "one of\n| A\n  id integer required read-only\n  name string required\n| B\n  id integer required\n  name string required\n  size integer required\n";
    assert_eq!(outline(&response(&page).contents), expected);
    assert_eq!(returned(&page), r#"{"id":1,"name":"string"}"#);
    // The other way round: a branch requires what is hidden beside it.
    check(
        &schema(
            "{properties: {id: {type: integer, readOnly: true}, a: {type: string}}, oneOf: [{required: [id]}, {required: [a]}]}",
        ),
        "object",
        "a string\none of\n| Option 1\n| a required\n",
        // Nothing at all is valid in one way, and says less.
        r#"{"a":"string"}"#,
        &["sample-unverified"],
    );
    // A name that no branch has is a row of its own.
    check(
        &schema(
            "{required: [x], oneOf: [{title: A, required: [a], properties: {a: {type: string}}}, {title: B, required: [b], properties: {b: {type: string}}}]}",
        ),
        "object",
        "x any required\none of\n| A\n  a string required\n| B\n  b string required\n",
        r#"{"a":"string","x":"any"}"#,
        &[],
    );
}

#[test]
fn branches_that_require_a_common_property_say_so() {
    check(
        &schema(
            "{type: object, properties: {a: {type: string}, b: {type: integer}}, anyOf: [{required: [a]}, {required: [b]}]}",
        ),
        "object",
        "a string\nb integer\nany of\n| a required\n| b required\n",
        r#"{"a":"string","b":1}"#,
        &[],
    );
}

#[test]
fn branches_that_siblings_exclude_are_left_out() {
    let cases = [
        // By type, and by type through another union.
        (
            "{type: object, oneOf: [{type: string}, {properties: {a: {type: string}}, type: object}]}",
            "object",
            "a string\n",
            r#"{"a":"string"}"#,
        ),
        (
            "{type: object, oneOf: [{oneOf: [{type: string}, {type: integer}]}, {type: object, properties: {a: {type: string}}}]}",
            "object",
            "a string\n",
            r#"{"a":"string"}"#,
        ),
        // By value.
        (
            "{enum: [a, b], oneOf: [{const: c}, {enum: [b, d]}]}",
            "\"b\"",
            "",
            "\"b\"",
        ),
        // By the value of a property that has to be there.
        (
            "{required: [kind], properties: {kind: {const: cat}}, oneOf: [{properties: {kind: {const: cat}, lives: {type: integer}}}, {properties: {kind: {const: dog}, bark: {type: boolean}}}]}",
            "object",
            "kind \"cat\" required\nlives integer\n",
            r#"{"kind":"cat","lives":1}"#,
        ),
        // By limits.
        (
            "{type: integer, minimum: 10, anyOf: [{maximum: 5}, {maximum: 12}]}",
            "integer",
            "",
            "10",
        ),
        (
            "{type: string, minLength: 3, anyOf: [{maxLength: 2}, {maxLength: 4}]}",
            "string",
            "",
            "\"string\"",
        ),
        // A single branch is the whole, and a branch that nothing is valid against is none.
        (
            "{oneOf: [{type: object, properties: {a: {type: string}}}]}",
            "object",
            "a string\n",
            r#"{"a":"string"}"#,
        ),
        (
            "{oneOf: [false, {type: object, properties: {a: {type: string}}}]}",
            "object",
            "a string\n",
            r#"{"a":"string"}"#,
        ),
    ];
    for (text, label, rows, sample) in cases {
        let page = schema(text);
        assert_eq!(request(&page).label.plain(), label, "{text}");
        assert_eq!(outline(&request(&page).contents), rows, "{text}");
        let sample = if label == "string" {
            "\"stri\""
        } else {
            sample
        };
        assert_eq!(sent(&page), sample, "{text}");
        assert_eq!(codes(&page), <[&str; 0]>::default(), "{text}");
    }
    // `null` is no reason to leave a branch out.
    let page = schema(
        "{type: [object, 'null'], oneOf: [{type: [string, 'null']}, {type: object, properties: {a: {type: string}}}]}",
    );
    assert!(request(&page).label.plain().ends_with("| null"));
}

#[test]
fn a_union_whose_branches_are_all_excluded_is_told_of_and_shown() {
    check(
        &schema(
            "{type: string, oneOf: [{type: object, required: [a], properties: {a: {type: string}}}, {type: integer}]}",
        ),
        "object | integer",
        "one of\n| Option 1\n  a string required\n| integer\n",
        r#"{"a":"string"}"#,
        &["allof-conflict", "sample-unverified"],
    );
}

#[test]
fn a_discriminator_beside_a_union_has_the_value_of_the_branch() {
    let text = "{type: object, required: [petType], properties: {petType: {type: string, description: which}, name: {type: string}}, oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: petType, mapping: {cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}}}";
    check(
        &with(PETS, text),
        "object",
        "petType string required\nname string\none of by petType\n| cat\n  petType \"cat\" required\n  lives integer\n| dog\n  petType \"dog\" required\n  bark boolean\n",
        r#"{"petType":"cat","name":"string","lives":1}"#,
        &[],
    );
    // A branch that does not name the property has it all the same.
    check(
        &with(
            "{Cat: {type: object, properties: {lives: {type: integer}}}, Dog: {type: object, properties: {bark: {type: boolean}}}}",
            "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind}}",
        ),
        "Cat | Dog",
        "one of by kind\n| Cat\n  kind \"Cat\"\n  lives integer\n| Dog\n  kind \"Dog\"\n  bark boolean\n",
        r#"{"lives":1,"kind":"Cat"}"#,
        &["discriminator-property"],
    );
    // A union of one branch has its value.
    check(
        &with(
            PETS,
            "{oneOf: [{$ref: '#/components/schemas/Cat'}], discriminator: {propertyName: petType}}",
        ),
        "Cat",
        "petType \"Cat\" required\nlives integer\n",
        r#"{"petType":"Cat","lives":1}"#,
        &[],
    );
}

#[test]
fn a_branch_that_is_left_keeps_its_name() {
    check(
        &with(
            PETS,
            "{type: object, properties: {pet: {type: object, oneOf: [{$ref: '#/components/schemas/Cat'}, {type: array, items: {$ref: '#/components/schemas/Cat'}}]}}}",
        ),
        "object",
        "pet Cat\n  petType string required\n  lives integer\n",
        r#"{"pet":{"petType":"string","lives":1}}"#,
        &[],
    );
}

#[test]
fn a_tab_of_many_values_is_short() {
    let mapping: Vec<String> = (0..90)
        .map(|n| format!("value{n}: '#/components/schemas/Cat'"))
        .collect();
    let page = with(
        PETS,
        &format!(
            "{{oneOf: [{{$ref: '#/components/schemas/Cat'}}, {{$ref: '#/components/schemas/Dog'}}], discriminator: {{propertyName: petType, mapping: {{{}}}}}}}",
            mapping.join(", ")
        ),
    );
    let branch = &request(&page).contents.choosers[0].branches[0];
    assert_eq!(
        branch.label,
        "value0, value1, value2, value3, value4, value5, value6, value7, +82"
    );
    assert_eq!(row(&branch.view.contents, "petType").view.values.len(), 90);
}

#[test]
fn nullable_beside_a_union_counts_without_a_type() {
    for keyword in ["oneOf", "anyOf"] {
        let page = schema30(&format!(
            "{{type: object, properties: {{p: {{nullable: true, {keyword}: [{{type: string}}, {{type: integer}}]}}}}}}"
        ));
        assert_eq!(
            outline(&request(&page).contents),
            "p string | integer | null\n"
        );
        assert_eq!(codes(&page), ["nullable-without-type"]);
    }
    let document = both_ways(
        "3.0.3",
        "{A: {type: object, properties: {a: {type: string}}}}",
        "{type: object, properties: {p: {nullable: true, oneOf: [{$ref: '#/components/schemas/A'}]}}}",
    );
    assert_eq!(
        outline(&request(&page(&document, POST)).contents),
        "p A | null\n  a string\n"
    );
}

#[test]
fn what_an_array_contains_is_said() {
    let page = schema("{type: array, contains: {const: 7}}");
    assert_eq!(
        outline(&request(&page).contents),
        "contains 1 or more of 7\n"
    );
    let page = schema(
        "{type: array, contains: {type: object, properties: {a: {type: string}}}, items: {type: object, properties: {b: {type: string}}}}",
    );
    assert_eq!(
        outline(&request(&page).contents),
        "[…] object\n  b string\ncontains 1 or more of\n  a string\n"
    );
}

#[test]
fn a_list_of_items_is_a_tuple() {
    let page = schema30(
        "{type: array, items: [{type: object, properties: {a: {type: string}}}, {type: number}], additionalItems: {type: string}}",
    );
    assert_eq!(request(&page).label.plain(), "[object, number, …string]");
    assert_eq!(sent(&page), r#"[{"a":"string"},1.5]"#);
}

#[test]
fn branches_without_a_chooser_say_their_values_and_limits() {
    let values = |page: &Modelled<Endpoint>| {
        let values = request(page).values.iter().map(|one| one.text.clone());
        values.collect::<Vec<_>>().join(" ")
    };
    let open = schema("{type: string, anyOf: [{enum: [a, b]}, {enum: [b, c]}, {}]}");
    assert_eq!(values(&open), "a b c");
    let many = schema("{type: array, items: {anyOf: [{const: a}, {const: b}, {type: integer}]}}");
    assert_eq!(values(&many), "a b");
    let limited = schema(
        "{anyOf: [{type: string, maxLength: 5}, {type: integer, minimum: 3}, {type: boolean}]}",
    );
    assert_eq!(
        chips(request(&limited)),
        ["≤ 5 characters or ≥ 3 or boolean"]
    );
    let array =
        schema("{type: array, items: {type: string}, anyOf: [{minItems: 1}, {maxItems: 0}]}");
    assert_eq!(chips(request(&array)), ["≥ 1 items or ≤ 0 items"]);
    assert!(
        chips(request(&schema(
            "{anyOf: [{type: string}, {type: integer}]}"
        )))
        .is_empty()
    );
}

#[test]
fn constraints_of_another_type_are_not_said() {
    let page = schema(
        "{type: string, minItems: 1, maxItems: 4, minimum: 3, uniqueItems: true, minProperties: 1, minLength: 2}",
    );
    assert_eq!(chips(request(&page)), ["≥ 2 characters"]);
    let page = schema("{type: array, minLength: 2, pattern: x, minItems: 1}");
    assert_eq!(chips(request(&page)), ["≥ 1 items"]);
    let page = schema("{type: [number, 'null'], minimum: 2}");
    assert_eq!(chips(request(&page)), ["≥ 2"]);
}

#[test]
fn a_title_of_spaces_is_none() {
    let page = schema(
        "{oneOf: [{title: ' ', type: object, required: [a], properties: {a: {type: string}}}, {title: ' B ', type: object, required: [b], properties: {b: {type: string}}}]}",
    );
    let labels: Vec<&str> = (request(&page).contents.choosers[0].branches.iter())
        .map(|branch| branch.label.as_str())
        .collect();
    assert_eq!(labels, ["Option 1", "B"]);
}

#[test]
fn of_what_contradicts_itself_readers_see_the_last() {
    let cases = [
        (
            "{allOf: [{type: object, required: [success], properties: {success: {const: true}}}, {properties: {success: {const: false}}}]}",
            "object",
            "success false required\n",
            r#"{"success":false}"#,
        ),
        (
            "{allOf: [{type: object, required: [n], properties: {n: {type: string, enum: [a]}}}, {properties: {n: {type: integer, minimum: 3}}}]}",
            "object",
            "n integer required\n",
            r#"{"n":3}"#,
        ),
        (
            "{allOf: [{type: integer, maximum: 3}, {minimum: 5}]}",
            "integer",
            "",
            "5",
        ),
        (
            "{allOf: [{type: string, maxLength: 3}, {minLength: 5}]}",
            "string",
            "",
            "\"string\"",
        ),
        (
            "{type: array, items: {type: integer}, maxItems: 1, allOf: [{minItems: 2}]}",
            "integer[]",
            "",
            "[1]",
        ),
    ];
    for (text, label, rows, sample) in cases {
        let page = schema(text);
        assert_eq!(request(&page).label.plain(), label, "{text}");
        assert_eq!(outline(&request(&page).contents), rows, "{text}");
        assert_eq!(sent(&page), sample, "{text}");
        assert_eq!(
            codes(&page),
            ["allof-conflict", "sample-unverified"],
            "{text}"
        );
    }
    // Where it can be left out, it has its place in the sample all the same.
    let page = schema(
        "{allOf: [{type: object, properties: {n: {type: string}, m: {type: string}}}, {properties: {n: {type: integer}}}]}",
    );
    assert_eq!(outline(&request(&page).contents), "n integer\nm string\n");
    assert_eq!(sent(&page), r#"{"n":1,"m":"string"}"#);
    // `never` is what an author writes.
    let page = schema("{type: object, properties: {a: false, b: {not: {}}}}");
    assert_eq!(outline(&request(&page).contents), "a never\nb never\n");
}

/// Each as a property: type, constraints, sample, and whether the author is told of a contradiction.
#[test]
fn a_row_says_that_its_schema_contradicts_itself() {
    let code = "Code: {type: string}\nTone: {type: string, enum: [low, high]}\nList: {type: array, items: {type: integer}}\nLow: {type: integer, maximum: 3}";
    let to = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    const NOTHING: &str = "no value fits";
    let cases: Vec<(&str, String, &str, &[&str], &str)> = vec![
        // TypeSpec's `Str | null`.
        (
            "3.0.3",
            format!("{{type: object, nullable: true, allOf: [{}]}}", to("Code")),
            "string | null",
            &[],
            "\"string\"",
        ),
        (
            "3.0.3",
            format!("{{type: object, nullable: true, allOf: [{}]}}", to("Tone")),
            "enum<string> | null",
            &[],
            "\"low\"",
        ),
        (
            "3.0.3",
            format!("{{type: object, nullable: true, allOf: [{}]}}", to("List")),
            "integer[] | null",
            &[],
            "[1]",
        ),
        (
            "3.0.3",
            format!("{{type: object, allOf: [{}]}}", to("Code")),
            "string",
            &[NOTHING],
            "\"string\"",
        ),
        (
            "3.1.0",
            "{type: object, $ref: '#/components/schemas/Code'}".to_owned(),
            "string",
            &[NOTHING],
            "\"string\"",
        ),
        (
            "3.1.0",
            "{allOf: [{type: integer, maximum: 3}, {minimum: 5}]}".to_owned(),
            "integer",
            &[NOTHING, "≥ 5"],
            "5",
        ),
        (
            "3.1.0",
            format!("{{allOf: [{}], minimum: 5, maximum: 9}}", to("Low")),
            "integer",
            &[NOTHING, "5 – 9"],
            "5",
        ),
        (
            "3.1.0",
            "{type: integer, allOf: [{exclusiveMinimum: 1}, {exclusiveMaximum: 2}]}".to_owned(),
            "integer",
            &[NOTHING, "> 1", "< 2"],
            "1",
        ),
        (
            "3.1.0",
            "{allOf: [{enum: [a, b]}, {enum: [c, d]}]}".to_owned(),
            "enum<string>",
            &[NOTHING],
            "\"c\"",
        ),
        (
            "3.1.0",
            "{allOf: [{const: a}, {enum: [c, d]}]}".to_owned(),
            "enum<string>",
            &[NOTHING],
            "\"c\"",
        ),
        (
            "3.1.0",
            "{allOf: [{type: integer}, {enum: [c, d]}]}".to_owned(),
            "enum<integer>",
            &[NOTHING],
            "\"c\"",
        ),
        (
            "3.1.0",
            "{allOf: [{type: integer, minimum: 5}, {enum: [1, 2]}]}".to_owned(),
            "enum<integer>",
            &[NOTHING, "≥ 5"],
            "1",
        ),
        (
            "3.1.0",
            "{type: string, maxLength: 2, allOf: [{const: abc}]}".to_owned(),
            "\"abc\"",
            &[NOTHING, "≤ 2 characters"],
            "\"abc\"",
        ),
        (
            "3.1.0",
            "{allOf: [{allOf: [{type: string}, {maxLength: 2}]}, {allOf: [{minLength: 4}]}]}"
                .to_owned(),
            "string",
            &[NOTHING, "≥ 4 characters"],
            "\"string\"",
        ),
        (
            "3.1.0",
            "{type: array, items: {allOf: [{type: string}, {type: boolean, title: B}]}}".to_owned(),
            "boolean[]",
            &["each: no value fits"],
            "[true]",
        ),
        // `null` is valid, and said.
        (
            "3.1.0",
            "{allOf: [{type: [string, 'null']}, {type: [integer, 'null']}]}".to_owned(),
            "null",
            &[],
            "null",
        ),
    ];
    for (version, text, label, constraints, sample) in cases {
        let whole = format!("{{type: object, properties: {{v: {text}, w: {{type: boolean}}}}}}");
        let shown = page(&both_ways(version, code, &whole), POST);
        let of_row = row(&request(&shown).contents, "v");
        assert_eq!(of_row.view.label.plain(), label, "{text}");
        assert_eq!(chips(&of_row.view), constraints, "{text}");
        assert_eq!(
            sent(&shown),
            format!(r#"{{"v":{sample},"w":true}}"#),
            "{text}"
        );
        assert!(codes(&shown).contains(&"allof-conflict"), "{text}");
        assert_eq!(
            codes(&shown).contains(&"sample-unverified"),
            label != "null",
            "{text}"
        );
    }
    // Values that fit are neither doubted nor reported.
    for text in [
        "{allOf: [{type: integer}, {enum: [1, c]}]}",
        "{allOf: [{minimum: 5}, {enum: [a, b]}]}",
        "{allOf: [{type: number}, {minimum: 1.2, maximum: 1.8}]}",
        "{type: [string, 'null'], allOf: [{type: ['null', integer]}, {type: 'null'}]}",
    ] {
        let shown = schema(text);
        assert_eq!(
            chips(request(&shown))
                .first()
                .map(String::as_str)
                .filter(|one| *one == NOTHING),
            None,
            "{text}"
        );
        assert!(!codes(&shown).contains(&"sample-unverified"), "{text}");
    }
    // Of several branches one that contradicts what stands beside it is not the first to be sampled.
    let shown = schema(
        "{type: object, required: [n], properties: {n: {type: string}}, anyOf: [{properties: {n: {maxLength: 0, minLength: 3, pattern: a}}, required: [n]}, {properties: {m: {type: integer}}}]}",
    );
    assert_eq!(sent(&shown), r#"{"n":"string","m":1}"#);
}

#[test]
fn an_optional_value_without_a_valid_sample_costs_only_itself() {
    let pets = "{Cat: {type: object, properties: {lives: {type: integer}}}, Dog: {type: object, properties: {bark: {type: boolean}}}}";
    let union = "oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]";
    let object = |pet: &str| {
        with(
            pets,
            &format!(
                "{{type: object, properties: {{a: {{type: string}}, b: {{type: integer}}, pet: {pet}}}}}"
            ),
        )
    };
    // A discriminator decides, whatever else a value is valid against.
    let page = object(&format!(
        "{{{union}, discriminator: {{propertyName: kind}}}}"
    ));
    assert_eq!(
        sent(&page),
        r#"{"a":"string","b":1,"pet":{"lives":1,"kind":"Cat"}}"#
    );
    assert_eq!(codes(&page), ["discriminator-property"]);
    // Without one each of both is valid against the other; readers learn more of the first than of nothing.
    let page = object(&format!("{{{union}}}"));
    assert_eq!(sent(&page), r#"{"a":"string","b":1,"pet":{"lives":1}}"#);
    assert_eq!(codes(&page), ["sample-unverified"]);
    let page = object(&format!("{{type: array, items: {{{union}}}}}"));
    assert_eq!(sent(&page), r#"{"a":"string","b":1,"pet":[{"lives":1}]}"#);
    let page = with(
        pets,
        &format!("{{type: object, properties: {{pet: {{{union}}}}}}}"),
    );
    assert_eq!(sent(&page), r#"{"pet":{"lives":1}}"#);
    assert_eq!(codes(&page), ["sample-unverified"]);
    // Where nothing is valid in one way only, nothing is left out for that.
    let object = |name: &str| {
        format!(
            "{{type: object, required: [name], properties: {{name: {{type: string}}, {name}: {{type: string}}, pet: {{{union}}}}}}}"
        )
    };
    let page = with(
        pets,
        &format!("{{oneOf: [{}, {}]}}", object("a"), object("b")),
    );
    assert_eq!(
        sent(&page),
        r#"{"name":"string","a":"string","pet":{"lives":1}}"#
    );
    assert_eq!(codes(&page), ["sample-unverified"]);
    // Members that are only together not valid are left out one by one.
    let page = schema(
        "{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}, d: {type: string}}, not: {anyOf: [{required: [b]}, {required: [d]}]}}",
    );
    assert_eq!(sent(&page), r#"{"a":"string","c":"string"}"#);
}

#[test]
fn a_discriminated_union_is_checked_by_its_discriminator() {
    let check = |example: &str| {
        let page = with(
            "{Cat: {type: object, required: [lives], properties: {kind: {type: string}, lives: {type: integer}}}, Dog: {type: object, properties: {kind: {type: string}, bark: {type: boolean}}}}",
            &format!(
                "{{oneOf: [{{$ref: '#/components/schemas/Cat'}}, {{$ref: '#/components/schemas/Dog'}}], discriminator: {{propertyName: kind, mapping: {{cat: Cat, dog: Dog, hound: Dog}}}}, example: {example}}}"
            ),
        );
        codes(&page).join(" ")
    };
    assert_eq!(check("{kind: cat, lives: 9}"), "");
    assert_eq!(check("{kind: hound, bark: true}"), "");
    // Valid against the other branch only, which is not the one that it names.
    assert_eq!(check("{kind: cat, bark: true}"), "example-mismatch");
    assert_eq!(check("{kind: dog, bark: 7}"), "example-mismatch");
    assert_eq!(compact(Some("{ \"a\": 1 }")), r#"{"a":1}"#);
}

/// An author hears where in an example something is wrong, and why.
#[test]
fn what_is_wrong_with_an_example_is_told_with_its_place() {
    let told = |schema_text: &str| {
        let page = schema(schema_text);
        let found = page.diagnostics.iter();
        let mut found = found.filter(|found| found.code == Code::ExampleMismatch);
        let message = found
            .next()
            .map(|found| found.message.clone())
            .unwrap_or_default();
        let message = message
            .strip_prefix("the example is not valid: ")
            .unwrap_or_default();
        let message = message.split(" (schema at").next().unwrap_or_default();
        message.to_owned()
    };
    let list = |item: &str, example: &str| {
        told(&format!(
            "{{type: object, properties: {{list: {{type: array, items: {item}}}}}, example: {{list: {example}}}}}"
        ))
    };
    assert_eq!(
        list("{type: [string, integer]}", "[a, null]"),
        "`/list/1` is of the type null, not string or integer"
    );
    assert_eq!(
        list("{type: object, required: [a]}", "[{b: 1}]"),
        "`/list/0` has no `a`, which is required"
    );
    assert_eq!(
        list(
            "{type: object, properties: {a: {}}, additionalProperties: false}",
            "[{a: 1, b: 1}]"
        ),
        "`/list/0` has `b`, and `additionalProperties` allows no more properties"
    );
    assert_eq!(
        list("{enum: [red, green]}", "[green, blue]"),
        "`/list/1` is `\"blue\"`, which the `enum` does not list"
    );
    assert_eq!(
        list("{type: string, maxLength: 2}", "[abc]"),
        "`/list/0` fails at `maxLength`"
    );
    assert_eq!(
        list("{oneOf: [{type: string}, {maxLength: 3}]}", "[abc]"),
        "`/list/0` is not of exactly one branch of `oneOf`"
    );
    assert_eq!(
        list("{anyOf: [{type: string}, {type: integer}]}", "[[]]"),
        "`/list/0` is of no branch of `anyOf`"
    );
    assert_eq!(
        told(
            "{type: object, additionalProperties: {type: object, additionalProperties: {type: string}}, example: {a/b: {c: 1}}}"
        ),
        "`/a~1b/c` is of the type integer, not string"
    );
    assert_eq!(
        told("{type: string, example: 7}"),
        "it is of the type integer, not string"
    );
    // A component that is reached from several places is told of once.
    let page = with(
        "{Error: {type: string, enum: [a], example: ''}}",
        "{type: object, properties: {x: {$ref: '#/components/schemas/Error'}, y: {$ref: '#/components/schemas/Error'}}}",
    );
    let found = page.diagnostics.iter();
    let found = found.filter(|found| found.code == Code::ExampleMismatch);
    assert_eq!(found.count(), 1);
}

/// Three unions that hold each other ten times each: every path through them is another value, and they end all the same. What
/// a label looks at is bounded, however many branches are called alike.
#[test]
fn unions_that_hold_each_other_many_times_are_drawn() {
    let reference = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    let of = |names: &str| {
        let all = names.chars().map(|name| reference(&name.to_string()));
        all.collect::<Vec<_>>().join(", ")
    };
    let components = format!(
        "{{A: {{oneOf: [{}]}}, B: {{allOf: [{}]}}, C: {{anyOf: [{}]}}}}",
        of("BA"),
        of("BABAAAACCB"),
        of("BBCCCAABAC")
    );
    let page = with(&components, &reference("A"));
    let label = request(&page).label.plain();
    assert!(!label.is_empty() && label.len() < 200, "{label}");
    assert!(outline(&request(&page).contents).lines().count() < 8000);
}

/// Schemas that no value is valid against, alone; each as a property, as what an array holds and behind a reference.
const EMPTY: &[&str] = &[
    "{type: integer, minimum: 5, maximum: 3}",
    "{type: number, minimum: 5, exclusiveMaximum: 5}",
    "{type: number, exclusiveMinimum: 5, exclusiveMaximum: 5}",
    "{type: integer, exclusiveMinimum: 1, exclusiveMaximum: 2}",
    "{type: integer, minimum: 1.2, maximum: 1.8}",
    "{type: integer, minimum: 11, maximum: 19, multipleOf: 10}",
    "{type: number, minimum: 1, maximum: 2, multipleOf: 5}",
    "{type: string, minLength: 3, maxLength: 2}",
    "{type: string, enum: [[a]]}",
    "{type: integer, enum: [a, b]}",
    "{type: integer, const: a}",
    "{type: boolean, const: 1}",
    "{type: object, const: a}",
    "{type: string, maxLength: 2, const: abc}",
    "{type: string, pattern: '^b', enum: [ab, ac]}",
    "{type: integer, minimum: 3, enum: [1, 2]}",
    "{type: array, items: {type: string}, minItems: 3, maxItems: 2}",
    "{type: array, items: false, minItems: 1}",
    "{type: array, prefixItems: [{type: string}], items: false, minItems: 2}",
    "{type: array, items: {}, contains: {type: string}, minContains: 3, maxContains: 2}",
    "{type: array, items: {}, contains: {type: string}, minContains: 3, maxItems: 2}",
    "{type: array, items: {}, contains: {type: string}, maxContains: 0}",
    "{type: object, minProperties: 3, maxProperties: 2}",
    "{type: object, properties: {a: false}, required: [a]}",
    "{type: object, properties: {b: {type: string}}, required: [a], additionalProperties: false}",
    "{type: object, required: [a, b], maxProperties: 1}",
    "{type: [integer, string], minimum: 5, maximum: 3, minLength: 2, maxLength: 1}",
];

/// Schemas that look alike, and that some value is valid against.
const NOT_EMPTY: &[&str] = &[
    "{type: integer, minimum: 3, maximum: 3}",
    "{type: number, exclusiveMinimum: 1, exclusiveMaximum: 2}",
    "{type: [integer, string], minimum: 5, maximum: 3}",
    "{type: [integer, 'null'], minimum: 5, maximum: 3}",
    "{minimum: 5, maximum: 3}",
    "{type: string, enum: [1, 2]}",
    "{type: [string, 'null'], enum: [null]}",
    "{type: integer, enum: [a, 1]}",
    "{type: number, const: 1}",
    "{type: integer, const: 1.0}",
    "{type: array, items: false}",
    "{type: array, items: {}, contains: {type: string}, minContains: 0, maxContains: 0}",
    "{type: object, properties: {a: false}}",
    "{type: object, patternProperties: {'^a': {type: string}}, required: [a], additionalProperties: false}",
    "{type: object, required: [a], additionalProperties: {type: string}}",
];

#[test]
fn a_row_says_that_no_value_fits_its_schema_alone() {
    let told = |text: &str| -> Vec<bool> {
        let whole = format!(
            "{{type: object, properties: {{v: {text}, l: {{type: array, items: {text}}}, r: {{$ref: '#/components/schemas/R'}}, n: {{anyOf: [{text}, {{type: boolean}}]}}}}}}"
        );
        let shown = with(&format!("{{R: {text}}}"), &whole);
        let rows = &request(&shown).contents;
        let says = |name: &str| {
            chips(&row(rows, name).view)
                .iter()
                .any(|chip| chip.contains("no value fits"))
        };
        let sample = sent(&shown);
        assert!(
            serde_json::from_str::<serde_json::Value>(&sample).is_ok(),
            "{text}: {sample}"
        );
        ["v", "r"].into_iter().map(says).collect()
    };
    for text in EMPTY {
        assert_eq!(told(text), [true, true], "{text}");
    }
    for text in NOT_EMPTY {
        assert_eq!(told(text), [false, false], "{text}");
    }
}
