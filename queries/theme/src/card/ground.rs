//! The ground of the cards of a site: color, a quiet drawing of the theme, logo or name.

use super::{
    BACKGROUND, Drawing, HEIGHT, LOGO, Letters, Look, MARGIN, Palette, Style, WIDTH, Weight,
    drawable, lines,
};
use crate::color::Rgb;

/// Draws the ground of the cards of a site, for pages whose language is written from right to left or the other way. The
/// pictures in it are called [`LOGO`] and [`BACKGROUND`].
pub fn ground(look: &Look, is_rtl: bool, letters: &dyn Letters) -> String {
    let palette = Palette::of(look);
    let mut drawing = Drawing::new(look, letters, is_rtl);
    let color = palette.ground.hex();
    drawing.svg.push_str(&format!(
        "<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{color}\"/>"
    ));
    // Words begin at the other side.
    let side = match is_rtl {
        true => format!("<g transform=\"translate({WIDTH} 0) scale(-1 1)\">"),
        false => "<g>".to_owned(),
    };
    drawing.svg.push_str(&side);
    if look.has_background {
        drawing.svg.push_str("</g>");
        drawing.svg.push_str(&format!(
            "<image href=\"{BACKGROUND}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" preserveAspectRatio=\"xMidYMid slice\"/>"
        ));
        // Words are read on any picture.
        drawing.svg.push_str(&side);
        drawing.svg.push_str(&format!(
            "<defs><linearGradient id=\"veil\"><stop offset=\"0\" stop-color=\"{color}\" stop-opacity=\"0.9\"/>\
             <stop offset=\"0.62\" stop-color=\"{color}\" stop-opacity=\"0.78\"/>\
             <stop offset=\"1\" stop-color=\"{color}\" stop-opacity=\"0.45\"/></linearGradient></defs>\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"url(#veil)\"/>"
        ));
    } else {
        drawing.svg.push_str(&pattern(look, &palette));
    }
    drawing.svg.push_str("</g>");
    head(&mut drawing, &palette);
    drawing.finish()
}

/// Logo or name.
fn head(drawing: &mut Drawing<'_>, palette: &Palette) {
    let look = drawing.look;
    if look.has_logo {
        let (x, align) = match drawing.is_rtl {
            true => (WIDTH as f32 - MARGIN - 480.0, "xMaxYMid"),
            false => (MARGIN, "xMinYMid"),
        };
        drawing.svg.push_str(&format!(
            "<image href=\"{LOGO}\" x=\"{x}\" y=\"70\" width=\"480\" height=\"56\" preserveAspectRatio=\"{align} meet\"/>"
        ));
        return;
    }
    let Some(name) = drawable(&look.name, drawing.letters) else {
        return;
    };
    let x = match drawing.is_rtl {
        true => WIDTH as f32 - MARGIN - 30.0,
        false => MARGIN,
    };
    let radius = match look.theme.as_str() {
        "linden" => 0,
        "palm" => 4,
        "luma" => 15,
        _ => 8,
    };
    drawing.svg.push_str(&format!(
        "<rect x=\"{x}\" y=\"82\" width=\"30\" height=\"30\" rx=\"{radius}\" fill=\"{}\"/>",
        palette.accent.hex()
    ));
    let style = Style {
        size: 32.0,
        weight: Weight::Semibold,
        color: palette.ink,
    };
    let set = lines::wrapped(&name, 900.0, 1, style, drawing.letters);
    for line in set.lines {
        drawing.line(&line, 48.0, 108.0, style);
    }
}

/// The pattern that the site chose, else that of its theme, at the side where lines of text end.
fn pattern(look: &Look, palette: &Palette) -> String {
    let tint = |part: u32| palette.ground.towards(palette.accent, part).hex();
    let line = |part: u32| palette.ground.towards(palette.line, part).hex();
    match look.decoration.as_deref().unwrap_or(&look.theme) {
        "gradient" | "mint" => glow(palette, 1080.0, 40.0, 620.0, 20),
        "luma" => glow(palette, 1130.0, 20.0, 520.0, 24) + &glow(palette, 760.0, -160.0, 460.0, 12),
        "grid" => {
            let mut svg = String::new();
            for at in (0..=1200).step_by(60) {
                svg.push_str(&hair(at as f32, 0.0, at as f32, 630.0, &line(100)));
            }
            for at in (30..630).step_by(60) {
                svg.push_str(&hair(0.0, at as f32, 1200.0, at as f32, &line(100)));
            }
            svg + &fade(palette, 0.15, 1.0)
        }
        "windows" => {
            let mut svg = String::new();
            let panes = [
                (900, 0, 300, 150, 9),
                (780, 150, 420, 210, 14),
                (1000, 360, 200, 270, 8),
                (1060, 40, 140, 240, 12),
            ];
            for (x, y, width, height, part) in panes {
                svg.push_str(&format!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
                    tint(part)
                ));
            }
            svg
        }
        // Leaves that lie over one another.
        "maple" => circles(
            1200.0,
            0.0,
            &[(430.0, tint(7)), (300.0, tint(12)), (170.0, tint(20))],
        ),
        // A fan.
        "palm" => {
            let mut svg = format!(
                "<rect width=\"{WIDTH}\" height=\"10\" fill=\"{}\"/>",
                palette.accent.hex()
            );
            for i in 1..10 {
                let angle = std::f32::consts::FRAC_PI_2 * (1.0 + i as f32 / 10.0);
                let (x, y) = (1200.0 + 420.0 * angle.cos(), 10.0 + 420.0 * angle.sin());
                svg.push_str(&format!(
                    "<path d=\"M1200 10L{x:.1} {y:.1}\" stroke=\"{}\" stroke-width=\"2.5\"/>",
                    tint(26)
                ));
            }
            svg
        }
        // Threads that hang down.
        "willow" => {
            let lengths = [
                96, 150, 120, 210, 168, 262, 204, 320, 240, 290, 180, 236, 140,
            ];
            let mut svg = String::new();
            for (i, length) in lengths.iter().enumerate() {
                let x = 812.0 + i as f32 * 28.0;
                svg.push_str(&hair(x, 0.0, x, *length as f32, &tint(30)));
                svg.push_str(&format!(
                    "<circle cx=\"{x}\" cy=\"{length}\" r=\"3\" fill=\"{}\"/>",
                    tint(60)
                ));
            }
            svg
        }
        // A screen of points.
        "linden" => {
            let mut svg = String::new();
            for row in 0..10 {
                for column in 0..(22 - row * 2) {
                    let (x, y) = (1170 - column * 24, 26 + row * 24);
                    let part = 56u32.saturating_sub(2 * (row as u32 + column as u32));
                    svg.push_str(&format!(
                        "<rect x=\"{x}\" y=\"{y}\" width=\"6\" height=\"6\" fill=\"{}\"/>",
                        tint(part.max(14))
                    ));
                }
            }
            svg
        }
        // A card with a shell in its corner.
        "almond" => {
            let raised = match palette.is_dark() {
                true => Rgb(0x16, 0x18, 0x1c),
                false => Rgb::WHITE,
            };
            format!(
                "<rect x=\"28\" y=\"28\" width=\"1144\" height=\"574\" rx=\"28\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\
                 <path d=\"M1108 64C1152 150 1108 236 1020 256C976 170 1020 84 1108 64Z\" fill=\"{}\"/>\
                 <path d=\"M1108 64C1076 140 1046 196 1020 256\" stroke=\"{}\" stroke-width=\"2\" fill=\"none\"/>",
                raised.hex(),
                line(100),
                raised.towards(palette.accent, 16).hex(),
                raised.towards(palette.accent, 44).hex()
            )
        }
        // Branches of a tree.
        "aspen" => {
            let mut svg = String::new();
            for (i, (y, length)) in [(96, 260), (150, 200), (204, 232), (258, 150), (312, 190)]
                .iter()
                .enumerate()
            {
                svg.push_str(&format!(
                    "<path d=\"M900 40V{y}a16 16 0 0 0 16 16h{}\" stroke=\"{}\" stroke-width=\"2.5\" fill=\"none\"/>\
                     <rect x=\"{}\" y=\"{}\" width=\"44\" height=\"16\" rx=\"8\" fill=\"{}\"/>",
                    length - 60,
                    tint(24),
                    900 + 16 + length - 60,
                    y + 8,
                    tint(match i { 1 => 70, _ => 30 })
                ));
            }
            svg
        }
        // Rings of a trunk.
        "sequoia" => {
            let mut svg = String::new();
            for (i, radius) in [60, 104, 142, 190, 226, 280, 318, 374, 430]
                .iter()
                .enumerate()
            {
                svg.push_str(&format!(
                    "<circle cx=\"1150\" cy=\"60\" r=\"{radius}\" stroke=\"{}\" stroke-width=\"{}\" fill=\"none\"/>",
                    tint(34 - 3 * i as u32),
                    if i % 3 == 1 { 3 } else { 1 }
                ));
            }
            svg
        }
        _ => String::new(),
    }
}

fn hair(x: f32, y: f32, to_x: f32, to_y: f32, color: &str) -> String {
    format!("<path d=\"M{x} {y}L{to_x} {to_y}\" stroke=\"{color}\" stroke-width=\"1.5\"/>")
}

fn circles(x: f32, y: f32, rings: &[(f32, String)]) -> String {
    let rings = rings.iter();
    let drawn = rings.map(|(radius, fill)| {
        format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>")
    });
    drawn.collect()
}

/// Light around a point, of `part` of 100 in its middle.
fn glow(palette: &Palette, x: f32, y: f32, radius: f32, part: u32) -> String {
    let accent = palette.accent.hex();
    let id = format!("glow{x}");
    let opacity = part as f32 / 100.0;
    // Thinner than in a straight line: an edge would be seen.
    let stops: String = (0..=8)
        .map(|i| {
            let at = i as f32 / 8.0;
            let opacity = opacity * (1.0 - at) * (1.0 - at);
            format!("<stop offset=\"{at}\" stop-color=\"{accent}\" stop-opacity=\"{opacity:.4}\"/>")
        })
        .collect();
    format!(
        "<defs><radialGradient id=\"{id}\" gradientUnits=\"userSpaceOnUse\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\">{stops}</radialGradient></defs>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"url(#{id})\"/>"
    )
}

/// Covers the side where lines of text begin.
fn fade(palette: &Palette, from: f32, to: f32) -> String {
    let color = palette.ground.hex();
    format!(
        "<defs><linearGradient id=\"fade\" x1=\"0\" y1=\"1\" x2=\"1\" y2=\"0\"><stop offset=\"{from}\" stop-color=\"{color}\"/>\
         <stop offset=\"{to}\" stop-color=\"{color}\" stop-opacity=\"0\"/></linearGradient></defs>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"url(#fade)\"/>"
    )
}
