//! Tools that servers say they offer.

use std::collections::BTreeMap;

use serde_json::json;

use super::engine::Engine;
use super::figure_rows::kept;
use super::json::Row;
use crate::call::{Name, OperationKind, UnixNanos};
use crate::store::error::StoreError;
use crate::store::offered::OfferedTool;

const COLUMNS: [&str; 6] = ["service", "tool", "kind", "schema_bytes", "imported_at", "is_none"];

/// Puts the tools of one server in place of those that it was known to offer: rows that were added
/// later count.
pub(super) fn replace(
    engine: &Engine,
    service: Option<&Name>,
    tools: &[OfferedTool],
    now: UnixNanos,
) -> Result<(), StoreError> {
    let service = service.map_or("", Name::as_str);
    let mut rows = BTreeMap::new();
    for tool in tools {
        let row = vec![
            json!(service),
            json!(tool.tool.as_str()),
            json!(tool.kind.map(OperationKind::word)),
            json!(tool.schema_bytes.map(kept)),
            json!(now.get()),
            json!(false),
        ];
        rows.entry(&tool.tool).or_insert(row);
    }
    let mut rows: Vec<_> = rows.into_values().collect();
    if rows.is_empty() {
        let none = [json!(service), json!(""), json!(null), json!(null)];
        rows.push(none.into_iter().chain([json!(now.get()), json!(true)]).collect());
    }
    engine.insert("offered_tools", &COLUMNS, &rows, &engine.token())
}

/// All of them, by server and name.
pub(super) fn read(engine: &Engine) -> Result<Vec<OfferedTool>, StoreError> {
    let query = "SELECT DISTINCT service, tool, kind, schema_bytes FROM offered_tools
         WHERE NOT is_none AND (service, added_at) IN
             (SELECT service, max(added_at) FROM offered_tools GROUP BY service)
         ORDER BY service, tool";
    let rows = engine.rows(query)?.into_iter();
    rows.map(|row| offered(row).ok_or_else(|| engine.damaged("offered_tools"))).collect()
}

fn offered(mut row: Row) -> Option<OfferedTool> {
    let service = row.name()?;
    Some(OfferedTool {
        service: (!service.as_str().is_empty()).then_some(service),
        tool: row.name()?,
        kind: row.text_or_null()?.and_then(|word| OperationKind::from_word(&word)),
        schema_bytes: row.number_or_null()?,
    })
}
