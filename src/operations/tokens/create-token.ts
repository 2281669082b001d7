import { RoomError } from '../../core/errors.ts';
import { tokenAccess, tokenShape } from '../../tasks/shapes/turn.ts';
import { instant, operation, optional, text, z } from '../operation.ts';

const DAY_MS = 24 * 3600_000;
const isoTime = (atMs: number) => new Date(atMs).toISOString();

export const createToken = operation({
  summary: 'make a token for a program',
  about: 'It is shown in this answer and never again.',
  needs: 'person',
  http: { method: 'post', path: '/api/tokens', status: 201 },
  cli: {
    command: 'token new',
    words: ['name'],
    flags: { access: null, tasks: '--task <task>', agents: '--agent <agent>', expires_at: null },
    switches: {
      full: { about: 'it may do all that you may', given: { access: 'full' } },
      readonly: { about: 'it only looks', given: { access: 'readonly' } },
      assistant: {
        about: 'it has the rights of an agent: it opens no gate and answers no question',
        given: { access: 'assistant' },
      },
      worker: {
        about: 'for taskroom worker: it takes turns and reports of them, and sees nothing else',
        given: { access: 'worker' },
      },
    },
  },
  input: () => ({
    name: text('what it is for'),
    access: optional(tokenAccess()),
    tasks: optional(z.array(text()), 'only for these tasks; acts as an assistant, or only looks'),
    agents: optional(z.array(text()), 'of a worker: the only agents whose turns it may take'),
    days: optional(z.int().min(1), 'it works for so long (default: until it is revoked)'),
    expires_at: optional(instant()),
  }),
  output: () => tokenShape().extend({ token: text() }),
  async run(on, { days, access, ...wish }, actor) {
    const ends = days === undefined ? {} : { expires_at: isoTime(on.effects.now() + days * DAY_MS) };
    const what = access ?? (wish.tasks === undefined ? null : 'assistant');
    if (what === null)
      throw new RoomError('bad_input', 'it is not said what the token may do', {
        hint: `give an access: ${tokenAccess().options.join(', ')}; for example taskroom token new board --readonly`,
      });
    const { createToken } = await import('../../tasks/room/tokens.ts');
    return createToken(on, { ...ends, ...wish, access: what }, actor);
  },
});
