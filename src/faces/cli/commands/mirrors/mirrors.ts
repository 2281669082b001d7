// `taskroom mirrors`: lists which task mirrors which issue, and how the two stand.
import { mirrorJson } from '../../../shapes/mirror-json.ts';
import type { CommandModule } from '../../command.ts';
import { renderMirrors } from '../../lines/sync-lines.ts';

export const command: CommandModule = {
  about: 'Lists the mirrors of the room: which task is which issue, and how the two stand.',
  arguments: [],
  options: [{ flags: '--chore <name>', about: 'only those of one chore' }],
  examples: [
    ['taskroom mirrors', 'how every mirror stands'],
    ['taskroom mirrors --chore web-issues --json', 'those of one source, for a script'],
  ],
  notes:
    'States: in sync, pending (waits to be sent), conflict (both sides changed; see taskroom settle), detached (gone on one side),\npaused by trust (its author may not start turns; `taskroom resume` lets it run), error.\nWith --json: {"mirrors":[{"provider","ref","url","task","name","path","chore","state","message","remote_updated_at","synced_at","waiting","due_at","conflicts"}]}; each conflict with both texts, as taskroom settle --json has it.',
  async run({ options, json, terminal, paint, effects, openRoom }) {
    const runtime = await openRoom({ readOnly: true });
    const chore = options.text('chore');
    const all = (await runtime.mirrors()).list();
    const shown = chore === null ? all : all.filter((mirror) => mirror.chore === chore);
    if (json) terminal.write(`${JSON.stringify({ mirrors: shown.map(mirrorJson) })}\n`);
    else terminal.write(renderMirrors(shown, paint, effects.now()));
    return undefined;
  },
};
