// Sends a message to the person's own program or address, without any provider's secret. An address gets what its receiver takes: our own
// JSON, ntfy's (https://docs.ntfy.sh/publish/, "publish as JSON"), or that of Slack's webhooks.
import { execa } from 'execa';
import { inheritedEnv } from '../core/config/agent-env.ts';
import { RoomError } from '../core/errors.ts';
import type { OutgoingNotice } from '../pulse/ports.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

const TIME_LIMIT_MS = 20_000;

/** Sends by every way that `notify:` names. @throws RoomError `unavailable` when one of them failed; the others were tried */
export async function sendNotice(deps: TaskRoom, notice: OutgoingNotice): Promise<void> {
  const { command, webhook } = deps.config().notify;
  const ways = [
    ...(command === null ? [] : [runProgram(deps, command, notice)]),
    ...(webhook === null ? [] : [post(deps, webhook, notice)]),
  ];
  const failed = (await Promise.allSettled(ways)).find((way) => way.status === 'rejected');
  if (failed) throw failed.reason;
}

async function runProgram(
  { room, effects }: TaskRoom,
  [program = '', ...args]: readonly string[],
  notice: OutgoingNotice,
): Promise<void> {
  const env = {
    ...inheritedEnv(effects.env, effects.withheld),
    AGENT_ROOM: room.dir,
    TASKROOM_NOTICE_KIND: notice.kind,
    TASKROOM_NOTICE_FROM: notice.author,
    TASKROOM_NOTICE_TASK: notice.task ?? '',
    TASKROOM_NOTICE_NAME: notice.name ?? '',
  };
  const result = await execa(program, args, {
    ...{ cwd: room.dir, env, extendEnv: false, input: `${notice.text}\n`, stdout: 'ignore', reject: false },
    ...{ timeout: TIME_LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: 4096 },
  });
  if (!result.failed) return;
  const why = result.timedOut
    ? `took longer than ${TIME_LIMIT_MS / 1000} s`
    : (result.stderr.trim().split('\n').at(-1) ?? '') || result.shortMessage;
  throw failure(`notify.command failed: ${why}`, 'see the program that room.yaml names under notify');
}

async function post({ room, effects, config }: TaskRoom, variable: string, notice: OutgoingNotice) {
  const address = effects.env[variable];
  const hint = `set ${variable} to the address where the room is started, or change notify.webhook in room.yaml`;
  if (!address) throw failure(`notify.webhook: ${variable} is not set`, hint);
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  let response: Response;
  try {
    const { url, headers, body } = noticePost(config().notify.format, address, room.dir, notice);
    // A message that was sent and not recorded comes again under the same key.
    const all = { ...headers, 'idempotency-key': `${notice.at}-${notice.seq}` };
    response = await effects.fetch(url, { method: 'POST', headers: all, body, signal, redirect: 'error' });
  } catch (error) {
    // The address is a secret: what a URL parser or a network says of it may hold it.
    const { name, message, cause } = error as Error & { cause?: { code?: string } };
    const why = error instanceof RoomError ? message : `can't be reached (${cause?.code ?? name})`;
    throw failure(`notify.webhook: the address in ${variable} ${why}`, hint);
  }
  await response.body?.cancel();
  if (!response.ok) throw failure(`notify.webhook: the answer was ${response.status}`, hint);
}

const failure = (message: string, hint: string) => new RoomError('unavailable', message, { hint });

// ntfy makes an attachment of what is longer than 4,096 bytes, Slack cuts at 40,000 characters.
const MAX_NTFY_BYTES = 4_000;
const MAX_SLACK = 8_000;

/** @param address as the environment has it; credentials in it become a header
 * @throws RoomError `bad_input` for one that is no address, or names no topic of ntfy; its message holds nothing of it */
export function noticePost(
  format: 'json' | 'ntfy' | 'slack',
  address: string,
  room: string,
  notice: OutgoingNotice,
) {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new RoomError('bad_input', 'is no http(s) address');
  const headers: Record<string, string> = { 'content-type': 'application/json', ...signIn(url) };
  url.username = '';
  url.password = '';
  if (format === 'ntfy') return { headers, ...toNtfy(url, notice) };
  return { url: url.href, headers, body: format === 'slack' ? toSlack(notice) : toJson(room, notice) };
}

/** `user:password@`, or a token alone. */
function signIn({ username, password }: URL): Record<string, string> {
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  if (user === '' && secret === '') return {};
  if (user === '' || secret === '') return { authorization: `Bearer ${user}${secret}` };
  return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
}

const toJson = (room: string, { seq, at, kind, author, task, name, text }: OutgoingNotice): string =>
  JSON.stringify({ room, seq, at: new Date(at).toISOString(), kind, from: author, task, name, text });

/** The topic is in the body, since headers can't hold a title in every script. */
function toNtfy(url: URL, { kind, name, text }: OutgoingNotice): { url: string; body: string } {
  const [, base = '', topic = ''] = /^(.*?)\/([^/]+)\/?$/.exec(url.pathname) ?? [];
  if (topic === '') throw new RoomError('bad_input', 'names no topic of ntfy');
  const about = { topic: decodeURIComponent(topic), title: name ?? 'taskroom' };
  const body = JSON.stringify({ ...about, message: cut(text, MAX_NTFY_BYTES), tags: [TAGS[kind] ?? 'memo'] });
  return { url: `${url.origin}${base}/`, body };
}

/** ntfy shows these as signs. */
const TAGS: Readonly<Record<string, string>> = {
  question: 'question',
  paused: 'pause_button',
  trust: 'key',
  held: 'pause_button',
  conflict: 'warning',
  invalid: 'warning',
  setup: 'wrench',
  trouble: 'rotating_light',
};

function toSlack({ author, name, text }: OutgoingNotice): string {
  const head = name === null ? '' : `*${escapeSlack(name)}*\n`;
  const from = author === 'taskroom' ? '' : `${escapeSlack(author.replace(/^agent:/, ''))}: `;
  return JSON.stringify({ text: `${head}${from}${escapeSlack(text.slice(0, MAX_SLACK).toWellFormed())}` });
}

/** Escaped, no text of an agent can mention a channel or hide a link. */
const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= maxBytes) return text;
  const start = bytes.subarray(0, maxBytes).toString('utf8');
  return `${start.replace(/\ufffd+$/, '')} …`;
}
