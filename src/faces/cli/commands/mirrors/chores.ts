// `taskroom chores`: lists the chores, or asks for a run of one.
import { RoomError } from '../../../../core/errors.ts';
import type { Runtime } from '../../../../runtime.ts';
import { choreJson } from '../../../shapes/chore-json.ts';
import type { Call, CommandModule } from '../../command.ts';
import { OK } from '../../exit-codes.ts';
import { cleanLine } from '../../lines/display-text.ts';

export const command: CommandModule = {
  about: 'Lists the chores with their last run and their next, or runs one now.',
  arguments: [
    { name: 'action', about: 'run: ask for a run now, whatever failed before', optional: true },
    { name: 'chore', about: "the name of the chore's file", optional: true },
  ],
  options: [],
  examples: [
    ['taskroom chores', 'all chores of the room'],
    ['taskroom chores run web-issues', 'sync a mirror, or give a prompt its turn, now'],
    ["taskroom chores --json | jq '.chores[] | select(.failures > 0)'", 'those that fail'],
  ],
  notes:
    'With --json: {"chores":[…],"invalid":[…]}, with run {"name","kind","daemon"}.\nWithout a daemon a run is noted, and begins with the next taskroom up or once.',
  async run(call) {
    const [action, ...names] = call.words;
    if (action === undefined) return show(call, await call.openRoom({ readOnly: true }));
    if (action !== 'run')
      throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with chores`, {
        hint: 'expected: taskroom chores, or taskroom chores run <chore>',
      });
    if (names[0] === undefined)
      throw new RoomError('bad_input', 'no chore was given', { hint: 'see: taskroom chores' });
    return ask(call, await call.openRoom(), names[0]);
  },
};

async function show({ json, terminal, paint, effects }: Call, runtime: Runtime): Promise<number> {
  const list = await runtime.chores.list();
  if (json) {
    terminal.write(`${JSON.stringify({ chores: list.chores.map(choreJson), invalid: list.invalid })}\n`);
    return OK;
  }
  const { choreLines } = await import('../../lines/chore-lines.ts');
  const lines = choreLines(list, effects.now(), paint, terminal.columns());
  terminal.write(lines.length === 0 ? `${paint('dim', 'no chores')}\n` : `${lines.join('\n')}\n`);
  return OK;
}

async function ask(call: Call, runtime: Runtime, word: string): Promise<number> {
  const actor = runtime.caller;
  const asked = await runtime.chores.run(word, actor);
  if (call.json) call.terminal.write(`${JSON.stringify(asked)}\n`);
  else {
    const what = asked.kind === 'mirror' ? 'is synced' : 'gets a turn';
    const when = asked.daemon ? 'now' : 'with the next taskroom up or taskroom once';
    call.terminal.write(`${call.paint('green', '✓')} ${cleanLine(asked.name)} ${what} ${when}\n`);
  }
  return OK;
}
