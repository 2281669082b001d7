// What one chore file says: a schedule, and either a mirror to sync or a prompt to run. Made by `readChore`.
import type { Problem } from '../errors.ts';

/** What of an issue can be mirrored. */
export const FIELDS = [
  'title',
  'body',
  'status',
  'labels',
  'assignees',
  'priority',
  'due',
  'parent',
  'blocked_by',
  'comments',
] as const;
export type Field = (typeof FIELDS)[number];

/** What `push:` may name: the fields, the two sections that go up as comments, and two that are local unless named. */
export const PUSHES = [...FIELDS, 'progress', 'outcome', 'notes', 'steps'] as const;
export type Push = (typeof PUSHES)[number];

export const DEFAULT_PUSH: readonly Push[] = ['status', 'progress', 'outcome', 'comments'];

/** Who is right when both sides changed one field in different ways. */
export const PREFERENCES = ['remote', 'local', 'newest'] as const;
export type Preference = (typeof PREFERENCES)[number];

export interface MirrorConfig {
  provider: string;
  /** `acme/web`, `ENG`, a Taskwarrior filter. */
  source: string;
  /** Decides only what comes in; what is mirrored stays followed. */
  filter: { labels: string[]; assignee: string | null; state: 'open' | 'closed' | 'all' };
  push: Push[];
  prefer: Preference;
  /** `roles`: null for the provider's own default. `edits`: whose edits of title and text upstream need no reading. */
  trust: { roles: string[] | null; logins: string[]; edits: 'trusted' | 'none' };
  /** Whether agents may call people at the tracker by name. */
  mentions: boolean;
  /** Agent that gets the tasks; null for the room's default. */
  owner: string | null;
  /** Shell commands that must end with 0 before a done of its tasks' turns counts. */
  checks: string[];
  /** What becomes of the branch of a task that is done. */
  publish: 'pull_request' | null;
  /** What is asked of the server; null for everything. */
  fields: Field[] | null;
  url: string | null;
  /** The provider's own keys. */
  options: Record<string, unknown>;
}

export interface Chore {
  /** File name without `.md`. */
  name: string;
  /** `chores/web-issues.md`. */
  path: string;
  /** As written: cron, `every 5m`, `RRULE:…`; null runs only when asked. */
  schedule: string | null;
  paused: boolean;
  mirror: MirrorConfig | null;
  /** Agent of a prompt's turns; null for the room's default. */
  owner: string | null;
  /** The body: what a chore without a mirror asks for. */
  prompt: string;
}

export type ChoreReading = { ok: true; chore: Chore } | { ok: false; path: string; problems: Problem[] };
