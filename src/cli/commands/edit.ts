// `taskroom edit`: opens a task file in the person's editor, and prints what changed.
import { spawn } from 'node:child_process';
import type { RoomClient } from '../../app/open-room.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskDetail } from '../../tasks/shapes/task.ts';
import { type Call, type CommandModule, TASK } from '../command.ts';
import { taskOf } from '../invocation/changes.ts';
import { cleanLine } from '../lines/display-text.ts';

export const command: CommandModule = {
  about:
    "Opens a task file in $VISUAL, $EDITOR or vi, and says afterwards what changed. A file that can't be read as a task opens too, and a plan or a chore by its path.",
  arguments: [TASK],
  options: [],
  examples: {
    'taskroom edit "Fix the build"': 'open it, save, done',
    'EDITOR="code --wait" taskroom edit 3npr': 'in another editor',
  },
  notes: 'With --json: {"id","name","path","changed"}. Exit code 6 when the file can\'t be read afterwards.',
  async run(call) {
    await editTask(call, await call.openRoom({ readOnly: true }), taskOf(call));
  },
};

/** @throws RoomError `unavailable` when the editor fails, `invalid_file` when the file is no task afterwards */
export async function editTask(call: Call, runtime: RoomClient, ref: string): Promise<void> {
  const other = OTHER_FILE.exec(ref)?.[1];
  if (other !== undefined) {
    await editFile(call, runtime, `${other}.md`);
    return call.terminal.write(`${call.paint('green', '✓')} ${cleanLine(other)}.md is saved\n`);
  }
  const { path, before } = await findTarget(runtime, ref);
  await editFile(call, runtime, path);
  const after = await shownAfter(runtime, path);
  const changes = before === null ? ['can be read again'] : differences(before, after);
  const changed = changes.length > 0;
  const { id, name } = after;
  const said = changed ? changes.join(', ') : call.paint('dim', 'unchanged');
  const line = `${call.paint(changed ? 'green' : 'dim', '✓')} ${cleanLine(name)}: ${said}`;
  call.terminal.write(`${call.json ? JSON.stringify({ id, name, path, changed }) : line}\n`);
}

const OTHER_FILE = /^((?:artifacts|chores)\/[^/]+?)(?:\.md)?$/;

async function editFile(call: Call, runtime: RoomClient, path: string): Promise<void> {
  const here = runtime.here?.room.at(path) ?? null;
  const edit = (file: string) => runEditor(call, file);
  if (here !== null) return edit(here);
  const { editCopy } = await import('../invocation/edited-copy.ts');
  await editCopy(runtime.tasks.call, path, call.terminal.env, edit);
}

async function shownAfter({ tasks, caller }: RoomClient, path: string): Promise<TaskDetail> {
  try {
    return await tasks.call('show', { ref: path }, caller, true);
  } catch (error) {
    if (!isRoomError(error, 'invalid_file')) throw error;
    throw new RoomError('invalid_file', `${path} can't be read as a task now`, {
      cause: error,
      problems: error.problems,
      hint: `mend it: taskroom edit ${JSON.stringify(path)}`,
    });
  }
}

/** The file, and the task as it is before; null when the file can't be read as one. */
async function findTarget(runtime: RoomClient, ref: string) {
  try {
    const before = await runtime.tasks.call('show', { ref }, runtime.caller, true);
    const gone = `the file of ${before.name} is gone: ${before.path} is what is left of it`;
    if (before.deleted)
      throw new RoomError('refused', gone, { hint: 'move it back into tasks/ to go on with it' });
    return { path: before.path, before };
  } catch (error) {
    if (!isRoomError(error, 'not_found') && !isRoomError(error, 'invalid_file')) throw error;
    const named = error.code === 'invalid_file' ? error.problems[0]?.path : undefined;
    const path = named ?? (await findInvalid(runtime, ref));
    if (path === undefined) throw error;
    return { path, before: null };
  }
}

/** The path of a file that can't be read as a task. */
async function findInvalid({ tasks, caller }: RoomClient, ref: string): Promise<string | undefined> {
  const { invalid } = await tasks.call('list', { all: true }, caller, true);
  const wanted = `tasks/${ref.replace(/^.*\//, '').replace(/\.md$/, '')}.md`;
  return invalid.find(({ path }) => path === wanted)?.path;
}

// As git does it: the shell splits the editor's words, the path is one argument.
function runEditor({ terminal: { env } }: Call, file: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || 'vi';
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, file], { stdio: 'inherit', env });
    const hint = 'set VISUAL or EDITOR to one that runs here';
    const fail = (what: string) =>
      reject(new RoomError('unavailable', `the editor ${JSON.stringify(editor)} ${what}`, hint));
    // The editor has the terminal: a Ctrl-C is meant for it.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    child.on('error', (error) => fail(`did not start: ${error.message}`));
    child.on('close', (code, signal) => {
      process.removeListener('SIGINT', ignore);
      if (code === 0) resolve();
      else fail(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
    });
  });
}

function differences(before: TaskDetail, after: TaskDetail): string[] {
  if (before.text === after.text) return [];
  const parts: string[] = [];
  if (before.status !== after.status) parts.push(`status ${before.status} → ${after.status}`);
  if (before.paused !== after.paused) parts.push(after.paused ? 'paused' : 'not paused any more');
  if ((before.owner ?? '') !== (after.owner ?? ''))
    parts.push(`owner ${before.owner ?? 'default'} → ${after.owner ?? 'default'}`);
  if (isFinished(before.status) && isFinished(after.status))
    parts.push(`it is ${after.status}, so that nothing starts: taskroom reopen does`);
  const { added, removed } = countLines(before.text, after.text);
  if (added > 0) parts.push(`${added} line${added === 1 ? '' : 's'} added`);
  if (removed > 0) parts.push(`${removed} line${removed === 1 ? '' : 's'} removed`);
  return parts.length === 0 ? ['lines moved'] : parts;
}

function countLines(before: string, after: string) {
  const counts = new Map<string, number>();
  const add = (text: string, by: number) => {
    for (const line of text.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + by);
  };
  add(after, 1);
  add(before, -1);
  const sum = (sign: number) =>
    [...counts.values()].reduce((all, count) => all + Math.max(0, sign * count), 0);
  return { added: sum(1), removed: sum(-1) };
}
