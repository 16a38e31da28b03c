//! Tools that servers say they offer, as `firstcall tools import` read them.

use rusqlite::Connection;

use super::database::to_sql;
use super::rows::{count, name};
use crate::call::{Name, OperationKind, UnixNanos};
use crate::store::columns::OFFERED_TOOLS;
use crate::store::offered::OfferedTool;

/// Puts the tools of one server in place of those that it was known to offer.
pub(super) fn replace(
    connection: &Connection,
    service: Option<&Name>,
    tools: &[OfferedTool],
    now: UnixNanos,
) -> rusqlite::Result<()> {
    let service = service.map_or("", Name::as_str);
    connection.execute("DELETE FROM offered_tools WHERE service = ?1", [service])?;
    let insert = format!("{} ON CONFLICT DO NOTHING", OFFERED_TOOLS.insert());
    let mut insert = connection.prepare_cached(&insert)?;
    for tool in tools {
        insert.execute((
            service,
            tool.tool.as_str(),
            tool.kind.map(OperationKind::word),
            tool.schema_bytes.map(to_sql),
            to_sql(now.get()),
        ))?;
    }
    Ok(())
}

/// All of them, by server and name.
pub(super) fn read(connection: &Connection) -> rusqlite::Result<Vec<OfferedTool>> {
    let mut select = connection.prepare(&OFFERED_TOOLS.select("ORDER BY service, tool"))?;
    let rows = select.query_map([], |row| {
        let service = name(row, 0)?;
        let word = row.get_ref(2)?.as_str().ok().and_then(OperationKind::from_word);
        let has_size = row.get::<_, Option<i64>>(3)?.is_some();
        Ok(OfferedTool {
            service: (!service.as_str().is_empty()).then_some(service),
            tool: name(row, 1)?,
            kind: word,
            schema_bytes: has_size.then(|| count(row, 3)).transpose()?,
        })
    })?;
    rows.collect()
}
