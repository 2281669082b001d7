// The output of a turn, sent as it comes.
import { ReadableStream } from 'node:stream/web';
import * as z from 'zod';
import type { AgentEvent } from '../../core/rules/turn.ts';
import { inSteps } from '../../remote/remote-client.ts';
import { type OutputJson, turnRef } from '../../tasks/shapes/turn.ts';
import { taskOfTurn } from '../middleware/caller.ts';
import { type Exchange, route } from '../middleware/route.ts';

const CHUNK_BYTES = 64 * 1024;

export const FOLLOW_TURN = route({
  ...{ method: 'get', path: '/api/turns/:turn/follow', id: 'followTurn', group: 'turns', needs: 'look' },
  about:
    'What a turn prints, as it comes, until it ends. With `form=events` what its agent said, called and used: one JSON object a line.',
  params: z.strictObject({ turn: turnRef() }),
  task: ({ params }, room) => taskOfTurn(room, params.turn),
  query: z.strictObject({
    offset: z.coerce.number().int().min(0).optional(),
    form: z.enum(['text', 'events']).optional(),
  }),
  answers: { 200: { about: 'The output, as text.', media: 'text/plain' } },
  async run(on, { params, query: { offset = 0, form = 'text' } }) {
    const asked = { ...params, offset: Number.MAX_SAFE_INTEGER };
    const { turn: id, format } = await on.tasks.call('turnOutput', asked, on.caller.actor);
    const output = outputOf(on, id, offset);
    const body = form === 'text' ? output : eventLines(on, format, output);
    return new Response(ReadableStream.from(body).pipeThrough(new TextEncoderStream()) as never, {
      headers: {
        'content-type': form === 'text' ? 'text/plain; charset=utf-8' : 'application/x-ndjson',
        'x-accel-buffering': 'no',
      },
    });
  },
});

/** Ends with the turn, or when the caller is gone. */
async function* outputOf({ tasks, caller, room, signal }: Exchange, turn: string, from: number) {
  const gone = AbortSignal.any([signal, room.closing]);
  const ask = (input: object) => tasks.call('turnOutput', input as never, caller.actor);
  for (let offset = from; ; ) {
    const asked = { turn, offset, limit: CHUNK_BYTES, wait: Number.POSITIVE_INFINITY };
    const { text, next } = (await inSteps(asked, ask, gone)) as OutputJson;
    if (text === '') return;
    offset = next;
    yield text;
  }
}

/** Events of the agent, read from its output; texts where its format is unknown. */
async function* eventLines({ room }: Exchange, format: string | null, output: AsyncIterable<string>) {
  const { readerOf } = await import('../../app/agents/output-reader.ts');
  const reader = readerOf(format as never, room.effects);
  const lines = (events: readonly AgentEvent[]) =>
    events.map((event) => `${JSON.stringify(event)}\n`).join('');
  for await (const text of output) yield lines(reader?.read(text) ?? [{ type: 'text', text, partial: true }]);
  yield lines(reader?.end() ?? []);
}
