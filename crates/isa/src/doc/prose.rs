//! Prose of a description: cross-references, and Markdown to HTML without any raw HTML.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag};
use std::collections::HashSet;

/// Turns `[NAME]` into a link when there is a page of that name.
pub(super) fn link_names(text: &str, pages: &HashSet<&str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let name = from[1..].split(']').next().unwrap_or("");
        let closed = from.len() > name.len() + 1;
        let is_link = from[1 + name.len()..].starts_with("](");
        if closed && !is_link && pages.contains(name) {
            out.push_str(&format!("[{name}](#{})", anchor(name)));
            rest = &from[name.len() + 2..];
        } else {
            out.push('[');
            rest = &from[1..];
        }
    }
    out.push_str(rest);
    out
}

/// The anchor of a page, as Markdown viewers make it of the heading.
pub(super) fn anchor(name: &str) -> String {
    name.to_lowercase()
}

/// Markdown → HTML. Descriptions are not trusted: raw HTML in them is shown as text, and links lead
/// nowhere outside the page.
pub(super) fn to_html(text: &str) -> String {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = if dest_url.starts_with('#') { dest_url } else { CowStr::from("#") };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::Start(Tag::Image { link_type, title, id, .. }) => {
            Event::Start(Tag::Image { link_type, dest_url: CowStr::from(""), title, id })
        }
        other => other,
    });
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events);
    out
}

/// Text for an HTML page.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_in_prose_is_text() {
        let html = to_html("a <script>alert(1)</script> [x](javascript:1)\n\n<b>\n");
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
        assert!(!html.contains("javascript"), "{html}");
    }

    #[test]
    fn names_of_pages_become_links() {
        let pages = HashSet::from(["VOTE"]);
        assert_eq!(link_names("as [VOTE], [x] [y](z) [", &pages), "as [VOTE](#vote), [x] [y](z) [");
    }
}
