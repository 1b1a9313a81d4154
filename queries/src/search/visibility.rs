//! Visibility of pages in search: the rules of the reference product (its matrix of `hidden`,
//! `noindex` and `searchable`).

use super::placement::Placement;

/// Everything that decides whether a page is found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing<'a> {
    /// Whether the site has a navigation. Where there is none every page is found.
    pub has_navigation: bool,
    /// Place in the navigation; `None`: not listed. Operations with `x-hidden` are never listed.
    pub placement: Option<&'a Placement>,
    /// `hidden` of the page itself.
    pub hidden: Option<bool>,
    /// `noindex` of the page itself.
    pub noindex: Option<bool>,
    /// `searchable` of the page itself, of which only `false` means something.
    pub searchable: Option<bool>,
}

/// Visibility of a page in search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Found.
    Found,
    /// Found if the site wants all of its pages listed (`seo.indexing: all`).
    WhereAllAre,
    /// Not found: its author excludes it.
    Never,
}

/// Visibility of a page in search.
pub fn finding(standing: Standing<'_>) -> Finding {
    let listed = standing.placement;
    if standing.noindex == Some(true)
        || standing.searchable == Some(false)
        || listed.is_some_and(|placement| placement.searchable == Some(false))
    {
        return Finding::Never;
    }
    let is_found = match (standing.hidden, listed) {
        (Some(true), _) => false,
        (_, None) => !standing.has_navigation,
        // The page's own `hidden: false` brings it back to search, though not to the sidebar.
        (Some(false), Some(_)) => true,
        (None, Some(placement)) => !placement.is_hidden || placement.searchable == Some(true),
    };
    match is_found {
        true => Finding::Found,
        false => Finding::WhereAllAre,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: Placement = Placement {
        tab: None,
        product: None,
        version: None,
        language: None,
        boost: None,
        is_hidden: false,
        searchable: None,
        is_default: true,
        kind: None,
    };

    const HIDDEN: Placement = Placement {
        is_hidden: true,
        ..LISTED
    };

    fn listed(placement: &Placement) -> Standing<'_> {
        Standing {
            has_navigation: true,
            placement: Some(placement),
            ..Standing::default()
        }
    }

    #[test]
    fn a_listed_page_is_found() {
        assert_eq!(finding(listed(&LISTED)), Finding::Found);
        let standing = Standing {
            // Only `false` acts.
            searchable: Some(true),
            noindex: Some(false),
            ..listed(&LISTED)
        };
        assert_eq!(finding(standing), Finding::Found);
    }

    #[test]
    fn a_hidden_page_is_not() {
        let standing = Standing {
            hidden: Some(true),
            ..listed(&LISTED)
        };
        assert_eq!(finding(standing), Finding::WhereAllAre);
    }

    #[test]
    fn a_page_in_no_navigation_is_not_unless_there_is_none() {
        let standing = Standing {
            has_navigation: true,
            ..Standing::default()
        };
        assert_eq!(finding(standing), Finding::WhereAllAre);
        let standing = Standing {
            hidden: Some(false),
            ..standing
        };
        assert_eq!(finding(standing), Finding::WhereAllAre);
        assert_eq!(finding(Standing::default()), Finding::Found);
    }

    #[test]
    fn noindex_takes_a_page_out_whatever_else_is_said() {
        for placement in [&LISTED, &HIDDEN] {
            let standing = Standing {
                noindex: Some(true),
                hidden: Some(false),
                searchable: Some(true),
                ..listed(placement)
            };
            assert_eq!(finding(standing), Finding::Never);
        }
    }

    #[test]
    fn a_page_that_is_not_searchable_is_out() {
        let standing = Standing {
            searchable: Some(false),
            ..listed(&LISTED)
        };
        assert_eq!(finding(standing), Finding::Never);
        let group = Placement {
            searchable: Some(false),
            ..LISTED
        };
        assert_eq!(finding(listed(&group)), Finding::Never);
    }

    #[test]
    fn a_page_below_something_hidden_is_out_and_can_come_back() {
        assert_eq!(finding(listed(&HIDDEN)), Finding::WhereAllAre);
        let standing = Standing {
            hidden: Some(false),
            ..listed(&HIDDEN)
        };
        assert_eq!(finding(standing), Finding::Found);
    }

    #[test]
    fn what_is_hidden_and_searchable_is_found_but_not_a_page_that_hides_itself() {
        let readmitted = Placement {
            searchable: Some(true),
            ..HIDDEN
        };
        assert_eq!(finding(listed(&readmitted)), Finding::Found);
        let standing = Standing {
            hidden: Some(true),
            ..listed(&readmitted)
        };
        assert_eq!(finding(standing), Finding::WhereAllAre);
    }
}
