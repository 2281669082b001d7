// What is posted of a message, in the shape its receiver takes: our own JSON, ntfy's (https://docs.ntfy.sh/publish/, "publish
// as JSON"), or that of Slack's incoming webhooks.
import { RoomError } from '../core/errors.ts';
import type { OutgoingNotice } from '../pulse/ports.ts';

/** One POST. */
export interface NoticePost {
  url: string;
  headers: Record<string, string>;
  body: string;
}

type Format = 'json' | 'ntfy' | 'slack';

// ntfy makes an attachment of what is longer than 4,096 bytes, Slack cuts at 40,000 characters.
const MAX_NTFY_BYTES = 4_000;
const MAX_SLACK = 8_000;

/**
 * @param address as the environment has it; credentials in it become a header
 * @throws RoomError `bad_input` for one that is no address, or names no topic of ntfy; its message holds nothing of it
 */
export function noticePost(
  format: Format,
  address: string,
  room: string,
  notice: OutgoingNotice,
): NoticePost {
  const url = parse(address);
  const headers: Record<string, string> = { 'content-type': 'application/json', ...signIn(url) };
  url.username = '';
  url.password = '';
  if (format === 'ntfy') return { headers, ...toNtfy(url, notice) };
  const body = format === 'slack' ? toSlack(notice) : toJson(room, notice);
  return { url: url.href, headers, body };
}

function parse(address: string): URL {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new RoomError('bad_input', 'is no http(s) address');
  return url;
}

/** `user:password@`, or a token alone. */
function signIn({ username, password }: URL): Record<string, string> {
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  if (user === '' && secret === '') return {};
  if (user !== '' && secret !== '')
    return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
  return { authorization: `Bearer ${user}${secret}` };
}

function toJson(room: string, { seq, at, kind, author, task, name, text }: OutgoingNotice): string {
  return JSON.stringify({ room, seq, at: new Date(at).toISOString(), kind, from: author, task, name, text });
}

/** Posted to the server with its topic inside: headers could not hold a title in every script. */
function toNtfy(url: URL, { kind, name, text }: OutgoingNotice): { url: string; body: string } {
  const [, base = '', topic = ''] = /^(.*?)\/([^/]+)\/?$/.exec(url.pathname) ?? [];
  if (topic === '') throw new RoomError('bad_input', 'names no topic of ntfy');
  const title = name ?? 'taskroom';
  const message = cut(text, MAX_NTFY_BYTES);
  const body = JSON.stringify({
    topic: decodeURIComponent(topic),
    title,
    message,
    tags: [TAGS[kind] ?? 'memo'],
  });
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

/** With these escaped no text of an agent can mention a channel or hide a link. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= maxBytes) return text;
  return `${bytes
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '')} …`;
}
