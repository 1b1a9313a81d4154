//! Pictures of measurements, as SVG: what a report of `quire bench` shows first.

use std::collections::BTreeMap;

use plotters::prelude::*;
use queries::theme::measurements::Row;

use super::{Kind, Sample, ms};

/// The colors stand for themselves on light and dark ground.
const BAR: RGBColor = RGBColor(91, 110, 225);
const TAIL: RGBColor = RGBColor(150, 163, 235);
const FULL: RGBColor = RGBColor(200, 90, 60);
const INK: RGBColor = RGBColor(122, 130, 145);

const KINDS: [RGBColor; 12] = [
    RGBColor(140, 140, 140),
    RGBColor(20, 130, 90),
    RGBColor(91, 110, 225),
    RGBColor(60, 160, 220),
    RGBColor(200, 120, 30),
    RGBColor(120, 170, 60),
    RGBColor(190, 80, 80),
    RGBColor(160, 90, 200),
    RGBColor(220, 110, 170),
    RGBColor(130, 200, 190),
    RGBColor(0, 140, 150),
    RGBColor(150, 110, 60),
];

/// Milliseconds on a scale that does not tell less than a microsecond apart.
fn rounded(ms: f64) -> f64 {
    ms.max(0.001)
}

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("draw a picture: {error}")
}

/// A bar for each kind of edit, and one for rendering everything.
pub(super) fn by_kind(rows: &[Row], rebuild: f64) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let count = rows.len() + 1;
        let height = 60 + 40 * u32::try_from(count)?;
        let area = SVGBackend::with_string(&mut svg, (960, height)).into_drawing_area();
        let most = rows
            .iter()
            .map(|row| rounded(row.p99))
            .fold(rounded(rebuild), f64::max)
            * 2.0;
        let least = rows.iter().map(|row| rounded(row.p50)).fold(0.1, f64::min) / 2.0;
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(0)
            .build_cartesian_2d((least..most).log_scale(), 0.0..count as f64)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.25))
            .axis_style(INK.mix(0.5))
            .label_style(("sans-serif", 15).into_font().color(&INK))
            .x_desc("milliseconds")
            .draw()
            .map_err(failed)?;
        let entries = rows
            .iter()
            .map(|row| (row.kind.as_str(), row.p50, row.p99, BAR));
        let all = entries.chain([("every page, from nothing", rebuild, rebuild, FULL)]);
        for (i, (name, p50, p99, color)) in all.enumerate() {
            let middle = count as f64 - i as f64 - 0.72;
            let bar = [(least, middle - 0.18), (rounded(p50), middle + 0.1)];
            let tail = vec![(rounded(p50), middle - 0.04), (rounded(p99), middle - 0.04)];
            chart
                .draw_series([Rectangle::new(bar, color.filled())])
                .map_err(failed)?;
            chart
                .draw_series([PathElement::new(tail, TAIL.stroke_width(2))])
                .map_err(failed)?;
            let label = format!("{name}   {:.3} ms", p50);
            let style = ("sans-serif", 15).into_font().color(&INK);
            chart
                .draw_series([Text::new(label, (least, middle + 0.54), style)])
                .map_err(failed)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

/// The color of the dots of `kind`, as CSS writes it.
pub(super) fn color(kind: Kind) -> String {
    let at = Kind::ALL
        .iter()
        .position(|known| *known == kind)
        .unwrap_or(0);
    let RGBColor(red, green, blue) = KINDS[at];
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A dot for each edit.
pub(super) fn over_time(samples: &[Sample]) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (960, 420)).into_drawing_area();
        let most = samples
            .iter()
            .map(|sample| rounded(ms(sample.took)))
            .fold(1.0, f64::max)
            * 2.0;
        let least = samples
            .iter()
            .map(|sample| rounded(ms(sample.took)))
            .fold(0.1, f64::min)
            / 2.0;
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(0..samples.len().max(1), (least..most).log_scale())
            .map_err(failed)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(INK.mix(0.25))
            .axis_style(INK.mix(0.5))
            .label_style(("sans-serif", 15).into_font().color(&INK))
            .x_desc("edit")
            .y_desc("milliseconds")
            .draw()
            .map_err(failed)?;
        let mut dots: BTreeMap<Kind, Vec<(usize, f64)>> = BTreeMap::new();
        for (i, sample) in samples.iter().enumerate() {
            dots.entry(sample.kind)
                .or_default()
                .push((i, rounded(ms(sample.took))));
        }
        for (kind, dots) in dots {
            let at = Kind::ALL
                .iter()
                .position(|known| *known == kind)
                .unwrap_or(0);
            let color = KINDS[at];
            let circles = dots
                .into_iter()
                .map(|dot| Circle::new(dot, 3, color.mix(0.7).filled()));
            chart.draw_series(circles).map_err(failed)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(svg)
}
