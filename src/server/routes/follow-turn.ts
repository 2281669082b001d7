// What a turn prints, sent as it comes.
import * as z from 'zod';
import type { OutputReader } from '../../app/open-room.ts';
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { inSteps } from '../../remote/remote-client.ts';
import { type OutputJson, turnRef } from '../../tasks/shapes/turn.ts';
import { taskOfTurn } from '../gate/rights.ts';
import { type Exchange, route } from '../gate/route.ts';

const CHUNK_BYTES = 64 * 1024;

export const FOLLOW_TURN = route({
  method: 'get',
  path: '/api/turns/:turn/follow',
  id: 'followTurn',
  about:
    'What a turn prints, as it comes, until it ends. With `form=events` what its agent said, called and used: one JSON object a line.',
  group: 'turns',
  needs: 'look',
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
    const { readerOf } = await import('../../app/agents/output-reader.ts');
    const shape = form === 'text' ? asPrinted : eventLines(readerOf(format, on.room.effects));
    const media = form === 'text' ? 'text/plain; charset=utf-8' : 'application/x-ndjson';
    return new Response(follow(on, id, offset, shape), {
      headers: { 'content-type': media, 'x-accel-buffering': 'no' },
    });
  },
});

/** Makes of a piece of output what is sent; of null, which comes last, what was held back. */
type Shape = (piece: string | null) => string;

const asPrinted: Shape = (piece) => piece ?? '';

/** @param reader of the agent's form; null where none is known, and its output is words */
function eventLines(reader: OutputReader | null): Shape {
  return (piece) => {
    const events = reader === null ? wordsOf(piece) : piece === null ? reader.end() : reader.read(piece);
    return events.map((event) => `${JSON.stringify(event)}\n`).join('');
  };
}

function wordsOf(piece: string | null): AgentEvent[] {
  return piece === null ? [] : [{ type: 'text', text: piece, partial: true }];
}

function follow(on: Exchange, turn: string, from: number, shape: Shape): ReadableStream<Uint8Array> {
  const { tasks, caller, room, signal } = on;
  const gone = AbortSignal.any([signal, room.closing]);
  const ask = (input: object) => tasks.call('turnOutput', input as never, caller.actor);
  const encoder = new TextEncoder();
  let at = from;
  let left = false;
  return new ReadableStream<Uint8Array>({
    // Called when the reader has room for more; one that enqueues nothing is not called again.
    async pull(controller) {
      for (;;) {
        const asked = { turn, offset: at, limit: CHUNK_BYTES, wait: Number.POSITIVE_INFINITY };
        const { text, next } = (await inSteps(asked, ask, gone)) as OutputJson;
        if (left) return;
        at = next;
        const shown = shape(text === '' ? null : text);
        if (shown !== '') controller.enqueue(encoder.encode(shown));
        if (text === '') return controller.close();
        if (shown !== '') return;
      }
    },
    cancel() {
      left = true;
    },
  });
}
