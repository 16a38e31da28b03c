"""The same day in DuckDB and ClickHouse (chdb): only the retried flag and aggregates per tool.

    python -m venv v && v/bin/pip install duckdb chdb
    cargo bench --bench nightly_day -- 10000000 FOLDER
    v/bin/python benches/nightly_day/engines.py PROGRAM 10000000 FOLDER

PROGRAM is what `cargo bench --bench nightly_day --no-run` names. It writes FOLDER's calls as
numbers (`rows.csv`), which become Parquet before any clock runs; then every engine works in a
process of its own, one after the other, and last the pass with all of the method.
"""

import os
import resource
import subprocess
import sys
import time

# The window in nanoseconds, and the day that the generator makes.
WINDOW = 30_000_000_000
DAY = 1_795_910_400_000_000_000
NEXT = DAY + 86_400_000_000_000

RUN = "partition by session, client, tool"

DUCKDB = f"""
select tool, client, count(*) as calls, count(*) filter (outcome = 0) as ok, sum(empty) as empty,
       count(*) filter (next_other - start <= {WINDOW}) as retried,
       quantile_disc(took, [0.5, 0.95, 0.99]) as took
from (
  select *, first_value(other ignore nulls) over ({RUN} order by start, span
            rows between current row and unbounded following) as next_other
  from (
    select *, case when lead(hash) over run <> hash then lead(start) over run end as other
    from '{{rows}}' window run as ({RUN} order by start, span)
  )
) where start >= {DAY} and start < {NEXT} group by tool, client
"""

# Frames that look ahead are computed anew for every row there, so the order is turned round.
CLICKHOUSE = f"""
select tool, client, count() as calls, countIf(outcome = 0) as ok, sum(empty) as empties,
       countIf(next_other - start <= {WINDOW}) as retried,
       quantilesExactLow(0.5, 0.95, 0.99)(took) as took_at
from (
  select *, min(other) over ({RUN} order by start desc, span desc
            rows between unbounded preceding and current row) as next_other
  from (
    select *, if(next_hash is not null and next_hash != hash, next_start, null) as other
    from (
      select *, lagInFrame(toNullable(hash)) over ({RUN} order by start desc, span desc
                rows between unbounded preceding and unbounded following) as next_hash,
             lagInFrame(toNullable(start)) over ({RUN} order by start desc, span desc
                rows between unbounded preceding and unbounded following) as next_start
      from file('{{rows}}', Parquet)
    )
  )
) where start >= {DAY} and start < {NEXT} group by tool, client
settings prefer_column_name_to_alias = 1, max_threads = {{threads}}
"""


def duckdb(rows, threads):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads = {threads}")
    found = connection.execute(DUCKDB.format(rows=rows)).fetchall()
    return sum(row[2] for row in found), sum(row[5] for row in found)


def clickhouse(rows, threads):
    import chdb

    text = str(chdb.query(CLICKHOUSE.format(rows=rows, threads=threads), "TabSeparated"))
    found = [line.split("\t") for line in text.splitlines()]
    return sum(int(row[2]) for row in found), sum(int(row[5]) for row in found)


ENGINES = {"duckdb": duckdb, "clickhouse": clickhouse}


def load():
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


def measure(engine, threads, rows):
    began = time.monotonic()
    calls, retried = ENGINES[engine](rows, int(threads))
    wall = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"{engine:>10}, {threads} threads: {calls} calls, {retried} retried in {wall:.1f} s wall, "
        f"{used.ru_utime + used.ru_stime:.1f} s CPU, peak {used.ru_maxrss // 1024} MiB, "
        f"load {load()}",
        flush=True,
    )


def main():
    if sys.argv[1] in ENGINES:
        return measure(*sys.argv[1:])
    program, calls, folder = sys.argv[1:]
    csv, rows = os.path.join(folder, "rows.csv"), os.path.join(folder, "rows.parquet")

    def ours(what):
        wanted = {**os.environ, "FIRSTCALL_BENCH_MEASURE": what}
        subprocess.run([program, calls, folder], env=wanted, check=True)

    if not os.path.exists(rows):
        import duckdb

        ours("rows")
        duckdb.execute(f"copy (from read_csv('{csv}')) to '{rows}' (format parquet)")
        os.remove(csv)
    for engine in ENGINES:
        for threads in "12":
            subprocess.run([sys.executable, __file__, engine, threads, rows], check=True)
    for what in ["read", "pass"]:
        ours(what)
    print(f"load {load()}")


main()
