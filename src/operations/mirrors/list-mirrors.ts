import { MIRROR_STATES } from '../../core/chore/fields.ts';
import { type MirrorJson, mirrorShape } from '../../core/chore-shapes.ts';
import { operation, optional, text, words, z } from '../operation.ts';

export const listMirrors = operation({
  summary: 'list mirrors and how they stand',
  about: 'Lists the mirrors of the room: which task is which issue, and how the two stand.',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/mirrors' },
  cli: {
    command: 'mirror list',
    aliases: ['mirrors'],
    about: [
      'mirrors: how they stand, link, publish, settle, unlink',
      'Lists the mirrors of the room and how they stand, makes a task the mirror of an issue, makes an issue of a task, settles what both sides say differently, and ends a mirror.',
    ],
    examples: {
      'taskroom mirror list': 'how every mirror stands',
      'taskroom mirror list --state conflict,error': 'those that need you',
      'taskroom mirror list --chore web-issues --json': 'those of one source, for a script',
    },
    notes:
      'States: in_sync, pending (waits to be sent), conflict (both sides changed; see taskroom mirror settle), detached (gone on one side),\nuntrusted (paused by trust: its author may not start turns; `taskroom resume` lets it run), error. --state takes several, with\ncommas too.\nWith --json: {"mirrors":[{"provider","ref","url","task","name","path","chore","state","message","remote_updated_at","synced_at","waiting","due_at","conflicts"}]}; each conflict with both texts, as taskroom mirror settle --json has it.',
  },
  input: () => ({
    chore: optional(text(), 'only those of one chore'),
    state: optional(words(z.enum(MIRROR_STATES)), `only those that stand so: ${MIRROR_STATES.join(', ')}`),
  }),
  output: () => ({ mirrors: z.array(mirrorShape()) }),
  async run({ ports }, { chore, state = [] }) {
    const isMeant = (each: MirrorJson) =>
      (chore ?? each.chore) === each.chore && (state.length === 0 || state.includes(each.state));
    return { mirrors: (await ports.mirrors!()).list().filter(isMeant) };
  },
});
