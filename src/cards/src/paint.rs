//! From an SVG to a PNG: a background, words on it, and a file with few colors.

use std::collections::{HashMap, HashSet};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Maximum number of colors of a file with a palette.
const PALETTE: usize = 256;
/// Maximum number of those colors for the background.
const OF_GROUND: usize = 160;
/// A ground of so many colors is a picture.
const OF_PICTURE: usize = 6000;
/// Squared distance below which two colors of the edge of a letter are one.
const ALIKE: i32 = 27;

/// A ground in pixels.
pub(super) struct Ground {
    pixels: Pixmap,
    /// Colors in it, unless it has as many as a photograph.
    colors: Option<Vec<u32>>,
}

/// Draws `svg` on `pixels`.
fn paint(mut pixels: Pixmap, svg: &str, options: &Options<'_>) -> Option<Pixmap> {
    let tree = Tree::from_str(svg, options).ok()?;
    resvg::render(&tree, Transform::default(), &mut pixels.as_mut());
    Some(pixels)
}

/// The ground of `svg`.
pub(super) fn ground(svg: &str, size: (u32, u32), options: &Options<'_>) -> Option<Ground> {
    let pixels = paint(Pixmap::new(size.0, size.1)?, svg, options)?;
    let counted = by_count(counts(&pixels).into_iter());
    // Neighbors of a soft light, and the edges of lines, are told apart by nobody.
    let mut tries = [0, 3, 8, 18].into_iter();
    let colors = tries.find_map(|alike| palette(&counted, alike));
    Some(Ground { colors, pixels })
}

/// The file of `words` on `ground`.
pub(super) fn png(ground: &Ground, words: &str, options: &Options<'_>) -> Option<Vec<u8>> {
    let pixels = paint(ground.pixels.clone(), words, options)?;
    match &ground.colors {
        Some(colors) => indexed(&pixels, colors),
        None => encode_full_color(&pixels),
    }
}

/// The colors of `pixels`: opaque ones, as 24 bits.
fn colors(pixels: &Pixmap) -> impl Iterator<Item = u32> {
    let bytes = pixels.data().chunks_exact(4);
    bytes.map(|pixel| u32::from_be_bytes([0, pixel[0], pixel[1], pixel[2]]))
}

fn counts(pixels: &Pixmap) -> HashMap<u32, u32> {
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let (mut run, mut length) = (None, 0);
    // Most pixels are like the one before.
    for color in colors(pixels) {
        if run == Some(color) {
            length += 1;
            continue;
        }
        if let Some(run) = run {
            *counts.entry(run).or_default() += length;
        }
        (run, length) = (Some(color), 1);
    }
    if let Some(run) = run {
        *counts.entry(run).or_default() += length;
    }
    counts
}

/// Colors, the most frequent first.
fn by_count(counts: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut counts: Vec<(u32, u32)> = counts
        .map(|(color, count)| (u32::MAX - count, color))
        .collect();
    counts.sort_unstable();
    counts.into_iter().map(|(_, color)| color).collect()
}

/// Colors that are further apart than `alike`, in the order of `colors`; `None` if they are too many.
fn palette(colors: &[u32], alike: i32) -> Option<Vec<u32>> {
    let mut palette: Vec<u32> = Vec::new();
    for color in colors.iter().take(OF_PICTURE) {
        if palette
            .iter()
            .any(|known| distance(*known, *color) <= alike)
        {
            continue;
        }
        if palette.len() == OF_GROUND {
            return None;
        }
        palette.push(*color);
    }
    (colors.len() < OF_PICTURE).then_some(palette)
}

fn distance(one: u32, other: u32) -> i32 {
    let part = |shift: u32| ((one >> shift) & 0xff) as i32 - ((other >> shift) & 0xff) as i32;
    let [red, green, blue] = [part(16), part(8), part(0)];
    red * red + green * green + blue * blue
}

/// A file with a palette: every color of the ground, and of the edges of letters those that are told apart.
fn indexed(pixels: &Pixmap, of_ground: &[u32]) -> Option<Vec<u8>> {
    let known: HashSet<u32> = of_ground.iter().copied().collect();
    let others = counts(pixels).into_iter();
    let others = by_count(others.filter(|(color, _)| !known.contains(color)));
    let mut palette = of_ground.to_vec();
    for color in &others {
        let is_new = || palette.iter().all(|known| distance(*known, *color) > ALIKE);
        if palette.len() < PALETTE && is_new() {
            palette.push(*color);
        }
    }
    let mut places: HashMap<u32, u8> = HashMap::new();
    for color in of_ground.iter().copied().chain(others) {
        let nearest = (0..palette.len()).min_by_key(|at| distance(palette[*at], color))?;
        places.insert(color, nearest as u8);
    }
    let mut bytes = Vec::with_capacity(pixels.data().len() / 4);
    let (mut run, mut place) = (u32::MAX, 0);
    for color in colors(pixels) {
        if color != run {
            (run, place) = (color, *places.get(&color)?);
        }
        bytes.push(place);
    }
    let rgb = palette
        .iter()
        .flat_map(|color| color.to_be_bytes().into_iter().skip(1));
    encoded(pixels, &bytes, png::ColorType::Indexed, Some(rgb.collect()))
}

/// A file with every color as it is.
fn encode_full_color(pixels: &Pixmap) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = pixels
        .data()
        .chunks_exact(4)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect();
    encoded(pixels, &bytes, png::ColorType::Rgb, None)
}

fn encoded(
    pixels: &Pixmap,
    bytes: &[u8],
    kind: png::ColorType,
    palette: Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(kind);
    encoder.set_depth(png::BitDepth::Eight);
    match palette {
        Some(palette) => {
            encoder.set_palette(palette);
            encoder.set_filter(png::Filter::NoFilter);
            encoder.set_compression(png::Compression::Balanced);
        }
        None => encoder.set_compression(png::Compression::Balanced),
    }
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(bytes).ok()?;
    writer.finish().ok()?;
    Some(file)
}
