// What a case of the chores and mirrors suite is, and the room that each begins in: a tracker that is a JSON file, by a
// provider from a file, so that both sides are real.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoomClient } from '../../../src/app/open-room.ts';
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/client.ts';

/** What a case may do: through the way that is tested, and to the room's files and tracker, as people do. */
export interface MirrorCase {
  ask<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    signal?: AbortSignal,
  ): Promise<OutputOf<Name>>;
  sync(options?: Omit<InputOf<'sync'>, 'chore'>, chore?: string): Promise<unknown>;
  /** Changes an issue of the tracker. */
  change(id: number, words: object): void;
  /** Replaces text in a file of the room. */
  edit(path: string, from: string, to: string): void;
  remove(path: string): void;
}

export type Case = (on: MirrorCase) => Promise<unknown>;

const PROVIDER = join(import.meta.dirname, '../../fixtures/providers/json-file.mjs');
const TIMES = { createdAt: 1_000_000, updatedAt: 1_000_000 };

type Tracker = { serial: number; issues: { id: number; changed: number; updatedAt: number }[] };

export function seedMirrors(dir: string): void {
  const save = (path: string, text: string) => writeFileSync(join(dir, path), text);
  for (const folder of ['tasks', 'chores', 'agents/runbook'])
    mkdirSync(join(dir, folder), { recursive: true });
  copyFileSync(PROVIDER, join(dir, 'json-file.mjs'));
  save('room.yaml', 'default_agent: runbook\nproviders:\n  json-file: ./json-file.mjs\n');
  save('agents/runbook/agent.json', '{"runner":"runbook"}');
  const mirror = `mirror:\n  provider: json-file\n  source: ${join(dir, 'issues.json')}\n  trust: { logins: [alice] }\n  push: [title, body, status, comments]\n`;
  save('chores/web.md', `---\nschedule: off\n${mirror}---\n`);
  save('chores/still.md', `---\nschedule: off\npaused: true\n${mirror.replace('issues', 'others')}---\n`);
  save('chores/look.md', '---\nschedule: off\n---\nLook around.\n');
  save('chores/bad.md', '---\nschedule: whenever\n---\nNever.\n');
  save('tasks/Mine.md', '---\nid: mine1234\nstatus: draft\ntitle: Mine\n---\nOf here.\n');
  const issue = {
    body: 'It fails.',
    state: 'open',
    labels: ['web'],
    comments: [],
    author: 'alice',
    ...TIMES,
  };
  const issues = ['First', 'Second', 'Third'].map((title, at) => ({
    ...issue,
    id: at + 1,
    title,
    changed: at + 1,
  }));
  save('issues.json', JSON.stringify({ serial: 3, issues }, null, 2));
}

export function caseIn(dir: string, way: Pick<RoomClient, 'tasks'>): MirrorCase {
  const read = (path: string) => readFileSync(join(dir, path), 'utf8');
  const ask: MirrorCase['ask'] = (name, input, signal) =>
    way.tasks.call(name, input, { kind: 'person' }, false, signal === undefined ? {} : { signal });
  return {
    ask,
    sync: async (options = {}, chore = 'web') => (await ask('sync', { chore, ...options })).reports,
    change(id, words) {
      const tracker = JSON.parse(read('issues.json')) as Tracker;
      const issue = tracker.issues.find((each) => each.id === id)!;
      tracker.serial += 1;
      Object.assign(issue, words, { changed: tracker.serial, updatedAt: issue.updatedAt + 1_000 });
      writeFileSync(join(dir, 'issues.json'), JSON.stringify(tracker, null, 2));
    },
    edit(path, from, to) {
      const before = read(path);
      if (!before.includes(from)) throw new Error(`${path} has no ${JSON.stringify(from)}:\n${before}`);
      writeFileSync(join(dir, path), before.replace(from, to));
    },
    remove: (path) => rmSync(join(dir, path)),
  };
}
