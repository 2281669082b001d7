// `taskroom scope`: sets of tasks that belong together.

import { RoomError } from '../../../../core/errors.ts';
import { removedJson } from '../../../shapes/change-json.ts';
import { isoOrNull } from '../../../shapes/iso-time.ts';
import type { Call, CommandModule } from '../../command.ts';
import { cleanLine, fit, plural } from '../../lines/display-text.ts';

export const command: CommandModule = {
  about:
    'Scopes: sets of tasks that belong together, by the scope: in their front matter. Deleting one moves its tasks to the attic.',
  arguments: [
    { name: 'action', about: 'list, new or delete; list when left out', optional: true },
    { name: 'scope', about: 'its name', optional: true },
  ],
  options: [],
  examples: [
    ['taskroom scope', 'all scopes with their tasks'],
    ['taskroom scope new spike', 'make one, for taskroom new --scope spike'],
    ['taskroom scope delete spike', 'take all its tasks away'],
  ],
  notes:
    'With --json: {"scopes":[{"name","created_by","chore","created","counts"}]}; new: {"name","changed"}; delete: {"name","removed":[…]}.',
  async run(call) {
    const [action = 'list', name] = call.words;
    if (action === 'list') return list(call);
    if (action !== 'new' && action !== 'delete')
      throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with scopes`, {
        hint: 'expected: list, new or delete',
      });
    if (name === undefined)
      throw new RoomError('bad_input', 'no scope was given', { hint: 'see: taskroom scope' });
    return action === 'new' ? make(call, name) : remove(call, name);
  },
};

const NAME_CELLS = 36;

async function list({ json, terminal, paint, openRoom }: Call): Promise<undefined> {
  const scopes = await (await openRoom({ readOnly: true })).tasks.scopes();
  if (json) {
    const shown = scopes.map(({ name, createdBy, chore, createdAt, counts }) => {
      return { name, created_by: createdBy, chore, created: isoOrNull(createdAt), counts };
    });
    terminal.write(`${JSON.stringify({ scopes: shown })}\n`);
    return;
  }
  if (scopes.length === 0) terminal.write(`${paint('dim', 'no scopes')}\n`);
  for (const { name, createdBy, counts } of scopes) {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const tasks = total === 0 ? 'no tasks' : `${counts.done} of ${plural(total, 'task')} done`;
    const by = createdBy === null || createdBy === 'owner' ? '' : paint('dim', `  ${cleanLine(createdBy)}`);
    terminal.write(`  ${fit(cleanLine(name), NAME_CELLS)}  ${tasks}${by}\n`);
  }
}

async function make({ json, terminal, paint, openRoom }: Call, name: string): Promise<undefined> {
  const runtime = await openRoom();
  const made = await runtime.tasks.createScope(name, runtime.caller);
  const said = made.changed ? 'is made' : `is there ${paint('dim', '(as before)')}`;
  terminal.write(
    json ? `${JSON.stringify(made)}\n` : `${paint('green', '✓')} ${cleanLine(made.name)} ${said}\n`,
  );
}

async function remove({ json, terminal, paint, openRoom }: Call, name: string): Promise<undefined> {
  const runtime = await openRoom();
  const gone = await runtime.tasks.removeScope(name, runtime.caller);
  if (json) {
    terminal.write(`${JSON.stringify({ name: gone.name, removed: gone.removed.map(removedJson) })}\n`);
    return;
  }
  terminal.write(
    `${paint('green', '✓')} ${cleanLine(gone.name)} is deleted with ${plural(gone.removed.length, 'task')}\n`,
  );
  for (const { name: task, attic } of gone.removed)
    terminal.write(`  ${cleanLine(task)} ${paint('dim', `lies in ${attic}`)}\n`);
}
