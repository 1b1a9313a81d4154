//! What was wrong with a specification, before it is known which file it is.

/// The kinds of problems, with their stable names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemCode {
    /// A reference leads out of the document; such references are never followed.
    RefExternal,
    /// A reference leads nowhere.
    RefMissing,
    /// A chain of references returns to itself without meeting anything.
    RefLoop,
    /// A path item and the one it refers to define the same field.
    PathitemConflict,
    /// `nullable` stands in a schema without `type`.
    NullableWithoutType,
    /// `nullable` stands beside an `enum` that does not list `null`.
    NullableEnum,
    /// `exclusiveMinimum: true` without `minimum` (or the same for the maximum).
    BoundWithoutValue,
    /// The members of an `allOf` contradict each other.
    AllofConflict,
    /// Several members of an `allOf` allow no properties but their own; together they would allow none.
    AllofClosed,
    /// A branch under a discriminator has no name, so no value chooses it.
    DiscriminatorInline,
    /// A property is both read-only and write-only.
    ReadwriteConflict,
    /// An example is not valid against its schema.
    ExampleMismatch,
    /// No sample that was generated is valid against its schema.
    SampleUnverified,
    /// A schema requires itself without end.
    SchemaInfinite,
    /// A page has more rows than are shown.
    PageRowLimit,
    /// A parameter has a style that is not defined for its type.
    StyleUndefined,
    /// A header parameter is one that the standard ignores.
    HeaderReserved,
    /// A key of `responses` is no status.
    StatusInvalid,
    /// A security requirement names a scheme that is not defined.
    SecurityMissing,
    /// A link names an operation that is not there.
    LinkMissing,
    /// A document before 3.1 has webhooks.
    WebhooksNeed31,
    /// A pill is not a text.
    PillType,
    /// The document says a version after 3.1.
    VersionNewer,
    /// The document names a dialect of JSON Schema that is not known.
    DialectUnknown,
}

impl ProblemCode {
    /// Every code.
    pub const ALL: &[Self] = &[
        Self::RefExternal,
        Self::RefMissing,
        Self::RefLoop,
        Self::PathitemConflict,
        Self::NullableWithoutType,
        Self::NullableEnum,
        Self::BoundWithoutValue,
        Self::AllofConflict,
        Self::AllofClosed,
        Self::DiscriminatorInline,
        Self::ReadwriteConflict,
        Self::ExampleMismatch,
        Self::SampleUnverified,
        Self::SchemaInfinite,
        Self::PageRowLimit,
        Self::StyleUndefined,
        Self::HeaderReserved,
        Self::StatusInvalid,
        Self::SecurityMissing,
        Self::LinkMissing,
        Self::WebhooksNeed31,
        Self::PillType,
        Self::VersionNewer,
        Self::DialectUnknown,
    ];

    /// Its kebab-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::RefExternal => "ref-external",
            Self::RefMissing => "ref-missing",
            Self::RefLoop => "ref-loop",
            Self::PathitemConflict => "pathitem-conflict",
            Self::NullableWithoutType => "nullable-without-type",
            Self::NullableEnum => "nullable-enum",
            Self::BoundWithoutValue => "bound-without-value",
            Self::AllofConflict => "allof-conflict",
            Self::AllofClosed => "allof-closed",
            Self::DiscriminatorInline => "discriminator-inline",
            Self::ReadwriteConflict => "readwrite-conflict",
            Self::ExampleMismatch => "example-mismatch",
            Self::SampleUnverified => "sample-unverified",
            Self::SchemaInfinite => "schema-infinite",
            Self::PageRowLimit => "page-row-limit",
            Self::StyleUndefined => "style-undefined",
            Self::HeaderReserved => "header-reserved",
            Self::StatusInvalid => "status-invalid",
            Self::SecurityMissing => "security-missing",
            Self::LinkMissing => "link-missing",
            Self::WebhooksNeed31 => "webhooks-need-31",
            Self::PillType => "pill-type",
            Self::VersionNewer => "version-newer",
            Self::DialectUnknown => "dialect-unknown",
        }
    }

    /// How bad it is: errors hide something the author wrote, warnings are read leniently, infos are shown as they are.
    pub fn severity(self) -> crate::diagnostic::Severity {
        use crate::diagnostic::Severity;
        match self {
            Self::RefExternal | Self::RefMissing | Self::RefLoop | Self::SecurityMissing => {
                Severity::Error
            }
            Self::NullableEnum
            | Self::AllofClosed
            | Self::DiscriminatorInline
            | Self::HeaderReserved
            | Self::PageRowLimit
            | Self::SampleUnverified => Severity::Info,
            _ => Severity::Warning,
        }
    }
}

/// One thing that is wrong in a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Problem {
    /// Its kind.
    pub code: ProblemCode,
    /// Where, as a JSON pointer into the document.
    pub pointer: String,
    /// What, in one line, without a full stop.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem without a hint.
    pub fn new(code: ProblemCode, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            pointer: pointer.into(),
            message: message.into(),
            hint: None,
        }
    }

    /// The same with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
