//! Reading tables again, late rows, an engine that stops, and no content anywhere.
