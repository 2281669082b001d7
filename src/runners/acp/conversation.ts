// One turn in the protocol: hello, the session of the thread, the prompt, and what the agent asks of us meanwhile.

import {
  type ClientContext,
  client,
  type McpServerStdio,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { type Effects, sleep } from '../../effects.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../command/reading/fields.ts';
import type { TurnMcpServer } from '../runner.ts';
import type { MessageStream } from './message-stream.ts';
import type { ConversationEnd } from './outcome.ts';
import { NOTE, REPLAY_BEGINS, REPLAY_ENDS } from './output-reader.ts';
import type { SessionWords } from './programs.ts';

/** How long an agent may take to say hello, and to give its session. */
const STARTUP_MS = 120_000;

export interface ConversationInput {
  cwd: string;
  prompt: string;
  /** To go on with; null for a new one. */
  session: string | null;
  model: string | null;
  mcp: TurnMcpServer | null;
  words: SessionWords;
  /** How its agent is to work, by the mode's id; null for its own choice. */
  mode: string | null;
  effects: Effects;
  /** What the agent tells while it works. */
  onUpdate(update: Fields): void;
  /** Answers who asks leave for a call. */
  onPermission(request: Fields): Promise<RequestPermissionResponse>;
}

export type Conversation = ReturnType<typeof startConversation>;

export function startConversation(messages: MessageStream, input: ConversationInput) {
  const state: { session: string | null; isCanceled: boolean } = { session: null, isCanceled: false };
  const app = client({ name: 'taskroom' })
    .onNotification(methods.client.session.update, fieldsOf, ({ params }) => {
      if (textOf(params.sessionId) === (state.session ?? params.sessionId))
        input.onUpdate(fieldsOf(params.update));
    })
    .onRequest(methods.client.session.requestPermission, fieldsOf, async ({ params }) =>
      state.isCanceled ? { outcome: { outcome: 'cancelled' } } : input.onPermission(params),
    );
  const connection = app.connect(messages.stream);
  const { agent } = connection;
  const finished = talk(agent, messages, input, state)
    .catch((error: unknown): ConversationEnd => {
      if (error instanceof Refusal) return { kind: 'refused', message: error.message };
      if (connection.signal.aborted || isBrokenPipe(error)) return { kind: 'gone' };
      if (error instanceof RequestError || error instanceof TooSlow)
        return { kind: 'failed', message: error.message };
      throw error;
    })
    .finally(() => connection.close());
  return {
    /** Never rejects. */
    finished,
    /** Asks the agent to end its turn; it answers the prompt then. Resolves when that is said. */
    async cancel() {
      if (state.isCanceled) return;
      state.isCanceled = true;
      if (state.session === null) return connection.close();
      await agent.notify(methods.agent.session.cancel, { sessionId: state.session }).catch(() => {
        // It is gone, which its process tells.
      });
    },
  };
}

function isBrokenPipe(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}

/** The agent can't be run as its file says. */
class Refusal extends Error {}
class TooSlow extends Error {}

async function talk(
  agent: ClientContext,
  messages: MessageStream,
  input: ConversationInput,
  state: { session: string | null; isCanceled: boolean },
): Promise<ConversationEnd> {
  const inTime = <T>(what: string, answer: Promise<T>) => within(input.effects, what, answer);
  const hello = await inTime(
    'say hello',
    agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      // It works with its own files and programs, where its own fences are: ours would be a way around them.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
  );
  if (hello.protocolVersion !== PROTOCOL_VERSION)
    throw new Refusal(
      `it speaks version ${hello.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}; install a version of it that does`,
    );
  const opened = await openSession(agent, messages, input, fieldsOf(hello.agentCapabilities), inTime);
  state.session = opened.id;
  if (input.mode !== null) await setMode(agent, opened, input.mode, inTime);
  if (input.model !== null) await setModel(agent, opened, input.model, inTime);
  const answer = await agent.request(methods.agent.session.prompt, {
    sessionId: opened.id,
    prompt: [{ type: 'text', text: input.prompt }],
  });
  // Some say of a turn that they were asked to end that it came to its end.
  const isStopped = state.isCanceled && answer.stopReason === 'end_turn';
  return { kind: 'answered', stopReason: isStopped ? 'cancelled' : answer.stopReason };
}

interface SessionPlace extends SessionWords {
  cwd: string;
  mcpServers: McpServerStdio[];
}

type InTime = <T>(what: string, answer: Promise<T>) => Promise<T>;

interface OpenedSession {
  id: string;
  /** What the agent offers to choose from. */
  offered: Fields;
}

async function openSession(
  agent: ClientContext,
  messages: MessageStream,
  input: ConversationInput,
  able: Fields,
  inTime: InTime,
): Promise<OpenedSession> {
  const { session, cwd, mcp, words } = input;
  const { additionalDirectories = [], ...others } = words;
  const takesFolders = (fieldsOf(able.sessionCapabilities).additionalDirectories ?? null) !== null;
  const where: SessionPlace = {
    ...others,
    cwd,
    mcpServers: mcp === null ? [] : [toServer(mcp)],
    ...(takesFolders && additionalDirectories.length > 0 && { additionalDirectories }),
  };
  if (session !== null) {
    const resumed = await takeUp(agent, messages, { ...where, sessionId: session }, able, inTime);
    if (resumed !== null) return resumed;
  }
  const request: Promise<NewSessionResponse> = agent.request(methods.agent.session.new, where);
  const made = await inTime('open a session', request);
  return { id: made.sessionId, offered: fieldsOf(made) };
}

/** The session of the turn before; null, and said so, where the agent can't go on with it. */
async function takeUp(
  agent: ClientContext,
  messages: MessageStream,
  where: SessionPlace & { sessionId: string },
  able: Fields,
  inTime: InTime,
): Promise<OpenedSession | null> {
  const id = where.sessionId;
  // Resuming repeats nothing of what was said; loading repeats all of it.
  const canResume = (fieldsOf(able.sessionCapabilities).resume ?? null) !== null;
  if (!canResume && able.loadSession !== true) {
    await messages.note({ [NOTE]: `the agent keeps no sessions: ${id} is not taken up, a new one begins` });
    return null;
  }
  const method = canResume ? methods.agent.session.resume : methods.agent.session.load;
  await messages.note({ [NOTE]: REPLAY_BEGINS });
  try {
    const offered = await inTime('take up its session', agent.request(method, where));
    return { id, offered: fieldsOf(offered) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    await messages.note({
      [NOTE]: `the session ${id} can't be taken up (${error.message}): a new one begins`,
    });
    return null;
  } finally {
    await messages.note({ [NOTE]: REPLAY_ENDS });
  }
}

/** Modes differ in who is asked for leave: an agent in another one than this would pass its file's permissions by. */
async function setMode(
  agent: ClientContext,
  { id, offered }: OpenedSession,
  mode: string,
  inTime: InTime,
): Promise<void> {
  if (fieldsOf(offered.modes).currentModeId === mode) return;
  const request = { sessionId: id, modeId: mode };
  await inTime('change its mode', agent.request(methods.agent.session.setMode, request));
}

async function setModel(
  agent: ClientContext,
  { id, offered }: OpenedSession,
  model: string,
  inTime: InTime,
): Promise<void> {
  const choice: ModelChoice = chooseModel(offered, model);
  if (choice.kind === 'set') return;
  if (choice.kind === 'none') throw new Refusal(choice.message);
  const { configId, value } = choice;
  const request = { sessionId: id, configId, value };
  await inTime('change its model', agent.request(methods.agent.session.setConfigOption, request));
}

function toServer({ command, args, env }: TurnMcpServer): McpServerStdio {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  return { name: 'taskroom', command, args, env: variables };
}

async function within<T>(effects: Effects, what: string, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(effects, STARTUP_MS, over.signal).then(() => {
    if (over.signal.aborted) return answer;
    throw new TooSlow(`it did not ${what} within ${STARTUP_MS / 1000} s`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    over.abort();
    late.catch(() => {});
  }
}

export type ModelChoice =
  | { kind: 'set' }
  | { kind: 'change'; configId: string; value: string }
  | { kind: 'none'; message: string };

const MOST_NAMED = 12;

/**
 * @param offered what the agent answered when its session was opened
 * @param wanted as its person wrote it: the value, or the name that people see
 */
export function chooseModel(offered: Fields, wanted: string): ModelChoice {
  const option = listOf(offered.configOptions).find(
    ({ category, id, type }) => type === 'select' && (category === 'model' || id === 'model'),
  );
  if (option === undefined)
    return {
      kind: 'none',
      message: 'it offers no choice of models; take "model" out, or choose it by "args"',
    };
  const values = valuesOf(option.options);
  const found =
    values.find(({ value }) => value === wanted) ??
    values.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found === undefined) {
    const names = values.slice(0, MOST_NAMED).map(({ value }) => value);
    const more = values.length > names.length ? ` and ${values.length - names.length} more` : '';
    return {
      kind: 'none',
      message: `it offers no model ${JSON.stringify(wanted)}, but ${names.join(', ')}${more}`,
    };
  }
  if (option.currentValue === found.value) return { kind: 'set' };
  return { kind: 'change', configId: textOf(option.id), value: found.value };
}

/** Options stand in one list, or in groups of lists. */
function valuesOf(options: unknown): { value: string; name: string }[] {
  return listOf(options).flatMap((entry) =>
    Array.isArray(entry.options)
      ? valuesOf(entry.options)
      : [{ value: textOf(fieldsOf(entry).value), name: textOf(entry.name) }],
  );
}
