// Rows that are read again and again in one step, kept until something may have changed them: a statement of this process
// that writes their table, a rollback, or a commit of another process.

/** How many rows of one kind are kept: what the turns that run ask for, and no more. */
const MOST = 256;

export type KeptRows = ReturnType<typeof createKeptRows>;

interface Kept {
  column: string;
  rows: Map<string, unknown>;
}

/** `makeSure` calls `forget` where another process may have changed something; asked before each look. */
export function createKeptRows(makeSure: () => void) {
  const byTable = new Map<string, Kept[]>();

  /** What a call of that statement makes us forget; null for one that writes nothing. */
  function changedBy(sql: string): ((values: readonly unknown[]) => void) | null {
    if (sql.startsWith('ROLLBACK')) return forget;
    const tables = [...sql.matchAll(WRITES)].map((found) => found[1]!);
    if (tables.length === 0) return null;
    const one = tables.length === 1 ? oneRowOf(sql) : null;
    return (values) => {
      for (const table of tables)
        for (const { column, rows } of byTable.get(table) ?? [])
          if (one?.column === column) rows.delete(String(values.at(one.at)));
          else rows.clear();
    };
  }

  function forget(): void {
    for (const all of byTable.values()) for (const { rows } of all) rows.clear();
  }

  return {
    /**
     * `read` with a memory. `column` is the one of `table` that `read` finds its row by; all it reads must be in that table.
     * What it gives is frozen, as several get the same. What is not small is read each time.
     */
    keep<T>(table: string, column: string, read: (key: string) => T, isSmall: (row: T) => boolean = always) {
      const rows = new Map<string, T>();
      byTable.set(table, [...(byTable.get(table) ?? []), { column, rows }]);
      return (key: string): T => {
        makeSure();
        const known = rows.get(key);
        if (known !== undefined || rows.has(key)) return known as T;
        const row = read(key);
        if (!isSmall(row)) return row;
        freeze(row);
        if (rows.size === MOST) rows.delete(rows.keys().next().value!);
        rows.set(key, row);
        return row;
      };
    },
    changedBy,
    forget,
  };
}

const always = () => true;

const WRITES = /\b(?:INSERT (?:OR \w+ )?INTO|REPLACE INTO|UPDATE(?: OR \w+)?|DELETE FROM)\s+(\w+)/g;

// Else a statement may change any row: `OR REPLACE` may take away a second one, and a conflict may be with another.
const INSERTS_ONE =
  /^INSERT (?:OR IGNORE )?INTO \w+\((\w+)\b[^)]*\)\s*VALUES\(\?[^)]*\)(?:\s*ON CONFLICT\(\1\) [\s\S]*)?$/;
const CHANGES_ONE =
  /^(?:UPDATE \w+ SET [\s\S]*|DELETE FROM \w+) WHERE (?:\w+ = (?:'\w+'|\d) AND )?(\w+) = \?$/;

/** Which column names the one row that `sql` changes, and which of its values that is. */
function oneRowOf(sql: string): { column: string; at: 0 | -1 } | null {
  const inserted = INSERTS_ONE.exec(sql)?.[1];
  const changed = CHANGES_ONE.exec(sql)?.[1];
  const column = inserted ?? changed;
  // A row that gets another key is found by two.
  if (column === undefined || new RegExp(`(?:\\bSET|,)\\s*${column} *=`).test(sql)) return null;
  return { column, at: inserted === undefined ? -1 : 0 };
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const each of Object.values(value)) freeze(each);
}
