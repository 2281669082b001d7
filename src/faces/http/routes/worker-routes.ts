// What workers on other machines ask: to be known, to be told of work, to claim a turn and to report of it. For their tokens
// alone, which open nothing else.
import * as z from 'zod';
import { RoomError } from '../../../core/errors.ts';
import type { WorkerDesk } from '../../../runtime.ts';
import { branchPiece, claimed, greeting, news, reported } from '../answers/worker-answers.ts';
import { type Exchange, route } from '../gate/route.ts';
import type { HttpRoom } from '../room/http-room.ts';

const id = z.string().regex(/^[0-9a-z]{8,40}$/);
const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);
const attempt = z.int().min(0);
const inHand = z.strictObject({ turn: z.string(), attempt });
const MOST_SLOTS = 1000;
const MOST_WORKSPACES = 5000;
/** Output is told in pieces, which JSON makes longer by a third. */
const MOST_REPORTS = 64;

const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const usage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: z.number().nullable(),
});
const end = z.strictObject({
  state: z.enum(['completed', 'failed', 'killed']),
  reason: z.string(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  message: z.string().max(4000),
  until: z.number().nullable().optional(),
  words: z.string().max(1000).optional(),
  isUnpaid: z.literal(true).optional(),
});

const report = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('request'), text: z.string() }),
  z.strictObject({ kind: z.literal('service'), name: z.string(), args: z.array(z.unknown()) }),
  z.strictObject({ kind: z.literal('output'), offset: z.int().min(0), data: z.base64() }),
  z.strictObject({ kind: z.literal('session'), id: z.string().nullable() }),
  z.strictObject({ kind: z.literal('usage'), usage }),
  z.strictObject({ kind: z.literal('started') }),
  z.strictObject({
    ...{ kind: z.literal('branch'), tip: commit, by: z.enum(['push', 'bundle']).nullable() },
    bytes: z.int().min(0),
  }),
  z.strictObject({ kind: z.literal('end'), end }),
  z.strictObject({ kind: z.literal('left') }),
]);

const reportsOfOne = {
  attempt,
  first: z.int().min(0),
  reports: z.array(report).min(1).max(MOST_REPORTS),
};

const group = 'workers';
const needs = 'worker';
const said = (about: string, schema: z.ZodType) => ({ 200: { about, schema } });

export const WORKER_ROUTES = [
  route({
    ...{ method: 'post', path: '/api/workers', id: 'workerHello', group, needs },
    about: 'A worker comes: it is told the agents that its token is for, without secrets.',
    // Of another version it may say more, and is told so.
    body: z.object({
      ...{ id, name, version: z.string().max(100) },
      slots: z.int().min(1).max(MOST_SLOTS),
      agents: z.array(z.string()).nullable(),
    }),
    answers: said('The room, and its agents.', greeting),
    run: async (on, { body }) => ({
      body: await deskOf(on.room).hello(on.caller.token, body, on.room.programVersion),
    }),
  }),
  route({
    ...{ method: 'post', path: '/api/workers/wait', id: 'workerWait', group, needs },
    about: 'Waits until there may be work, or something must stop.',
    body: z.strictObject({
      ...{ worker: id, free: z.int().min(0), running: z.array(inHand).max(MOST_SLOTS) },
      waitMs: z.int().min(0).max(60_000),
      workspaces: z.array(z.string().max(100)).max(MOST_WORKSPACES).optional(),
      trouble: z.string().max(1000).optional(),
    }),
    answers: said('The news.', news),
    async run(on, { body }) {
      const signal = AbortSignal.any([on.signal, on.room.closing]);
      return { body: await deskOf(on.room).wait(on.caller.token, body, signal) };
    },
  }),
  route({
    ...{ method: 'post', path: '/api/workers/bye', id: 'workerBye', group, needs },
    about: 'A worker goes, and has nothing in hand.',
    body: z.strictObject({ worker: id }),
    answers: said('Nothing.', z.strictObject({})),
    async run(on, { body }) {
      deskOf(on.room).bye(on.caller.token, body.worker);
      return { body: {} };
    },
  }),
  route({
    ...{ method: 'post', path: '/api/turns/:turn/claim', id: 'claimTurn', group, needs },
    about: 'Takes a turn, by the attempt that the queue gave.',
    params: z.strictObject({ turn: z.string() }),
    body: z.strictObject({ worker: id, attempt }),
    answers: said('All that its runner needs.', claimed),
    run: async (on, { params, body }) => ({
      body: await deskOf(on.room).claim(on.caller.token, params.turn, body),
    }),
  }),
  route({
    ...{ method: 'post', path: '/api/turns/:turn/reports', id: 'reportTurn', group, needs },
    about:
      'What happened in a turn, in order. Each report is applied once; one of a superseded attempt never.',
    params: z.strictObject({ turn: z.string() }),
    body: z.strictObject({ worker: id, ...reportsOfOne }),
    answers: said('The answers, in order; fewer where the rest is to be sent again.', reported),
    run: reportTurn,
  }),
  route({
    ...{ method: 'post', path: '/api/turns/:turn/branch', id: 'keepBranch', group, needs },
    about: 'Sends a piece of the branch of a turn, as a git bundle. It is taken once a report says so.',
    params: z.strictObject({ turn: z.string() }),
    body: z.strictObject({
      ...{ worker: id, attempt, offset: z.int().min(0), size: z.int().min(1) },
      data: z.base64(),
    }),
    answers: said('How many bytes are here.', z.strictObject({ size: z.int() })),
    run: async (on, { params, body }) => ({
      body: await deskOf(on.room).keepBranch(on.caller.token, params.turn, { ...body, turn: params.turn }),
    }),
  }),
  route({
    ...{ method: 'post', path: '/api/turns/:turn/branch/piece', id: 'readBranch', group, needs },
    about: 'A piece of the branch that a turn goes on with, as a git bundle.',
    params: z.strictObject({ turn: z.string() }),
    body: z.strictObject({ worker: id, attempt, offset: z.int().min(0) }),
    answers: said('The piece, and the size of the whole.', branchPiece),
    run: async (on, { params, body }) => ({
      body: await deskOf(on.room).readBranch(on.caller.token, params.turn, body),
    }),
  }),
];

async function reportTurn(
  on: Exchange,
  {
    params,
    body,
  }: { params: { turn: string }; body: Omit<Parameters<WorkerDesk['report']>[1], 'turn'> | object },
) {
  const reports = { ...body, turn: params.turn } as Parameters<WorkerDesk['report']>[1];
  return { body: { answers: await deskOf(on.room).report(on.caller.token, reports) } };
}

function deskOf({ workers }: HttpRoom): WorkerDesk {
  if (workers !== null) return workers;
  throw new RoomError('refused', 'this room runs its turns itself', {
    hint: 'name a queue in its room.yaml, and start it again: docs/scaling.md',
  });
}
