// What workers on other machines ask of a room's host. Each call is declared once: the host's routes and its document, what the host carries
// out, and what a worker sends are made of it. A worker names itself and the attempt in every call: a superseded attempt has no effect.
import * as z from 'zod';
import type { Outcome } from '../agents/runner.ts';
import type { Access, AgentConfig } from '../core/config/agent-config.ts';
import { REPOSITORY_NAME } from '../core/config/workspace-source.ts';
import { ERROR_CODES, type ErrorCode } from '../core/errors.ts';
import type { TurnReason, TurnUsage } from '../core/rules/turn.ts';
import { problem, text } from '../core/shapes.ts';
import type { Status } from '../core/task/status.ts';
import type { BridgeAnswer, ErrorRecord } from '../remote/protocol.ts';

/** Both ends are taskroom's own, and the code knows more of a value than its document says. */
const as = <T>(schema: z.ZodType) => schema as z.ZodType<T>;
const about = <T extends z.ZodType>(schema: T, description: string) => schema.meta({ description });
const kind = <T extends string, S extends z.ZodRawShape>(name: T, shape: S) =>
  z.strictObject({ kind: z.literal(name), ...shape });

const id = z.string().regex(/^[0-9a-z]{8,40}$/);
const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);
const count = z.int().min(0);
const [attempt, offset] = [count, count];
/** Its folder in the workspace; '' where it is the workspace itself. */
const repository = z.union([z.literal(''), z.string().regex(REPOSITORY_NAME)]);
const MOST_SLOTS = 1000;
export const MOST_WORKSPACES = 5000;
const MOST_REPORTS = 64;
/** Bytes of output in one report; JSON makes them longer by a third. */
export const OUTPUT_PIECE = 64 * 1024;
/** Bytes of a branch's file in one request. */
export const BRANCH_PIECE = 512 * 1024;
/** By these codes a worker knows that an attempt is not its own any more. */
export const NOT_YOURS: readonly ErrorCode[] = ['conflict', 'gone', 'not_allowed'];
/** What a runner may do to the task of its turn: a worker asks, the host does it. */
export const TASK_SERVICES = [
  ...(['read', 'setStatus', 'setStep', 'addStep', 'progress', 'note'] as const),
  ...(['outcome', 'printed', 'comment', 'ask'] as const),
] as const;

const reason = as<TurnReason>(text());
const turnAttempt = z.strictObject({ turn: text(), attempt });
export type TurnAttempt = z.infer<typeof turnAttempt>;
const agent = as<AgentConfig>(about(z.unknown(), 'as its file says, without secrets'));
const usage = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: z.number().nullable(),
});
const end = z.strictObject({
  ...{ state: z.enum(['completed', 'failed', 'killed']), reason },
  ...{ exitCode: z.int().nullable(), signal: text().nullable() },
  ...{ message: z.string().max(4000), until: z.number().nullable().optional() },
  ...{ words: z.string().max(1000).optional(), needsPerson: z.literal(true).optional() },
});

const report = z.discriminatedUnion('kind', [
  // A request of the turn's agent as it came over its bridge.
  kind('request', { text: text() }),
  // What the runner itself does to the task.
  kind('service', { name: text(), args: z.array(z.unknown()) }),
  // Output from a byte on.
  kind('output', { offset, data: z.base64() }),
  kind('session', { id: text().nullable() }),
  kind('usage', { usage: as<TurnUsage>(usage) }),
  kind('started', {}),
  // The host is to take the turn's branch of a repository at that commit: from its repository, or out of the file that was sent before. `by` null asks whether
  // the attempt is still the worker's.
  kind('branch', {
    repository,
    ...{ tip: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/) },
    ...{ by: z.enum(['push', 'bundle']).nullable(), bytes: count },
  }),
  kind('end', { end: as<Outcome>(end) }),
  // The worker gives the turn back unfinished.
  kind('left', {}),
]);
export type WorkerReport = z.infer<typeof report>;

const error = as<ErrorRecord>(
  z.strictObject({
    ...{ code: z.enum(ERROR_CODES), message: text(), hint: text().optional() },
    ...{ problems: z.array(problem()).optional(), retryAfterMs: z.number().optional() },
  }),
);
const bridged = z.discriminatedUnion('ok', [
  z.strictObject({ key: text(), ok: z.literal(true), result: z.unknown() }),
  z.strictObject({ key: text(), ok: z.literal(false), error }),
]);
const reportAnswer = z.discriminatedUnion('kind', [
  kind('request', { answer: as<BridgeAnswer>(bridged) }),
  kind('service', { result: z.unknown() }),
  kind('failed', { error }),
  // `size` of the output that the host has: the next goes on there.
  kind('output', { size: z.int() }),
  kind('done', {}),
]);
export type ReportAnswer = z.infer<typeof reportAnswer>;

/** Where the agent of a turn works: a branch of each repository, which the worker has a copy of. */
const workspace = z.strictObject({
  name: repository,
  address: about(text(), 'of the repository'),
  from: about(text().nullable(), 'branch, tag or pull request that it began at; null for the default branch'),
  branch: about(text(), 'the branch of the task'),
  base: about(text(), 'commit that it began at'),
  tip: about(text().nullable(), 'commit that the host has of it'),
  folder: about(text(), 'name of the folder of the workspace'),
  prefix: about(text(), 'folder inside it that the agent works in'),
});
export type ClaimedWorkspace = z.infer<typeof workspace>;

const claimed = z.strictObject({
  ...{ turn: text(), attempt, tries: about(z.int(), 'its attempt as the task counts them') },
  subject: z.discriminatedUnion('kind', [
    kind('task', { task: z.strictObject({ id: text(), name: text() }) }),
    kind('chore', { chore: z.strictObject({ name: text(), prompt: text() }) }),
  ]),
  ...{ prompt: text(), context: z.unknown(), agent },
  caller: z.strictObject({
    ...{ agent: text(), access: as<Access>(text()), task: text().nullable(), programs: z.boolean() },
    statuses: z.record(z.string(), as<Status>(text())),
  }),
  token: about(text(), "what the turn's agent reports with"),
  session: text().nullable(),
  // Absolute, on the host, as the prompt names them; the worker replaces them by its own.
  paths: z.strictObject({ turn: text(), cwd: text(), room: text(), program: text() }),
  workspaces: z.array(workspace),
});
/** What a turn is about, with all that its runner needs. */
export type ClaimedTurn = z.infer<typeof claimed>;

/** `id` is unique in the document, `returns` describes the answer; the body comes beside the turn that the path names. */
type CallShape = Record<'path' | 'id' | 'about' | 'returns', string> & { body: z.ZodType; answer: z.ZodType };

export const WORKER_CALLS = {
  hello: {
    ...({ path: '/api/workers', id: 'workerHello', returns: 'The room, and its agents.' } as const),
    about: 'A worker comes: it is told the agents that its token is for, without secrets.',
    // Its id is made at its start: one that is started again is another. Of another version it may say more, and is told so.
    body: z.object({
      ...{ id, name, version: z.string().max(100), slots: z.int().min(1).max(MOST_SLOTS) },
      agents: z.array(text()).nullable(), // Those it can run, of those it was told; null to be told first.
    }),
    answer: z.strictObject({
      room: about(text(), "the room's id"),
      queue: about(text(), 'name of the variable that holds the address of the queue, on the host'),
      agents: z.array(agent),
    }),
  },
  wait: {
    ...({ path: '/api/workers/wait', id: 'workerWait', returns: 'The news.' } as const),
    about: 'Waits until there may be work, or something must stop.',
    body: z.strictObject({
      ...{ worker: id, free: count, running: z.array(turnAttempt).max(MOST_SLOTS) },
      waitMs: z.int().min(0).max(60_000),
      /** Ids of tasks that it has workspaces of, when it asks which of them are over. */
      workspaces: z.array(z.string().max(100)).max(MOST_WORKSPACES).optional(),
      trouble: z.string().max(1000).optional(), // Why it can take nothing at the moment.
    }),
    answer: z.strictObject({
      work: about(z.boolean(), 'there may be something to fetch'),
      stop: z.array(z.strictObject({ turn: text(), attempt, reason })),
      changed: about(z.boolean(), 'the agents are others than when it came'),
      trouble: about(text().optional(), 'why the worker is offered nothing'),
      over: about(z.array(text()).optional(), 'of the tasks it asked about, those that are archived'),
    }),
  },
  bye: {
    ...({ path: '/api/workers/bye', id: 'workerBye', returns: 'Nothing.' } as const),
    about: 'A worker goes, and has nothing in hand.',
    body: z.strictObject({ worker: id }),
    answer: z.strictObject({}),
  },
  claim: {
    ...({ path: '/api/turns/:turn/claim', id: 'claimTurn', returns: 'All that its runner needs.' } as const),
    about: 'Takes a turn, by the attempt that the queue gave.',
    body: z.strictObject({ worker: id, attempt }),
    answer: claimed,
  },
  report: {
    path: '/api/turns/:turn/reports',
    id: 'reportTurn',
    about:
      'What happened in a turn, in order. Each report is applied once; one of a superseded attempt never.',
    // `first` is the number of the first of them, from 0 in each attempt.
    body: z.strictObject({
      ...{ worker: id, attempt, first: count, reports: z.array(report).min(1).max(MOST_REPORTS) },
    }),
    returns: 'The answers, in order; fewer where the rest is to be sent again.',
    answer: z.strictObject({ answers: z.array(reportAnswer) }),
  },
  keepBranch: {
    ...({ path: '/api/turns/:turn/branch', id: 'keepBranch', returns: 'How many bytes are here.' } as const),
    about: 'Sends a piece of the branch of a turn, as a git bundle. It is taken once a report says so.',
    body: z.strictObject({ worker: id, attempt, repository, offset, size: z.int().min(1), data: z.base64() }),
    answer: z.strictObject({ size: z.int() }),
  },
  readBranch: {
    path: '/api/turns/:turn/branch/piece',
    id: 'readBranch',
    about: 'A piece of the branch that a turn goes on with, as a git bundle.',
    body: z.strictObject({ worker: id, attempt, repository, offset }),
    returns: 'The piece, and the size of the whole.',
    answer: z.strictObject({ size: z.int(), data: about(text(), 'base64') }),
  },
} as const satisfies Record<string, CallShape>;

type Calls = typeof WORKER_CALLS;
export type WorkerCall = keyof Calls;
export type CallInput<Name extends WorkerCall> = z.infer<Calls[Name]['body']> &
  (Calls[Name]['path'] extends `/api/turns/${string}` ? { turn: string } : unknown);
export type CallAnswer<Name extends WorkerCall> = z.infer<Calls[Name]['answer']>;
