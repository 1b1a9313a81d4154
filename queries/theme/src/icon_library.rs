//! Icons that authors name: Font Awesome Free, Lucide and Tabler, from tables embedded in the program.
//!
//! Tables are compressed in blocks, of which only those are unpacked that hold a name that is asked for: 3.5 MB are 0.9 MB,
//! and the first icon of a page waits for 32 KB.
//!
//! A name that its library does not have (many of Font Awesome are for its customers only) is looked up in the others,
//! and then without its last words or its first: `rocket-launch` is a `rocket`, `square-question` a `question`.

use std::io::Read;
use std::sync::{LazyLock, OnceLock};

use flate2::read::GzDecoder;
use maud::{Markup, PreEscaped, html};

/// Icon library in which names are looked up first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub enum Library {
    /// Font Awesome Free.
    #[default]
    FontAwesome,
    /// Lucide.
    Lucide,
    /// Tabler.
    Tabler,
}

impl Library {
    /// The word that stands for it in front of a name: `lucide:rocket`.
    pub fn word(self) -> &'static str {
        match self {
            Self::FontAwesome => "fontawesome",
            Self::Lucide => "lucide",
            Self::Tabler => "tabler",
        }
    }
}

struct Table {
    /// Ordered by their first names.
    blocks: Vec<Block>,
    is_stroked: bool,
}

/// Lines of a table, `name TAB viewBox TAB inner SVG`, compressed by themselves.
struct Block {
    first: &'static str,
    packed: &'static [u8],
    text: OnceLock<String>,
}

/// The table `$name` of the folder `icons`.
macro_rules! table {
    ($name:literal, $is_stroked:literal) => {
        LazyLock::new(|| {
            let index = include_str!(concat!("../icons/", $name, ".index"));
            let packed = include_bytes!(concat!("../icons/", $name, ".tsv.gz"));
            Table::new(index, packed, $is_stroked)
        })
    };
}

static SOLID: LazyLock<Table> = table!("fontawesome-solid", false);
static REGULAR: LazyLock<Table> = table!("fontawesome-regular", false);
static BRANDS: LazyLock<Table> = table!("fontawesome-brands", false);
static LUCIDE: LazyLock<Table> = table!("lucide", true);
static TABLER: LazyLock<Table> = table!("tabler", true);

impl Table {
    /// Reads the lines of `index`, `offset TAB first name`, about the blocks of `packed`.
    fn new(index: &'static str, packed: &'static [u8], is_stroked: bool) -> Self {
        let lines = index.lines().filter_map(|line| line.split_once('\t'));
        let starts: Vec<(usize, &str)> = lines
            .filter_map(|(start, first)| Some((start.parse().ok()?, first)))
            .collect();
        let ends = starts.iter().skip(1).map(|(start, _)| *start);
        let ends = ends.chain([packed.len()]);
        let blocks = starts.iter().zip(ends).map(|((start, first), end)| Block {
            first,
            packed: &packed[*start..end],
            text: OnceLock::new(),
        });
        Self {
            blocks: blocks.collect(),
            is_stroked,
        }
    }

    fn find(&self, name: &str) -> Option<(&str, &str)> {
        let after = self.blocks.partition_point(|block| block.first <= name);
        let block = self.blocks.get(after.checked_sub(1)?)?;
        let mut lines = block.text().lines();
        lines.find_map(|line| {
            let rest = line.strip_prefix(name)?.strip_prefix('\t')?;
            rest.split_once('\t')
        })
    }
}

impl Block {
    fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let mut text = String::new();
            let read = GzDecoder::new(self.packed).read_to_string(&mut text);
            read.expect("the tables of this program are whole");
            text
        })
    }
}

/// Draws the icon `name` of `library` in `style` (`regular`, `brands`, …; solid for Font Awesome without one), or the
/// nearest one that there is.
pub fn library_icon(library: Library, style: Option<&str>, name: &str) -> Option<Markup> {
    let name = plain_name(name);
    let own = tables(library, style);
    let others = [Library::Lucide, Library::Tabler, Library::FontAwesome];
    let others = others
        .into_iter()
        .filter(|other| *other != library)
        .flat_map(|other| tables(other, None));
    let exact = |name: &str, tables: &[&'static Table]| {
        tables
            .iter()
            .find_map(|table| table.find(name).map(|found| (found, table.is_stroked)))
    };
    let others: Vec<&'static Table> = others.collect();
    let found = exact(&name, &own)
        .or_else(|| exact(&name, &others))
        .or_else(|| {
            let stand_ins = stand_ins(&name).into_iter();
            let mut found =
                stand_ins.map(|name| exact(name, &own).or_else(|| exact(name, &others)));
            found.find_map(|found| found)
        });
    let ((view_box, inner), is_stroked) = found?;
    Some(if is_stroked {
        html! {
            svg.icon.icon-line viewBox=(view_box) width="16" height="16" stroke-width="2" aria-hidden="true" { (PreEscaped(inner)) }
        }
    } else {
        html! {
            svg.icon viewBox=(view_box) width="16" height="16" fill="currentColor" aria-hidden="true" { (PreEscaped(inner)) }
        }
    })
}

/// A name as tables have it: `fa-rocket_launch` is `rocket-launch`.
fn plain_name(name: &str) -> String {
    let name = name.trim().trim_start_matches("fa-");
    name.to_ascii_lowercase().replace('_', "-")
}

/// Returns true if `library` has an icon with exactly this `name`.
pub fn has_icon(library: Library, style: Option<&str>, name: &str) -> bool {
    let name = plain_name(name);
    let mut tables = tables(library, style).into_iter();
    tables.any(|table| table.find(&name).is_some())
}

/// Names that can stand for `name`, nearest first: without its last words, without its first ones. A shape around a sign
/// says nothing without the sign: `square-question` is a `question`, and never a square.
fn stand_ins(name: &str) -> Vec<&str> {
    const SHAPES: &[&str] = &[
        "bars",
        "circle",
        "diamond",
        "hexagon",
        "octagon",
        "rectangle",
        "rhombus",
        "seal",
        "square",
        "triangle",
    ];
    let is_shape = |name: &&str| {
        let mut words = name.split('-');
        words.all(|word| SHAPES.contains(&word))
    };
    let shorter = std::iter::successors(name.rsplit_once('-'), |(rest, _)| rest.rsplit_once('-'));
    let later = std::iter::successors(name.split_once('-'), |(_, rest)| rest.split_once('-'));
    let shorter = shorter.map(|(rest, _)| rest);
    let later = later.map(|(_, rest)| rest);
    shorter
        .chain(later)
        .filter(|name| !is_shape(name))
        .collect()
}

/// Returns the names of the icons of `library`, in order.
pub fn icon_names(library: Library) -> Vec<&'static str> {
    let lines = (tables(library, None).into_iter())
        .flat_map(|table| &table.blocks)
        .flat_map(|block| block.text().lines());
    let names = lines.filter_map(|line| line.split('\t').next());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn tables(library: Library, style: Option<&str>) -> Vec<&'static Table> {
    match (library, style) {
        (Library::Lucide, _) => vec![&*LUCIDE],
        (Library::Tabler, _) => vec![&*TABLER],
        (Library::FontAwesome, Some("brands")) => vec![&*BRANDS, &*SOLID, &*REGULAR],
        // The thin styles are for customers; regular is the lightest free one.
        (Library::FontAwesome, Some(style)) if !style.ends_with("solid") => {
            vec![&*REGULAR, &*SOLID, &*BRANDS]
        }
        (Library::FontAwesome, _) => vec![&*SOLID, &*BRANDS, &*REGULAR],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_icon(library: Library, style: Option<&str>, name: &str, like: &str) {
        let drawn = library_icon(library, style, name)
            .map(|icon| icon.into_string())
            .unwrap_or_default();
        assert!(drawn.contains(like), "{name}: {drawn}");
    }

    #[test]
    fn names_are_found_in_their_library_then_elsewhere_then_shortened() {
        check_icon(Library::Lucide, None, "rocket", "icon-line");
        check_icon(
            Library::FontAwesome,
            None,
            "fa-rocket",
            "fill=\"currentColor\"",
        );
        check_icon(
            Library::FontAwesome,
            None,
            "github",
            "fill=\"currentColor\"",
        );
        check_icon(Library::FontAwesome, None, "sparkles", "icon-line");
        let rocket =
            library_icon(Library::FontAwesome, None, "rocket").map(|icon| icon.into_string());
        assert_eq!(
            library_icon(Library::FontAwesome, None, "rocket-launch")
                .map(|icon| icon.into_string()),
            rocket
        );
        let drawn = |name: &str| library_icon(Library::FontAwesome, None, name).unwrap().0;
        assert_eq!(drawn("square-question"), drawn("question"));
        assert_eq!(drawn("hexagon-check"), drawn("check"));
        assert_eq!(
            library_icon(Library::FontAwesome, None, "no-such-thing-at-all")
                .map(|icon| icon.into_string()),
            None
        );
    }

    #[test]
    fn every_table_is_sorted_and_whole() {
        for table in [&SOLID, &REGULAR, &BRANDS, &LUCIDE, &TABLER] {
            let lines = table.blocks.iter().flat_map(|block| block.text().lines());
            let names: Vec<&str> = lines.filter_map(|line| line.split('\t').next()).collect();
            assert!(names.len() > 150);
            assert!(names.is_sorted(), "tables are searched by halving");
            let block = |block: &Block| block.text().split('\t').next() == Some(block.first);
            assert!(table.blocks.iter().all(block));
            assert!(names.iter().all(|name| table.find(name).is_some()));
        }
    }
}
