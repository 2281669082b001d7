// `taskroom mirrors`: lists which task mirrors which issue, and how the two stand.
import { MIRROR_STATES, type MirrorState } from '../../../../core/chore/mirror-state.ts';
import { suggest } from '../../../../core/document/suggest.ts';
import { RoomError } from '../../../../core/errors.ts';
import { mirrorFilter, mirrorJson } from '../../../shapes/mirror-json.ts';
import type { CommandModule } from '../../command.ts';
import { renderMirrors } from '../../lines/sync-lines.ts';

export const command: CommandModule = {
  about: 'Lists the mirrors of the room: which task is which issue, and how the two stand.',
  arguments: [],
  options: [
    { flags: '--chore <name>', about: 'only those of one chore' },
    { flags: '--state <state>', about: `only those that stand so: ${MIRROR_STATES.join(', ')}`, many: true },
  ],
  examples: [
    ['taskroom mirrors', 'how every mirror stands'],
    ['taskroom mirrors --state conflict,error', 'those that need you'],
    ['taskroom mirrors --chore web-issues --json', 'those of one source, for a script'],
  ],
  notes:
    'States: in_sync, pending (waits to be sent), conflict (both sides changed; see taskroom settle), detached (gone on one side),\nuntrusted (paused by trust: its author may not start turns; `taskroom resume` lets it run), error. --state takes several, with\ncommas too.\nWith --json: {"mirrors":[{"provider","ref","url","task","name","path","chore","state","message","remote_updated_at","synced_at","waiting","due_at","conflicts"}]}; each conflict with both texts, as taskroom settle --json has it.',
  async run({ options, json, terminal, paint, effects, openRoom }) {
    const filter = {
      chore: options.text('chore') ?? undefined,
      state: options.texts('state').map(readState),
    };
    const runtime = await openRoom({ readOnly: true });
    const all = (await runtime.mirrors()).list();
    const shown = all.filter(mirrorFilter(filter));
    if (json) terminal.write(`${JSON.stringify({ mirrors: shown.map(mirrorJson) })}\n`);
    else if (shown.length === 0 && all.length > 0)
      terminal.write(`${paint('dim', `none of ${all.length} mirrors`)}\n`);
    else terminal.write(renderMirrors(shown, paint, effects.now()));
    return undefined;
  },
};

function readState(word: string): MirrorState {
  const found = MIRROR_STATES.find((state) => state === word);
  if (found !== undefined) return found;
  const near = suggest(word, MIRROR_STATES);
  throw new RoomError('bad_input', `no mirror can be ${JSON.stringify(word)}`, {
    hint: `${near === null ? '' : `did you mean ${near}? `}known: ${MIRROR_STATES.join(', ')}`,
  });
}
