// What a person does to files in the room, with an editor or a shell.
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeKey, setKey } from '../../../src/core/document/document.ts';
import { isRoomError } from '../../../src/core/errors.ts';
import { readTask } from '../../../src/core/task/read-task.ts';
import { changedLine } from './line-edit.ts';
import type { Act, Step } from './step.ts';
import type { World } from './world.ts';

const BODY = /(<!-- body ([0-9a-z]{10}) -->\n)([\s\S]*?)(\n<!-- \/body \2 -->)/;
const STATUSES = ['todo', 'doing', 'done', 'canceled', 'draft'] as const;
const BROKEN = 'draft: [half';
const ENTRY = /^\*\*@.*<!-- c:(\S+) -->\n(?:>.*\n?)+/gm;

/** Saves what `change` makes of the file, as an editor does. */
function edit(world: World, { a, c }: Step, change: (text: string, path: string) => string): void {
  const paths = world.paths();
  const path = paths[a % Math.max(1, paths.length)];
  if (path === undefined) return;
  const before = world.read(path);
  const after = attempt(() => change(before, path)) ?? before;
  if (after === before) return;
  world.words.edited(before, after);
  save(world, path, after, c % 5 === 0);
}

function save(world: World, path: string, text: string, inPlace: boolean): void {
  const target = join(world.dir, path);
  if (inPlace) return writeFileSync(target, text);
  writeFileSync(join(world.dir, 'tasks/.saving'), text);
  renameSync(join(world.dir, 'tasks/.saving'), target);
}

/** Null for a text whose front matter takes no such key. */
function attempt(work: () => string): string | null {
  try {
    return work();
  } catch (error) {
    if (!isRoomError(error)) throw error;
    return null;
  }
}

/** Types below the last such heading: those in issues' words come before, and comments are quoted. */
function below(text: string, heading: string, words: string): string {
  const at = text.lastIndexOf(`\n## ${heading}\n`);
  if (at < 0) return `${text.trimEnd()}\n\n## ${heading}\n${words}\n`;
  const end = at + heading.length + 5;
  return `${text.slice(0, end)}${words}\n${text.slice(end)}`;
}

export const bodyIn = (text: string): string | null => BODY.exec(text)?.[3] ?? null;

function onEntry(text: string, at: number, change: (entry: string) => string): string {
  const entries = [...text.matchAll(ENTRY)];
  const found = entries[at % Math.max(1, entries.length)];
  if (!found) return text;
  return text.slice(0, found.index) + change(found[0]) + text.slice(found.index + found[0].length);
}

function isOnRecord(world: World, path: string): boolean {
  const mirrors = join(world.dir, 'task_mirrors.json');
  return existsSync(mirrors) && readFileSync(mirrors, 'utf8').includes(JSON.stringify(path));
}

/** Every file can be read again. */
export function mendAll(world: World): void {
  for (const path of world.paths()) {
    const text = world.read(path);
    if (text.includes(BROKEN)) save(world, path, text.replace(`${BROKEN}\n`, ''), false);
  }
}

export const LOCAL_STEPS: Readonly<Record<string, Act>> = {
  'local.title': (world, step) =>
    edit(world, step, (text, path) =>
      step.c % 9 === 0
        ? removeKey(text, 'title', path)
        : setKey(text, 'title', `${world.words.fresh()} by hand`, path),
    ),
  'local.body': (world, step) =>
    edit(world, step, (text) =>
      text.replace(BODY, (_all, head: string, _tag, body: string, tail: string) => {
        return head + changedLine(body, step, world.words.fresh()) + tail;
      }),
    ),
  'local.status': (world, step) =>
    edit(world, step, (text, path) => {
      const status = STATUSES[step.b % STATUSES.length]!;
      // Who opens it again by hand lets it run.
      if (status === 'todo' || status === 'doing') world.words.release(text);
      return setKey(text, 'status', status, path);
    }),
  'local.labels': (world, step) =>
    edit(world, step, (text, path) => {
      const reading = readTask(path, text, null);
      if (!reading.ok) return text;
      const kept = step.b % 2 === 0 ? reading.task.labels : reading.task.labels.slice(1);
      const labels = step.b % 3 === 0 ? kept : [...kept, world.words.fresh('lab')];
      return labels.length === 0 ? removeKey(text, 'labels', path) : setKey(text, 'labels', labels, path);
    }),
  'local.priority': (world, step) =>
    edit(world, step, (text, path) => {
      const priority = [null, 'high', 'low'][step.b % 3]!;
      return priority === null ? removeKey(text, 'priority', path) : setKey(text, 'priority', priority, path);
    }),
  'local.outcome': (world, step) =>
    edit(world, step, (text) => below(text, 'Outcome', `${world.words.fresh()} is the outcome.\n`)),
  'local.progress': (world, step) =>
    edit(world, step, (text) => below(text, 'Progress', `- ${world.words.fresh()} done`)),
  'local.notes': (world, step) =>
    edit(world, step, (text) => below(text, 'Notes', `${world.words.fresh()} noted`)),
  /** A word in Progress or Outcome is changed. */
  'local.reword': (world, step) =>
    edit(world, step, (text) => {
      const at = text.lastIndexOf(step.b % 2 === 0 ? '\n## Progress\n' : '\n## Outcome\n');
      if (at < 0) return text;
      return text.slice(0, at) + text.slice(at).replace(/\bw\d+x\b/, world.words.fresh());
    }),
  'local.comment': (world, step) =>
    edit(world, step, (text) => {
      const word = world.words.fresh();
      return below(
        text,
        'Comments',
        `\n**@me** · 2040-01-02 03:04 <!-- c:hand${word} -->\n> ${word} by hand\n`,
      );
    }),
  'local.entry': (world, step) =>
    edit(world, step, (text) =>
      onEntry(text, step.b, (entry) => entry.replace(/\bw\d+x\b/, world.words.fresh())),
    ),
  'local.unsay': (world, step) =>
    edit(world, step, (text) =>
      onEntry(text, step.b, (entry) => {
        world.words.takeOut(entry);
        return '';
      }),
    ),
  'local.unmark': (world, step) =>
    edit(world, step, (text) => {
      // Without its markers an open fence swallows the sections below it: that is what the person asked for.
      const opens = BODY.exec(text)?.[3]?.includes('```') === true;
      return step.b % 2 === 0 && !opens ? text.replace(BODY, '$3') : text;
    }),
  'local.pause': (world, step) => edit(world, step, (text, path) => setKey(text, 'paused', true, path)),
  'local.resume': (world, step) =>
    edit(world, step, (text, path) => {
      world.words.release(text);
      return setKey(text, 'paused', false, path);
    }),
  'local.delete'(world, { a, b }) {
    const paths = world.paths();
    const path = paths[a % Math.max(1, paths.length)];
    if (path === undefined || b % 2 === 0) return;
    world.words.dropped(world.read(path));
    rmSync(join(world.dir, path));
  },
  /** Half-typed front matter; a person mends it later. Under a new name nothing would tell whose file it is. */
  'local.break': (world, step) =>
    edit(world, step, (text, path) =>
      text.includes(BROKEN) || !isOnRecord(world, path) ? text : text.replace(/^---\n/, `---\n${BROKEN}\n`),
    ),
  'local.mend': (world, step) => edit(world, step, (text) => text.replace(`${BROKEN}\n`, '')),
  'local.rename'(world, { a }) {
    const paths = world.paths();
    const path = paths[a % Math.max(1, paths.length)];
    // An unreadable one is mended first.
    if (path === undefined || world.read(path).includes(BROKEN)) return;
    renameSync(join(world.dir, path), join(world.dir, `tasks/${world.words.fresh('lab')}.md`));
  },
  'local.copy'(world, { a, b }) {
    const paths = world.paths();
    const path = paths[a % Math.max(1, paths.length)];
    if (path === undefined || paths.length > 4 || b % 2 === 0) return;
    copyFileSync(join(world.dir, path), join(world.dir, `tasks/${world.words.fresh('lab')}.md`));
  },
};
