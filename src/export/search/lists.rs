//! The lists of words as bytes, in pieces by their first letters; `theme/js/searcher.js` reads them.
//!
//! A piece is the number of its families, then each: the number of its words; of each word how many UTF-16 units it shares
//! with the one before, how many bytes follow, and those; the length of its list in bytes; its list. A list is the number
//! of its pages and a unit, in thousandths, that worths are fifteenths of; of each page the distance from the one before,
//! its worth and whether one for title and address follows; that; then in the same way the passages. Numbers are written
//! seven bits to a byte, the lowest first.

use std::collections::BTreeMap;

use super::words::{OnPage, Stem};

/// About how many bytes stand in one piece.
const PIECE: usize = 40 * 1024;
/// The most letters by which pieces are told apart.
const LETTERS: usize = 4;

/// A piece of the lists.
pub(super) struct Piece {
    /// The first letters of its first word.
    pub(super) from: String,
    /// Content.
    pub(super) bytes: Vec<u8>,
}

/// Words of one stem that stand in one piece.
struct Family {
    surfaces: Vec<String>,
    list: usize,
}

/// The pieces of all words, in order.
pub(super) fn pieces(stems: Vec<Stem>) -> Vec<Piece> {
    let lists: Vec<Vec<u8>> = stems.iter().map(|stem| list(&stem.pages)).collect();
    let families = stems.into_iter().zip(0..).map(|(stem, list)| Family {
        surfaces: stem.surfaces.into_iter().collect(),
        list,
    });
    let mut groups = Vec::new();
    split(families.collect(), 1, &lists, &mut groups);
    let mut pieces: Vec<(String, Vec<Family>, usize)> = Vec::new();
    for (from, families) in groups {
        let size = size(&families, &lists);
        match pieces.last_mut() {
            Some((_, present, filled)) if *filled + size <= PIECE => {
                present.extend(families);
                *filled += size;
            }
            _ => pieces.push((from, families, size)),
        }
    }
    let pieces = pieces.into_iter();
    pieces
        .map(|(from, mut families, _)| {
            families.sort_by(|a, b| (&a.surfaces, a.list).cmp(&(&b.surfaces, b.list)));
            Piece {
                from,
                bytes: bytes(&families, &lists),
            }
        })
        .collect()
}

fn size(families: &[Family], lists: &[Vec<u8>]) -> usize {
    let sizes = families
        .iter()
        .map(|family| lists[family.list].len() + 6 * family.surfaces.len());
    sizes.sum()
}

/// Groups families by their first letters, by as many as it takes for a group to fit into a piece. Words of one stem whose
/// first letters differ stand in a group each, with the whole list.
fn split(
    families: Vec<Family>,
    letters: usize,
    lists: &[Vec<u8>],
    groups: &mut Vec<(String, Vec<Family>)>,
) {
    let mut by_letters: BTreeMap<String, BTreeMap<usize, Vec<String>>> = BTreeMap::new();
    for family in families {
        for surface in family.surfaces {
            let start = surface.chars().take(letters).collect();
            let group = by_letters.entry(start).or_default();
            group.entry(family.list).or_default().push(surface);
        }
    }
    for (start, families) in by_letters {
        let families: Vec<Family> = families
            .into_iter()
            .map(|(list, surfaces)| Family { surfaces, list })
            .collect();
        if letters < LETTERS && size(&families, lists) > PIECE {
            split(families, letters + 1, lists, groups);
        } else {
            groups.push((start, families));
        }
    }
}

fn bytes(families: &[Family], lists: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    number(&mut out, families.len());
    let mut before = "";
    for family in families {
        number(&mut out, family.surfaces.len());
        for surface in &family.surfaces {
            let same = before.chars().zip(surface.chars());
            let same = same.take_while(|(a, b)| a == b).map(|(a, _)| a);
            let (mut units, mut at) = (0, 0);
            for c in same {
                units += c.len_utf16();
                at += c.len_utf8();
            }
            number(&mut out, units);
            number(&mut out, surface.len() - at);
            out.extend_from_slice(&surface.as_bytes()[at..]);
            before = surface;
        }
        let list = &lists[family.list];
        number(&mut out, list.len());
        out.extend_from_slice(list);
    }
    out
}

/// The list of a word.
fn list(pages: &[OnPage]) -> Vec<u8> {
    let worths = pages.iter().flat_map(|page| {
        let sections = page.sections.iter().map(|(_, worth)| *worth);
        [page.worth, page.title].into_iter().chain(sections)
    });
    let most = worths.fold(0.001, f32::max);
    let unit = (f64::from(most) * 1000.0).ceil();
    // What is there is worth something, however little.
    let share = |worth: f32| ((f64::from(worth) * 15_000.0 / unit).round() as usize).clamp(1, 15);
    let mut out = Vec::new();
    number(&mut out, pages.len());
    number(&mut out, unit as usize);
    let mut next = 0;
    for page in pages {
        let distance = (page.page - next) as usize;
        next = page.page + 1;
        let has_title = page.title > 0.0;
        let packed = distance << 5 | share(page.worth) << 1 | usize::from(has_title);
        number(&mut out, packed);
        if has_title {
            number(&mut out, share(page.title));
        }
        number(&mut out, page.sections.len());
        let mut next = 0;
        for (section, worth) in &page.sections {
            number(&mut out, ((section - next) as usize) << 4 | share(*worth));
            next = section + 1;
        }
    }
    out
}

/// Writes `value`, seven bits to a byte, the lowest first.
fn number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 128 {
        out.push((value & 127) as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}
