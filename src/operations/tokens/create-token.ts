import * as z from 'zod';
import { instant, text } from '../../core/shapes.ts';
import { tokenAccess, tokenShape } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

const DAY_MS = 24 * 3600_000;
const isoTime = (atMs: number) => new Date(atMs).toISOString();

export const createToken = operation({
  name: 'createToken',
  summary: 'make a token for a program',
  about: 'It is shown in this answer and never again.',
  needs: 'person',
  http: { method: 'post', path: '/api/tokens', status: 201 },
  cli: {
    command: 'token new',
    group: 'Room',
    words: ['name'],
    flags: { access: null, tasks: '--task <task>', agents: '--agent <agent>', expires_at: null },
    switches: {
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
  input: () =>
    z.strictObject({
      name: text().meta({ description: 'what it is for' }),
      access: tokenAccess().exactOptional(),
      tasks: z
        .array(text())
        .exactOptional()
        .meta({ description: 'only for these tasks; acts as an assistant, or only looks' }),
      agents: z
        .array(text())
        .exactOptional()
        .meta({ description: 'of a worker: the only agents whose turns it may take' }),
      days: z
        .int()
        .min(1)
        .exactOptional()
        .meta({ description: 'it works for so long (default: until it is revoked)' }),
      expires_at: instant().exactOptional(),
    }),
  output: () => tokenShape().extend({ token: text() }),
  async run(on, { days, access, ...wish }, actor) {
    const ends = days === undefined ? {} : { expires_at: isoTime(on.deps.effects.now() + days * DAY_MS) };
    const what = access ?? (wish.tasks === undefined ? 'full' : 'assistant');
    const { createToken } = await import('../../tasks/room/tokens.ts');
    return createToken(on, { ...ends, ...wish, access: what }, actor);
  },
});
