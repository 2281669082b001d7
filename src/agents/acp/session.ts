// One turn in the protocol: hello, the session of the thread, the prompt, and what the agent asks of us meanwhile.
import {
  type ClientContext,
  client,
  methods,
  type NewSessionRequest,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptRequest,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { type Effects, sleep } from '../../effects.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../command/reading/fields.ts';
import type { TurnMcpServer } from '../runner.ts';
import type { MessageStream } from './message-stream.ts';
import { NOTE, REPLAY_BEGINS, REPLAY_ENDS } from './output-reader.ts';
import type { SessionWords } from './programs.ts';

/** How long an agent may take to say hello, and to give its session. */
const STARTUP_MS = 120_000;

export type SessionEnd =
  /** It answered the prompt. */
  | { kind: 'answered'; stopReason: string }
  /** It can't do this as it is configured. */
  | { kind: 'refused'; message: string }
  | { kind: 'failed'; message: string }
  /** The connection was closed under it. */
  | { kind: 'gone' };

export interface SessionInput {
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
  onUpdate(update: Fields): void;
  onPermission(request: Fields): Promise<RequestPermissionResponse>;
}

interface Session {
  input: SessionInput;
  agent: ClientContext;
  messages: MessageStream;
  id: string | null;
  isCanceled: boolean;
}

class SessionFault extends Error {
  readonly kind: 'refused' | 'failed';
  constructor(kind: 'refused' | 'failed', message: string) {
    super(message);
    this.kind = kind;
  }
}

export function startSession(messages: MessageStream, input: SessionInput) {
  const connection = client({ name: 'taskroom' })
    .onNotification(methods.client.session.update, fieldsOf, ({ params }) => {
      if (textOf(params.sessionId) === (session.id ?? params.sessionId))
        input.onUpdate(fieldsOf(params.update));
    })
    .onRequest(methods.client.session.requestPermission, fieldsOf, async ({ params }) =>
      session.isCanceled ? { outcome: { outcome: 'cancelled' } } : input.onPermission(params),
    )
    .connect(messages.stream);
  const session: Session = { input, agent: connection.agent, messages, id: null, isCanceled: false };
  const finished = promptAgent(session)
    .catch((error: unknown): SessionEnd => {
      if (error instanceof SessionFault && error.kind === 'refused')
        return { kind: 'refused', message: error.message };
      const isBrokenPipe = typeof (error as NodeJS.ErrnoException).code === 'string';
      if (connection.signal.aborted || isBrokenPipe) return { kind: 'gone' };
      if (error instanceof RequestError || error instanceof SessionFault)
        return { kind: 'failed', message: error.message };
      throw error;
    })
    .finally(() => connection.close());
  return {
    finished,
    /** Asks the agent to end its turn; it answers the prompt then. Resolves when that is said. */
    async cancel() {
      if (session.isCanceled) return;
      session.isCanceled = true;
      if (session.id === null) return connection.close();
      await connection.agent.notify(methods.agent.session.cancel, { sessionId: session.id }).catch(() => {
        // It is gone, which its process tells.
      });
    },
  };
}

async function promptAgent(session: Session): Promise<SessionEnd> {
  const { agent, input } = session;
  const hello = await inTime(
    session,
    'say hello',
    agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      // It works with its own files and programs, where its own fences are: ours would be a way around them.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
  );
  if (hello.protocolVersion !== PROTOCOL_VERSION)
    throw new SessionFault(
      'refused',
      `it speaks version ${hello.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}; install a version of it that does`,
    );
  const { id: sessionId, offered } = await openSession(session, fieldsOf(hello.agentCapabilities));
  session.id = sessionId;
  // Modes differ in who is asked for leave: an agent in another one than this would pass its file's permissions by.
  if (input.mode !== null && fieldsOf(offered.modes).currentModeId !== input.mode) {
    const request = { sessionId, modeId: input.mode };
    await inTime(session, 'change its mode', agent.request(methods.agent.session.setMode, request));
  }
  const choice = input.model === null ? null : chooseModel(offered, input.model);
  if (choice !== null) {
    const request = { sessionId, ...choice };
    await inTime(session, 'change its model', agent.request(methods.agent.session.setConfigOption, request));
  }
  const request: PromptRequest = { sessionId, prompt: [{ type: 'text', text: input.prompt }] };
  const { stopReason } = await agent.request(methods.agent.session.prompt, request);
  // Some say of a turn that they were asked to end that it came to its end.
  const isStopped = session.isCanceled && stopReason === 'end_turn';
  return { kind: 'answered', stopReason: isStopped ? 'cancelled' : stopReason };
}

/** @param able what the agent can do @returns the session's id, and what the agent offers to choose from */
async function openSession(session: Session, able: Fields): Promise<{ id: string; offered: Fields }> {
  const { agent, messages, input } = session;
  const { additionalDirectories = [], ...words } = input.words;
  const abilities = fieldsOf(able.sessionCapabilities);
  const variables = Object.entries(input.mcp?.env ?? {}).map(([name, value]) => ({ name, value }));
  const where: NewSessionRequest = {
    ...words,
    cwd: input.cwd,
    mcpServers: input.mcp === null ? [] : [{ ...input.mcp, name: 'taskroom', env: variables }],
    ...((abilities.additionalDirectories ?? null) !== null &&
      additionalDirectories.length > 0 && { additionalDirectories }),
  };
  const id = input.session;
  // Resuming repeats nothing of what was said; loading repeats all of it.
  const canResume = (abilities.resume ?? null) !== null;
  if (id !== null && !canResume && able.loadSession !== true)
    await messages.note({ [NOTE]: `the agent keeps no sessions: ${id} is not taken up, a new one begins` });
  else if (id !== null) {
    const method = canResume ? methods.agent.session.resume : methods.agent.session.load;
    await messages.note({ [NOTE]: REPLAY_BEGINS });
    try {
      const request = agent.request(method, { ...where, sessionId: id });
      return { id, offered: fieldsOf(await inTime(session, 'take up its session', request)) };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const why = `the session ${id} can't be taken up (${error.message}): a new one begins`;
      await messages.note({ [NOTE]: why });
    } finally {
      await messages.note({ [NOTE]: REPLAY_ENDS });
    }
  }
  const request: Promise<NewSessionResponse> = agent.request(methods.agent.session.new, where);
  const made = await inTime(session, 'open a session', request);
  return { id: made.sessionId, offered: fieldsOf(made) };
}

async function inTime<T>({ input }: Session, what: string, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(input.effects, STARTUP_MS, over.signal).then(() => {
    if (over.signal.aborted) return answer;
    throw new SessionFault('failed', `it did not ${what} within ${STARTUP_MS / 1000} s`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    over.abort();
    late.catch(() => {});
  }
}

const MOST_NAMED = 12;

/**
 * @param offered what the agent answered when its session was opened
 * @param wanted as its person wrote it: the value, or the name that people see
 * @returns the option to change; null where the model is in use already
 */
function chooseModel(offered: Fields, wanted: string): { configId: string; value: string } | null {
  const option = listOf(offered.configOptions).find(
    ({ category, id, type }) => type === 'select' && (category === 'model' || id === 'model'),
  );
  if (option === undefined)
    throw new SessionFault(
      'refused',
      'it offers no choice of models; take "model" out, or choose it by "args"',
    );
  const values = valuesOf(option.options);
  const found =
    values.find(({ value }) => value === wanted) ??
    values.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found === undefined) {
    const names = values.slice(0, MOST_NAMED).map(({ value }) => value);
    const more = values.length > names.length ? ` and ${values.length - names.length} more` : '';
    const message = `it offers no model ${JSON.stringify(wanted)}, but ${names.join(', ')}${more}`;
    throw new SessionFault('refused', message);
  }
  return option.currentValue === found.value ? null : { configId: textOf(option.id), value: found.value };
}

/** Options stand in one list, or in groups of lists. */
function valuesOf(options: unknown): { value: string; name: string }[] {
  return listOf(options).flatMap((entry) =>
    Array.isArray(entry.options)
      ? valuesOf(entry.options)
      : [{ value: textOf(entry.value), name: textOf(entry.name) }],
  );
}
