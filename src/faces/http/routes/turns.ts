// Turns: listed, looked at, their output read from a byte on, waited for or followed, and stopped.

import * as z from 'zod';
import type { AgentEvent } from '../../../core/rules/agent-event.ts';
import { isOver } from '../../../core/rules/turn.ts';
import { sleep } from '../../../effects.ts';
import type { Client } from '../../../operations/client.ts';
import type { OutputReader } from '../../../runtime.ts';
import type { TurnView } from '../../../tasks/contract/operations.ts';
import { turnJson } from '../../../tasks/read/turn-views.ts';
import { turn } from '../../../tasks/shapes/turn.ts';
import { outputAnswer, turnsAnswer } from '../answers/turn-answers.ts';
import { taskOfTurn } from '../gate/rights.ts';
import { type Exchange, route } from '../gate/route.ts';

const onTurn = z.strictObject({
  turn: z.string().meta({ description: 'id of a turn, unique prefix of one, or a task: its newest turn' }),
});
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const POLL_MS = 150;
/** Longer than proxies keep a silent connection. */
const MAX_WAIT_SECONDS = 60;
const MAX_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

export const TURNS = [
  route({
    method: 'get',
    path: '/api/turns',
    id: 'listTurns',
    about: 'Turns, newest first: before them those that are asked for, and jobs among them.',
    group: 'turns',
    needs: 'look',
    query: z.strictObject({
      task: z.string().optional(),
      state: z.enum(['pending', 'running', 'completed', 'failed', 'killed']).optional(),
      limit: whole(1, 1000).optional(),
    }),
    task: ({ query }) => query.task ?? null,
    answers: { 200: { about: 'The turns.', schema: turnsAnswer } },
    async run({ tasks }, { query: { task, state, limit = 20 } }) {
      const turns = await tasks.turns({
        limit,
        ...(task === undefined ? {} : { ref: task }),
        ...(state === undefined ? { pending: true } : { state }),
      });
      return { body: { turns: turns.map(turnJson) } };
    },
  }),
  route({
    method: 'get',
    path: '/api/turns/:turn',
    id: 'showTurn',
    about: 'One turn.',
    group: 'turns',
    needs: 'look',
    params: onTurn,
    task: ({ params }, room) => taskOfTurn(room, params.turn),
    answers: { 200: { about: 'The turn.', schema: turn() } },
    run: async ({ tasks }, { params }) => ({ body: turnJson(await tasks.turn(params.turn)) }),
  }),
  route({
    method: 'get',
    path: '/api/turns/:turn/output',
    id: 'turnOutput',
    about:
      'What a turn printed, from a byte on. With `wait` it is answered once there is more, or the turn is over.',
    group: 'turns',
    needs: 'look',
    params: onTurn,
    task: ({ params }, room) => taskOfTurn(room, params.turn),
    query: z.strictObject({
      offset: whole(0, Number.MAX_SAFE_INTEGER).optional(),
      limit: whole(4, MAX_BYTES).optional().meta({ description: 'bytes' }),
      wait: whole(0, MAX_WAIT_SECONDS).optional().meta({ description: 'seconds, at most 60' }),
    }),
    answers: { 200: { about: 'The output; ask again from `next`.', schema: outputAnswer } },
    async run(on, { params, query: { offset = 0, limit, wait = 0 } }) {
      const { id } = await on.tasks.turn(params.turn);
      const until = on.room.effects.monotonicMs() + wait * 1000;
      const { turn, text, next, size } = await readMore(on, id, offset, { limit, until });
      return { body: { turn: id, state: turn.state, reason: turn.reason, offset, next, size, text } };
    },
  }),
  route({
    method: 'get',
    path: '/api/turns/:turn/follow',
    id: 'followTurn',
    about:
      'What a turn prints, as it comes, until it ends. With `form=events` what its agent said, called and used: one JSON object a line.',
    group: 'turns',
    needs: 'look',
    params: onTurn,
    task: ({ params }, room) => taskOfTurn(room, params.turn),
    query: z.strictObject({
      offset: whole(0, Number.MAX_SAFE_INTEGER).optional(),
      form: z.enum(['text', 'events']).optional(),
    }),
    answers: { 200: { about: 'The output, as text.', media: 'text/plain' } },
    async run(on, { params, query: { offset = 0, form = 'text' } }) {
      const { id, agent } = await on.tasks.turn(params.turn);
      const reader = form === 'text' ? null : await on.room.runtime.outputReader(agent);
      const shape = form === 'text' ? asPrinted : eventLines(reader);
      const media = form === 'text' ? 'text/plain; charset=utf-8' : 'application/x-ndjson';
      return new Response(follow(on, id, offset, shape), {
        headers: { 'content-type': media, 'x-accel-buffering': 'no' },
      });
    },
  }),
  route({
    method: 'post',
    path: '/api/turns/:turn/stop',
    id: 'stopTurn',
    about: 'Stops a turn that runs or is asked for, or a job.',
    group: 'turns',
    needs: 'person',
    params: onTurn,
    answers: { 200: { about: 'The turn as it ended.', schema: turn() } },
    run: async ({ tasks, caller }, { params }) => ({
      body: turnJson(await tasks.kill(params.turn, caller.actor)),
    }),
  }),
];

interface More extends Awaited<ReturnType<Client['output']>> {
  turn: TurnView;
}

/** What there is after `offset`; waits for some while the turn runs. */
async function readMore(
  { tasks, room, signal }: Exchange,
  id: TurnView['id'],
  offset: number,
  { limit, until }: { limit: number | undefined; until: number },
): Promise<More> {
  const { effects, closing } = room;
  const gone = AbortSignal.any([signal, closing]);
  for (;;) {
    // The state is read before the output: what was written until the end is then in it for sure.
    const turn = await tasks.turn(id);
    const read = await tasks.output(id, offset, limit);
    const over = isOver(turn.state) || effects.monotonicMs() >= until || gone.aborted;
    if (read.text !== '' || over) return { turn, ...read };
    await sleep(effects, POLL_MS, gone);
  }
}

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

function follow(on: Exchange, id: TurnView['id'], from: number, shape: Shape): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let at = from;
  let left = false;
  return new ReadableStream<Uint8Array>({
    // Called when the reader has room for more; one that enqueues nothing is not called again.
    async pull(controller) {
      const options = { limit: CHUNK_BYTES, until: Number.POSITIVE_INFINITY };
      for (;;) {
        const { text, next } = await readMore(on, id, at, options);
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
