// The file of an issue that was never mirrored: its name, its text and the first base.
import type { MirrorConfig } from '../../core/chore/chore.ts';
import type { Value } from '../../core/document/document.ts';
import { formatPair } from '../../core/document/yaml-scalar.ts';
import type { TaskId } from '../../core/ids.ts';
import { wrapForeignBody } from '../../core/task/body/foreign-text.ts';
import { MAX_NAME_BYTES, safeFileName, shortenName } from '../../core/task/names.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Profile, RemoteTask } from '../../providers/provider.ts';
import { ISSUE_FIELDS, LOCAL_KEYS } from '../plan/fields.ts';
import { hashOf } from '../plan/keys.ts';
import { localFields, readLocalSide } from '../plan/local-side.ts';
import type { Base } from '../plan/plan-data.ts';
import { gateReason, isTrusted, noteOf } from '../plan/trust.ts';
import { cutTitle } from '../plan/upstream-text.ts';
import { commentBlock, fieldsOf } from './local-edit.ts';

export interface NewTaskInput {
  remote: RemoteTask;
  config: MirrorConfig;
  profile: Profile;
  provider: string;
  id: TaskId;
  /** Fresh and random. */
  tag: string;
  /** `web#12` for `acme/web#12`. */
  shortRef: string;
  taskOf(ref: string): TaskId | null;
}

export interface NewTaskFile {
  /** Without `.md`. */
  name: string;
  text: string;
  base: Base;
  trusted: boolean;
  /** Comments that did not fit beside the others, to be appended one by one. */
  later: RemoteTask['comments']['items'];
}

// Room for what people and agents add before the oldest entries are moved out of the file.
const MAX_COMMENT_BYTES = 256 * 1024;

/** Makes the file of an issue; an untrusted author's arrives paused. */
export function newTaskFile(input: NewTaskInput): NewTaskFile {
  const { remote, config, profile, provider, id } = input;
  const trusted = isTrusted(remote, config, profile) || isFinished(remote.status);
  const name = fileNameFor(remote.title, input.shortRef);
  const path = `tasks/${name}.md`;
  const { first, later } = fitting(remote.comments.items, provider);
  const notes = trusted ? [] : [`- ${noteOf(remote, 'opened')}`];
  const sections = [
    `## Task\n${wrapForeignBody(remote.body, input.tag)}`,
    ['## Notes', ...notes].join('\n'),
    ...(first.length > 0 ? [`## Comments\n\n${first.join('\n\n')}`] : []),
    '## Progress',
    '## Outcome',
  ];
  const text = `---\n${frontMatter(input, trusted)}---\n\n${sections.join('\n\n')}\n`;
  const local = readLocalSide(path, text);
  const asMeant =
    local?.id === id &&
    (local.title ?? '') === cutTitle(remote.title, Number.POSITIVE_INFINITY) &&
    trimmed(local.labels) === trimmed(remote.labels) &&
    trimmed(local.assignees) === trimmed(remote.assignees);
  if (!asMeant) throw new Error(`the file made for ${remote.ref} can't be read`);
  // Both sides are equal. A task that arrives finished waits for its reader once it is opened again.
  const gate = isTrusted(remote, config, profile) ? null : gateReason(remote);
  const { comments, ...fields } = remote;
  const known = comments.items.map(({ id: comment, body }) => {
    const hash = hashOf(body);
    return [comment, { remote: hash, text: hash, local: null, deleted: false }] as const;
  });
  const agreed = { remote: fields, local: localFields(local), comments: Object.fromEntries(known) };
  return { name, text, trusted, later, base: { ...agreed, own: {}, name, gate } };
}

/** Blanks around a name are no part of it. */
function trimmed(names: readonly string[]): string {
  return JSON.stringify(names.map((name) => name.trim()));
}

/** `Fix the login redirect (web#12)`: the title made safe, then the short reference. */
export function fileNameFor(title: string, shortRef: string): string {
  const suffix = `(${safeFileName(shortRef) ?? 'issue'})`;
  const words = safeFileName(cutTitle(title, Number.POSITIVE_INFINITY));
  if (words === null) return suffix;
  const room = MAX_NAME_BYTES - new TextEncoder().encode(suffix).length - 1;
  return `${shortenName(words, room).trimEnd()} ${suffix}`;
}

/** Its lines. Written as they are: nothing stands there yet that an edit could harm. */
function frontMatter(input: NewTaskInput, trusted: boolean): string {
  const { remote, config, provider, id } = input;
  const said = LOCAL_KEYS.map((key) => [key, ISSUE_FIELDS[key].inFile(remote, input)]);
  const { status, title, ...others } = Object.fromEntries(fieldsOf(Object.fromEntries(said)));
  const keys: Record<string, Value | null> = {
    id,
    requester: provider === 'taskwarrior' ? provider : `${provider}:${onOneLine(remote.author)}`,
    status: status!,
    paused: !trusted,
    title: title!,
    remote: `task:${provider}:${remote.ref}`,
    owner: config.owner,
    ...others,
    milestone: remote.milestone,
  };
  const lines = Object.entries(keys).map(([key, value]) =>
    value === null ? '' : `${formatPair(key, value, false)}\n`,
  );
  return lines.join('');
}

function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ').trim();
}

function fitting(items: RemoteTask['comments']['items'], provider: string) {
  const first: string[] = [];
  let size = 0;
  for (const [index, comment] of items.entries()) {
    const block = commentBlock(comment, provider);
    size += Buffer.byteLength(block);
    if (size > MAX_COMMENT_BYTES) return { first, later: items.slice(index) };
    first.push(block);
  }
  return { first, later: [] };
}
