//! One file of JSX or TypeScript as the body of a function.

use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ExportDefaultDeclarationKind, ImportDeclarationSpecifier, ImportOrExportKind, Program,
    Statement,
};
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_parser::Parser;
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{GetSpan, SourceType, Span};
use oxc_transformer::{JsxOptions, JsxRuntime, TransformOptions, Transformer, TypeScriptOptions};

/// Function that makes an element.
const ELEMENT: &str = "$h";
/// Type of a fragment.
const FRAGMENT: &str = "$f";
/// Name of a default export that has none.
const DEFAULT: &str = "$default";

/// A file as the body of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Statements: JavaScript without imports and exports.
    pub code: String,
    /// Imports in order.
    pub imports: Vec<Import>,
    /// Values that are declared at the top level, without imports, in alphabetical order.
    pub names: Vec<String>,
    /// Exports: the name outside, and the name of the value here.
    pub exports: Vec<(String, String)>,
    /// Names that are used and declared nowhere, in alphabetical order.
    pub free: Vec<String>,
}

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The name here.
    pub local: String,
    /// The name there: `default`, or `*` for all of them.
    pub name: String,
    /// The words that name the file.
    pub from: String,
}

/// A file that no script can be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
}

/// Compiles a file: JavaScript, JSX, TypeScript or both.
pub fn script(text: &str) -> Result<Script, Fault> {
    let allocator = Allocator::default();
    let program = parsed(&allocator, text)?;
    let mut script = Script::default();
    let mut edits = Vec::new();
    for statement in &program.body {
        script.take_module_words(statement, &mut edits);
    }
    let text = edited(text, edits);
    let (code, scoping) = lowered(&text)?;
    script.code = code;
    let bindings = scoping.get_bindings(scoping.root_scope_id());
    let values = bindings
        .iter()
        .filter(|(_, symbol)| scoping.symbol_flags(**symbol).is_value());
    script.names = values.map(|(name, _)| name.to_string()).collect();
    script.names.sort();
    let is_import = |name: &&str| !script.imports.iter().any(|known| known.local == **name);
    let free = scoping.root_unresolved_references().keys();
    let free = free.map(|name| name.as_str()).filter(is_import);
    script.free = free.map(str::to_owned).collect();
    script.free.sort();
    script.exports.retain(|(_, local)| {
        script.names.contains(local) || script.imports.iter().any(|known| known.local == *local)
    });
    Ok(script)
}

/// JavaScript with elements, without the types of TypeScript; `None` if `text` cannot be read.
pub fn without_types(text: &str) -> Option<String> {
    let jsx = JsxOptions {
        jsx_plugin: false,
        ..JsxOptions::default()
    };
    let typescript = TypeScriptOptions {
        only_remove_type_imports: true,
        ..TypeScriptOptions::default()
    };
    let (code, _) = lowered_with(text, jsx, typescript, CodegenOptions::default()).ok()?;
    Some(code)
}

/// Compiles an expression; returns it in parentheses, and the names that it uses.
pub fn expression(text: &str) -> Result<(String, Vec<String>), Fault> {
    // The line break ends a comment.
    let script = script(&format!("export default ({text}\n)"))?;
    let code = script.code.trim_end_matches(';');
    let code = code.strip_prefix("const $default=").unwrap_or(code);
    Ok((format!("({code})"), script.free))
}

impl Script {
    /// Takes out what makes `statement` one of a module.
    fn take_module_words(&mut self, statement: &Statement<'_>, edits: &mut Vec<(Span, String)>) {
        match statement {
            Statement::ImportDeclaration(import) => {
                edits.push((import.span, String::new()));
                if import.import_kind == ImportOrExportKind::Type {
                    return;
                }
                for specifier in import.specifiers.iter().flatten() {
                    let name = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(specifier)
                            if specifier.import_kind == ImportOrExportKind::Type =>
                        {
                            continue;
                        }
                        ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                            specifier.imported.name().to_string()
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => {
                            "default".to_owned()
                        }
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => "*".to_owned(),
                    };
                    self.imports.push(Import {
                        local: specifier.local().name.to_string(),
                        name,
                        from: import.source.value.to_string(),
                    });
                }
            }
            Statement::ExportDeclaration(export) => {
                let declaration = export.declaration.span();
                edits.push((
                    Span::new(export.span.start, declaration.start),
                    String::new(),
                ));
            }
            Statement::ExportNamedDeclaration(export) => {
                edits.push((export.span, String::new()));
                for specifier in &export.specifiers {
                    let exported = specifier.exported.name().to_string();
                    let local = specifier.local.name().to_string();
                    self.exports.push((exported, local));
                }
            }
            Statement::ExportFromDeclaration(export) => {
                edits.push((export.span, String::new()));
                for specifier in &export.specifiers {
                    self.export_from(
                        specifier.exported.name().as_str(),
                        specifier.local.name().as_str(),
                        &export.source.value,
                    );
                }
            }
            Statement::ExportAllDeclaration(export) => {
                edits.push((export.span, String::new()));
                let exported = export.exported.as_ref();
                let exported = exported.map_or("*".into(), |name| name.name());
                self.export_from(exported.as_str(), "*", &export.source.value);
            }
            Statement::ExportDefaultDeclaration(export) => {
                let declaration = &export.declaration;
                let name = match declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        function.id.as_ref()
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => class.id.as_ref(),
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {
                        edits.push((export.span, String::new()));
                        return;
                    }
                    _ => None,
                };
                let local = name.map_or(DEFAULT, |name| name.name.as_str());
                let words = Span::new(export.span.start, declaration.span().start);
                let instead = match name {
                    Some(_) => String::new(),
                    None => format!("const {DEFAULT} = "),
                };
                edits.push((words, instead));
                self.exports.push(("default".to_owned(), local.to_owned()));
            }
            _ => {}
        }
    }

    /// Exports what another file does: as an import without a name of its own.
    fn export_from(&mut self, exported: &str, name: &str, from: &str) {
        let local = format!("$from{}", self.imports.len());
        self.imports.push(Import {
            local: local.clone(),
            name: name.to_owned(),
            from: from.to_owned(),
        });
        self.exports.push((exported.to_owned(), local));
    }
}

fn parsed<'a>(allocator: &'a Allocator, text: &'a str) -> Result<Program<'a>, Fault> {
    let parsed = Parser::new(allocator, text, SourceType::tsx()).parse();
    match parsed.diagnostics.errors().next() {
        Some(error) => Err(Fault {
            message: error.message.to_string(),
        }),
        None => Ok(parsed.program),
    }
}

/// Returns an error if `text` is no module.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    parsed(&Allocator::default(), text).map(|_| ())
}

/// `text` with what is at each span replaced; spans are in order.
fn edited(text: &str, edits: Vec<(Span, String)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, instead) in edits {
        out.push_str(&text[at..span.start as usize]);
        out.push_str(&instead);
        at = span.end as usize;
    }
    out + &text[at..]
}

/// JavaScript without types and elements, and the names of `text`.
fn lowered(text: &str) -> Result<(String, Scoping), Fault> {
    let typescript = TypeScriptOptions {
        jsx_pragma: ELEMENT.into(),
        jsx_pragma_frag: FRAGMENT.into(),
        ..TypeScriptOptions::default()
    };
    let jsx = JsxOptions {
        runtime: JsxRuntime::Classic,
        pragma: Some(ELEMENT.to_owned()),
        pragma_frag: Some(FRAGMENT.to_owned()),
        pure: false,
        throw_if_namespace: false,
        ..JsxOptions::default()
    };
    lowered_with(text, jsx, typescript, CodegenOptions::minify())
}

fn lowered_with(
    text: &str,
    jsx: JsxOptions,
    typescript: TypeScriptOptions,
    printed: CodegenOptions,
) -> Result<(String, Scoping), Fault> {
    let allocator = Allocator::default();
    let mut program = parsed(&allocator, text)?;
    let checked = SemanticBuilder::new()
        .with_check_syntax_error(true)
        .with_enum_eval(true)
        .build(&program);
    if let Some(error) = checked.diagnostics.errors().next() {
        return Err(Fault {
            message: error.message.to_string(),
        });
    }
    let names = checked.semantic.into_scoping();
    let scoping = SemanticBuilder::new().with_enum_eval(true).build(&program);
    let options = TransformOptions {
        typescript,
        jsx,
        ..TransformOptions::default()
    };
    let transformed = Transformer::new(&allocator, Path::new("page.tsx"), &options)
        .build_with_scoping(scoping.semantic.into_scoping(), &mut program);
    if let Some(error) = transformed.diagnostics.errors().next() {
        return Err(Fault {
            message: error.message.to_string(),
        });
    }
    let printed = Codegen::new().with_options(printed).build(&program);
    Ok((printed.code, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_types_become_calls() {
        let script = script(
            "import React, { useState as s, type X } from 'react'\nimport * as all from './all.jsx'\n\
             // A note.\nexport const C = ({ n }: { n: number }) => <p className=\"a\" data-x>{n} &amp; <></> {all.x}</p>;\n\
             export default function () { return <C n={1} {...(P as any)}/> }\nexport { C as D }\ntype T = string;",
        )
        .unwrap();
        assert_eq!(
            script.code,
            "const C=({n})=>$h(`p`,{className:`a`,\"data-x\":true},n,` & `,$h($f,null),` `,all.x);const $default=function(){return $h(C,{n:1,...P})};"
        );
        let imports: Vec<_> = script
            .imports
            .iter()
            .map(|import| (&*import.local, &*import.name, &*import.from))
            .collect();
        assert_eq!(
            imports,
            [
                ("React", "default", "react"),
                ("s", "useState", "react"),
                ("all", "*", "./all.jsx")
            ]
        );
        assert_eq!(script.names, ["$default", "C"]);
        assert_eq!(script.free, ["P"]);
        let exports = [("default", "$default"), ("D", "C")];
        assert_eq!(
            script.exports,
            exports.map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }

    #[test]
    fn an_expression_stands_in_parentheses() {
        let (code, free) = expression("<Foo a={b} c=\"d\">{$s(0)}</Foo> // note").unwrap();
        assert_eq!(code, "($h(Foo,{a:b,c:`d`},$s(0)))");
        assert_eq!(free, ["$s", "Foo", "b"]);
    }

    #[test]
    fn types_go_and_elements_stay() {
        let text = "import { type A, b } from './b'\nexport const C = ({ n }: { n: A }) => <p>{n as string}</p>;\n";
        assert_eq!(
            without_types(text).unwrap(),
            "import { b } from \"./b\";\nexport const C = ({ n }) => <p>{n}</p>;\n"
        );
        assert_eq!(without_types("const = 1"), None);
    }

    #[test]
    fn what_no_browser_reads_is_a_fault() {
        for text in ["const a = ;", "const a = 1; const a = 2;", "return 1"] {
            assert!(script(text).is_err(), "{text}");
        }
        assert!(expression("a, {").is_err());
    }
}
