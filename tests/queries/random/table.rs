//! Which query reads which: the table of who can wake whom.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use queries::db::Database;
use queries::inputs::Site;
use salsa::plumbing::{HasJar, JarKind, ZalsaDatabase};

use super::engine::Node;

pub(super) struct Table(BTreeMap<&'static str, &'static [&'static str]>);

impl Table {
    pub(super) fn new() -> Self {
        Self(READS.iter().copied().collect())
    }

    /// The functions that have a row.
    pub(super) fn functions(&self) -> BTreeSet<&'static str> {
        self.0.keys().copied().collect()
    }

    /// What is wrong with `query` reading `read`: nothing, or that the table does not say so.
    pub(super) fn complaint(&self, query: &Node, read: &Node) -> Option<String> {
        let relation = match () {
            () if read.1 == query.1 => "same",
            () if read.1.is_empty() => "site",
            () => "other",
        };
        let read = format!("{relation} {}", read.0);
        let is_known = self.allows(&query.0, &read);
        (!is_known).then(|| format!("{} reads {read}", query.0))
    }

    /// Whether the row of `query`, or one that it takes over, has `read`.
    fn allows(&self, query: &str, read: &str) -> bool {
        let mut reads = self.0.get(query).copied().unwrap_or_default().iter();
        reads.any(|known| match known.strip_prefix("as ") {
            Some(other) => self.allows(other, read),
            None => *known == read,
        })
    }
}

/// The queries that are asked of a tracked struct, and go with it.
pub(super) fn queries_of(made: &str) -> &'static [&'static str] {
    match made {
        "Section" => &["section_header", "section_sidebar"],
        "PageRun" => &["run_links"],
        "EmbeddedPassage" => &["passage_windows", "passage_embeddings"],
        _ => panic!("nobody said what is asked of {made}"),
    }
}

/// What a page as Markdown is written from, whole or as a part of the text of all pages.
const MARKDOWN: &[&str] = &[
    "other model_meta",
    "other introduction_meta",
    "other channel_operations",
    "other channel_meta",
    "other is_asyncapi",
    "same SourceFile.subject",
    "same front_matter",
    "same manual_reference",
    "same page_binding",
    "same page_body",
    "same page_title",
    "same generated_front_matter",
    "same replaced_page",
    "site has_schemas",
    "site spec_paths",
    "site Site.base_path",
    "other model_href",
    "other spec_anchors",
    "other subtypes",
    "other model_shared",
    "other reference_shared",
    "other rows_anchors",
    "other component_rows",
    "other distant_meta",
    "other model_reference",
    "other operation_reference",
    "other operation_place",
    "other schema_meta",
    "other slice_meta",
    "other slice_named",
    "other slice_value",
];

/// Each tracked function with what it may read: of the key that it has itself (`same`), of the site, of another key; and `as` another
/// function.
///
/// A function that is new needs its row. One that begins to read something else fails until the row says so: this is the
/// place to think about who wakes whom.
const READS: &[(&str, &[&str])] = &[
    (
        "channel_meta",
        &[
            "same slice_value",
            "same slice_named",
            "other slice_named",
            "other slice_value",
        ],
    ),
    ("channel_operations", &["other spec_channel_operations"]),
    ("is_asyncapi", &["other slice_named"]),
    (
        "slice_channel",
        &["same SpecSlice.digest", "same slice_value"],
    ),
    (
        "spec_channel_operations",
        &["same Spec.slices", "other slice_channel"],
    ),
    ("api_config", &["same site_config"]),
    ("breadcrumbs", &["same navigation_tree"]),
    (
        "card_look",
        &[
            "same Site.buckets",
            "same theme_config",
            "other FileBucket.files",
            "other SourceFile.digest",
        ],
    ),
    (
        "page_card",
        &[
            "other model_meta",
            "other introduction_meta",
            "same generated_front_matter",
            "other channel_meta",
            "other is_asyncapi",
            "same SourceFile.subject",
            "same front_matter",
            "same generated_place",
            "same generated_section",
            "same page_binding",
            "same page_section",
            "same page_title",
            "site breadcrumbs",
            "other Section.breadcrumb",
            "other distant_meta",
            "other operation_place",
            "other slice_meta",
            "other slice_named",
        ],
    ),
    ("bucket_assets", &["same FileBucket.files"]),
    (
        "bucket_diagnostics",
        &[
            "same bucket_pages",
            "other link_diagnostics",
            "other orphan_diagnostic",
            "other page_diagnostics",
        ],
    ),
    (
        "bucket_origins",
        &["same bucket_pages", "other front_matter"],
    ),
    ("bucket_own_files", &["same FileBucket.files"]),
    ("bucket_pages", &["same FileBucket.files"]),
    (
        "bucket_search",
        &[
            "same bucket_pages",
            "other page_route",
            "other search_digest",
        ],
    ),
    (
        "bucket_subjects",
        &[
            "other is_asyncapi",
            "same bucket_pages",
            "site spec_paths",
            "other SourceFile.subject",
            "other page_binding",
            "other slice_named",
        ],
    ),
    (
        "component_markdown",
        &["same slice_named", "same slice_value"],
    ),
    (
        "component_rows",
        &[
            "site Site.base_path",
            "site reference_settings",
            "other is_large",
            "other model_href",
            "other schema_at",
            "other slice_digest",
            "other slice_named",
            "other slice_value",
            "other spec_anchors",
            "other subtypes",
        ],
    ),
    ("content_config", &["same site_config"]),
    ("default_language", &["same navigation_tree"]),
    ("distant_meta", &["other slice_named", "other slice_value"]),
    (
        "embedded_passages",
        &["same embedded_title", "same page_text"],
    ),
    (
        "embedded_title",
        &["same page_facets", "site search_config"],
    ),
    (
        "first_pages",
        &[
            "same generated_pages",
            "same page_list",
            "same sections",
            "other Section.pages",
        ],
    ),
    ("feed_entries", &["same page_body"]),
    (
        "file_rules",
        &[
            "same Site.buckets",
            "other FileBucket.files",
            "other SourceFile.digest",
        ],
    ),
    ("formula_signs", &["same theme_config"]),
    (
        "frame_header",
        &[
            "same Site.base_path",
            "same search_config",
            "same theme_config",
        ],
    ),
    ("front_matter", &["same SourceFile.digest"]),
    (
        "generated_label",
        &[
            "other model_meta",
            "other introduction_meta",
            "other channel_meta",
            "other distant_meta",
            "other operation_place",
            "other slice_meta",
            "other slice_named",
        ],
    ),
    (
        "generated_front_matter",
        &[
            "other model_meta",
            "other introduction_meta",
            "other channel_meta",
            "same generated_place",
            "other distant_meta",
            "other operation_place",
            "other slice_meta",
            "other slice_named",
            "other slice_value",
        ],
    ),
    (
        "introduction_meta",
        &["same is_asyncapi", "other slice_named", "other slice_value"],
    ),
    ("is_introduced", &["site generated_pages"]),
    (
        "overview",
        &[
            "other front_matter",
            "same Spec.slices",
            "same operation_index",
            "site Site.base_path",
            "site subject_pages",
            "other generated_place",
            "other page_route",
        ],
    ),
    ("reference_pages", &["same site_config"]),
    ("model_meta", &["same schema_meta"]),
    ("model_of", &[]),
    (
        "spec_models",
        &[
            "same Spec.slices",
            "same is_asyncapi",
            "other slice_named",
            "other slice_value",
            "other model_meta",
        ],
    ),
    ("generated_pages", &["same navigation_tree"]),
    ("generated_place", &["site generated_pages"]),
    ("generated_section", &["site sections_by_page"]),
    ("has_feed", &["same front_matter", "same page_body"]),
    ("has_navigation", &["same navigation_tree"]),
    ("home_page", &["same navigation_tree"]),
    ("has_schemas", &["same content_config"]),
    ("has_timestamps", &["same content_config"]),
    ("icon_set", &["same theme_config"]),
    (
        "image_size",
        &[
            "same SourceFile.image_size",
            "site Site.buckets",
            "other FileBucket.files",
        ],
    ),
    (
        "is_there",
        &[
            "same slice_named",
            "same slice_value",
            "other Spec.slices",
            "other slice_value",
        ],
    ),
    (
        "is_large",
        &[
            "same model_href",
            "same schema_at",
            "same slice_digest",
            "same slice_named",
            "same slice_value",
            "site reference_settings",
            "other model_href",
            "other schema_at",
            "other slice_digest",
            "other slice_named",
            "other slice_value",
            "other spec_anchors",
            "other subtypes",
        ],
    ),
    (
        "link_diagnostics",
        &[
            "other is_asyncapi",
            "same SourceFile.digest",
            "same SourceFile.subject",
            "same page_anchors",
            "same page_binding",
            "same page_imports",
            "same page_links",
            "same page_route",
            "site Site.buckets",
            "site first_pages",
            "site generated_pages",
            "site home_page",
            "site page_list",
            "site redirects",
            "site spec_paths",
            "other FileBucket.files",
            "other SourceFile.digest",
            "other SourceFile.subject",
            "other generated_place",
            "other model_anchors",
            "other page_anchors",
            "other page_binding",
            "other page_route",
            "other reference_anchors",
            "other model_shared",
            "other reference_shared",
            "other rows_anchors",
            "other slice_named",
        ],
    ),
    (
        "manual_reference",
        &[
            "same SourceFile.digest",
            "same front_matter",
            "same page_title",
            "site Site.address",
            "site Site.base_path",
            "site api_config",
            "site reference_settings",
            "site seo_config",
        ],
    ),
    (
        "index_entry",
        &[
            "same page_body",
            "same page_facets",
            "same page_text",
            "site default_language",
        ],
    ),
    (
        "is_listed_for_robots",
        &[
            "same front_matter",
            "same generated_front_matter",
            "site page_indexing",
            "site placements",
        ],
    ),
    (
        "is_unindexed",
        &[
            "other is_asyncapi",
            "same SourceFile.subject",
            "same front_matter",
            "same generated_front_matter",
            "same page_binding",
            "same replaced_page",
            "site spec_paths",
            "other distant_meta",
            "other operation_place",
            "other schema_meta",
            "other slice_meta",
            "other slice_named",
            "other slice_value",
        ],
    ),
    ("language_twins", &["same navigation_tree"]),
    ("model_anchors", &["same model_reference"]),
    (
        "model_href",
        &[
            "other generated_place",
            "site Site.base_path",
            "site subject_pages",
            "other page_route",
        ],
    ),
    (
        "model_reference",
        &[
            "same model_href",
            "same schema_at",
            "same slice_digest",
            "same slice_named",
            "same slice_value",
            "same subtypes",
            "site Site.base_path",
            "site reference_settings",
            "other is_large",
            "other model_href",
            "other schema_at",
            "other slice_digest",
            "other slice_named",
            "other slice_value",
            "other subtypes",
        ],
    ),
    ("model_shared", &["same model_reference"]),
    (
        "model_uses",
        &[
            "same schema_users",
            "other operation_href",
            "other operation_place",
            "other slice_meta",
            "other slice_named",
        ],
    ),
    (
        "named_operations",
        &["same spec_paths", "other operation_index"],
    ),
    ("navigation_config", &["same site_config"]),
    (
        "navigation_tree",
        &[
            "other introduction_meta",
            "other spec_models",
            "other is_asyncapi",
            "same Site.buckets",
            "same navigation_config",
            "same page_names",
            "same reference_pages",
            "same spec_paths",
            "other FileBucket.files",
            "other operation_index",
        ],
    ),
    (
        "operation_href",
        &[
            "site Site.base_path",
            "site subject_pages",
            "other generated_place",
        ],
    ),
    (
        "operation_index",
        &[
            "same operation_places",
            "same tag_names",
            "other operation_part",
        ],
    ),
    ("operation_named", &["other operation_index"]),
    (
        "operation_part",
        &[
            "other channel_meta",
            "other distant_meta",
            "other operation_places",
            "other slice_meta",
            "other slices_by_key",
        ],
    ),
    ("operation_place", &["other operation_places"]),
    (
        "operation_places",
        &[
            "same is_asyncapi",
            "same Spec.slices",
            "other slice_named",
            "other slice_value",
        ],
    ),
    (
        "operation_reference",
        &[
            "same operation_href",
            "other overview",
            "same channel_operations",
            "other channel_operations",
            "same slice_digest",
            "same slice_named",
            "same slice_value",
            "site Site.address",
            "site Site.base_path",
            "site reference_settings",
            "site seo_config",
            "other is_large",
            "other model_href",
            "other operation_href",
            "other operation_named",
            "other schema_at",
            "other slice_digest",
            "other slice_named",
            "other slice_value",
            "other spec_anchors",
            "other subtypes",
        ],
    ),
    (
        "orphan_diagnostic",
        &[
            "same front_matter",
            "same page_section",
            "site has_navigation",
        ],
    ),
    (
        "own_files",
        &[
            "same Site.base_path",
            "same Site.buckets",
            "other SourceFile.digest",
            "other bucket_own_files",
        ],
    ),
    ("page_anchors", &["same page_facts"]),
    (
        "page_binding",
        &[
            "other is_asyncapi",
            "same SourceFile.subject",
            "same specs_in_scope",
            "site api_config",
            "site named_operations",
            "site spec_paths",
            "other operation_index",
        ],
    ),
    (
        "page_blocks",
        &[
            "other is_asyncapi",
            "same SourceFile.subject",
            "same front_matter",
            "same manual_reference",
            "same page_binding",
            "same page_body",
            "site spec_paths",
            "other model_shared",
            "other reference_shared",
            "other rows_anchors",
            "other component_rows",
            "other model_reference",
            "other operation_reference",
            "other slice_named",
        ],
    ),
    ("page_markdown", MARKDOWN),
    ("page_part", MARKDOWN),
    (
        "page_body",
        &[
            "same SourceFile.digest",
            "same page_imports",
            "site Site.base_path",
            "site content_config",
            "site formula_signs",
            "site icon_set",
            "other SourceFile.digest",
            "other image_size",
        ],
    ),
    (
        "page_diagnostics",
        &[
            "other is_asyncapi",
            "same SourceFile.subject",
            "same front_matter",
            "same manual_reference",
            "same page_binding",
            "same page_facts",
            "site spec_paths",
            "other slice_named",
        ],
    ),
    (
        "page_facets",
        &[
            "other model_meta",
            "other introduction_meta",
            "other channel_meta",
            "same front_matter",
            "same generated_front_matter",
            "same generated_place",
            "same page_route",
            "same page_title",
            "site page_indexing",
            "site placements",
            "other distant_meta",
            "other operation_place",
            "other slice_meta",
            "other slice_named",
        ],
    ),
    ("page_facts", &["as page_body", "same page_body"]),
    (
        "page_alternates",
        &[
            "same is_unindexed",
            "same page_route",
            "same generated_place",
            "site Site.base_path",
            "site language_twins",
            "other generated_place",
            "other is_unindexed",
            "other page_route",
        ],
    ),
    (
        "page_head",
        &[
            "other model_meta",
            "other introduction_meta",
            "other channel_meta",
            "other is_asyncapi",
            "same SourceFile.modified",
            "same SourceFile.subject",
            "same front_matter",
            "same generated_front_matter",
            "same generated_place",
            "same generated_section",
            "same page_binding",
            "same page_route",
            "same page_section",
            "same page_title",
            "same replaced_page",
            "site Site.base_path",
            "site api_config",
            "site has_timestamps",
            "site sections",
            "site seo_config",
            "site spec_paths",
            "other Section.breadcrumb",
            "other Section.nodes",
            "other Section.pages",
            "other distant_meta",
            "other generated_label",
            "other generated_place",
            "other model_uses",
            "other operation_place",
            "other page_label",
            "other page_route",
            "other schema_meta",
            "other slice_meta",
            "other slice_named",
            "other slice_value",
        ],
    ),
    (
        "page_imports",
        &[
            "same SourceFile.digest",
            "site Site.buckets",
            "other FileBucket.files",
            "other SourceFile.digest",
        ],
    ),
    ("page_indexing", &["same seo_config"]),
    ("page_kind", &["same page_facets", "same page_shape"]),
    (
        "page_label",
        &[
            "other channel_meta",
            "other is_asyncapi",
            "same SourceFile.subject",
            "same front_matter",
            "same page_binding",
            "same page_title",
            "site spec_paths",
            "other operation_place",
            "other schema_meta",
            "other slice_meta",
            "other slice_named",
        ],
    ),
    ("page_links", &["same page_facts"]),
    (
        "page_list",
        &[
            "same Site.buckets",
            "other bucket_pages",
            "other page_route",
        ],
    ),
    (
        "page_route",
        &["site Site.buckets", "other FileBucket.files"],
    ),
    (
        "page_names",
        &["same Site.buckets", "other FileBucket.files"],
    ),
    ("page_section", &["site sections_by_page"]),
    ("page_shape", &["same page_text"]),
    (
        "page_text",
        &[
            "other is_asyncapi",
            "same SourceFile.subject",
            "same front_matter",
            "same manual_reference",
            "same page_binding",
            "same page_body",
            "site spec_paths",
            "other model_shared",
            "other reference_shared",
            "other rows_anchors",
            "other component_rows",
            "other model_reference",
            "other operation_reference",
            "other slice_named",
        ],
    ),
    ("page_text_digest", &["same page_text"]),
    (
        "page_title",
        &[
            "other channel_meta",
            "other is_asyncapi",
            "same SourceFile.subject",
            "same front_matter",
            "same page_binding",
            "same page_route",
            "same replaced_page",
            "site spec_paths",
            "other operation_place",
            "other schema_meta",
            "other slice_meta",
            "other slice_named",
        ],
    ),
    ("passage_embeddings", &["same passage_windows"]),
    (
        "passage_windows",
        &["other embedded_title", "other page_text"],
    ),
    (
        "path_parameters",
        &[
            "same slice_named",
            "same slice_value",
            "other slice_named",
            "other slice_value",
        ],
    ),
    ("placements", &["same navigation_tree"]),
    ("redirects", &["same site_config"]),
    (
        "reach_digest",
        &[
            "same slice_digest",
            "same slice_named",
            "same slice_references",
            "other slice_digest",
            "other slice_named",
            "other slice_references",
        ],
    ),
    ("reference_anchors", &["same operation_reference"]),
    ("reference_settings", &["same api_config"]),
    ("reference_shared", &["same operation_reference"]),
    (
        "relay_origins",
        &[
            "same Site.address",
            "same Site.buckets",
            "same Site.specs",
            "same api_config",
            "same seo_config",
            "other Spec.slices",
            "other bucket_origins",
            "other slice_origins",
        ],
    ),
    ("rows_anchors", &["same component_rows"]),
    (
        "rows_diagnostics",
        &[
            "same rows_anchors",
            "same rows_faults",
            "other rows_anchors",
            "other rows_faults",
        ],
    ),
    ("rows_faults", &["same component_rows"]),
    (
        "redirect_diagnostics",
        &[
            "same first_pages",
            "same generated_pages",
            "same home_page",
            "same page_list",
            "same redirects",
            "same spec_paths",
            "same subject_pages",
            "same Site.buckets",
            "other FileBucket.files",
            "other generated_place",
            "other page_route",
        ],
    ),
    ("replaced_page", &["site generated_pages"]),
    (
        "route_table",
        &[
            "same Site.buckets",
            "same Site.specs",
            "same first_pages",
            "same generated_pages",
            "same home_page",
            "same page_list",
            "same redirects",
            "same skill_name",
            "same subject_pages",
            "other FileBucket.files",
            "other bucket_assets",
            "other generated_place",
            "other page_route",
        ],
    ),
    (
        "run_links",
        &[
            "site Site.base_path",
            "site icon_set",
            "other page_label",
            "other page_route",
        ],
    ),
    (
        "schema_at",
        &[
            "same slice_named",
            "same slice_value",
            "other slice_named",
            "other slice_value",
        ],
    ),
    ("schema_meta", &["same slice_named", "same slice_value"]),
    ("schema_users", &["other spec_users"]),
    ("search_config", &["same site_config"]),
    (
        "search_digest",
        &[
            "same page_facets",
            "same page_kind",
            "same page_text_digest",
        ],
    ),
    (
        "search_manifest",
        &[
            "same Site.buckets",
            "same Site.specs",
            "other bucket_search",
            "other spec_search",
        ],
    ),
    (
        "section_header",
        &[
            "same Section.global",
            "same Section.breadcrumb",
            "site Site.base_path",
            "site frame_header",
            "other generated_place",
            "other page_route",
        ],
    ),
    (
        "section_sidebar",
        &[
            "same Section.sidebar_switchers",
            "same Section.generated",
            "same Section.global",
            "same Section.nodes",
            "same Section.runs",
            "site Site.base_path",
            "other page_label",
            "other page_route",
            "other run_links",
        ],
    ),
    ("sections", &["same navigation_tree"]),
    (
        "sections_by_page",
        &[
            "same sections",
            "other Section.hidden_pages",
            "other Section.pages",
        ],
    ),
    ("seo_config", &["same site_config"]),
    (
        "site_config",
        &[
            "same Site.buckets",
            "other FileBucket.files",
            "other SourceFile.digest",
        ],
    ),
    ("site_frame", &["same Site.base_path", "same theme_config"]),
    (
        "site_map_entry",
        &[
            "other channel_meta",
            "other is_asyncapi",
            "same SourceFile.modified",
            "same SourceFile.subject",
            "same front_matter",
            "same generated_front_matter",
            "same generated_place",
            "same is_listed_for_robots",
            "same page_alternates",
            "same page_binding",
            "same page_route",
            "same replaced_page",
            "site Site.base_path",
            "site spec_paths",
            "other distant_meta",
            "other operation_place",
            "other schema_meta",
            "other slice_meta",
            "other slice_named",
            "other slice_value",
        ],
    ),
    (
        "skill_name",
        &[
            "same Site.buckets",
            "same theme_config",
            "other FileBucket.files",
            "other SourceFile.digest",
        ],
    ),
    ("slice_anchors", &["same slice_value"]),
    ("slice_bases", &["same slice_value"]),
    ("slice_digest", &["same SpecSlice.digest"]),
    ("slice_facts", &["same slice_value"]),
    (
        "slice_faults",
        &[
            "other is_asyncapi",
            "same slice_named",
            "same slice_value",
            "other spec_edition",
        ],
    ),
    ("slice_links", &["same slice_value"]),
    ("slice_meta", &["same SpecSlice.digest"]),
    ("slice_named", &["other slices_by_key"]),
    (
        "slice_origins",
        &["same SpecSlice.digest", "same slice_value"],
    ),
    ("slice_references", &["same slice_value"]),
    ("slice_value", &["same SpecSlice.digest"]),
    ("slices_by_key", &["same Spec.slices"]),
    ("spec_anchors", &["same Spec.slices", "other slice_anchors"]),
    (
        "spec_diagnostics",
        &[
            "same spec_anchors",
            "same is_asyncapi",
            "same Spec.problems",
            "same Spec.slices",
            "same operation_index",
            "same operation_places",
            "other is_there",
            "same spec_edition",
            "other path_parameters",
            "other slice_facts",
            "other slice_faults",
            "other slice_named",
            "other slice_references",
            "other slice_value",
        ],
    ),
    ("spec_edition", &["other slice_named", "other slice_value"]),
    (
        "spec_link_diagnostics",
        &[
            "same Spec.slices",
            "same is_introduced",
            "site Site.buckets",
            "site first_pages",
            "site generated_pages",
            "site home_page",
            "site page_list",
            "site redirects",
            "site spec_paths",
            "other FileBucket.files",
            "other generated_place",
            "other page_route",
            "other slice_links",
        ],
    ),
    ("spec_paths", &["same Site.specs"]),
    ("spec_rules", &["same file_rules", "same site_config"]),
    (
        "spec_scopes",
        &[
            "same sections",
            "same sections_by_page",
            "other Section.scopes",
        ],
    ),
    (
        "spec_search",
        &[
            "site generated_pages",
            "site page_list",
            "other generated_place",
            "other search_digest",
        ],
    ),
    ("spec_subtypes", &["same Spec.slices", "other slice_bases"]),
    (
        "spec_users",
        &[
            "same Spec.slices",
            "same operation_places",
            "other slice_named",
            "other slice_references",
        ],
    ),
    ("specs_in_scope", &["site spec_scopes"]),
    (
        "subject_pages",
        &[
            "same Site.buckets",
            "same generated_pages",
            "other bucket_subjects",
        ],
    ),
    ("subtypes", &["other spec_subtypes"]),
    ("switches", &["same navigation_tree"]),
    ("tag_names", &["other slice_named"]),
    ("theme_config", &["same site_config"]),
];

/// The names of all tracked functions, as they are registered with the engine.
pub(super) fn tracked_functions(db: &Database) -> BTreeSet<&'static str> {
    let zalsa = db.zalsa();
    // Functions are registered after all structs.
    let first = zalsa.lookup_jar_by_type::<<Site as HasJar>::Jar>();
    let ingredients = (0..).map_while(|i| {
        // There is no other way to learn how many there are.
        catch_unwind(AssertUnwindSafe(|| {
            zalsa.lookup_ingredient(first.successor(i))
        }))
        .ok()
    });
    let functions = ingredients.filter(|one| one.jar_kind() == JarKind::TrackedFn);
    functions.map(|function| function.debug_name()).collect()
}
