// One turn of a language model: its conversation taken up, its tools, its answers, and the outcome. Outside the runtime only the commands
// it runs live, and they end with it. The conversation of a thread is kept in the folder of each turn and bounded: what a model is shown
// of long ago gets shorter, and then is left out. The model itself stands behind whatever API its server speaks.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { APICallError, type LanguageModel, type ModelMessage, RetryError } from 'ai';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { keyVariable } from '../../core/config/agent-env.ts';
import type { AgentTrouble } from '../../core/rules/turn.ts';
import type { Effects } from '../../effects.ts';
import { fieldsOf, parseFields, textOf } from '../command/reading/fields.ts';
import { troubleOf, type WordClock, wordClock } from '../command/reading/trouble.ts';
import { troubleOutcome } from '../command/verdict.ts';
import { prepareLaunch } from '../process/launch.ts';
import { failure, stoppedOutcome } from '../process/output-log.ts';
import { ifThere, SHELL } from '../process/process-identity.ts';
import type { AgentTool, Outcome, RunInput, RunnerEvent } from '../runner.ts';
import { resumedSession, StopTurn } from '../runner.ts';
import { runAnswers } from './answers.ts';
import { fileTools } from './file-tools.ts';
import { openTurnLog, type TurnLog } from './output-reader.ts';
import { createWorkplace, shellTool } from './workplace.ts';

export async function* runModelTurn(given: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  if (given.signal.aborted) return stoppedOutcome(given.signal);
  // The shell stands for every program: folder and environment are told to be missing before anything is asked.
  const launching = await prepareLaunch(given, [SHELL]);
  if (!launching.ok) return failure('not_started', launching.message);
  const halt = new AbortController();
  const input = { ...given, signal: AbortSignal.any([given.signal, halt.signal]) };
  const log = await openTurnLog(input.dir);
  const working = work(input, log).finally(() => log.close());
  working.catch(() => {});
  try {
    yield { type: 'started', pid: null };
    yield* log.events();
    return await working;
  } finally {
    // Abandoned: its commands end with it.
    halt.abort(new StopTurn('interrupted'));
    await working.catch(() => {});
  }
}

async function work(input: RunInput, log: TurnLog): Promise<Outcome> {
  const { agent, effects } = input;
  try {
    const outcome = await converse(input, log);
    await log.say({ type: 'end', failed: outcome.state !== 'completed' });
    return outcome;
  } catch (error) {
    if (input.signal.aborted) return stoppedOutcome(input.signal);
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && syscall === 'write') return failure('exit', message);
    const trouble = modelTrouble(error, wordClock(effects));
    await log.say({ type: 'trouble', trouble });
    if (trouble.kind === 'context') log.tell({ type: 'session', id: null });
    const speaker = { program: `the model ${agent.model}`, signIn: signInOf(input) };
    return troubleOutcome(failure('exit', trouble.message), trouble, speaker, agent.id);
  }
}

function signInOf({ agent }: RunInput): string {
  const variable = keyVariable(agent);
  return variable === null
    ? `name the variable with its key in "api_key" of agents/${agent.id}/agent.json`
    : `set ${variable} where the runtime starts`;
}

async function converse(input: RunInput, log: TurnLog): Promise<Outcome> {
  const { agent, dir, turn } = input;
  const before = await resume(input, log);
  const keep = async (messages: readonly ModelMessage[]) => {
    const kept = bounded(messages);
    await writeConversation(dir, kept);
    return kept;
  };
  const messages: ModelMessage[] = [...before, { role: 'user', content: input.prompt }];
  await keep(messages);
  await log.say({ type: 'session', id: turn.id });
  log.tell({ type: 'session', id: turn.id });
  const cwd = resolve(input.room, agent.cwd ?? '.');
  return runAnswers({
    model: await loadModel(agent, input.effects),
    instructions: instructionsOf(cwd, agent.permissions !== 'edit'),
    tools: await toolsOf(input, cwd, log),
    ...{ input, messages, log, keep },
  });
}

async function resume(input: RunInput, log: TurnLog): Promise<ModelMessage[]> {
  const session = resumedSession(input);
  if (session === null) return [];
  const kept = await readConversation(input.dir, session);
  if (kept === null)
    await log.say({ type: 'line', text: `the conversation ${session} is gone: a new one begins` });
  return kept ?? [];
}

async function toolsOf(input: RunInput, cwd: string, log: TurnLog): Promise<AgentTool[]> {
  const { agent } = input;
  const own = fileTools(createWorkplace(cwd, input.room));
  const shell = shellTool(input, keyVariable(agent), () => void log.say({ type: 'alive' }).catch(() => {}));
  return [...((await input.tools?.()) ?? []), ...own, ...(agent.permissions === 'edit' ? [] : [shell])];
}

function instructionsOf(cwd: string, runs: boolean): string {
  const work = runs ? 'read and change its files and run commands in it' : 'read and change its files';
  return `You work without a person at hand. Your folder is ${cwd}: you can ${work}. Work by calling tools; what you say without a call ends your turn.`;
}

function modelTrouble(error: unknown, clock: WordClock): AgentTrouble {
  const cause: unknown = RetryError.isInstance(error) ? error.lastError : error;
  // Anything but an Error is what a server says in the middle of its answer.
  if (!APICallError.isInstance(cause))
    return troubleOf(cause instanceof Error ? cause.message : cause, {}, clock);
  const { statusCode: status, message, responseHeaders = {} } = cause;
  // A request that got no answer has no status: its words name the network.
  if (status === undefined) return { ...troubleOf(`${message}: connection failed`, {}, clock), message };
  return troubleOf(message, { status, until: limitEnd(responseHeaders, clock) }, clock);
}

function limitEnd(headers: Readonly<Record<string, string>>, { now }: WordClock): number | undefined {
  const reset = Number(headers['anthropic-ratelimit-unified-reset'] ?? Number.NaN);
  if (Number.isFinite(reset)) return reset;
  const after = headers['retry-after'] ?? '';
  const seconds = Number(after || Number.NaN);
  const at = Number.isNaN(seconds) ? Date.parse(after) : now + seconds * 1000;
  return Number.isNaN(at) ? undefined : at;
}

const SHORT_WAIT_S = 20; // A limit that is over sooner is waited for within the turn.

async function loadModel(agent: AgentConfig, effects: Effects): Promise<LanguageModel> {
  // It would write of settings that a model does not know to the runtime's own output.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const variable = keyVariable(agent);
  const apiKey = (variable === null ? undefined : effects.env[variable]) ?? 'none';
  const address = agent.baseUrl === null ? {} : { baseURL: agent.baseUrl };
  const settings = { apiKey, fetch: boundedFetch(effects.fetch), ...address };
  const model = agent.model!;
  switch (agent.api!) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings)(model);
    case 'openai-compatible': {
      const server = { name: 'compatible', baseURL: agent.baseUrl!, includeUsage: true };
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({ ...settings, ...server })(model);
    }
  }
}

/** Follows nobody elsewhere, with the key and all that was said. A limit that lasts is told at once, and not tried again within the turn
 * as if it were over in a moment. */
function boundedFetch(send: Effects['fetch']): Effects['fetch'] {
  return async (input, init) => {
    const response = await send(input, { ...init, redirect: 'error' });
    if (response.status !== 429 && response.status !== 529) return response;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (seconds <= SHORT_WAIT_S) return response;
    const responseBody = await response.text();
    throw new APICallError({
      message: textOf(fieldsOf(parseFields(responseBody)?.error).message) || 'too many requests',
      url: String(input instanceof Request ? input.url : input),
      requestBodyValues: {},
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody,
      isRetryable: false,
    });
  };
}

const FILE = 'conversation.json';
/** A session is the turn whose folder holds it. */
const SESSION = /^[a-z][0-9a-z]{8}$/;
const MAX_CHARS = 500_000; // Of the whole as JSON; some 150,000 tokens.
const NEWEST = 12;
const OLD_ANSWER_CHARS = 400;

async function readConversation(dir: string, session: string): Promise<ModelMessage[] | null> {
  if (!SESSION.test(session)) return null;
  const text = await ifThere(readFile(join(dirname(dir), session, FILE), 'utf8'));
  const messages = parseFields(text ?? '')?.messages;
  return Array.isArray(messages) ? messages : null;
}

/** Replaces what is kept; durable as a whole or not at all. */
async function writeConversation(dir: string, messages: readonly ModelMessage[]): Promise<void> {
  const path = join(dir, FILE);
  await writeFile(`${path}.new`, JSON.stringify({ messages }), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** The same conversation within its bound: first old answers of tools are cut, then the oldest turns left out. The newest
 * turn stays whole but for its old answers. */
export function bounded(messages: readonly ModelMessage[], maxChars = MAX_CHARS): ModelMessage[] {
  if (sizeOf(messages) <= maxChars) return [...messages];
  const shorter = messages.map((message, at) =>
    at < messages.length - NEWEST ? withoutLongAnswers(message) : message,
  );
  const begins = shorter.flatMap(({ role }, at) => (role === 'user' ? [at] : []));
  for (const at of begins) if (sizeOf(shorter.slice(at)) <= maxChars) return shorter.slice(at);
  return shorter.slice(begins.at(-1) ?? 0);
}

const sizeOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);

function withoutLongAnswers(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || !('value' in part.output) || typeof part.output.value !== 'string')
      return part;
    const { value } = part.output;
    if (value.length <= OLD_ANSWER_CHARS) return part;
    const kept = `${value.slice(0, OLD_ANSWER_CHARS).toWellFormed()}\n(the rest of this old answer is left out)`;
    return { ...part, output: { ...part.output, value: kept } };
  });
  return { ...message, content } as ModelMessage;
}
