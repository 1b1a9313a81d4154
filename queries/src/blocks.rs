//! Pages as blocks, for the assistant and for agents (MCP): they answer from blocks or quote them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::body::{page_body, reference_of, whole_groups};
use crate::db::Db;
use crate::navigation::PageId;
use crate::page::title_of;
use crate::search::document::{repeated_title, without_title};
use crate::search::html::{self, blocks::Block};
use crate::search::{Passage, page_facets, reference};
use openapi::search::RequiredField;

/// Attribute of the examples of a body, beside a reference.
const BODY_EXAMPLES: &str = "id=\"body-examples\"";

/// A page as blocks, passage by passage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageBlocks {
    /// Passages in reading order, cut as they are found.
    pub passages: Vec<PassageBlocks>,
    /// Required fields of a request, on the page of an operation.
    pub required: Vec<RequiredField>,
    /// Code that sends it, by language, in the order of the page.
    #[serde(default)]
    pub samples: Vec<RequestSample>,
}

/// Code that sends a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestSample {
    /// Label of its tab, such as `Python`.
    pub label: String,
    /// The language that it is colored as.
    pub language: String,
    /// Code, for the first form of the body.
    pub code: String,
}

/// A passage as blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassageBlocks {
    /// Place and text, as they are found.
    pub passage: Passage,
    /// Blocks in reading order.
    pub blocks: Vec<Block>,
}

/// The blocks of a page: those of its rendered body, with what it imports and what its components
/// say, and of the operation or the data model that it shows.
///
/// Read on request, by no memoized query. Wakes with the body and with what it shows; forgotten
/// when many others were asked for since, as its text is.
#[salsa::tracked(lru = 256)]
pub fn page_blocks(db: &dyn Db, page: PageId) -> Arc<PageBlocks> {
    let body = page.file().map(|file| page_body(db, file));
    let own = body.map_or_else(Vec::new, |body| html::passages_with_blocks(&body.html));
    let of_html = |(passage, blocks)| PassageBlocks { passage, blocks };
    let Some(given) = reference_of(db, page) else {
        return Arc::new(PageBlocks {
            passages: own.into_iter().map(of_html).collect(),
            ..PageBlocks::default()
        });
    };
    let description = reference::described_blocks(&given.search).into_iter();
    let mut passages: Vec<PassageBlocks> = description.map(of_html).collect();
    passages.extend(
        html::passages_with_blocks(&given.content)
            .into_iter()
            .map(of_html),
    );
    passages.extend(own.into_iter().map(of_html));
    let groups = whole_groups(db, page, given);
    passages.extend(
        reference::fields(&groups)
            .zip(&groups)
            .map(|(passage, group)| PassageBlocks {
                passage,
                blocks: reference::group_blocks(group),
            }),
    );
    Arc::new(PageBlocks {
        passages,
        required: given.search.required.clone(),
        samples: request_samples(&given.side),
    })
}

/// The blocks of a page that is found, its passages cut as those of its search document are; `None` for a page that is not
/// to be found. Composed, and not kept.
pub fn answer_blocks(db: &dyn Db, page: PageId) -> Option<Arc<PageBlocks>> {
    let facets = page_facets(db, page).as_ref()?;
    if facets.leads_to.is_some() {
        return None;
    }
    let blocks = page_blocks(db, page);
    let passages: Vec<Passage> = (blocks.passages.iter())
        .map(|part| part.passage.clone())
        .collect();
    let title = title_of(db, page);
    let Some(at) = repeated_title(&passages, &title) else {
        return Some(blocks.clone());
    };
    let leading_blocks = blocks.passages[..=at]
        .iter()
        .flat_map(|part| part.blocks.clone());
    let leading_blocks: Vec<Block> = leading_blocks.collect();
    let rest = blocks.passages[at + 1..].iter();
    let mut of_passages = rest.map(|part| part.blocks.clone());
    let mut leading_blocks = Some(leading_blocks);
    let remaining = without_title(&passages, &title).into_iter();
    let remaining = remaining.map(|passage| {
        let beginning = leading_blocks.take_if(|_| passage.anchor.is_none());
        leading_blocks = None;
        PassageBlocks {
            blocks: beginning.or_else(|| of_passages.next()).unwrap_or_default(),
            passage,
        }
    });
    Some(Arc::new(PageBlocks {
        passages: remaining.collect(),
        required: blocks.required.clone(),
        samples: blocks.samples.clone(),
    }))
}

/// The samples of `side`, the part beside a reference.
fn request_samples(side: &str) -> Vec<RequestSample> {
    // Examples of bodies and responses come after them.
    let requests = side.split(BODY_EXAMPLES).next().unwrap_or_default();
    let mut samples: Vec<RequestSample> = Vec::new();
    let mut label = String::new();
    let passages = html::passages_with_blocks(requests).into_iter();
    for block in passages.flat_map(|(_, blocks)| blocks) {
        match block {
            Block::Title(line) => label = line.text,
            // One for each form of the body follows the label.
            Block::Code { language, text, .. } if !label.is_empty() => {
                samples.push(RequestSample {
                    label: std::mem::take(&mut label),
                    language: language.unwrap_or_default(),
                    code: text,
                });
            }
            _ => {}
        }
    }
    samples
}

pub(crate) fn set_cache_capacity(db: &mut dyn Db, capacity: usize) {
    page_blocks::set_lru_capacity(db, capacity);
}
