// What one chore file says: a schedule, and either a mirror to sync or a prompt to run; each setting once. Read by `readChore`.
import * as z from 'zod';
import { OWN_WORDS, sortProblems, toProblems } from '../config/config-problems.ts';
import { scheduleBy } from '../config/room-values.ts';
import { needed, setting, settings } from '../config/setting.ts';
import { agentId, checkCommands, kind, line, mapOf, oneOf, parsed, wordsOf } from '../config/values.ts';
import { type ParsedDocument, parseDocument } from '../document/document.ts';
import type { Problem } from '../errors.ts';
import { once } from '../plain-data.ts';
import { parseFlag } from '../task/key-kinds.ts';
import { nameOfPath } from '../task/names.ts';
import { checkChoreSchedule } from './chore-schedule.ts';
import { FIELDS } from './fields.ts';

// A chore file's text → the chore, or every problem with its place. Invariant: no key is passed over in silence, and a
// chore that is handed out has something to do: a mirror, or a prompt.

/** Whether a provider of that name exists is not looked at. @param text the whole file, BOM included */
export function readChore(path: string, text: string): ChoreReading {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return { ok: false, path, problems: parsed.problems };
  const { doc } = parsed;
  const misplaced = doc.frontMatter === null ? lateFrontMatter(path, text) : null;
  if (misplaced !== null) return { ok: false, path, problems: [misplaced] };
  const prompt = text.slice(doc.bodyStart);
  const result = choreFile().safeParse(doc.data, OWN_WORDS);
  const problems = [
    ...(result.success ? [] : toProblems(result.error.issues, choreFile(), doc, path)),
    ...checkTogether(doc, prompt, path),
  ];
  if (!result.success || problems.length > 0) return { ok: false, path, problems: sortProblems(problems) };
  const chore = { ...result.data, name: nameOfPath(path), path, mirror: result.data.mirror ?? null, prompt };
  return { ok: true, chore };
}

const FENCE = /^---[ \t]*$/;

/** Front matter that does not start the file is no front matter: its mirror would be taken for a prompt. */
function lateFrontMatter(path: string, text: string): Problem | null {
  const lines = text.split(/\r\n?|\n/);
  const ownKey = new RegExp(`^(?:${Object.keys(choreFile().shape).join('|')})[ \\t]*:`);
  const fence = lines.findIndex((line) => FENCE.test(line));
  if (fence < 1) return null;
  const below = lines.slice(fence + 1);
  const end = below.findIndex((line) => FENCE.test(line));
  if (!below.slice(0, end < 0 ? below.length : end).some((line) => ownKey.test(line))) return null;
  const message = 'the front matter does not start the file, so that nothing in it counts';
  const expected = '--- as the first line: move what stands above it';
  return { path, line: fence + 1, col: 1, message, expected };
}

/** What the keys must say together. Looks at the raw data, so that it also speaks up beside other problems. */
function checkTogether(doc: ParsedDocument, prompt: string, path: string): Problem[] {
  const at = (keys: readonly string[], message: string, expected: string): Problem[] => [
    { path, ...doc.placeAt(keys, 'key'), message, expected },
  ];
  if (!Object.hasOwn(doc.data, 'mirror')) {
    if (prompt.trim() !== '') return [];
    const expected = 'a mirror: in the front matter, or text below it as a prompt';
    return at([], 'the chore has nothing to do', expected);
  }
  if ((doc.data.owner ?? null) === null) return [];
  const expected = 'owner: inside mirror:, for the tasks it brings';
  return at(['owner'], 'owner means nothing beside a mirror', expected);
}

const MAX_WORDS = 100; // The kinds of values that only chore files have, beside those of the settings files.
const MAX_WORD = 200;

/** True and false, also as yes/no and on/off, as in a task file. */
function flag() {
  const schema = z.union([z.boolean(), z.string()]).transform(parsed(parseFlag));
  return kind(schema, 'true or false', 'true or false');
}

function choreSchedule() {
  const expected = 'a schedule such as every 5m, "*/5 * * * *" or RRULE:FREQ=DAILY;BYHOUR=9, or off';
  return scheduleBy(checkChoreSchedule, expected);
}

/** A list of short texts, or one text with commas between; each once. */
function words() {
  // A number is a label as good as any.
  const list = z.array(z.union([z.string(), z.number()]), '%s is not a list of texts');
  const text = z.string().transform((found) => found.split(','));
  return kind(z.union([list, text]).transform(parsed(readWords)), 'list of texts', 'a list of texts');
}

function readWords(items: readonly (string | number)[]): string[] | null {
  const found = items.map((item) => String(item).trim());
  const isWord = (word: string) => word.length <= MAX_WORD && !/[\u0000-\u001f\u007f]/.test(word);
  if (found.length > MAX_WORDS || !found.every(isWord)) return null;
  return [...new Set(found.filter((word) => word !== ''))];
}

const logins = () => words().transform((names) => names.map((name) => name.replace(/^@/, '')));

function providerName() {
  const expected = 'a name such as github: lower-case letters, digits, - and _';
  return kind(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/), 'provider name', expected);
}

/** The address of a server. Its secrets are names of environment variables, never part of it. */
function serverUrl() {
  const address = z
    .string()
    .refine((text) => URL.canParse(text), { abort: true })
    // What it holds stays out of the message.
    .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
      error: 'the address holds a password',
      params: { hint: 'set it as an environment variable' },
    });
  return kind(address, 'address', 'an address such as https://github.example.com/api/v3');
}

export type { Field } from './fields.ts';

/** What `push:` may name: the fields, the two sections that go up as comments, and two that are local unless named. */
export const PUSHES = [...FIELDS, 'progress', 'outcome', 'notes', 'steps'] as const;
export type Push = (typeof PUSHES)[number];

export const DEFAULT_PUSH: readonly Push[] = ['status', 'progress', 'outcome', 'comments'];

/** Who is right when both sides changed one field in different ways. */
export const PREFERENCES = ['remote', 'local', 'newest'] as const;

/** Decides only what comes in; what is mirrored stays followed. */
const filter = () =>
  settings({
    labels: setting(words(), 'Only issues with all of these labels.', []),
    assignee: setting(line(), 'Only issues of this person; `me` is the account that is used.'),
    state: setting(oneOf(['open', 'closed', 'all']), 'Only issues in this state.', 'open'),
  });

const trust = () =>
  settings({
    roles: setting(
      words(),
      "Roles whose words may start turns, none for `[]`. The provider's own list when left out, everybody where the tracker has no roles and `logins` names nobody.",
    ),
    logins: setting(logins(), 'People whose words may start turns besides.', []),
    edits: setting(
      oneOf(['trusted', 'none']),
      'Whose changes of title or text upstream need no reading; all others pause the task until you read them.',
      'trusted',
    ),
  });

const anyKeys = () => kind(mapOf(z.string(), z.unknown()), 'map', 'a map of keys');

const mirror = () =>
  z.strictObject({
    provider: needed(
      providerName(),
      'The task system: `github`, `linear`, `taskwarrior`, or a name under `providers` in room.yaml.',
    ),
    source: needed(line(), "What to mirror: `owner/repo`, a team's key, a Taskwarrior filter."),
    filter: filter(),
    push: setting(
      wordsOf(PUSHES),
      'What goes back: fields of the issue, `progress`, `outcome`, `notes`, `steps`; `[]` only reads.',
      [...DEFAULT_PUSH],
    ),
    prefer: setting(oneOf(PREFERENCES), 'Who is right when both sides changed one thing.', 'remote'),
    trust: trust(),
    mentions: setting(flag(), 'Whether agents may call people and teams at the tracker by `@name`.', false),
    owner: setting(agentId(), "Agent of the tasks it brings; the room's `default_agent` when left out."),
    checks: setting(
      checkCommands(),
      "Shell commands that must end with 0 before a done of its tasks' turns counts.",
      [],
    ),
    publish: setting(
      oneOf(['pull_request']),
      '`pull_request`: the branch of a task that is done is pushed, and a draft pull request opened.',
    ),
    fields: setting(wordsOf(FIELDS), 'What is asked of the server at all; everything when left out.'),
    url: setting(serverUrl(), "The API of another server; the tracker's own when left out."),
    options: setting(anyKeys(), "Keys of the provider's own, see its page.", {}),
  });

export const choreFile = once(() =>
  z.strictObject({
    schedule: setting(
      choreSchedule(),
      'When it runs, see below; only when it is asked for when left out, or `off`.',
    ),
    paused: setting(flag(), 'Whether it does not run.', false),
    owner: setting(agentId(), "Agent of a prompt's turns; the room's `default_agent` when left out."),
    mirror: z.preprocess((found) => (found === null ? {} : found), mirror()).optional(),
  }),
);

export type MirrorConfig = z.output<ReturnType<typeof mirror>>;

export interface Chore extends Omit<z.output<ReturnType<typeof choreFile>>, 'mirror'> {
  name: string; // File name without `.md`.
  path: string;
  mirror: MirrorConfig | null;
  prompt: string; // The body: what a chore without a mirror asks for.
}

export type ChoreReading = { ok: true; chore: Chore } | { ok: false; path: string; problems: Problem[] };
