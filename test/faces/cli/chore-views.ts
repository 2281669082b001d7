// Chores as the runtime lists them, for tests of what is printed.
import type { ChoreView } from '../../../src/faces/shapes/chore-json.ts';

export function chore(more: Partial<ChoreView> = {}): ChoreView {
  return {
    name: 'web-issues',
    path: 'chores/web-issues.md',
    kind: 'mirror',
    source: 'github:acme/web',
    schedule: 'every 5m',
    paused: false,
    stopped: null,
    running: false,
    pending: false,
    startedAt: 1_000_000,
    endedAt: 1_002_000,
    result: { ok: true, message: '3 created', counts: { created: 3 } },
    failures: 0,
    sync: null,
    nextAt: 1_300_000,
    ...more,
  };
}
