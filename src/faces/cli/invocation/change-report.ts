// The common end of every command that changes a task: one line for a person, or {id, name, path, changed}.
import type { Changed, Operations } from '../../../tasks/operations.ts';
import type { Actor } from '../../../tasks/task-room.ts';
import type { Call } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';
import { actorOf, taskAndText, taskOf } from './caller.ts';

/** Says what changed. `said` follows the task's name: "is done". */
export function tellChange(
  call: Call,
  changed: Omit<Changed, 'id'> & { id: string | null },
  said: string,
): void {
  const { id, name, path } = changed;
  if (call.json) {
    call.terminal.write(
      `${JSON.stringify({ id, name, path, changed: changed.changed, ...(changed.deferred ? { deferred: true } : {}) })}\n`,
    );
    return;
  }
  const { paint } = call;
  if (changed.deferred) {
    call.terminal.write(
      `· ${cleanLine(name)} ${paint('dim', id ?? '')} was edited during this turn: it stays open, and one more turn follows\n`,
    );
    return;
  }
  const sign = changed.changed ? paint('green', '✓') : paint('dim', '·');
  const unchanged = changed.changed ? '' : paint('dim', ' (as before)');
  call.terminal.write(`${sign} ${cleanLine(name)} ${paint('dim', id ?? '')} ${said}${unchanged}\n`);
}

/** Runs a change on the task of the call. */
export async function changeTask(
  call: Call,
  said: string | ((changed: Changed) => string),
  change: (tasks: Operations, ref: string, actor: Actor) => Promise<Changed>,
): Promise<void> {
  const ref = taskOf(call);
  const runtime = await call.openRoom();
  const changed = await change(runtime.tasks, ref, await actorOf(runtime, call.terminal));
  tellChange(call, changed, typeof said === 'string' ? said : said(changed));
}

/** Runs a change that takes a text. */
export async function writeToTask(
  call: Call,
  said: string,
  change: (tasks: Operations, ref: string, text: string, actor: Actor) => Promise<Changed>,
): Promise<void> {
  const { task, text } = await taskAndText(call);
  const runtime = await call.openRoom();
  tellChange(call, await change(runtime.tasks, task, text, await actorOf(runtime, call.terminal)), said);
}
