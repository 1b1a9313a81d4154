//! A large specification of a shape that costs: operations that share unions in unions that lead back to the first.

use std::fmt::Write;

use super::random_numbers::Random;

/// How many unions are in each other before one leads back to the first.
const LEVELS: usize = 6;

const WORDS: [&str; 16] = [
    "the", "thing", "holds", "what", "it", "was", "given", "and", "leads", "to", "others", "that",
    "may", "lead", "back", "again",
];

/// How many branches a union has.
const BRANCHES: usize = 10;

/// A document in YAML of `operations` operations, about 7 KB each; every body and every answer holds the first union.
pub(crate) fn unions(operations: usize, seed: u64) -> String {
    let mut dice = Random::new(seed);
    let mut yaml = String::from(
        "openapi: 3.1.0\ninfo:\n  title: Unions\n  version: 1.0.0\nservers:\n  - url: https://api.example.com\npaths:\n",
    );
    for n in 0..operations {
        operation(&mut yaml, n, &mut dice);
    }
    yaml.push_str("components:\n  schemas:\n");
    for level in 0..LEVELS {
        union(&mut yaml, level, &mut dice);
    }
    for n in 0..operations {
        record(&mut yaml, "Request", n, &mut dice);
        record(&mut yaml, "Result", n, &mut dice);
    }
    yaml
}

fn operation(yaml: &mut String, n: usize, dice: &mut Random) {
    let words = sentence(dice, 30);
    write!(
        yaml,
        "  /things/{n}/{{id}}:
    post:
      operationId: change{n}
      summary: Change thing {n}
      tags: [group{}]
      description: {words}
      parameters:
        - {{name: id, in: path, required: true, schema: {{type: string}}, description: {}}}
        - {{name: limit, in: query, schema: {{type: integer, maximum: 100}}, description: {}}}
      requestBody:
        required: true
        content:
          application/json: {{schema: {{$ref: '#/components/schemas/Request{n}'}}}}
      responses:
        '200':
          description: {}
          content:
            application/json: {{schema: {{$ref: '#/components/schemas/Result{n}'}}}}
        '400': {{description: {}}}
",
        n / 20,
        sentence(dice, 12),
        sentence(dice, 12),
        sentence(dice, 8),
        sentence(dice, 8),
    )
    .expect("a string takes any text");
}

/// A union, whose branches lead to the next one twice and to the first.
fn union(yaml: &mut String, level: usize, dice: &mut Random) {
    let next = (level + 1) % LEVELS;
    writeln!(yaml, "    Level{level}:\n      oneOf:").expect("a string takes any text");
    for branch in 0..BRANCHES {
        writeln!(
            yaml,
            "        - $ref: '#/components/schemas/L{level}B{branch}'"
        )
        .expect("a string takes any text");
    }
    for branch in 0..BRANCHES {
        write!(
            yaml,
            "    L{level}B{branch}:
      type: object
      description: {}
      required: [kind, name]
      properties:
        kind: {{type: string, const: l{level}b{branch}}}
        name: {{type: string, description: {}}}
        value{branch}: {{type: integer, minimum: 1, description: {}}}
        inner: {{$ref: '#/components/schemas/Level{next}'}}
        list: {{type: array, items: {{$ref: '#/components/schemas/Level{next}'}}}}
        root: {{$ref: '#/components/schemas/Level0'}}
",
            sentence(dice, 16),
            sentence(dice, 12),
            sentence(dice, 12),
        )
        .expect("a string takes any text");
    }
}

fn record(yaml: &mut String, kind: &str, n: usize, dice: &mut Random) {
    write!(
        yaml,
        "    {kind}{n}:
      type: object
      required: [field0, tree]
      properties:
        tree: {{$ref: '#/components/schemas/Level0'}}
        trees: {{type: array, items: {{$ref: '#/components/schemas/Level1'}}}}
"
    )
    .expect("a string takes any text");
    for field in 0..16 {
        let words = sentence(dice, 18);
        writeln!(
            yaml,
            "        field{field}: {{type: string, maxLength: {}, description: {words}}}",
            10 + field
        )
        .expect("a string takes any text");
    }
}

fn sentence(dice: &mut Random, words: usize) -> String {
    let words: Vec<&str> = (0..words).map(|_| WORDS[dice.below(WORDS.len())]).collect();
    words.join(" ")
}
