// What `block` and `unblock` share: a task, and those it waits for.
import { RoomError } from '../../../core/errors.ts';
import type { Client } from '../../../operations/client.ts';
import type { Changed } from '../../../tasks/shapes/change.ts';
import type { Actor } from '../../../tasks/task-room.ts';
import type { Call } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';
import { taskOf } from './caller.ts';
import { tellChange } from './change-report.ts';

type Change = (tasks: Client, ref: string, by: string, actor: Actor) => Promise<Changed>;

/** Makes the change for each of the tasks that are waited for. */
export async function changeLinks(call: Call, said: string, change: Change): Promise<undefined> {
  const { words, terminal } = call;
  const own = words.length === 1 && Boolean(terminal.env.TASKROOM_TASK);
  const ref = own ? taskOf({ ...call, words: [] }) : taskOf(call);
  const others = own ? words : words.slice(1);
  if (others.length === 0)
    throw new RoomError('bad_input', 'what it waits for was not given', {
      hint: 'give the task that waits, then those it waits for',
    });
  const runtime = await call.openRoom();
  let last: Changed | null = null;
  let changed = false;
  for (const by of others) {
    last = await change(runtime.tasks, ref, by, runtime.caller);
    changed ||= last.changed;
  }
  tellChange(call, { ...last!, changed }, `${said} ${others.map(cleanLine).join(', ')}`);
}
