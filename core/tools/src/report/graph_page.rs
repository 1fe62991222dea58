//! A drawing as one page with a search and a zoom: no other file, no network, and readable without its
//! script.

use std::fmt::Write as _;

use super::graph::Graph;
use super::html::escape;
use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

/// How it looks.
const STYLE: &str = include_str!("graph.css");

/// The code for search and mouse.
const SCRIPT: &str = include_str!("graph.js");

impl Graph {
    /// The graph as a page.
    ///
    /// # Errors
    /// As those of [`to_svg`](Self::to_svg).
    pub fn to_html(&self, fuel: &dyn Fuel) -> Result<String, Error> {
        let drawing = self.to_svg(fuel)?;
        let title = escape(&self.title);
        let mut page = String::with_capacity(drawing.len() + STYLE.len() + SCRIPT.len() + 1024);
        let _ = write!(
            page,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
             <p>{} boxes, {} lines</p>\n\
             <label>Search <input id=\"search\" type=\"search\" autocomplete=\"off\"></label>\n\
             <output id=\"found\" for=\"search\"></output>\n\
             <span class=\"buttons\"><button id=\"in\" type=\"button\" title=\"Larger\">+</button>\
             <button id=\"out\" type=\"button\" title=\"Smaller\">−</button>\
             <button id=\"all\" type=\"button\">Whole</button></span>\n</header>\n<main>\n",
            self.nodes.len(),
            self.lines.len()
        );
        page.push_str(&drawing);
        let _ = writeln!(page, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>");
        Ok(page)
    }
}
