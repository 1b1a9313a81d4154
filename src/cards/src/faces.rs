//! Typefaces of cards: those of the program, and for letters that these do not have, those of the machine, which are looked
//! at when the first such letter is asked for.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fontdb::{Database, Family, ID, Query, Source, Style};
use queries::base::content::ContentHash;
use queries::theme::card::{FACES, Letters, Weight};
use resvg::usvg;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// Source of typefaces besides those of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FallbackFaces {
    /// The machine.
    Machine,
    /// Nowhere.
    Nothing,
}

/// Typefaces.
pub struct Faces {
    bundled: Arc<Database>,
    /// Widths of the letters of the program, by weight.
    widths: [HashMap<char, f32>; 2],
    fallback: FallbackFaces,
    all: OnceLock<Arc<Database>>,
    digest: OnceLock<ContentHash>,
    /// Faces of the machine by letter, and how wide letters of faces are.
    fallbacks: Mutex<HashMap<(char, usize), Option<ID>>>,
    measured: Mutex<HashMap<(ID, char), Option<f32>>>,
}

impl Faces {
    /// The typefaces of the program, and those that come from `fallback`.
    pub fn new(fallback: FallbackFaces) -> Self {
        let mut own = Database::new();
        let widths = FACES.map(|packed| {
            let mut bytes = Vec::new();
            // They are part of the program; without them cards have no words.
            let unpacked = brotli::Decompressor::new(packed, 4096).read_to_end(&mut bytes);
            debug_assert!(unpacked.is_ok());
            let widths =
                FontRef::new(&bytes).map_or_else(|_| HashMap::new(), |font| all_widths(&font));
            own.load_font_source(Source::Binary(Arc::new(bytes)));
            widths
        });
        Self {
            bundled: Arc::new(own),
            widths,
            fallback,
            all: OnceLock::new(),
            digest: OnceLock::new(),
            fallbacks: Mutex::default(),
            measured: Mutex::default(),
        }
    }

    fn all(&self) -> &Arc<Database> {
        self.all.get_or_init(|| {
            let mut all = (*self.bundled).clone();
            if self.fallback == FallbackFaces::Machine {
                all.load_system_fonts();
            }
            Arc::new(all)
        })
    }

    /// The letters of `family` where the machine has it, and all others.
    pub fn letters<'a>(&'a self, family: Option<&str>) -> CardFaces<'a> {
        let family = family.filter(|family| !family.eq_ignore_ascii_case("inter"));
        let chosen = family.and_then(|family| {
            let of_weight = |weight| {
                let query = Query {
                    families: &[Family::Name(family)],
                    weight: fontdb::Weight(weight),
                    ..Query::default()
                };
                self.all().query(&query)
            };
            Some([of_weight(400)?, of_weight(600)?])
        });
        CardFaces {
            faces: self,
            site_faces: chosen,
        }
    }

    /// Returns the system font for `letter`; the result does not depend on earlier calls.
    fn face_for(&self, letter: char, weight: usize) -> Option<ID> {
        let lock = || {
            self.fallbacks
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = lock().get(&(letter, weight)) {
            return *known;
        }
        let wanted = [400u16, 600][weight];
        let mut faces: Vec<_> = self
            .all()
            .faces()
            .filter(|face| face.style == Style::Normal && !face.monospaced)
            .map(|face| {
                let is_sans = face.post_script_name.contains("Sans");
                // Bold stands for semibold rather than regular.
                let distance = face.weight.0.abs_diff(wanted + 100 * weight as u16);
                (
                    Reverse(is_sans),
                    distance,
                    face.post_script_name.as_str(),
                    face.id,
                )
            })
            .collect();
        faces.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
        let found = faces
            .into_iter()
            .find(|(_, _, _, id)| self.width_of(*id, letter).is_some());
        let found = found.map(|(_, _, _, id)| id);
        lock().insert((letter, weight), found);
        found
    }

    /// Width of `letter` in a face; `None` if the face has no such glyph.
    fn width_of(&self, face: ID, letter: char) -> Option<f32> {
        let lock = || self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&(face, letter)) {
            return *known;
        }
        let measured = self.all().with_face_data(face, |bytes, index| {
            let font = FontRef::from_index(bytes, index).ok()?;
            let glyph = font
                .charmap()
                .map(letter)
                .filter(|glyph| glyph.to_u32() != 0)?;
            let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
            let units = f32::from(
                font.metrics(Size::unscaled(), LocationRef::default())
                    .units_per_em,
            );
            Some(metrics.advance_width(glyph)? / units)
        });
        let measured = measured.flatten();
        lock().insert((face, letter), measured);
        measured
    }

    /// A digest of the faces of the machine.
    pub fn of_machine(&self) -> &ContentHash {
        self.digest.get_or_init(|| {
            let faces = self.all().faces();
            let mut names: Vec<&str> = faces.map(|face| face.post_script_name.as_str()).collect();
            names.sort_unstable();
            ContentHash::of_parts(names.into_iter().map(str::as_bytes))
        })
    }
}

fn all_widths(font: &FontRef<'_>) -> HashMap<char, f32> {
    let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
    let units = f32::from(
        font.metrics(Size::unscaled(), LocationRef::default())
            .units_per_em,
    );
    let letters = font.charmap().mappings();
    let widths = letters.filter_map(|(code, glyph)| {
        let letter = char::from_u32(code)?;
        Some((letter, metrics.advance_width(glyph)? / units))
    });
    widths.collect()
}

/// The letters that a card is set in.
pub struct CardFaces<'a> {
    faces: &'a Faces,
    /// Regular and semibold of the family that the site wants.
    site_faces: Option<[ID; 2]>,
}

impl CardFaces<'_> {
    /// Returns true if every letter of `svg` has a glyph in the typefaces of the program.
    pub fn are_own(&self, svg: &str) -> bool {
        self.site_faces.is_none()
            && svg
                .chars()
                .all(|c| c < ' ' || is_mark(c) || self.faces.widths[0].contains_key(&c))
    }

    /// Options to parse an SVG with these letters; no file and no network is read. `pictures` are
    /// those that the SVG names.
    pub fn options<'b>(
        &'b self,
        pictures: &'b (dyn Fn(&str, &usvg::Options<'_>) -> Option<usvg::ImageKind> + Send + Sync),
        are_own: bool,
    ) -> usvg::Options<'b> {
        let fontdb = match are_own {
            true => self.faces.bundled.clone(),
            false => self.faces.all().clone(),
        };
        let own = |weight| {
            let query = Query {
                families: &[Family::Name("Inter")],
                weight: fontdb::Weight(weight),
                ..Query::default()
            };
            self.faces.bundled.query(&query)
        };
        let [regular, semibold] = [own(400), own(600)];
        usvg::Options {
            font_family: "Inter".to_owned(),
            fontdb,
            image_href_resolver: usvg::ImageHrefResolver {
                resolve_data: usvg::ImageHrefResolver::default_data_resolver(),
                resolve_string: Box::new(pictures),
            },
            font_resolver: usvg::FontResolver {
                select_font: Box::new(move |font, _| {
                    let is_bold = font.weight() >= 500;
                    match self.site_faces {
                        Some(chosen) => Some(chosen[usize::from(is_bold)]),
                        None if is_bold => semibold,
                        None => regular,
                    }
                }),
                select_fallback: Box::new(move |letter, used, faces| {
                    let first = used.first().and_then(|id| faces.face(*id));
                    let weight = usize::from(first.is_some_and(|face| face.weight.0 >= 500));
                    let own = [regular, semibold][weight]
                        .filter(|_| self.faces.widths[weight].contains_key(&letter));
                    let found = own.or_else(|| self.faces.face_for(letter, weight));
                    found.filter(|id| !used.contains(id))
                }),
            },
            ..usvg::Options::default()
        }
    }
}

/// Signs that say which way a line runs, and are not drawn.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}')
}

impl Letters for CardFaces<'_> {
    fn width(&self, letter: char, weight: Weight) -> f32 {
        let weight = weight as usize;
        if let Some(chosen) = self.site_faces
            && let Some(width) = self.faces.width_of(chosen[weight], letter)
        {
            return width;
        }
        if let Some(width) = self.faces.widths[weight].get(&letter) {
            return *width;
        }
        let face = self.faces.face_for(letter, weight);
        face.and_then(|face| self.faces.width_of(face, letter))
            .unwrap_or(0.0)
    }

    fn has(&self, letter: char) -> bool {
        let own = &self.faces.widths;
        own.iter().all(|widths| widths.contains_key(&letter))
            || (0..2).all(|weight| self.faces.face_for(letter, weight).is_some())
    }
}
