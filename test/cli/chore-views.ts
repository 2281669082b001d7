// Chores as the runtime lists them, for tests of what is printed.
import type { ChoreJson } from '../../src/core/chore-shapes.ts';

export function chore(more: Partial<ChoreJson> = {}): ChoreJson {
  return {
    ...{ name: 'web-issues', path: 'chores/web-issues.md', kind: 'mirror', source: 'github:acme/web' },
    ...{ schedule: 'every 5m', paused: false, stopped: null, running: false, pending: false },
    ...{ started_at: '1970-01-01T00:16:40.000Z', ended_at: '1970-01-01T00:16:42.000Z' },
    result: { ok: true, message: '3 created', turn: null, counts: { created: 3 } },
    ...{ failures: 0, sync: null, next_at: '1970-01-01T00:21:40.000Z' },
    ...more,
  };
}
