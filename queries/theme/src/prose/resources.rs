//! Resources that a body names: links, pictures, icons, formulas, code; and the places of their
//! diagnostics.

use super::{By, Writer, WrittenLink, inline_body};
use crate::assets;
use crate::components::code_block::CodeBlock;
use crate::components::prose;
use crate::fence;
use crate::icon;
use crate::icon_library::Library;
use crate::image::Image;
use crate::instance::Instance;
use base::diagnostic::{Advice, Code, Diagnostic};
use base::path::SitePath;
use base::place::BlockIndex;
use mdx::Node;
use mdx::js::eval::Value;
use mdx::link::{self, LinkTarget};

/// Maximum number of classes without a rule that are reported for a page.
const MAX_CLASSES: usize = 10;

impl<'a> Writer<'a> {
    /// The address of a link as written, resolved; the link is remembered for the link check.
    pub(crate) fn link(&mut self, href: &str) -> String {
        self.see_link(href.to_owned(), false);
        link::href(self.context.files[0].path, self.context.base_path, href)
    }

    pub(super) fn see_link(&mut self, href: String, is_shown: bool) {
        let files = self.context.files;
        let snippet = files.get(self.file).filter(|_| self.file > 0);
        let snippet = snippet.map(|source| source.path.clone());
        self.body.links.push(WrittenLink {
            href,
            snippet,
            is_shown,
        });
    }

    /// Renders `text`, one line of Markdown; what is more than a line is shown as it is written.
    pub(crate) fn inline_text(&mut self, text: &str) -> String {
        let rendered = text.contains(['*', '_', '`', '[', '<', '~']).then(|| {
            inline_body(
                self.context.files[0].path,
                text,
                self.context.base_path,
                self.context.icons,
                self.context.by,
            )
        });
        match rendered.flatten() {
            Some((html, links)) => {
                for link in links {
                    self.see_link(link.href, link.is_shown);
                }
                html
            }
            None => crate::html::escaped(text),
        }
    }

    /// Returns true if the text is of a specification.
    pub(crate) fn is_of_specification(&self) -> bool {
        self.context.by == By::Specification
    }

    /// The address of an image or another file as written, resolved.
    pub(crate) fn asset(&mut self, src: &str) -> String {
        self.see_link(src.to_owned(), true);
        link::href(self.context.files[0].path, self.context.base_path, src)
    }

    /// Resolves the address of an endpoint such as `ping`: it need not be a page, so it is not checked.
    pub(crate) fn endpoint(&mut self, href: &str) -> String {
        link::href(self.context.files[0].path, self.context.base_path, href)
    }

    /// The picture at `src`, as written: how large it is, and whether it is the first of the page.
    pub(crate) fn image(&mut self, src: &str) -> Image {
        let size = match link::resolve(self.context.files[0].path, src) {
            LinkTarget::Site { path, .. } => {
                SitePath::new(&path).and_then(|path| (self.context.images)(&path))
            }
            LinkTarget::External | LinkTarget::Heading(_) => None,
        };
        let is_first = !std::mem::replace(&mut self.has_image, true);
        Image { size, is_first }
    }

    /// Returns the depth of a heading of `level` below those before it, where it differs from the
    /// level: readers who navigate by headings must not miss levels that an author has skipped
    /// (WCAG 2.2, technique G141).
    pub(crate) fn depth(&mut self, level: u8) -> Option<u8> {
        if !self.context.has_title {
            return None;
        }
        while self.levels.last().is_some_and(|above| *above >= level) {
            self.levels.pop();
        }
        // The title of the page is the first.
        if level < 2 {
            return None;
        }
        self.levels.push(level);
        let depth = u8::try_from(self.levels.len()).ok()?.checked_add(1)?;
        (depth != level).then_some(depth)
    }

    /// Records the classes that an author gave to an element: their rules are part of the page.
    pub(crate) fn see_classes(&mut self, classes: &str) {
        for class in classes.split_whitespace() {
            if !self.classes.contains(class) {
                self.classes.insert(class.to_owned());
            }
        }
    }

    /// Reports classes that are written as utilities are and have no rule in `sheet`, the first of a page.
    pub(super) fn check_classes(&mut self, sheet: &str) {
        let classes = self.classes.iter();
        let without: Vec<String> = classes
            .filter(|class| utility::is_without_rule(class, sheet))
            .take(MAX_CLASSES)
            .cloned()
            .collect();
        for class in without {
            let at = self.offset_of(&class);
            let message = format!("`{class}` is not a known Tailwind 3 utility");
            let hint =
                "check the spelling, or add a rule for the class to a stylesheet of the site";
            self.report(Code::UnknownUtility, at, class.len(), message, hint);
        }
    }

    /// The icon that `name` of a component names, looked up in `style`: addresses are resolved,
    /// elements rendered.
    pub(crate) fn icon(&mut self, instance: &Instance<'a>) -> Option<String> {
        let style = instance.text("iconType");
        match instance.prop("icon")? {
            Value::Text(name) if name.starts_with(['/', '.']) => Some(self.asset(name)),
            Value::Text(name) => {
                let library = match instance
                    .text("library")
                    .or_else(|| instance.text("iconLibrary"))
                    .as_deref()
                {
                    Some("lucide") => Library::Lucide,
                    Some("tabler") => Library::Tabler,
                    Some("fontawesome") => Library::FontAwesome,
                    _ => self.context.icons,
                };
                let qualified = icon::qualified(library, style.as_deref(), name);
                let name = name.to_string();
                self.check_icon(instance, &name, &qualified);
                Some(qualified)
            }
            value @ Value::Element(_) => {
                let value = value.clone();
                Some(self.draw_value(&value))
            }
            _ => None,
        }
    }

    /// Reports, once a page, an icon `name` that no free set has.
    fn check_icon(&mut self, instance: &Instance<'a>, name: &str, qualified: &str) {
        let Some(at) = instance.at else { return };
        if icon::is_known(qualified) || !self.unknown.insert(format!("icon {name}")) {
            return;
        }
        let hint = match icon::is_drawn(Some(qualified)) {
            true => "one with a like name is drawn; Font Awesome has icons for its customers only",
            false => "none is drawn; names are those of Font Awesome Free, Lucide and Tabler",
        };
        let message = format!("`{name}` is not an icon of the free sets");
        let len = instance.name.len() + 1;
        self.report(Code::UnknownIcon, at, len, message, hint);
    }

    /// Reports, once a page, an unknown `language` of a block of code.
    fn check_language(&mut self, info: &str) {
        let Some(language) = fence::language(info) else {
            return;
        };
        if highlight::is_known(language) || self.unknown.contains(language) {
            return;
        }
        self.unknown.insert(language.to_owned());
        let source = self.context.files.get(self.file);
        let at = source.and_then(|source| {
            let fences = ["```", "~~~", "language=\""].iter();
            let mut fences = fences.map(|fence| format!("{fence}{language}"));
            fences.find_map(|fence| Some((source.text.find(&fence)?, fence.len())))
        });
        let (at, len) = at.unwrap_or((0, 1));
        let message = format!("`{language}` is not a known language");
        let hint =
            "the code is shown without colors; a title stands behind the language: ```text title";
        self.report(Code::UnknownLanguage, at, len, message, hint);
    }

    /// The block of `code` under `info`, with its icon looked up.
    pub(crate) fn code_block(&mut self, info: &str, code: &str) -> CodeBlock {
        self.check_language(info);
        let mut block = fence::code_block(info, code, self.context.by_grammar);
        block.icon = block.icon.map(|icon| self.code_icon(&icon));
        block
    }

    /// Renders a formula that stands at byte `at` of the file.
    pub(crate) fn formula(&mut self, source: &str, is_display: bool, at: usize) -> String {
        match formula::formula(source, is_display) {
            Ok(math) => math,
            Err(fault) => {
                let message = format!("the formula cannot be rendered: {fault}");
                let hint =
                    "its source is shown in its place; for a dollar sign in text write `\\$`";
                self.report(Code::InvalidFormula, at, 1, message, hint);
                prose::invalid_formula(source.trim(), &fault).into_string()
            }
        }
    }

    pub(super) fn is_inline_formula(&self, index: usize) -> bool {
        let node = self.document().nodes.get(index);
        matches!(
            node,
            Some(Node::Formula {
                is_display: false,
                ..
            })
        )
    }

    /// Returns the offset of `text` in the file being rendered; 0 if it was put together.
    pub(crate) fn offset_of(&self, text: &str) -> usize {
        let line = text
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        let source = self.context.files.get(self.file);
        source
            .and_then(|source| source.text.find(line.trim()))
            .unwrap_or(0)
    }

    /// The address of a file of the theme.
    pub(crate) fn theme_url(&self, name: &str) -> String {
        format!(
            "{}{}",
            self.context.base_path.trim_end_matches('/'),
            assets::asset_url(name)
        )
    }

    /// The icon that the info string of a code block names.
    pub(super) fn code_icon(&mut self, name: &str) -> String {
        if name.starts_with(['/', '.']) {
            self.asset(name)
        } else {
            icon::qualified(self.context.icons, None, name)
        }
    }

    /// Offset of the attribute `name` in the tag that begins at `at` of the file being rendered.
    pub(crate) fn attribute_at(&self, at: usize, name: &str) -> Option<usize> {
        let source = self.context.files.get(self.file)?;
        Some(at + mdx::attribute_offset(source.text.get(at..)?, name)?)
    }

    pub(crate) fn report(
        &mut self,
        code: Code,
        at: usize,
        len: usize,
        message: String,
        advice: impl Into<Advice>,
    ) {
        let reported = (self.file, at, code, message.clone());
        if !self.reported.insert(reported) || !self.tally.count(code) {
            return;
        }
        let diagnostic = self.diagnostic(code, at, len, message);
        self.body.diagnostics.push(diagnostic.hint(advice));
    }

    /// A diagnostic of the file that is being rendered.
    pub(super) fn diagnostic(
        &mut self,
        code: Code,
        at: usize,
        len: usize,
        message: String,
    ) -> Diagnostic {
        let source = &self.context.files[self.file];
        let blocks = self
            .blocks
            .entry(self.file)
            .or_insert_with(|| BlockIndex::new(source.text));
        Diagnostic::new(
            code,
            blocks.place(source.path, source.text, at, len),
            message,
        )
    }
}
