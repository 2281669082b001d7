// One turn in the protocol: hello, the session of the thread, the prompt, words of the person while it works, and what the agent asks
// of us meanwhile.
import type {
  ClientContext,
  CreateElicitationResponse,
  NewSessionRequest,
  PromptRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { client, methods, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import { sleep } from '../../effects.ts';
import { type Fields, fieldsOf, listOf, oneLine, textOf } from '../command/reading/fields.ts';
import { type RunInput, resumedSession, whileAtWork } from '../runner.ts';
import type { MessageStream } from './message-stream.ts';
import { REPLAY_BEGINS, REPLAY_ENDS } from './output-reader.ts';
import type { AcpPreparation, AcpProgram } from './programs.ts';

const STARTUP_MS = 120_000; // How long an agent may take to say hello, and to give its session.

export type SessionEnd =
  /** It answered the prompt. */
  | { kind: 'answered'; stopReason: string }
  /** `refused`: it can't do this as it is configured. */
  | { kind: 'failed'; reason: 'refused' | 'exit'; message: string }
  /** The connection was closed under it. */
  | { kind: 'gone' };

export interface SessionInput {
  input: RunInput;
  cwd: string;
  program: AcpProgram;
  prepared: AcpPreparation;
  onUpdate(update: Fields): void;
  onPermission(request: Fields): Promise<RequestPermissionResponse>;
  onForm(request: Fields): Promise<CreateElicitationResponse>;
}

interface Session extends SessionInput {
  agent: ClientContext;
  messages: MessageStream;
  id: string | null;
  isCanceled: boolean;
}

class Refused extends Error {}
class TooLate extends Error {}
class NotNow extends Error {}

export function startSession(messages: MessageStream, given: SessionInput) {
  const connection = client({ name: 'taskroom' })
    .onNotification(methods.client.session.update, fieldsOf, ({ params }) => {
      if (textOf(params.sessionId) === (session.id ?? params.sessionId))
        given.onUpdate(fieldsOf(params.update));
    })
    .onRequest(methods.client.session.requestPermission, fieldsOf, async ({ params }) =>
      session.isCanceled ? { outcome: { outcome: 'cancelled' } } : given.onPermission(params),
    )
    .onRequest(methods.client.elicitation.create, fieldsOf, async ({ params }) =>
      session.isCanceled ? { action: 'cancel' } : given.onForm(params),
    )
    .connect(messages.stream);
  const { agent } = connection;
  const session: Session = { ...given, agent, messages, id: null, isCanceled: false };
  const finished = promptAgent(session)
    .catch((error: unknown): SessionEnd => {
      if (error instanceof Refused) return { kind: 'failed', reason: 'refused', message: error.message };
      const isBrokenPipe = typeof (error as NodeJS.ErrnoException).code === 'string';
      if (connection.signal.aborted || isBrokenPipe) return { kind: 'gone' };
      if (error instanceof RequestError || error instanceof TooLate)
        return { kind: 'failed', reason: 'exit', message: error.message };
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
      // An agent that is gone is told by its process.
      await agent.notify(methods.agent.session.cancel, { sessionId: session.id }).catch(() => {});
    },
  };
}

async function promptAgent(session: Session): Promise<SessionEnd> {
  const { agent, input, program, prepared } = session;
  const hello = await inTime(
    session,
    'say hello',
    agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      // It works with its own files and programs, where its own fences are: ours would be a way around them.
      clientCapabilities: {
        ...{ fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        elicitation: { form: {} },
      },
    }),
  );
  if (hello.protocolVersion !== PROTOCOL_VERSION)
    throw new Refused(
      `it speaks version ${hello.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}; install a version of it that does`,
    );
  const { id: sessionId, offered } = await openSession(session, fieldsOf(hello.agentCapabilities));
  session.id = sessionId;
  // Modes differ in who is asked for permission: in another mode an agent would ignore the permissions of its file.
  const modeId = prepared.mode ?? null;
  if (modeId !== null && fieldsOf(offered.modes).currentModeId !== modeId)
    await inTime(
      session,
      'change its mode',
      agent.request(methods.agent.session.setMode, { sessionId, modeId }),
    );
  const model = program.namesModel ? null : input.agent.model;
  const choice = model === null ? null : chooseModel(offered, model);
  if (choice !== null) {
    const request = { sessionId, ...choice };
    await inTime(session, 'change its model', agent.request(methods.agent.session.setConfigOption, request));
  }
  const request: PromptRequest = { sessionId, prompt: [{ type: 'text', text: input.prompt }] };
  const answer = agent.request(methods.agent.session.prompt, request);
  const over = new AbortController();
  const canSteer = fieldsOf(fieldsOf(hello._meta).steering).supported === true;
  const steering = canSteer && input.hear ? steer(session, input.hear, over.signal) : null;
  steering?.catch(() => {});
  const { stopReason } = await answer.finally(() => over.abort());
  // Words whose taking is not answered by now are said again in the next turn.
  if (steering !== null) await Promise.race([steering, sleep(input.effects, STEER_MS)]);
  // Some say of a turn that they were asked to end that it came to its end.
  const isStopped = session.isCanceled && stopReason === 'end_turn';
  return { kind: 'answered', stopReason: isStopped ? 'cancelled' : stopReason };
}

const STEER_METHOD = '_session/steering'; // An extension that claude-agent-acp and codex-acp (by `turn/steer`) have.
const STEER_MS = 1_000; // Between two looks at what the person told; and how long the last answer is waited for.

/** Gives the agent what the person tells it while it works, until `over` aborts. What it does not take is for the next turn. */
async function steer(session: Session, hear: NonNullable<RunInput['hear']>, over: AbortSignal) {
  const { agent, input, id, messages } = session;
  const _meta = { steering: { idleBehavior: 'promptRequired' } };
  const take = async (text: string) => {
    const prompt = [{ type: 'text', text: whileAtWork(text) }];
    const { outcome } = fieldsOf(await agent.request(STEER_METHOD, { sessionId: id, prompt, _meta }));
    if (outcome !== 'injected') throw new NotNow(textOf(outcome));
    await messages.note(`told: ${oneLine(text)}`);
  };
  while (!over.aborted) {
    try {
      await hear(take);
    } catch (error) {
      if (error instanceof RequestError) return await messages.note(`not told: ${error.message}`);
      if (!(error instanceof NotNow)) throw error;
    }
    await sleep(input.effects, STEER_MS, over);
  }
}

/** @param able what the agent can do @returns the session's id, and what the agent offers to choose from */
async function openSession(session: Session, able: Fields): Promise<{ id: string; offered: Fields }> {
  const { agent, messages, prepared, cwd } = session;
  const { additionalDirectories: added = [], ...words } = prepared.session ?? {};
  const abilities = fieldsOf(able.sessionCapabilities);
  const can = (ability: string) => (abilities[ability] ?? null) !== null;
  const mcp = prepared.hasMcp ? undefined : session.input.mcp;
  const variables = Object.entries(mcp?.env ?? {}).map(([name, value]) => ({ name, value }));
  const where: NewSessionRequest = {
    ...words,
    cwd,
    mcpServers: mcp ? [{ ...mcp, name: 'taskroom', env: variables }] : [],
    ...(can('additionalDirectories') && added.length > 0 && { additionalDirectories: added }),
  };
  const id = resumedSession(session.input);
  const { note } = messages;
  if (id !== null && !can('resume') && able.loadSession !== true)
    await note(`the agent keeps no sessions: ${id} is not taken up, a new one begins`);
  else if (id !== null) {
    // Resuming repeats nothing of what was said; loading repeats all of it.
    const method = can('resume') ? methods.agent.session.resume : methods.agent.session.load;
    await note(REPLAY_BEGINS);
    try {
      const request = agent.request(method, { ...where, sessionId: id });
      return { id, offered: fieldsOf(await inTime(session, 'take up its session', request)) };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      await note(`the session ${id} can't be taken up (${error.message}): a new one begins`);
    } finally {
      await note(REPLAY_ENDS);
    }
  }
  const made = await inTime(session, 'open a session', agent.request(methods.agent.session.new, where));
  return { id: made.sessionId, offered: fieldsOf(made) };
}

async function inTime<T>({ input }: Session, what: string, answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(input.effects, STARTUP_MS, over.signal).then(() => {
    if (over.signal.aborted) return answer;
    throw new TooLate(`it did not ${what} within ${STARTUP_MS / 1000} s`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    over.abort();
    late.catch(() => {});
  }
}

const MOST_NAMED = 12;

/** The option to change; null where the model is in use already.
 * @param wanted as its person wrote it: the value, or the name that people see */
function chooseModel(offered: Fields, wanted: string): { configId: string; value: string } | null {
  const option = listOf(offered.configOptions).find(
    ({ category, id, type }) => type === 'select' && (category === 'model' || id === 'model'),
  );
  if (option === undefined)
    throw new Refused('it offers no choice of models; take "model" out, or choose it by "args"');
  const values = valuesOf(option.options);
  const found =
    values.find(({ value }) => value === wanted) ??
    values.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found !== undefined)
    return option.currentValue === found.value ? null : { configId: textOf(option.id), value: found.value };
  const names = values.slice(0, MOST_NAMED).map(({ value }) => value);
  const more = values.length > names.length ? ` and ${values.length - names.length} more` : '';
  throw new Refused(`it offers no model ${JSON.stringify(wanted)}, but ${names.join(', ')}${more}`);
}

/** Options stand in one list, or in groups of lists. */
function valuesOf(options: unknown): { value: string; name: string }[] {
  return listOf(options).flatMap((entry) =>
    Array.isArray(entry.options)
      ? valuesOf(entry.options)
      : [{ value: textOf(entry.value), name: textOf(entry.name) }],
  );
}
