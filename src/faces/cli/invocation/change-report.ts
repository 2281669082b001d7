// The common end of every command that changes a task: one line for a person, or {id, name, path, changed}.
import type { Client } from '../../../operations/client.ts';
import type { Changed } from '../../../tasks/shapes/change.ts';
import type { Actor } from '../../../tasks/task-room.ts';
import type { Call } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';

/** Says what changed. `said` follows the task's name: "is done". */
export function tellChange(
  call: Call,
  changed: Omit<Changed, 'id'> & { id: string | null },
  said: string,
): void {
  const { id, name } = changed;
  if (call.json) {
    call.terminal.write(`${JSON.stringify(changed)}\n`);
    return;
  }
  const { paint } = call;
  if (changed.later) {
    call.terminal.write('· written down; it is carried out when the room runs again\n');
    return;
  }
  if (changed.deferred) {
    call.terminal.write(
      `· ${cleanLine(name)} ${paint('dim', id ?? '')} was edited during this turn: it stays open, and one more turn follows\n`,
    );
    return;
  }
  if (changed.awaits_checks !== undefined) {
    call.terminal.write(
      `· ${cleanLine(name)} ${paint('dim', id ?? '')} says done; it counts when its turn is over and this passes: ${changed.awaits_checks.map(cleanLine).join(' · ')}\n`,
    );
    return;
  }
  const sign = changed.changed ? paint('green', '✓') : paint('dim', '·');
  const unchanged = changed.changed ? '' : paint('dim', ' (as before)');
  call.terminal.write(`${sign} ${cleanLine(name)} ${paint('dim', id ?? '')} ${said}${unchanged}\n`);
  for (const { who, what, how } of changed.unreached ?? [])
    call.terminal.write(
      `  it stays in the file and will not reach ${cleanLine(who)}: ${cleanLine(what)}; ${cleanLine(how)}\n`,
    );
}

/** What is said of a change, also by what it came to. */
type Said = string | ((changed: Changed) => string);

const inWords = (said: Said, changed: Changed): string => (typeof said === 'string' ? said : said(changed));

type Change = (tasks: Client, ref: string, actor: Actor) => Promise<Changed>;

/** Runs a change on each of these tasks; on none when one of them is not there. With --json several are `{"tasks":[…]}`. */
export async function changeTasks(
  call: Call,
  refs: readonly string[],
  said: Said,
  change: Change,
): Promise<void> {
  const runtime = await call.openRoom();
  const actor = runtime.caller;
  if (refs.length === 1) {
    const changed = await change(runtime.tasks, refs[0]!, actor);
    return tellChange(call, changed, inWords(said, changed));
  }
  for (const ref of refs) await runtime.tasks.call('show', { ref }, runtime.caller, true);
  const done: Changed[] = [];
  for (const ref of refs) {
    const changed = await change(runtime.tasks, ref, actor);
    done.push(changed);
    if (!call.json) tellChange(call, changed, inWords(said, changed));
  }
  if (call.json) call.terminal.write(`${JSON.stringify({ tasks: done })}\n`);
}
