// A room whose chore `web` mirrors a tracker that is a JSON file beside it, by a provider from a file: real on both sides.
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRoom } from './room.ts';

export type Comment = { id: string; author: string; body: string; createdAt: number; updatedAt: number };

export interface Issue {
  id: number;
  title: string;
  body: string;
  state: 'open' | 'done' | 'dropped';
  labels: string[];
  comments: Comment[];
  author: string;
  url?: string;
  milestone?: string;
  createdAt: number;
  updatedAt: number;
  changed: number;
}

export type MirrorRoom = Awaited<ReturnType<typeof createMirrorRoom>>;

/** Tells what it does in its task, and finishes it. */
export const WORKER = [
  'sh',
  '-c',
  'taskroom progress "$TASKROOM_TASK" "Looked at it" && taskroom done "$TASKROOM_TASK" --outcome "All is well"',
];

/** Asks in a comment and leaves the task open. */
export const ASKER = ['sh', '-c', 'taskroom comment "$TASKROOM_TASK" "Which version is it?"'];

export async function createMirrorRoom() {
  const room = await createRoom();
  copyFileSync(join(import.meta.dirname, '../fixtures/providers/json-file.mjs'), room.at('json-file.mjs'));
  room.settings('default_agent: worker', 'settle: 50ms', 'providers:', '  json-file: ./json-file.mjs');
  room.agent('worker', { command: WORKER });
  room.agent('asker', { command: ASKER });
  const path = room.at('issues.json');
  const read = (): { serial: number; issues: Issue[] } => JSON.parse(readFileSync(path, 'utf8'));
  const write = (data: object) => room.save('issues.json', JSON.stringify(data, null, 2));
  const change = (id: number, edit: (issue: Issue) => void): void => {
    const data = read();
    const issue = data.issues.find((one) => one.id === id)!;
    edit(issue);
    data.serial += 1;
    issue.changed = data.serial;
    issue.updatedAt += 1000;
    write(data);
  };
  write({ serial: 0, issues: [] });

  const mirror = {
    room,
    /** The tracker's file as it stands. */
    bytes: (): string => readFileSync(path, 'utf8'),
    issues: (): Issue[] => read().issues,
    issue: (id: number): Issue => read().issues.find((one) => one.id === id)!,
    /** Opens an issue as this person; returns its number. */
    open(title: string, words: Partial<Issue> = {}): number {
      const data = read();
      const id = Math.max(0, ...data.issues.map((issue) => issue.id)) + 1;
      data.serial += 1;
      const times = { createdAt: 1_000_000, updatedAt: 1_000_000, changed: data.serial };
      const issue = { body: 'It fails.', state: 'open', labels: [], comments: [], author: 'alice' } as const;
      data.issues.push({ ...issue, id, title, labels: [], comments: [], ...times, ...words });
      write(data);
      return id;
    },
    /** Changes an issue as people do; not while the room writes there. */
    change,
    say(id: number, author: string, body: string): void {
      change(id, ({ comments }) => {
        const at = 2_000_000 + comments.length;
        comments.push({ id: `p${id}-${comments.length}`, author, body, createdAt: at, updatedAt: at });
      });
    },
    /** Writes the chore with these lines under `mirror:`. */
    chore(schedule: string, ...lines: string[]): void {
      const mirrored = ['provider: json-file', `source: ${path}`, ...lines].map((line) => `  ${line}`);
      room.save(
        'chores/web.md',
        ['---', `schedule: ${schedule}`, 'mirror:', ...mirrored, '---', ''].join('\n'),
      );
    },
    close: (): Promise<void> => room.close(),
  };
  mirror.chore('off', 'trust: { logins: [alice] }');
  return mirror;
}
