//! Preview images of pages (Open Graph), rendered from what the core returns for the page and the
//! site.
//!
//! The background is rendered once for a site, the text of each page onto a copy of it. Results are
//! stored as artifacts by the digest of the SVG.

pub mod faces;
mod paint;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use queries::base::content::ContentHash;
use queries::base::path::SitePath;
use queries::site::{ArtifactStore, CardLook, PROGRAM, Picture};
use queries::theme::card::{self, Card};
use resvg::usvg::{self, ImageKind};

use faces::{CardFaces, Faces, FallbackFaces};
use paint::Ground;

/// Number of cached backgrounds: two for a site, one for each direction of writing. One takes 3 MB.
const GROUNDS: usize = 8;
/// The largest file of a picture that is drawn.
const PICTURE_BYTES: usize = 8 << 20;
/// Maximum number of pixels of a picture.
const PICTURE_PIXELS: usize = 32 << 20;
/// Sources that decide what a card looks like, besides the core and versions of libraries: part of
/// every key.
const SOURCES: [&[u8]; 2] = [include_bytes!("paint.rs"), include_bytes!("faces.rs")];

/// Reads a file of the site.
pub type ReadFile<'a> = &'a (dyn Fn(&SitePath) -> Option<Vec<u8>> + Send + Sync);

/// Painter of cards.
pub struct Painter {
    faces: Faces,
    grounds: Mutex<Vec<(ContentHash, Arc<Ground>)>>,
    /// Held while a card is rendered for a request, so that concurrent requests use one processor.
    render_lock: Mutex<()>,
}

/// A card as a file.
#[derive(Clone, Debug)]
pub struct CardFile {
    /// The PNG.
    pub bytes: Arc<[u8]>,
    /// Whether it was drawn now.
    pub is_drawn: bool,
}

/// The painter of the process.
pub fn painter() -> &'static Painter {
    static PAINTER: OnceLock<Painter> = OnceLock::new();
    PAINTER.get_or_init(|| Painter::new(FallbackFaces::Machine))
}

impl Painter {
    /// A painter with the letters of the program and those from `fallback`.
    pub fn new(fallback: FallbackFaces) -> Self {
        Self {
            faces: Faces::new(fallback),
            grounds: Mutex::default(),
            render_lock: Mutex::default(),
        }
    }

    /// The card of a page: from `store`, else drawn and kept there. `None` only for a fault of what draws.
    pub fn card(
        &self,
        store: &dyn ArtifactStore,
        look: &CardLook,
        card: &Card,
        read: ReadFile<'_>,
    ) -> Option<CardFile> {
        let letters = self.faces.letters(look.look.family.as_deref());
        let words = card::words(&look.look, card, &letters);
        let key = self.key(look, card, &words, &letters);
        let found = |bytes| CardFile {
            bytes,
            is_drawn: false,
        };
        if let Some(bytes) = store.get(key) {
            return Some(found(bytes));
        }
        let draw = || {
            let ground = self.ground(look, card.is_rtl, &letters, read)?;
            let options = letters.options(&no_picture, letters.are_own(&words));
            paint::png(&ground, &words, &options)
        };
        // A library must not cost more than the card.
        let drawn = catch_unwind(AssertUnwindSafe(draw)).ok().flatten()?;
        store.put(key, drawn.clone(), None);
        Some(CardFile {
            bytes: Arc::from(drawn),
            is_drawn: true,
        })
    }

    /// Like [`Painter::card`], but waits while another card (perhaps the same) is rendered for a
    /// request.
    pub fn card_in_turn(
        &self,
        store: &dyn ArtifactStore,
        look: &CardLook,
        card: &Card,
        read: ReadFile<'_>,
    ) -> Option<CardFile> {
        let letters = self.faces.letters(look.look.family.as_deref());
        let words = card::words(&look.look, card, &letters);
        // What is there waits for nobody.
        if let Some(bytes) = store.get(self.key(look, card, &words, &letters)) {
            return Some(CardFile {
                bytes,
                is_drawn: false,
            });
        }
        let _turn = self
            .render_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.card(store, look, card, read)
    }

    /// The key of a card: a digest of everything that decides how it looks.
    fn key(
        &self,
        look: &CardLook,
        card: &Card,
        words: &str,
        letters: &CardFaces<'_>,
    ) -> ContentHash {
        let ground = self.ground_key(look, card.is_rtl, letters);
        let machine = self.machine(words, letters);
        let parts = [b"card".as_slice(), words.as_bytes(), ground.as_bytes()];
        ContentHash::of_parts(parts.into_iter().chain([machine]))
    }

    fn ground_key(&self, look: &CardLook, is_rtl: bool, letters: &CardFaces<'_>) -> ContentHash {
        let svg = card::ground(&look.look, is_rtl, letters);
        let machine = self.machine(&svg, letters);
        let pictures = [&look.logo, &look.background].into_iter();
        let pictures = pictures.map(|picture| match picture {
            Some(picture) => &picture.digest.as_bytes()[..],
            None => &[],
        });
        let program = [PROGRAM.as_bytes(), svg.as_bytes(), machine];
        ContentHash::of_parts(program.into_iter().chain(SOURCES).chain(pictures))
    }

    /// Digest of the typefaces of the machine, if `svg` has letters of them.
    fn machine(&self, svg: &str, letters: &CardFaces<'_>) -> &[u8] {
        match letters.are_own(svg) {
            true => &[],
            false => self.faces.of_machine().as_bytes(),
        }
    }

    fn ground(
        &self,
        look: &CardLook,
        is_rtl: bool,
        letters: &CardFaces<'_>,
        read: ReadFile<'_>,
    ) -> Option<Arc<Ground>> {
        let key = self.ground_key(look, is_rtl, letters);
        // Whoever needs it next waits for it, rather than drawing another.
        let mut grounds = self.grounds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = grounds.iter().position(|(known, _)| *known == key) {
            let known = grounds.remove(at);
            let ground = known.1.clone();
            grounds.push(known);
            return Some(ground);
        }
        let picture = |picture: &Option<Picture>| {
            let bytes = read(&picture.as_ref()?.path)?;
            image(bytes, letters)
        };
        let (logo, background) = (picture(&look.logo), picture(&look.background));
        // A picture that cannot be read is as none.
        let look = card::Look {
            has_logo: logo.is_some(),
            has_background: background.is_some(),
            ..look.look.clone()
        };
        let named = move |name: &str, _: &usvg::Options<'_>| match name {
            card::LOGO => logo.clone(),
            card::BACKGROUND => background.clone(),
            _ => None,
        };
        let svg = card::ground(&look, is_rtl, letters);
        let options = letters.options(&named, letters.are_own(&svg));
        let ground = Arc::new(paint::ground(&svg, (card::WIDTH, card::HEIGHT), &options)?);
        if grounds.len() >= GROUNDS {
            grounds.remove(0);
        }
        grounds.push((key, ground.clone()));
        Some(ground)
    }
}

/// The picture of a file, unless it is too large or none.
fn image(bytes: Vec<u8>, letters: &CardFaces<'_>) -> Option<ImageKind> {
    if bytes.len() > PICTURE_BYTES {
        return None;
    }
    if let Ok(size) = imagesize::blob_size(&bytes) {
        let pixels = size.width.checked_mul(size.height)?;
        if pixels == 0 || pixels > PICTURE_PIXELS {
            return None;
        }
        let bytes = Arc::new(bytes);
        return match imagesize::image_type(&bytes).ok()? {
            imagesize::ImageType::Png => Some(ImageKind::PNG(bytes)),
            imagesize::ImageType::Jpeg => Some(ImageKind::JPEG(bytes)),
            imagesize::ImageType::Gif => Some(ImageKind::GIF(bytes)),
            imagesize::ImageType::Webp => Some(ImageKind::WEBP(bytes)),
            _ => None,
        };
    }
    let options = letters.options(&no_picture, false);
    let tree = usvg::Tree::from_data(&bytes, &options).ok()?;
    Some(ImageKind::SVG(tree))
}

/// An SVG of a site reads no file.
fn no_picture(_: &str, _: &usvg::Options<'_>) -> Option<ImageKind> {
    None
}
